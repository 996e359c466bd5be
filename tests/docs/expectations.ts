/**
 * Bundled into each example: `console.log(x); // y` in an example promises that y is what is printed.
 * Quotes and line breaks are the printing runtime's affair and are not compared.
 */

let printed = "";

const log = console.log;
console.log = (...values: unknown[]) => {
  const { format } = process.getBuiltinModule("node:util");
  printed = format(...values);
  log(...values);
};

declare global {
  function __expectPrinted(expected: string, place: string): void;
}

globalThis.__expectPrinted = (expected, place) => {
  if (plain(printed) === plain(expected)) return;
  log(`${place} promises\n  ${expected}\nbut prints\n  ${printed}`);
  process.exit(1);
};

function plain(text: string): string {
  return text
    .replaceAll("'", '"')
    .replace(/\s+/g, " ")
    .trim()
    .replace(/([[{(]) /g, "$1")
    .replace(/ ([\]})])/g, "$1");
}

export {};
