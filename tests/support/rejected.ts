/** What a promise rejects with. */
import assert from "node:assert/strict";
import { ExtensionError, type ExtensionErrorCode } from "../../src/rpc/errors.ts";

/** What both families of errors have. */
export interface Rejection extends Error {
  readonly code?: string | number;
  readonly data?: unknown;
}

export async function rejected(promise: Promise<unknown>): Promise<Rejection> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "it resolved" });
}

/** The same of one that must be an ExtensionError. */
export async function failsWith(
  promise: Promise<unknown>,
  code: ExtensionErrorCode,
  message?: RegExp,
): Promise<ExtensionError> {
  const error = await rejected(promise);
  assert.ok(error instanceof ExtensionError, String(error));
  assert.equal(error.code, code, error.message);
  if (message) assert.match(error.message, message);
  return error;
}
