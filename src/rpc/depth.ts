/** How deep JSON may nest: looked at before it is parsed, and before it is sent. */

/**
 * What is wrong with a text that nests arrays and objects deeper than `limit`; undefined for others. Stops at the first level too
 * many, and does not look at all at a text too short to hold that many pairs of brackets.
 */
export function depthFault(text: string, limit: number): string | undefined {
  if (text.length <= limit * 2 || !hasMoreBrackets(text, limit)) return undefined;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // A string: on to its closing quote, over escaped ones.
        for (i++; i < text.length; i++) {
          const c = text.charCodeAt(i);
          if (c === 0x22) break;
          if (c === 0x5c) i++;
        }
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > limit) return `nested deeper than maxDepth (${limit} levels)`;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
    }
  }
  return undefined;
}

/** Whether `text` opens more than `limit` arrays and objects: in a long text of few of them the search is quicker than a scan. */
function hasMoreBrackets(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  }
  return false;
}
