/**
 * extwire at the edge. Behind its `fetch` handler this worker hosts an extension that lives in the worker itself, and it
 * is an MX extension of a host somewhere else, over TCP:
 *
 *     GET  /tools             the tools of the extension inside
 *     POST /tools/NAME        calls one, with its input as JSON; one JSON object a line: progress, then the result
 *     GET  /vms               the VMs of the MX host
 *     GET  /vms/ID.png        what one of them shows
 *     POST /session           stays connected until the MX host says goodbye, then tells what happened
 */
import { DharaServer, DharaSession, ExtensionError, encodePng, memoryPair, RpcError } from "extwire";
import { connect } from "extwire/workerd";
import { textTools } from "./extension.ts";

/** The four MX_* variables that the MX host issued, as bindings. */
type Environment = Readonly<Record<string, string>>;

const encoder = new TextEncoder();

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      if (pathname === "/tools") return await withTools(async (session) => Response.json(session.tools));
      const tool = /^\/tools\/([^/]+)$/.exec(pathname)?.[1];
      if (tool) return callTool(decodeURIComponent(tool), await request.json());
      if (pathname === "/vms") return Response.json(await withHost(env, (client) => client.listVms()));
      const vm = /^\/vms\/([^/]+)\.png$/.exec(pathname)?.[1];
      if (vm) return await picture(env, decodeURIComponent(vm));
      if (pathname === "/session") return await stayConnected(env);
      return new Response("see the top of worker.ts for what there is\n", { status: 404 });
    } catch (error) {
      return Response.json({ error: describe(error) }, { status: error instanceof RpcError ? 422 : 502 });
    }
  },
};

/** Starts the extension, over a linked pair of channels instead of a process, and stops it after `use`. */
async function withTools<T>(use: (session: DharaSession) => Promise<T>): Promise<T> {
  const [ours, its] = memoryPair();
  const server = new DharaServer(textTools(), its);
  const session = new DharaSession(ours, { id: "text-tools" });
  try {
    await session.initialize({ cwd: "/" });
    return await use(session);
  } finally {
    await session.shutdown();
    await server.closed;
  }
}

/** Progress reaches the caller while the tool runs. */
function callTool(tool: string, input: unknown): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const line = (value: unknown) => writer.write(encoder.encode(`${JSON.stringify(value)}\n`));
  const run = async () => {
    try {
      const result = await withTools((session) =>
        session.execute(tool, input, { onProgress: (message) => void line({ progress: message }) }),
      );
      await line({ result });
    } catch (error) {
      await line({ error: describe(error) });
    }
    await writer.close();
  };
  // Whoever asked may be gone: then nobody is left to tell.
  run().catch(() => {});
  return new Response(readable, { headers: { "content-type": "application/x-ndjson" } });
}

type Client = Awaited<ReturnType<typeof connect>>;

async function withHost<T>(env: Environment, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ environment: env, version: "1.0.0" });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function picture(env: Environment, vm: string): Promise<Response> {
  const { width, height, rgba } = await withHost(env, (client) => client.captureFramebuffer(vm));
  return new Response(await encodePng(width, height, rgba), { headers: { "content-type": "image/png" } });
}

/** An MX extension for as long as its host wants one. */
async function stayConnected(env: Environment): Promise<Response> {
  let asked = 0;
  const client = await connect({
    environment: env,
    version: "1.0.0",
    status: () => ({ state: "ready", message: `asked ${++asked} times` }),
  });
  const vms = await client.listVms();
  const reason = await client.closed;
  return Response.json({ sessionId: client.sessionId, vms, statusReports: asked, ended: reason.message });
}

function describe(error: unknown): object {
  if (error instanceof RpcError) return { code: error.code, message: error.message, data: error.data };
  if (error instanceof ExtensionError) return { code: error.code, message: error.message };
  return { message: String(error) };
}
