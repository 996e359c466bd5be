/** A VM runtime that needs nothing installed: it paints a picture that moves. */
import type { PixelLayout } from "../../codec/codec.ts";
import { hasAlpha, isBlueFirst, layoutFault } from "../../codec/pixels.ts";
import type { Vm } from "./types.ts";
import type { Picture, VmRuntime } from "./vm_runtime.ts";

/** What the pattern looks like, and which VMs show it. */
export interface TestPatternOptions {
  /** In pixels. Default 640 by 400. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Default: one VM with the id `demo`. */
  readonly vms?: readonly Vm[] | undefined;
  /** Default `bgrx`, the format of most display hardware. */
  readonly format?: PixelLayout["format"] | undefined;
  /** Bytes from one row to the next. Default: the size of a row, rounded up to a multiple of 64. */
  readonly stride?: number | undefined;
}

/** White, yellow, cyan, green, magenta, red, blue, black: as on a television. */
const BARS = [0xffffff, 0xffff00, 0x00ffff, 0x00ff00, 0xff00ff, 0xff0000, 0x0000ff, 0x000000];
/** Buffers kept for reuse: one being painted, one being sent. */
const MOST_FREE = 2;

/**
 * A VM runtime that needs nothing installed. It paints colour bars that drift to the left with every capture, a grey ramp
 * below, and a square that bounces over them.
 *
 * @example
 * ```ts
 * import { testPattern } from "extwire";
 * const vms = testPattern({ width: 320, height: 200 });
 * const picture = await vms.capture("demo");
 * console.log(picture?.width); // 320
 * ```
 */
export function testPattern(options: TestPatternOptions = {}): VmRuntime {
  return new TestPattern(options);
}

class TestPattern implements VmRuntime {
  readonly #layout: PixelLayout;
  readonly #vms: readonly Vm[];
  /** Captures so far, by VM. */
  readonly #frames = new Map<string, number>();
  readonly #free: Uint8Array<ArrayBuffer>[] = [];

  constructor(options: TestPatternOptions) {
    const { width = 640, height = 400, format = "bgrx" } = options;
    const stride = options.stride ?? Math.ceil((width * 4) / 64) * 64;
    this.#layout = { width, height, format, stride };
    const wrong = layoutFault(this.#layout, 1);
    if (wrong !== undefined) throw new RangeError(wrong);
    this.#vms = options.vms ?? [{ id: "demo", name: "Test pattern", state: "running" }];
  }

  list(): readonly Vm[] {
    return this.#vms;
  }

  capture(vmId: string): Picture | undefined {
    if (!this.#vms.some((vm) => vm.id === vmId)) return undefined;
    const frame = this.#frames.get(vmId) ?? 0;
    this.#frames.set(vmId, frame + 1);
    const pixels = this.#free.pop() ?? new Uint8Array(this.#layout.stride * this.#layout.height);
    paint(pixels, this.#layout, frame);
    let released = false;
    const release = () => {
      if (!released && this.#free.length < MOST_FREE) this.#free.push(pixels);
      released = true;
    };
    return { ...this.#layout, pixels, release };
  }
}

/** Two rows are painted and the others copied, so that the cost is that of moving memory. */
function paint(pixels: Uint8Array, layout: PixelLayout, frame: number): void {
  const { width, height, stride } = layout;
  const rampFrom = Math.floor(height * 0.8);
  for (let y = 0; y < height; y++) {
    const row = y * stride;
    if (y > 0 && y !== rampFrom) {
      pixels.copyWithin(row, row - stride, row);
      continue;
    }
    for (let x = 0; x < width; x++) {
      const along = (x + frame * 4) % width;
      const grey = Math.floor((along * 255) / width);
      const bar = BARS[Math.floor((along * BARS.length) / width)] as number;
      setPixel(pixels, row + x * 4, layout.format, y === 0 ? bar : grey * 0x010101);
    }
  }
  const side = Math.max(1, Math.floor(Math.min(width, height) / 8));
  const left = bounce(frame * 7, width - side);
  const top = bounce(frame * 5, height - side);
  for (let y = top; y < top + side; y++) {
    for (let x = left; x < left + side; x++) setPixel(pixels, y * stride + x * 4, layout.format, 0xff8000);
  }
}

function setPixel(pixels: Uint8Array, at: number, format: PixelLayout["format"], rgb: number): void {
  const swapped = isBlueFirst(format);
  pixels[at + (swapped ? 2 : 0)] = rgb >> 16;
  pixels[at + 1] = rgb >> 8;
  pixels[at + (swapped ? 0 : 2)] = rgb;
  pixels[at + 3] = hasAlpha(format) ? 255 : 0;
}

/** To and fro between 0 and `most`. */
function bounce(distance: number, most: number): number {
  if (most <= 0) return 0;
  const at = distance % (most * 2);
  return at <= most ? at : most * 2 - at;
}
