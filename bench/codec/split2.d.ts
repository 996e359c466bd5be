/** The parts that are used of packages without types. */
declare module "split2" {
  export default function split2(mapper: (line: string) => unknown): import("node:stream").Transform;
}
