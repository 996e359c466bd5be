/** `extwire demo`: the whole job in one command, with nothing but this program. */
import type { ToolResult } from "../../dhara/types.ts";
import type { HostEvent } from "../../host/events.ts";
import type { Host } from "../../host/host.ts";
import { testPattern } from "../../mx/test_pattern.ts";
import { deferred } from "../../rpc/deferred.ts";
import type { Cli } from "../context.ts";
import { DemoJson } from "../demo_json.ts";
import { serveDemoPage } from "../demo_page.ts";
import { DemoText } from "../demo_text.ts";
import type { DemoView } from "../demo_view.ts";
import { ReportedError } from "../errors.ts";
import { saveFolder, temporaryFolder } from "../saver.ts";
import { exampleManifest } from "../target.ts";
import { withHost } from "../with_host.ts";

export interface DemoFlags {
  readonly json?: boolean;
  readonly save?: string;
}

/** Sunspots a year, 1997 to 2020: two cycles that look like something. */
const VALUES = [29, 89, 136, 174, 170, 164, 99, 65, 46, 25, 13, 4, 5, 25, 81, 85, 94, 113, 70, 40, 22, 7, 4, 9];

export async function demo(this: Cli, flags: DemoFlags): Promise<void> {
  const { output, self } = this;
  const started = performance.now();
  output.json = flags.json === true;
  const folder = flags.save === undefined ? await temporaryFolder("extwire-demo-") : await saveFolder(flags.save);
  const view = output.json ? new DemoJson(output) : new DemoText(output, folder);
  const web = exampleManifest("demo:dhara", self);
  const screens = exampleManifest("demo:mx", self, "--save", folder);
  const captured = new FirstCapture(screens.id);
  const page = await serveDemoPage();
  try {
    const onEvent = (event: HostEvent): void => {
      captured.event(event);
      view.event(event);
    };
    await withHost(this, { vms: testPattern({ width: 640, height: 400 }), onEvent }, async (host) => {
      view.begin([web.id, screens.id]);
      await Promise.all([host.start(web), host.start(screens)]);
      view.tools(host.tools());
      const results = await callTools(host, view, page.url, this.interruption.signal);
      const { path, line } = await captured.found;
      await view.framebuffer(path, screens.id, line);
      view.stopping();
      if (results.some(({ isError }) => isError)) throw new ReportedError("a tool of the demo failed");
    });
  } finally {
    await page.close();
  }
  view.end(performance.now() - started);
}

async function callTools(host: Host, view: DemoView, url: string, signal: AbortSignal): Promise<ToolResult[]> {
  const call = async (tool: string, input: Record<string, unknown>): Promise<ToolResult> => {
    const started = performance.now();
    view.call(tool, input);
    const result = await host.execute(tool, input, { signal, onProgress: (message) => view.progress(tool, message) });
    await view.result(tool, result, performance.now() - started);
    return result;
  };
  const page = await call("fetch_url", { url });
  const text = page.content.map((content) => (content.type === "text" ? content.text : "")).join("\n");
  return [page, await call("count_words", { text }), await call("draw_chart", { values: VALUES })];
}

/** The first picture that the MX extension says it has saved. */
class FirstCapture {
  readonly #found = deferred<{ readonly path: string; readonly line: string }>();
  readonly #extension: string;

  constructor(extension: string) {
    this.#extension = extension;
    // Nobody may be waiting yet, or any more, when the extension goes.
    this.found.catch(() => {});
  }

  get found(): Promise<{ readonly path: string; readonly line: string }> {
    return this.#found.promise;
  }

  event(event: HostEvent): void {
    if (event.extension !== this.#extension) return;
    if (event.type === "exit") this.#found.reject(new Error(`${event.extension} ended before it captured anything`));
    const saved = event.type === "stdout" ? /^(.*) -> (.*)$/.exec(event.line) : null;
    if (saved) this.#found.resolve({ line: saved[1]!, path: saved[2]! });
  }
}
