import { readFileSync } from "node:fs";
import type { PixelLayout } from "../../../codec/codec.ts";
import type { Format } from "./record.ts";

/** An entry of `expect`, see tests/vectors/README.md. */
export interface Expected {
  readonly offset: number;
  readonly text?: string;
  readonly attachment?: string;
  readonly notice?: string;
  readonly error?: string;
  readonly mentions?: readonly string[];
}

export interface StreamVector {
  readonly name: string;
  readonly clauses: readonly string[];
  readonly limit: number;
  readonly bytes: string;
  readonly cuts?: readonly (readonly number[])[];
  readonly expect: readonly Expected[];
}

export interface PixelVector extends PixelLayout {
  readonly name: string;
  readonly clauses: readonly string[];
  readonly source: string;
  readonly rgba?: string;
}

export function streamVectors(format: Format): readonly StreamVector[] {
  return read(format) as StreamVector[];
}

export function pixelVectors(): readonly PixelVector[] {
  return read("pixels") as PixelVector[];
}

function read(name: string): unknown[] {
  const file = new URL(`../../vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { vectors: unknown[] }).vectors;
}

/** The same line that `record` writes for it, without wording. */
export function eventOf({ offset, text, attachment, notice, error }: Expected): string {
  if (text !== undefined) return `text ${offset} ${text}`;
  if (attachment !== undefined) return `attachment ${offset} ${attachment}`;
  return notice === undefined ? `error ${offset} ${error}` : `notice ${offset} ${notice}`;
}
