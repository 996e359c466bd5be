// Compiled, not run: the same in a project for Node.
import { Host } from "extwire";
import { node, serve } from "extwire/node";
import { extension, use } from "./types.ts";

await use(new Host(node()));
await serve(extension);
