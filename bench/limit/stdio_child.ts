import { answerOf } from "./calls.ts";
import { lineReader, linesText } from "./lines.ts";

process.stdin.on(
  "data",
  lineReader((lines) => void process.stdout.write(linesText(lines.map(answerOf)))),
);
