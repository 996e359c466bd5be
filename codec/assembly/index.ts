/** What JavaScript sees of the module, beside its memory. */
export { frames_end, frames_kinds, split_frames } from "./frames";
export { lines_end, split_lines } from "./lines";
export { convert_pixels } from "./pixels";
export { count_units } from "./units";
