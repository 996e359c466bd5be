/**
 * The memory map: one page, everything in it scratch. Nothing lives longer than one call from JavaScript,
 * so that one instance serves every decoder. Blocks are this small so that a block and its table stay in
 * the fastest cache: with 64 KiB ones splitting took half as long again.
 */

/**
 * What a split came to, beside its rows: how far it came, the kinds of all rows or-ed, and from where on the next line end
 * has to be looked for. Reading a global takes longer.
 */
export const END: i32 = 0;
export const KINDS: i32 = 4;
export const SEARCHED: i32 = 8;

/** A block of a chunk is copied to here. */
export const INPUT: i32 = 1024;
export const BLOCK_BYTES: i32 = 16384;
/** Vectors may be read this far past a block. */
export const PAD_BYTES: i32 = 64;

/** Rows of four u32: offset in the block, length, UTF-16 units (filled by `count_units`), kind. */
export const TABLE: i32 = INPUT + BLOCK_BYTES + PAD_BYTES;
export const MAX_ROWS: i32 = 1920;
export const ROW_BYTES: i32 = 16;

/**
 * Pixels have a block of their own, so that a picture can be copied while a table is being read. It holds a row of a 4K
 * picture, and still fits the fastest cache beside what is read and written: 8 KiB and 32 KiB are a tenth slower.
 */
export const PIXELS: i32 = TABLE + MAX_ROWS * ROW_BYTES;
export const PIXELS_BYTES: i32 = 16384;

// @ts-ignore: a decorator of AssemblyScript
@inline
export function write_row(row: i32, offset: i32, length: i32, kind: i32): void {
  const at = TABLE + row * ROW_BYTES;
  store<i32>(at, offset);
  store<i32>(at, length, 4);
  store<i32>(at, kind, 12);
}
