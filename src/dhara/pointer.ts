/** JSON Pointers, as a `$ref` and the findings of a validator have them. */

/** The steps of `""`, `/a/0` or `#/a/0`. An escape of a URI that is none stands for itself. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
