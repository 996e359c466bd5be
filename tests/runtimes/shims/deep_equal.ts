/** Strict deep equality, as `node:assert/strict` means it: same values, same types, same prototypes. */
export function isDeepEqual(left: unknown, right: unknown, seen: Map<object, object> = new Map()): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (seen.get(left) === right) return true;
  seen.set(left, right);
  if (ArrayBuffer.isView(left)) return sameBytes(bytesOf(left), bytesOf(right as ArrayBufferView));
  if (left instanceof ArrayBuffer) return sameBytes(new Uint8Array(left), new Uint8Array(right as ArrayBuffer));
  if (left instanceof Date) return left.getTime() === (right as Date).getTime();
  if (left instanceof RegExp) return left.toString() === (right as RegExp).toString();
  if (left instanceof Map) return sameMaps(left, right as Map<unknown, unknown>, seen);
  if (left instanceof Set) return sameSets(left, right as Set<unknown>, seen);
  if (left instanceof Error && !sameErrors(left, right as Error, seen)) return false;
  if (Array.isArray(left) && left.length !== (right as unknown[]).length) return false;
  return sameProperties(left, right, seen);
}

function sameProperties(left: object, right: object, seen: Map<object, object>): boolean {
  const keys = ownKeys(left);
  if (keys.length !== ownKeys(right).length) return false;
  return keys.every(
    (key) =>
      Object.prototype.propertyIsEnumerable.call(right, key) &&
      isDeepEqual((left as Record<PropertyKey, unknown>)[key], (right as Record<PropertyKey, unknown>)[key], seen),
  );
}

function ownKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}

function sameErrors(left: Error, right: Error, seen: Map<object, object>): boolean {
  return left.name === right.name && left.message === right.message && isDeepEqual(left.cause, right.cause, seen);
}

function sameMaps(left: Map<unknown, unknown>, right: Map<unknown, unknown>, seen: Map<object, object>): boolean {
  if (left.size !== right.size) return false;
  const entries = [...right];
  return [...left].every(([key, value]) =>
    entries.some(([otherKey, other]) => isDeepEqual(key, otherKey, new Map(seen)) && isDeepEqual(value, other, seen)),
  );
}

function sameSets(left: Set<unknown>, right: Set<unknown>, seen: Map<object, object>): boolean {
  if (left.size !== right.size) return false;
  const values = [...right];
  return [...left].every((value) => values.some((other) => isDeepEqual(value, other, new Map(seen))));
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
