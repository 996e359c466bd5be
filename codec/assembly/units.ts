import { INPUT, ROW_BYTES, TABLE } from "./memory";

/**
 * Fills the third column of the rows from `first` to before `last`: how many UTF-16 units the row's bytes become, if they
 * are UTF-8. As many as there are bytes means ASCII.
 */
export function count_units(first: i32, last: i32): void {
  for (let row = TABLE + first * ROW_BYTES; row < TABLE + last * ROW_BYTES; row += ROW_BYTES) {
    const from = INPUT + load<i32>(row);
    store<i32>(row, units_between(from, from + load<i32>(row, 4)), 8);
  }
}

function units_between(from: i32, to: i32): i32 {
  let at = from;
  let units = to - from;
  for (; at + 16 <= to; at += 16) {
    const bytes = v128.load(at);
    if (i8x16.bitmask(bytes) != 0) units += change(bytes, -1);
  }
  if (at < to) units += change(v128.load(at), (1 << (to - at)) - 1);
  return units;
}

/** A continuation byte becomes no unit, the lead of four bytes becomes two; `mask` says which of the 16 bytes count. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function change(bytes: v128, mask: i32): i32 {
  const continuations = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64))) & mask;
  const long_leads = i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(<i8>0xf0))) & mask;
  return popcnt(long_leads) - popcnt(continuations);
}
