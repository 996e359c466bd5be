/** "Did you mean …?" */

/** The one of `names` that `name` is a slip of the keys away from, if there is one. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const each of names) {
    if (Math.abs(each.length - name.length) >= least) continue;
    const steps = distance(name.toLowerCase(), each.toLowerCase());
    if (steps < least) {
      least = steps;
      best = each;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let steps = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) steps = Math.min(steps, (before[j - 2] as number) + 1);
      row.push(steps);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}
