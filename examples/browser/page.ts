/** A page that hosts a Dhara extension and is an MX extension, each over a pair of channels in memory. */
import {
  DharaServer,
  DharaSession,
  defineExtension,
  MxClient,
  MxGate,
  memoryPair,
  scalarCodec,
  testPattern,
} from "extwire";

const ID = "com.example.page";

async function startGreeter(): Promise<DharaSession> {
  const extension = defineExtension({
    name: "greeter",
    version: "1.0.0",
    tools: [
      {
        name: "greet",
        description: "Greets somebody by name",
        inputSchema: {
          type: "object",
          properties: { name: { type: "string", minLength: 1 } },
          required: ["name"],
        },
        execute({ name }, { progress }) {
          progress("looking for the right words");
          return `Hello, ${name}`;
        },
      },
    ],
  });
  const [ours, its] = memoryPair();
  new DharaServer(extension, its);
  const session = new DharaSession(ours, { id: "greeter" });
  await session.initialize({ cwd: "/" });
  return session;
}

/** The host's side has a screen to show, the extension's side asks for it. */
async function startWatcher(): Promise<MxClient> {
  const gate = new MxGate({
    id: ID,
    codec: scalarCodec,
    vms: testPattern({ width: 320, height: 200 }),
    onSession: (session) => session.reportStatus(),
  });
  const [theirs, ours] = memoryPair();
  gate.attach(theirs);
  const token = gate.environment("memory").MX_EXTENSION_TOKEN;
  return await MxClient.connect(ours, { id: ID, token, codec: scalarCodec });
}

function element<T extends Element>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

async function greet(session: DharaSession, name: string): Promise<void> {
  const answer = element<HTMLOutputElement>("#answer");
  try {
    const result = await session.execute("greet", { name }, { onProgress: (message) => (answer.value = message) });
    answer.value = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  } catch (error) {
    answer.value = (error as Error).message;
  }
}

async function show(client: MxClient): Promise<void> {
  const canvas = element<HTMLCanvasElement>("#screen");
  const context = canvas.getContext("2d")!;
  const [vm] = await client.listVms();
  let frames = 0;
  const draw = async () => {
    const picture = await client.captureFramebuffer(vm!.id);
    const { width, height, rgba } = picture;
    canvas.width = width;
    canvas.height = height;
    context.putImageData(new ImageData(new Uint8ClampedArray(rgba), width, height), 0, 0);
    picture.release();
    element("#status").textContent = `${vm!.name}, ${width} by ${height}, frame ${++frames}`;
    requestAnimationFrame(() => void draw());
  };
  await draw();
}

const session = await startGreeter();
element<HTMLFormElement>("#greet").addEventListener("submit", (event) => {
  event.preventDefault();
  void greet(session, element<HTMLInputElement>("#greet input").value);
});
await show(await startWatcher());
