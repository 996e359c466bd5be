/** The result of a tool on its way out. */
import { jsonText, OwnJson } from "../rpc/message.ts";
import type { ToolResult } from "./types.ts";

const DONE = '],"isError":false}';
const FAILED = '],"isError":true}';

/** Most results are one text, which is written in half the time alone that it takes inside of others. */
export class ResultText extends OwnJson {
  readonly #result: ToolResult;

  constructor(result: ToolResult) {
    super();
    this.#result = result;
  }

  json(): string {
    const { content, isError } = this.#result;
    const texts = content.length === 1 ? jsonText(content[0]) : content.map(jsonText).join(",");
    return `{"content":[${texts}${isError ? FAILED : DONE}`;
  }
}
