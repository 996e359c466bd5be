/** JSON-RPC 2.0 messages as text and as values (D-03, X-01). */
import { ErrorCode, RpcError } from "./errors.ts";
import { kindOf } from "./kind_of.ts";
import { asError, messageOf } from "./thrown.ts";

/** The id of a request: a string, or an integer that survives a round trip. */
export type RequestId = number | string;

/** `error` of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Whether an id can be echoed with the same value and type (D-04, X-03). -0 can't: JSON writes it as 0. */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === "string") return true;
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isSafeInteger(value["code"]) && typeof value["message"] === "string";
}

/** Params or a result that write their own JSON: for the few that are made so often that the general way is too slow. */
export abstract class OwnJson {
  /** May throw what JSON.stringify throws. */
  abstract json(): string;
}

/** Throws TypeError for what JSON has no form for, and what JSON.stringify throws. */
export function jsonText(value: unknown): string {
  const text = value instanceof OwnJson ? value.json() : (JSON.stringify(value) as string | undefined);
  if (text === undefined) throw new TypeError(`${kindOf(value)} has no JSON form`);
  return text;
}

/** Why a value has no JSON form, whatever JSON.stringify or a toJSON threw. */
export function jsonFault(thrown: unknown): string {
  return thrown instanceof RangeError ? "nested too deeply" : messageOf(thrown);
}

/** `params` undefined is left out; null is sent as null, as MX writes it (M-17). Throws what JSON.stringify throws. */
export function requestText(id: RequestId, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${idText(id)}${asking(method, params)}`;
}

export function notificationText(method: string, params: unknown): string {
  return `{"jsonrpc":"2.0"${asking(method, params)}`;
}

/** `result` undefined is sent as null. Throws TypeError for what JSON has no form for. */
export function resultText(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${jsonText(result ?? null)}}`;
}

/** `id` null: the request's id could not be read. `data` that JSON can't carry is left out. */
export function errorText(id: RequestId | null, error: ErrorObject): string {
  const { code, message, data } = error;
  try {
    return `{"jsonrpc":"2.0","id":${idText(id)},"error":${JSON.stringify({ code, message, data })}}`;
  } catch {
    return errorText(id, { code, message });
  }
}

/** What a handler threw, as the error to answer with. Only an RpcError chooses its code. */
export function toErrorObject(thrown: unknown): ErrorObject {
  const error = asError(thrown);
  const message = messageOf(error);
  if (error instanceof RpcError && Number.isSafeInteger(error.code)) {
    return { code: error.code, message, data: error.data };
  }
  return { code: ErrorCode.internalError, message: message || "internal error" };
}

function idText(id: RequestId | null): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

/** The rest of a message behind its version and id. */
function asking(method: string, params: unknown): string {
  return params === undefined ? `,"method":${JSON.stringify(method)}}` : `${beforeParams(method)}${jsonText(params)}}`;
}

/** Method names are few and repeat, mostly the same one many times; a text of fewer pieces is made and written in less time. */
function beforeParams(method: string): string {
  if (method !== lastMethod) {
    lastMethod = method;
    lastBefore = `,"method":${JSON.stringify(method)},"params":`;
  }
  return lastBefore;
}

let lastMethod: string | undefined;
let lastBefore = "";
