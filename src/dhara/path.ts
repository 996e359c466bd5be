/** Paths into an input: the keys from the whole to a part. */

/** `['a', '0', 'b']` as `a[0].b`. */
export function join(path: readonly PropertyKey[]): string {
  let joined = "";
  for (const part of path) {
    if (/^\d+$/.test(String(part))) joined += `[${String(part)}]`;
    else joined += joined === "" ? String(part) : `.${String(part)}`;
  }
  return joined;
}

/** Undefined where nothing is. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let at = input;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}
