/** Pixels to draw on. */

export type Color = readonly [red: number, green: number, blue: number];

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Tight RGBA. */
  readonly rgba: Uint8Array;

  constructor(width: number, height: number, background: Color) {
    this.width = width;
    this.height = height;
    this.rgba = new Uint8Array(width * height * 4);
    this.fill(0, 0, width, height, background);
  }

  /** Fills a rectangle; what lies outside the canvas is left out. */
  fill(x: number, y: number, width: number, height: number, [red, green, blue]: Color): void {
    const right = Math.min(this.width, Math.round(x + width));
    const bottom = Math.min(this.height, Math.round(y + height));
    for (let row = Math.max(0, Math.round(y)); row < bottom; row++) {
      for (let column = Math.max(0, Math.round(x)); column < right; column++) {
        this.rgba.set([red, green, blue, 255], (row * this.width + column) * 4);
      }
    }
  }
}

/** `hue` in turns: 0 and 1 are red. */
export function hsl(hue: number, saturation: number, lightness: number): Color {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number): number => {
    const k = (n + hue * 12) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
