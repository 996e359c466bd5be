/** Which of the three runtimes that have the `node:` modules runs this program. */
export const RUNTIME: "node" | "deno" | "bun" =
  "bun" in process.versions ? "bun" : "deno" in process.versions ? "deno" : "node";
