/** The tool that every peer offers, for those that have no notion of a tool. */

export interface EchoParams {
  readonly toolName: string;
  readonly input: { readonly text: string };
}

export interface EchoResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError: boolean;
}

export function echo({ input }: EchoParams): EchoResult {
  return { content: [{ type: "text", text: input.text }], isError: false };
}
