/** A Dhara extension as a process: `extwire tools -- npx tsx examples/dhara/main.ts`. */
import { serve } from "../../src/adapters/node_serve.ts";
import { extension } from "./extension.ts";

await serve(extension);
