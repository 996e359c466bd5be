import { END, INPUT, MAX_ROWS, PAD_BYTES, SEARCHED, write_row } from "./memory";

const LF: i32 = 0x0a;
const CR: i32 = 0x0d;
const TAB: i32 = 0x09;
const SPACE: i32 = 0x20;

/**
 * Writes a row for each line that ends within the first `length` bytes of the block, blank ones left out; returns how many.
 * `END` becomes where the first line starts that has no row, `SEARCHED` what lies behind it without an LF.
 * Stops before a line longer than `limit`, and when the table is full.
 */
export function split_lines(length: i32, limit: i32): i32 {
  const end = INPUT + length;
  // What an earlier block left behind this one must not be taken for an ending.
  memory.fill(end, 0, PAD_BYTES);
  const newline = i8x16.splat(<i8>LF);
  let rows = 0;
  let start = INPUT;
  for (let at = INPUT; at < end; at += 64) {
    const first = i8x16.eq(v128.load(at), newline);
    const second = i8x16.eq(v128.load(at, 16), newline);
    const third = i8x16.eq(v128.load(at, 32), newline);
    const fourth = i8x16.eq(v128.load(at, 48), newline);
    if (!v128.any_true(v128.or(v128.or(first, second), v128.or(third, fourth)))) continue;
    let endings = line_ends(first, second, third, fourth);
    do {
      const lf = at + <i32>ctz(endings);
      const stop = lf > start && load<u8>(lf - 1) == CR ? lf - 1 : lf;
      if (stop - start > limit || rows == MAX_ROWS) {
        store<i32>(END, start - INPUT);
        store<i32>(SEARCHED, lf - INPUT);
        return rows;
      }
      if (!is_blank(start, stop)) write_row(rows++, start - INPUT, stop - start, 0);
      start = lf + 1;
      endings &= endings - 1;
    } while (endings != 0);
  }
  store<i32>(END, start - INPUT);
  store<i32>(SEARCHED, length);
  return rows;
}

/** Where the first LF stands within the first `length` bytes of the block, or -1. The table stays as it is. */
export function find_line_end(length: i32): i32 {
  const end = INPUT + length;
  memory.fill(end, 0, PAD_BYTES);
  const newline = i8x16.splat(<i8>LF);
  for (let at = INPUT; at < end; at += 64) {
    const first = i8x16.eq(v128.load(at), newline);
    const second = i8x16.eq(v128.load(at, 16), newline);
    const third = i8x16.eq(v128.load(at, 32), newline);
    const fourth = i8x16.eq(v128.load(at, 48), newline);
    if (v128.any_true(v128.or(v128.or(first, second), v128.or(third, fourth))))
      return at - INPUT + <i32>ctz(line_ends(first, second, third, fourth));
  }
  return -1;
}

/** A bit for each of 64 bytes. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function line_ends(first: v128, second: v128, third: v128, fourth: v128): u64 {
  return (
    <u64>i8x16.bitmask(first) |
    (<u64>i8x16.bitmask(second) << 16) |
    (<u64>i8x16.bitmask(third) << 32) |
    (<u64>i8x16.bitmask(fourth) << 48)
  );
}

/** A line of a byte order mark and blanks is not blank here: the one who decodes it sees that. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function is_blank(start: i32, stop: i32): bool {
  return start == stop || (<i32>load<u8>(start) <= SPACE && all_blank(start, stop));
}

function all_blank(start: i32, stop: i32): bool {
  for (let at = start; at < stop; at++) {
    const byte = <i32>load<u8>(at);
    if (byte != SPACE && byte != TAB && byte != CR) return false;
  }
  return true;
}
