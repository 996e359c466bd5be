/**
 * The limit: the least that a request and its answer can cost when written by hand. One write per tick, whole chunks
 * decoded once, the envelope built by hand, a map of promises, no features and no checks. Nobody may slow it down.
 */

export interface Result {
  content: [{ text: string }];
}

interface Message {
  id: number;
  method?: string;
  params: { input: { text: string } };
  result: Result;
}

/** The calling side, without its transport: `write` takes what one tick made. */
export class LimitCaller {
  readonly #pending = new Map<number, (result: Result) => void>();
  readonly #write: (messages: string[]) => void;
  #id = 0;
  #queue: string[] = [];

  constructor(write: (messages: string[]) => void) {
    this.#write = write;
  }

  call(text: string): Promise<Result> {
    const id = ++this.#id;
    const { length } = this.#queue;
    this.#queue.push(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/execute","params":{"toolName":"echo","input":${JSON.stringify({ text })}}}`,
    );
    if (length === 0) process.nextTick(this.#flush);
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }

  receive(message: string): void {
    const { id, result } = JSON.parse(message) as Message;
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(result);
  }

  readonly #flush = (): void => {
    const queue = this.#queue;
    this.#queue = [];
    this.#write(queue);
  };
}

/** The answering side: the answer to one message. */
export function answerOf(message: string): string {
  const { id, params } = JSON.parse(message) as Message;
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[${JSON.stringify({ type: "text", text: params.input.text })}],"isError":false}}`;
}
