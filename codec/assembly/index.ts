/** What JavaScript sees of the module, beside its memory. */
export { split_frames } from "./frames";
export { find_line_end, split_lines } from "./lines";
export { convert_pixels } from "./pixels";
export { count_units } from "./units";
