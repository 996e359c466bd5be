/** A page from the web, with a word about how far it is. */
import { LimitedBytesTransformStream, toArrayBuffer } from "@std/streams";

export interface Download {
  readonly text: string;
  readonly contentType: string;
  /** Where the page was found in the end, after redirects. */
  readonly url: string;
}

/** Enough for any page that people read. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Of a page this small two steps are enough; of a bigger one every tenth is told. */
const SMALL_BYTES = 1024 * 1024;

/** Throws an Error whose message says what went wrong with which address. */
export async function download(
  url: string,
  progress: (message: string) => void,
  signal: AbortSignal,
): Promise<Download> {
  const response = await request(url, signal);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status} ${response.statusText}`.trim());
  }
  const bytes = await readBody(response, url, progress);
  const contentType = response.headers.get("content-type") ?? "";
  return { text: decode(bytes, contentType), contentType, url: response.url || url };
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, headers: { accept: "text/html, text/*;q=0.8, application/json;q=0.5" } });
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, cause } = error as Error;
    throw new Error(`${url} could not be fetched: ${cause instanceof Error ? cause.message : message}`, {
      cause: error,
    });
  }
}

async function readBody(response: Response, url: string, progress: (message: string) => void): Promise<Uint8Array> {
  const encoded = response.headers.has("content-encoding");
  // The length of a compressed body says nothing about how much of the text is here.
  const total = encoded ? 0 : Number(response.headers.get("content-length") ?? 0);
  const body = response.body ?? new Blob().stream();
  const limited = body.pipeThrough(new LimitedBytesTransformStream(MAX_BYTES, { error: true }));
  try {
    return new Uint8Array(await toArrayBuffer(limited.pipeThrough(telling(total, progress))));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`${url} is larger than ${MAX_BYTES / 1024 / 1024} MiB`, { cause: error });
  }
}

/** Tells how much of `total` bytes has gone through; of an unknown total, 0, how much there was. */
function telling(total: number, progress: (message: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const step = total > SMALL_BYTES ? 10 : 50;
  let size = 0;
  let told = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      for (; total > 0 && told + step <= (100 * size) / total; ) progress(`Downloading... ${(told += step)}%`);
      controller.enqueue(chunk);
    },
    flush() {
      if (total === 0) progress(`Downloading... ${Math.ceil(size / 1024)} KiB`);
    },
  });
}

/** By the charset of the header, else the one that the page names for itself, else UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const charset = /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
