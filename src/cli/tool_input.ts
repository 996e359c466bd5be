/** `--input`: JSON in place, `@file`, or `-` for stdin. */
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { toText } from "@std/streams";
import { isObject } from "../rpc/message.ts";
import { messageOf } from "../rpc/thrown.ts";
import { UsageError } from "./errors.ts";

/** The object that `--input` names; an empty one without it. Throws a UsageError that says where the JSON is wrong. */
export async function readInput(input: string | undefined): Promise<Record<string, unknown>> {
  if (input === undefined) return {};
  const { text, from } = await inputText(input);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`${from} is not JSON: ${messageOf(error)}`);
  }
  if (!isObject(value)) throw new UsageError(`${from} must be a JSON object, as in '{"url":"https://example.com"}'`);
  return value;
}

async function inputText(input: string): Promise<{ text: string; from: string }> {
  if (input === "-")
    return { text: await toText(Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>), from: "stdin" };
  if (!input.startsWith("@")) return { text: input, from: "--input" };
  const path = input.slice(1);
  try {
    return { text: await readFile(path, "utf8"), from: path };
  } catch (error) {
    throw new UsageError(`--input ${input} cannot be read: ${messageOf(error)}`);
  }
}
