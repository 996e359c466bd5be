/** What it costs to import a module, in ms of CPU. Its path is the last argument. */
import { pathToFileURL } from "node:url";

const path = pathToFileURL(process.argv.at(-1) as string).href;
const before = process.cpuUsage();
await import(path);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / 1000}\n`);
