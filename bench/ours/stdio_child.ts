import { serve } from "../../src/adapters/node_serve.ts";
import { echoExtension } from "./echo_extension.ts";

await serve(echoExtension);
