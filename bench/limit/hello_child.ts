/** The least extension that answers: what a runtime needs to its first answer. */

process.stdin.once("data", (chunk) => {
  const { id } = JSON.parse(chunk.toString().split("\n")[0] as string) as { id: number };
  const result = { name: "hello", version: "1.0.0", tools: [{ name: "echo", description: "", inputSchema: {} }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
