/** An extension that does all the things that tests ask of one: in this process, or served by `tests/fixtures/dhara_server.ts`. */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { failure, file, image, text } from "../../src/dhara/content.ts";
import { defineExtension, type Extension } from "../../src/dhara/define.ts";
import { RpcError } from "../../src/rpc/errors.ts";
import { UNSENDABLE, WITHOUT_TEXT } from "./test_peer.ts";

const ANY = { type: "object" } as const;

export function testExtension(): Extension {
  return defineExtension({
    name: "dhara-server",
    version: "1.2.3",
    onShutdown() {
      if (process.argv.includes("--say-goodbye")) process.stderr.write("cleaned up\n");
      if (process.argv.includes("--fail-goodbye")) throw new Error("disk full");
    },
    tools: [
      {
        name: "echo",
        description: "Returns its text",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
          additionalProperties: false,
        },
        execute: ({ text }) => text,
      },
      {
        name: "echo_later",
        description: "Returns its text in a later turn",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        async execute({ text }) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return text;
        },
      },
      {
        name: "download",
        description: "Sends progress",
        inputSchema: { type: "object", properties: { steps: { type: "integer" } }, required: ["steps"] },
        async execute({ steps }, { progress }) {
          for (let i = 1; i <= steps; i++) progress(`${i} of ${steps}`);
          await Promise.resolve();
          progress("Done");
          return "downloaded";
        },
      },
      {
        name: "content",
        description: "One of each",
        inputSchema: ANY,
        execute: () => [
          text("plain"),
          image({ bytes: new Uint8Array([137, 80, 78, 71]), mimeType: "image/png" }),
          image({ path: "/tmp/screenshot.png" }),
          file({ path: "/tmp/output.csv", size: 12345, mimeType: "text/csv" }),
        ],
      },
      {
        name: "noise",
        description: "Writes where it should not",
        inputSchema: ANY,
        async execute() {
          console.log("console.log");
          console.info("console.info");
          console.debug("console.debug");
          console.table([{ a: 1 }]);
          process.stdout.write("no newline");
          process.stdout.write(Buffer.from("bytes, no newline"));
          await new Promise((resolve) => setTimeout(resolve, 5));
          process.stdout.write("again");
          return "clean";
        },
      },
      {
        name: "wait",
        description: "Waits until it is told to stop, and says so on stderr",
        inputSchema: ANY,
        execute: (_input, { signal, progress }) =>
          new Promise((_resolve, reject) => {
            progress("waiting");
            signal.addEventListener("abort", () => {
              process.stderr.write(`aborted: ${(signal.reason as Error).message}\n`);
              reject(signal.reason as Error);
            });
          }),
      },
      {
        name: "deaf",
        description: "Never answers and ignores its signal",
        inputSchema: ANY,
        execute: () => new Promise<string>(() => {}),
      },
      {
        name: "large",
        description: "Returns so many characters",
        inputSchema: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
        execute: ({ size }) => "x".repeat(size),
      },
      {
        name: "refuse",
        description: "Answers with an error of its own",
        inputSchema: ANY,
        execute() {
          throw new RpcError(-32042, "no such page", { status: 404 });
        },
      },
      {
        name: "late_progress",
        description: "Goes on with progress after it has returned",
        inputSchema: ANY,
        execute(_input, { progress }) {
          progress("early");
          setTimeout(() => progress("late"), 5);
          return "done";
        },
      },
      {
        name: "pid",
        description: "Its process id",
        inputSchema: ANY,
        execute: (_input, { cwd }) => `${process.pid} ${cwd}`,
      },
      {
        name: "unsendable",
        description: "Returns what is no result",
        inputSchema: { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] },
        execute: ({ kind }) => UNSENDABLE[kind]?.() as never,
      },
      {
        name: "unsendable_inside",
        description: "Returns content with something in it that JSON can't carry",
        inputSchema: { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] },
        execute: async ({ kind }) => {
          await Promise.resolve();
          return { type: "text", text: "x", extra: UNSENDABLE[kind]?.() } as never;
        },
      },
      {
        name: "fails",
        description: "Fails in the way that is asked for",
        inputSchema: {
          type: "object",
          properties: { how: { enum: ["throws", "rejects", "says so"] } },
          required: ["how"],
        },
        execute({ how }) {
          if (how === "says so") return failure("it did not work");
          if (how === "throws") throw new Error("it broke");
          return Promise.reject(new Error("it broke later"));
        },
      },
      {
        name: "throw_odd",
        description: "Throws what has no text form, now or later",
        inputSchema: {
          type: "object",
          properties: { kind: { type: "string" }, later: { type: "boolean" } },
          required: ["kind"],
        },
        execute({ kind, later }) {
          const thrown = WITHOUT_TEXT[kind]?.();
          if (later === true) return Promise.reject(thrown);
          throw thrown;
        },
      },
      {
        name: "thenable",
        description: "Answers by a promise of somebody else's making",
        inputSchema: ANY,
        // biome-ignore lint/suspicious/noThenProperty: it is what is tested
        execute: () => ({ then: (done: (text: string) => void) => void setTimeout(done, 1, "in the end") }) as never,
      },
      {
        name: "zod",
        description: "Takes its input through zod",
        inputSchema: z.object({
          url: z.url(),
          depth: z.number().int().default(3),
          tags: z.array(z.string()).optional(),
        }),
        execute: ({ url, depth, tags }) => JSON.stringify({ url, depth, tags }),
      },
      {
        name: "nested",
        description: "Has a schema with alternatives",
        inputSchema: {
          type: "object",
          properties: {
            where: {
              oneOf: [
                { type: "string", format: "uri" },
                { type: "integer", minimum: 1 },
              ],
            },
            options: {
              type: "object",
              properties: { limit: { type: "integer", maximum: 10 } },
              required: ["limit"],
              additionalProperties: false,
            },
          },
        },
        execute: (input) => JSON.stringify(input),
      },
      ...["__proto__", "constructor", "toString"].map((name) => ({
        name,
        description: "Has the name of a member of every object",
        inputSchema: ANY,
        execute: (input: Record<string, unknown>) =>
          JSON.stringify([name, Object.keys(input), input["isError"] ?? null]),
      })),
    ],
  });
}
