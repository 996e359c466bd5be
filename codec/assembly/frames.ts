import { END, INPUT, KINDS, MAX_ROWS, write_row } from "./memory";

/**
 * Writes a row for the body of each frame that is whole within the first `length` bytes of the block; returns how many.
 * `END` becomes where the first frame starts that has no row; `KINDS` is 0 where every row is text.
 * Stops before a frame that is empty or longer than `limit`, and when the table is full. The headers in the block become
 * zeros, which are ASCII: so a run of texts with the headers between them can be decoded at once.
 */
export function split_frames(length: i32, limit: u32): i32 {
  const end = INPUT + length;
  const last = end - 5;
  let rows = 0;
  let kinds = 0;
  let at = INPUT;
  while (at <= last && rows < MAX_ROWS) {
    // Each step waits for the one before it, so short frames get the shortest way: one load, one addition.
    let payload = <u32>load<u8>(at, 3);
    const third = <u32>load<u8>(at, 2);
    const upper = <u32>load<u16>(at);
    if ((third | upper) != 0) {
      if (upper != 0) break;
      payload |= third << 8;
    }
    const next = at + 4 + payload;
    // An empty payload wraps around and is over any limit.
    if (payload - 1 >= limit || <i32>next > end) break;
    const kind = <i32>load<u8>(at, 4);
    kinds |= kind;
    write_row(rows++, at + 5 - INPUT, payload - 1, kind);
    store<u32>(at, 0);
    store<u8>(at, 0, 4);
    at = next;
  }
  store<i32>(END, at - INPUT);
  store<i32>(KINDS, kinds);
  return rows;
}
