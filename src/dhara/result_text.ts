/** The result of a tool on its way out. */
import { jsonText, OwnJson } from "../rpc/message.ts";
import type { ToolResult } from "./types.ts";

/** Most results are one text, which is written in half the time alone that it takes inside of others. */
export class ResultText extends OwnJson {
  readonly #result: ToolResult;

  constructor(result: ToolResult) {
    super();
    this.#result = result;
  }

  json(): string {
    const { content, isError } = this.#result;
    return `{"content":[${content.map((each) => jsonText(each)).join(",")}],"isError":${isError}}`;
  }
}
