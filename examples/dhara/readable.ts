/** The readable part of an HTML page as plain text, in the manner of Markdown. */

/** The little of the DOM that is read here. */
interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<DomNode>;
}

const TEXT = 3;
const ELEMENT = 1;
const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "SVG", "IFRAME", "HEAD"]);
const BLOCKS = new Set(
  "ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TR UL".split(
    " ",
  ),
);

/**
 * Title and text of the page. The two libraries take a fifth of a second to load, so they are
 * only loaded here: an extension answers `initialize` at once.
 */
export async function readableText(html: string, url: string): Promise<string> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import("linkedom"), import("@mozilla/readability")]);
  const whole = /<html[\s>]/i.test(html) ? html : `<html><body>${html.replace(/<!doctype[^>]*>/i, "")}</body></html>`;
  const parse = (): Document => parseHTML(whole).document;
  const page = parse();
  // Links in the article are resolved against the page's own address.
  Object.defineProperty(page, "baseURI", { value: url, configurable: true });
  Object.defineProperty(page, "documentURI", { value: url, configurable: true });
  const article = new Readability(page).parse();
  // Readability takes its document apart; a page without an article is read from a fresh one.
  const title = (article?.title ?? parse().title ?? "").trim();
  const content = article?.content ? parseHTML(`<html><body>${article.content}</body></html>`).document : parse();
  const text = blockText(content.body);
  return title === "" || text.startsWith(`# ${title}\n`) ? text : `# ${title}\n\n${text}`;
}

/** Text with a blank line between blocks, `#` before headings and `-` before list items. */
function blockText(root: DomNode): string {
  const blocks: string[] = [];
  let current = "";
  let prefix = "";
  const flush = (): void => {
    const text = current.replace(/\s+/g, " ").trim();
    if (text !== "") blocks.push(prefix + text);
    current = "";
  };
  const visit = (node: DomNode): void => {
    if (node.nodeType === TEXT) current += node.textContent ?? "";
    if (node.nodeType !== ELEMENT || SKIPPED.has(node.nodeName.toUpperCase())) return;
    const name = node.nodeName.toUpperCase();
    if (name === "BR") current += " ";
    if (name === "PRE") {
      flush();
      const code = (node.textContent ?? "").replace(/^\n|\s+$/g, "");
      if (code !== "") blocks.push(code.replace(/^/gm, "    "));
      return;
    }
    const isBlock = BLOCKS.has(name);
    const outer = prefix;
    if (isBlock) {
      flush();
      if (/^H[1-6]$/.test(name)) prefix = `${"#".repeat(Number(name[1]))} `;
      else if (name === "LI") prefix = "- ";
    }
    for (const child of Array.from(node.childNodes)) visit(child);
    if (isBlock) flush();
    prefix = outer;
    if (name === "TD" || name === "TH") current += "  ";
  };
  visit(root);
  flush();
  return blocks
    .map((block, i) => (isItem(block) && isItem(blocks[i + 1]) ? block : `${block}\n`))
    .join("\n")
    .trim();
}

function isItem(block: string | undefined): boolean {
  return block?.startsWith("- ") ?? false;
}
