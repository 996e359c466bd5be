/**
 * The layout that codec/assembly/memory.ts sets. Constants alone, so that bundlers can put the numbers where they are used:
 * the ones of a module that imports become variables, which runtimes load each time.
 */

/** In u32 from the start: what a split came to beside its rows. */
export const END = 0;
export const KINDS = 1;
export const SEARCHED = 2;

/** A block of a chunk. */
export const INPUT = 1024;
export const BLOCK_BYTES = 16_384;
export const PAD_BYTES = 64;

export const TABLE: number = INPUT + BLOCK_BYTES + PAD_BYTES;
export const MAX_ROWS = 1920;

/** u32 in a row of the table, and which of them says what. */
export const ROW = 4;
export const OFFSET = 0;
export const LENGTH = 1;
export const UNITS = 2;
export const KIND = 3;

export const PIXELS: number = TABLE + MAX_ROWS * ROW * 4;
export const PIXELS_BYTES = 16_384;
