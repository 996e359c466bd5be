/** The example Dhara extension: four tools that do real work, one for each kind of content. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure, file, image } from "../../src/dhara/content.ts";
import { defineExtension, defineTool } from "../../src/dhara/define.ts";
import { encodePng } from "../../src/mx/png.ts";
import type { Canvas } from "./canvas.ts";
import { drawChart } from "./chart.ts";
import { download } from "./download.ts";
import { drawIdenticon } from "./identicon.ts";
import { readableText } from "./readable.ts";
import { wordCountsCsv } from "./word_counts.ts";

const fetchUrl = defineTool({
  name: "fetch_url",
  description: "Fetch a URL and extract readable content",
  inputSchema: {
    type: "object",
    properties: { url: { type: "string", description: "Address of the page, http or https" } },
    required: ["url"],
    additionalProperties: false,
  },
  async execute({ url }, { progress, signal }) {
    if (!/^https?:\/\//i.test(url)) return failure(`${url} is not an address that starts with http:// or https://`);
    try {
      const page = await download(url, progress, signal);
      const isHtml = /html/i.test(page.contentType) || (page.contentType === "" && /^\s*</.test(page.text));
      if (isHtml) progress("Parsing HTML...");
      const text = isHtml ? await readableText(page.text, page.url) : page.text;
      progress("Done");
      return text;
    } catch (error) {
      signal.throwIfAborted();
      return failure((error as Error).message);
    }
  },
});

const drawChartTool = defineTool({
  name: "draw_chart",
  description: "Draw a bar chart of numbers and return the picture itself",
  inputSchema: {
    type: "object",
    properties: {
      values: { type: "array", items: { type: "number" }, minItems: 1, maxItems: 1_000, description: "One bar each" },
      width: { type: "integer", minimum: 16, maximum: 4_096, description: "In pixels; 640 when left out" },
      height: { type: "integer", minimum: 16, maximum: 4_096, description: "In pixels; 320 when left out" },
    },
    required: ["values"],
    additionalProperties: false,
  },
  async execute({ values, width = 640, height = 320 }) {
    return image({ bytes: await png(drawChart(values, width, height)), mimeType: "image/png" });
  },
});

const identicon = defineTool({
  name: "identicon",
  description: "Draw the small picture that stands for a name and return its path",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, description: "The same name always gives the same picture" },
      size: { type: "integer", minimum: 16, maximum: 1_024, description: "In pixels; 240 when left out" },
    },
    required: ["name"],
    additionalProperties: false,
  },
  async execute({ name, size = 240 }) {
    return image({
      path: await saveFile("identicon.png", await png(drawIdenticon(name, size))),
      mimeType: "image/png",
    });
  },
});

const countWords = defineTool({
  name: "count_words",
  description: "Count how often each word stands in a text and return a CSV file",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "Any language" } },
    required: ["text"],
    additionalProperties: false,
  },
  async execute({ text }) {
    const csv = new TextEncoder().encode(wordCountsCsv(text));
    return file({ path: await saveFile("words.csv", csv), size: csv.length, mimeType: "text/csv" });
  },
});

/** `await serve(extension)` makes a process of it. */
export const extension = defineExtension({
  name: "web-tools",
  version: "1.0.0",
  tools: [fetchUrl, drawChartTool, identicon, countWords],
});

function png({ width, height, rgba }: Canvas): Promise<Uint8Array> {
  return encodePng(width, height, rgba);
}

/** Files outlive the extension: whoever asked for one reads it later, and the system clears its temporary folder. */
async function saveFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "extwire-")), name);
  await writeFile(path, bytes);
  return path;
}
