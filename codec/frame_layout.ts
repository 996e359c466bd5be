/** How a frame lies in bytes (M-01): a big-endian length, which counts all that is behind it; a byte that names the kind; the body. */

export const LENGTH_BYTES = 4;
export const HEADER_BYTES = 5;

/** Kinds. */
export const TEXT = 0;
export const ATTACHMENT = 1;
