/** One line of a result, how it is written, and how a ratio is read: above 1 says that ours is better. */

export interface Row {
  readonly suite: string;
  readonly case: string;
  readonly runtime: string;
  readonly unit: string;
  readonly ours: number;
  /** The hand-written limit, or null where the case has none. */
  readonly limit: number | null;
  readonly peers: Readonly<Record<string, number>>;
  readonly vsLimit: number | null;
  readonly vsPeers: Readonly<Record<string, number>>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle];
  const low = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  return high === undefined || low === undefined ? Number.NaN : (high + low) / 2;
}

/** What each contender measured, round by round: values of one index were taken one after the other. */
export type Rounds = Readonly<Record<string, readonly number[]>>;

export interface RowHead {
  readonly suite: string;
  readonly case: string;
  readonly runtime: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
}

/** Values are medians over the rounds; ratios are medians of the ratios within one round. */
export function rowOf(head: RowHead, rounds: Rounds): Row {
  const ours = rounds["ours"] ?? [];
  const ratio = (other: readonly number[]): number =>
    median(
      ours.map((value, i) =>
        head.better === "higher" ? value / (other[i] ?? Number.NaN) : (other[i] ?? Number.NaN) / value,
      ),
    );
  const peers: Record<string, number> = {};
  const vsPeers: Record<string, number> = {};
  for (const [name, values] of Object.entries(rounds)) {
    if (name === "ours" || name === "limit") continue;
    peers[name] = median(values);
    vsPeers[name] = ratio(values);
  }
  const limit = rounds["limit"];
  return {
    suite: head.suite,
    case: head.case,
    runtime: head.runtime,
    unit: head.unit,
    ours: median(ours),
    limit: limit === undefined ? null : median(limit),
    peers,
    vsLimit: limit === undefined ? null : ratio(limit),
    vsPeers,
  };
}

/** Three significant digits, and thousands with commas. */
function figure(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** A Markdown table: it reads well in a terminal and goes into docs/performance.md as it is. */
export function table(rows: readonly Row[], verdict: (row: Row) => string): string {
  const lines = rows.map((row) => [
    row.case,
    row.unit,
    figure(row.ours),
    row.limit === null ? "–" : `${figure(row.limit)} (${figure(row.vsLimit)})`,
    Object.entries(row.peers)
      .map(([name, value]) => `${name} ${figure(value)} (${figure(row.vsPeers[name] ?? Number.NaN)})`)
      .join(", ") || "–",
    verdict(row),
  ]);
  const head = ["case", "unit", "ours", "limit (ratio)", "peers (ratio)", "goal"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? "").length)),
  );
  const print = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [print(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...lines.map(print)].join("\n");
}
