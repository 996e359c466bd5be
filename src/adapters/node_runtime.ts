/** What the pipes of Node, Deno and Bun ask of their runtime. */

/** Which of the three runs this program. */
export const RUNTIME: "node" | "deno" | "bun" =
  "bun" in process.versions ? "bun" : "deno" in process.versions ? "deno" : "node";

/** Taken once: the global `process` is an accessor. */
export const nextTick: typeof process.nextTick = process.nextTick;
