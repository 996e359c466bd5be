/** A small symmetric picture that stands for a name. */
import { Canvas, hsl } from "./canvas.ts";

const CELLS = 5;

/** The same name always gives the same picture. */
export function drawIdenticon(name: string, size: number): Canvas {
  const hash = fnv1a(name);
  const canvas = new Canvas(size, size, [240, 240, 244]);
  const color = hsl((hash % 360) / 360, 0.55, 0.5);
  const cell = size / (CELLS + 1);
  let bits = fnv1a(`${name}/${hash}`);
  for (let column = 0; column < Math.ceil(CELLS / 2); column++) {
    for (let row = 0; row < CELLS; row++) {
      if ((bits & 1) === 1) {
        for (const x of [column, CELLS - 1 - column])
          canvas.fill((x + 0.5) * cell, (row + 0.5) * cell, cell, cell, color);
      }
      bits >>>= 1;
    }
  }
  return canvas;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  // Names that differ in one letter should look nothing alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0;
}
