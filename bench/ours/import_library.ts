/** How long it takes to import the whole library with the adapter, in ms. The bundle's path is the last argument. */
import { pathToFileURL } from "node:url";

const path = pathToFileURL(process.argv.at(-1) as string).href;
const begin = performance.now();
await import(path);
process.stdout.write(`${performance.now() - begin}\n`);
