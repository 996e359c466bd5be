/** What a host tells of the tools of its extensions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hosting } from "../support/hosting.ts";
import { fixture } from "../support/runtime.ts";

test("[X-22] each list of tools is told once, also one that comes right behind the answer to initialize", async () => {
  const tool = (name: string) => ({ name, description: name, inputSchema: { type: "object" } });
  const list = (...names: string[]) =>
    JSON.stringify({ jsonrpc: "2.0", method: "tools/list", params: { tools: names.map(tool) } });
  const result = { name: "raw", version: "1.0.0", tools: [tool("a")] };
  const answer = JSON.stringify({ jsonrpc: "2.0", id: "ID", result });
  const executed = JSON.stringify({ jsonrpc: "2.0", id: "ID", result: { content: [], isError: false } });
  const script = {
    on: {
      initialize: [`${answer}\n${list("a", "b")}`],
      "tools/execute b": [`${list("c")}\n${list("d")}\n${executed}`],
    },
  };
  await hosting(async ({ host, events }) => {
    const listed: string[] = [];
    host.on(({ type }) => {
      if (type === "tools")
        listed.push(
          host
            .tools()
            .map(({ name }) => name)
            .join(),
        );
    });
    await host.start({ id: "raw", protocol: "dhara", ...fixture("dhara_script", JSON.stringify(script)) });
    await host.execute("b");
    assert.deepEqual(
      events.flatMap((event) => (event.type === "tools" ? [event.tools.map(({ name }) => name).join()] : [])),
      ["a,b", "c", "d"],
    );
    assert.deepEqual(listed, ["a,b", "c", "d"]);
  });
});
