/** A bar chart. */
import { Canvas, type Color, hsl } from "./canvas.ts";

const BACKGROUND: Color = [24, 26, 34];
const GRID: Color = [48, 52, 66];
const AXIS: Color = [120, 126, 146];

/** One bar a value, scaled so that the largest fills the height; negative ones hang below the axis. */
export function drawChart(values: readonly number[], width: number, height: number): Canvas {
  const canvas = new Canvas(width, height, BACKGROUND);
  const top = Math.max(0, ...values);
  const bottom = Math.min(0, ...values);
  const margin = Math.round(height / 12);
  const unit = (height - 2 * margin) / (top - bottom || 1);
  const axis = margin + top * unit;
  for (let i = 0; i <= 4; i++) canvas.fill(0, margin + ((height - 2 * margin) * i) / 4, width, 1, GRID);
  const slot = (width - 2 * margin) / values.length;
  const gap = slot > 4 ? slot * 0.2 : 0;
  values.forEach((value, i) => {
    const length = Math.abs(value) * unit;
    const color = hsl(0.55 + (0.4 * i) / Math.max(1, values.length), 0.7, 0.58);
    canvas.fill(margin + i * slot + gap / 2, value < 0 ? axis : axis - length, slot - gap, length, color);
  });
  canvas.fill(0, axis, width, Math.max(1, height / 150), AXIS);
  return canvas;
}
