/** Lets through the bytes from index `start` to index `end`, both included, and then ends. RangeError below 0. */
export class ByteSliceStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(start = 0, end: number = Number.POSITIVE_INFINITY) {
    if (start < 0) throw new RangeError(`Cannot construct ByteSliceStream as start must be >= 0: received ${start}`);
    let position = 0;
    super({
      transform(chunk, controller) {
        const from = Math.max(start - position, 0);
        const to = Math.min(end + 1 - position, chunk.byteLength);
        if (from < to) controller.enqueue(chunk.slice(from, to));
        position += chunk.byteLength;
        if (position > end) controller.terminate();
      },
    });
  }
}
