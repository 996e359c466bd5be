/** A host inside a program of your own: starts two extensions, calls a tool, watches what happens, stops both. */
import { fileURLToPath } from "node:url";
import { Host, type HostEvent, testPattern } from "../mod.ts";
import { node } from "../src/adapters/node.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
// These two are run as this program is run, with the options of the runtime that are its arguments; yours may be in any language.
const before = [...("Deno" in globalThis ? ["run", "--allow-all"] : process.execArgv), ...process.argv.slice(2)];
const run = { command: process.execPath };

await using host = new Host(node(), { vms: testPattern({ width: 320, height: 200 }), onEvent: log });

await Promise.all([
  host.start({ id: "web-tools", protocol: "dhara", ...run, args: [...before, here("dhara/main.ts")] }),
  host.start({ id: "screen-watch", protocol: "mx", ...run, args: [...before, here("mx/main.ts")] }),
]);

for (const { extension, name, description } of host.tools()) console.log(`${extension}: ${name}: ${description}`);

const result = await host.execute("count_words", { text: "to be or not to be" }, { timeoutMs: 10_000 });
for (const content of result.content) {
  console.log(content.type === "file" ? `${content.mimeType}, ${content.size} bytes: ${content.path}` : content);
}

function log(event: HostEvent): void {
  if (event.type === "state") console.log(`${event.extension} is ${event.state}`);
  if (event.type === "stdout") console.log(`${event.extension} says ${event.line}`);
}
