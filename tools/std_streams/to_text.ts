/** All the text of a stream of strings or of UTF-8 bytes, wherever its chunks are cut. */
export async function toText(stream: ReadableStream<string> | ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = (stream as ReadableStream<string | Uint8Array>).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += typeof read.value === "string" ? read.value : decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}
