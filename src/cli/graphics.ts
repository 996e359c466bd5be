/** Pictures as two families of terminals take them: as files, drawn in real pixels. */

export type GraphicsProtocol = "kitty" | "iterm2";

/** What kitty takes in one escape sequence. */
const KITTY_CHUNK = 4_096;

/** Undefined where neither is known to work; a multiplexer between would swallow or garble them. */
export function graphicsProtocol(env: NodeJS.ProcessEnv): GraphicsProtocol | undefined {
  const term = env["TERM"] ?? "";
  if (env["TMUX"] || env["STY"] || env["ZELLIJ"] || /^(screen|tmux)/.test(term)) return undefined;
  const program = env["TERM_PROGRAM"] ?? "";
  if (/kitty|ghostty/.test(term) || env["KITTY_WINDOW_ID"] || program === "ghostty") return "kitty";
  if (/^(iTerm\.app|WezTerm|mintty)$/.test(program) || env["LC_TERMINAL"] === "iTerm2") return "iterm2";
  return undefined;
}

/** The escape sequences that draw a PNG `columns` wide, in one string that ends its line. */
export function graphicsText(protocol: GraphicsProtocol, png: Uint8Array, columns: number): string {
  const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
  if (protocol === "iterm2") {
    return `\x1b]1337;File=inline=1;size=${png.length};width=${columns};preserveAspectRatio=1:${data}\x07\n`;
  }
  let text = "";
  for (let at = 0; at < data.length; at += KITTY_CHUNK) {
    // a=T: transmit and show; f=100: PNG; q=2: no answer, nobody reads one here.
    const options = at === 0 ? `a=T,f=100,q=2,c=${columns},` : "";
    text += `\x1b_G${options}m=${at + KITTY_CHUNK < data.length ? 1 : 0};${data.slice(at, at + KITTY_CHUNK)}\x1b\\`;
  }
  return `${text}\n`;
}
