/** What a promise rejects with. */
import assert from "node:assert/strict";

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
