import { Tail } from "./tail.ts";

/** A tail that is held as text while all of it is ASCII, and turned to bytes when bytes follow. */
export class TextTail extends Tail {
  /** As long as its bytes are; not empty only while there are no bytes. */
  #text = "";

  override get length(): number {
    return super.length + this.#text.length;
  }

  get isText(): boolean {
    return super.length === 0;
  }

  override get bytes(): Uint8Array {
    this.#turnToBytes();
    return super.bytes;
  }

  override get lastByte(): number | undefined {
    return super.lastByte ?? this.#text.charCodeAt(this.#text.length - 1);
  }

  override append(source: Uint8Array, from: number, to: number, most: number): void {
    this.#turnToBytes();
    super.append(source, from, to, most);
  }

  /** Adds ASCII text; only while `isText`. */
  appendText(text: string): void {
    this.#text += text;
    this.copied += text.length;
  }

  /** The text so far, which is taken out; only while `isText`. */
  takeText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  override clear(): void {
    super.clear();
    this.#text = "";
  }

  #turnToBytes(): void {
    if (this.#text === "") return;
    const bytes = new TextEncoder().encode(this.takeText());
    super.append(bytes, 0, bytes.length, bytes.length);
  }
}
