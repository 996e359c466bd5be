/** Whether what arrived is what MX v1 says, and the error that names the field where it is not (M-08). */
import { defined } from "../rpc/defined.ts";
import { ExtensionError, invalidParams } from "../rpc/errors.ts";
import { excerpt } from "../rpc/excerpt.ts";
import { kindOf } from "../rpc/kind_of.ts";
import { isObject } from "../rpc/message.ts";
import {
  type CaptureParams,
  type CaptureResult,
  type ExtensionState,
  type ExtensionStatus,
  type HelloParams,
  type HelloResult,
  MxMethod,
  type Vm,
} from "./types.ts";

const STATES: readonly ExtensionState[] = ["ready", "degraded", "failed"];

/** Reads one member of params or of a result; `fault` makes the error from what is wrong with it. */
class Fields {
  readonly #value: Record<string, unknown>;
  readonly #fault: (what: string) => Error;

  constructor(value: unknown, whole: string, fault: (what: string) => Error) {
    if (!isObject(value)) throw fault(`${whole} must be an object, not ${kindOf(value)}`);
    this.#value = value;
    this.#fault = fault;
  }

  string(name: string): string {
    return this.#read<string>(name, "a string", isString);
  }

  integer(name: string): number {
    return this.#read<number>(name, "a whole number", Number.isSafeInteger, showNumber);
  }

  size(name: string): number {
    return this.#read<number>(name, "a size", (value) => Number.isSafeInteger(value) && Number(value) >= 0, showNumber);
  }

  optionalSize(name: string): number | undefined {
    return Object.hasOwn(this.#value, name) ? this.size(name) : undefined;
  }

  strings(name: string): readonly string[] {
    const fits = (value: unknown) => Array.isArray(value) && value.every(isString);
    return this.#read<readonly string[]>(name, "an array of strings", fits);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    // No field that says one of a few words holds a token.
    const show = (value: unknown) => (isString(value) ? excerpt(value, 40) : kindOf(value));
    return this.#read<T>(name, allowed, (value) => allowed.includes(value as T), show);
  }

  /**
   * A member that only the prototype has is missing. `expected` is put in words where it is not met, for every hello brings a status.
   * `show` shows the value itself only where it can't be a token, as most strings can.
   */
  #read<T>(name: string, expected: string | readonly string[], fits: (value: unknown) => boolean, show = kindOf): T {
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
    if (fits(value)) return value as T;
    const wanted = isString(expected) ? expected : `one of ${expected.join(", ")}`;
    const must = value === undefined ? `is missing: it must be ${wanted}` : `must be ${wanted}, not ${show(value)}`;
    throw this.#fault(`field \`${name}\` ${must}`);
  }
}

/** Throws the -32602 that names the field (M-08). The value of a field is never in it: one of them is the token. */
export function readHelloParams(params: unknown): HelloParams {
  const fields = new Fields(params, "params", invalidParams);
  return {
    token: fields.string("token"),
    protocolVersion: fields.integer("protocolVersion"),
    extensionId: fields.string("extensionId"),
  };
}

/** Throws the -32602 that names the field (M-08). */
export function readCaptureParams(params: unknown): CaptureParams {
  return { vmId: new Fields(params, "params", invalidParams).string("vmId") };
}

/** Throws an ExtensionError `protocol`. */
export function readHelloResult(result: unknown): HelloResult {
  const fields = new Fields(result, "it", badResult(MxMethod.hello));
  return {
    protocolVersion: fields.integer("protocolVersion"),
    hostCapabilities: fields.strings("hostCapabilities"),
    sessionId: fields.string("sessionId"),
  };
}

/** Throws an ExtensionError `protocol`. */
export function readStatus(result: unknown): ExtensionStatus {
  const fields = new Fields(result, "it", badResult(MxMethod.reportStatus));
  return {
    state: fields.oneOf("state", STATES),
    message: fields.string("message"),
    version: fields.string("version"),
    protocolVersion: fields.integer("protocolVersion"),
    capabilities: fields.strings("capabilities"),
  };
}

/** What an extension of this library says of itself. Throws a TypeError. */
export function readReport(report: unknown): Pick<ExtensionStatus, "state" | "message"> {
  const fields = new Fields(report, "it", (what) => new TypeError(`the status is not valid: ${what}`));
  return { state: fields.oneOf("state", STATES), message: fields.string("message") };
}

/** Throws an ExtensionError `protocol`. What a VM has beside its id is the host's affair. */
export function readVms(result: unknown): readonly Vm[] {
  const fault = badResult(MxMethod.listVms);
  if (!Array.isArray(result)) throw fault(`it must be an array, not ${kindOf(result)}`);
  for (const vm of result) new Fields(vm, "each entry", fault);
  return result as readonly Vm[];
}

/** Throws an ExtensionError `protocol`. */
export function readCaptureResult(result: unknown): CaptureResult {
  const fields = new Fields(result, "it", badResult(MxMethod.captureFramebuffer));
  return {
    encoding: fields.oneOf("encoding", ["mxfb0001"]),
    byteLength: fields.size("byteLength"),
    ...defined({ width: fields.optionalSize("width"), height: fields.optionalSize("height") }),
  };
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function showNumber(value: unknown): string {
  return typeof value === "number" ? String(value) : kindOf(value);
}

function badResult(method: string): (what: string) => ExtensionError {
  return (what) => new ExtensionError("protocol", `the result of ${method} is not valid: ${what}`);
}
