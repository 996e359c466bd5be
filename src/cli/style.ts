/** Colours, only where they can be seen. */

export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
}

/** How many colours a terminal shows. `none` is no terminal, or one that shall stay plain. */
export type ColorDepth = "none" | "16" | "256" | "truecolor";

export function colorDepth(isTerminal: boolean, env: NodeJS.ProcessEnv): ColorDepth {
  const forced = env["FORCE_COLOR"];
  if (env["NO_COLOR"] || forced === "0") return "none";
  if (!isTerminal && forced === undefined) return "none";
  const term = env["TERM"] ?? "";
  if (term === "dumb" && forced === undefined) return "none";
  if (forced === "3" || /^(truecolor|24bit)$/.test(env["COLORTERM"] ?? "")) return "truecolor";
  if (/-direct$|kitty|ghostty|alacritty|wezterm/.test(term) || env["WT_SESSION"]) return "truecolor";
  if (/^(iTerm\.app|WezTerm|ghostty|vscode)$/.test(env["TERM_PROGRAM"] ?? "")) return "truecolor";
  return forced === "2" || /256/.test(term) ? "256" : "16";
}

export function styleFor(depth: ColorDepth): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      depth === "none" || text === "" ? text : `\x1b[${on}m${text}\x1b[${off}m`;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
  };
}
