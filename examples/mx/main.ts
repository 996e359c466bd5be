/** An MX extension as a process: `extwire run --protocol mx -- npx tsx examples/mx/main.ts`. */
import { watchScreens } from "./watch.ts";

const saveTo = process.argv[2];
await watchScreens(saveTo === undefined ? {} : { saveTo });
