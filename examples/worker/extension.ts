/** The extension that the worker serves: the same `defineExtension` as in a process, here in the worker itself. */
import { defineExtension, type Extension } from "extwire";

/** Made once a request needs it: a worker may do nothing while it is loaded. */
export function textTools(): Extension {
  return defineExtension({
    name: "text-tools",
    version: "1.0.0",
    tools: [
      {
        name: "count_words",
        description: "Counts the words, the characters and the bytes in UTF-8 of a text",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string", maxLength: 100_000 } },
          required: ["text"],
        },
        execute({ text }, { progress }) {
          progress(`reading ${text.length} characters`);
          const words = text.split(/\s+/).filter(Boolean).length;
          const bytes = new TextEncoder().encode(text).length;
          return `${words} words, ${Array.from(text).length} characters, ${bytes} bytes`;
        },
      },
      {
        name: "sha256",
        description: "The SHA-256 of a text, in hex",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        async execute({ text }) {
          const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
          return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        },
      },
    ],
  });
}
