/** What JavaScript sees of the module, beside its memory. */
export { split_frames } from "./frames";
export { split_lines } from "./lines";
export { convert_pixels } from "./pixels";
export { count_units } from "./units";
