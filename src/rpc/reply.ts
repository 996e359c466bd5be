/** What a request handler returns when something comes right behind its answer, with nothing in between. */
export class Reply {
  readonly result: unknown;
  /** Called once: true when the answer was queued, and what is sent now leaves right behind it; false when it can't be. */
  readonly done: (isQueued: boolean) => void;

  constructor(result: unknown, done: (isQueued: boolean) => void) {
    this.result = result;
    this.done = done;
  }
}
