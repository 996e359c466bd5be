/** How often each word stands in a text, as CSV. */

/** `word,count` with a header, most frequent first, words of equal count in order of the alphabet. */
export function wordCountsCsv(text: string): string {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return ["word,count", ...rows.map(([word, count]) => `${word},${count}`)].map((row) => `${row}\r\n`).join("");
}
