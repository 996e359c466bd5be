// What a page or a worker does with the package: both ends of both protocols, and the codec.
import {
  DharaServer,
  DharaSession,
  defineExtension,
  loadCodec,
  MxClient,
  MxGate,
  memoryPair,
  testPattern,
} from "extwire";

async function callTool() {
  const extension = defineExtension({
    name: "adder",
    version: "1.0.0",
    tools: [
      {
        name: "add",
        description: "Adds two numbers",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        execute: ({ a, b }) => String(a + b),
      },
    ],
  });
  const [ours, its] = memoryPair();
  const server = new DharaServer(extension, its);
  const session = new DharaSession(ours, { id: "adder" });
  await session.initialize({ cwd: "/" });
  const { content } = await session.execute("add", { a: 2, b: 3 });
  await session.shutdown();
  await server.closed;
  return content[0].text;
}

async function captureScreen(codec) {
  const gate = new MxGate({
    id: "com.example.screen",
    codec,
    vms: testPattern({ width: 32, height: 16 }),
    onSession: (session) => session.reportStatus(),
  });
  const [theirs, ours] = memoryPair();
  gate.attach(theirs);
  const token = gate.environment("memory").MX_EXTENSION_TOKEN;
  const client = await MxClient.connect(ours, { id: "com.example.screen", token, codec });
  const [vm] = await client.listVms();
  const { width, height, rgba } = await client.captureFramebuffer(vm.id);
  await client.close();
  await gate.close();
  return { width, height, bytes: rgba.length };
}

export async function tryAll() {
  const { codec, fallbackReason } = loadCodec();
  return { sum: await callTool(), screen: await captureScreen(codec), codec: codec.name, fallbackReason };
}
