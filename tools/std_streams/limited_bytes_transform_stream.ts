export interface LimitedBytesTransformStreamOptions {
  /** Whether a chunk that goes past the limit is a RangeError. Default: the stream ends before that chunk. */
  error?: boolean;
}

/** Lets chunks through as long as they hold `size` bytes together; the one that would be too much is not passed on. */
export class LimitedBytesTransformStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(size: number, options: LimitedBytesTransformStreamOptions = {}) {
    let left = size;
    super({
      transform(chunk, controller) {
        if (chunk.byteLength <= left) {
          left -= chunk.byteLength;
          controller.enqueue(chunk);
        } else if (options.error) {
          throw new RangeError(`Exceeded byte size limit of '${size}'`);
        } else controller.terminate();
      },
    });
  }
}
