// An extension as a user of the package writes one.
import { defineExtension } from "extwire";
import { serve } from "extwire/node";

await serve(
  defineExtension({
    name: "greeter",
    version: "1.0.0",
    tools: [
      {
        name: "greet",
        description: "Greets somebody by name",
        inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        execute({ name }, { progress }) {
          progress("thinking");
          return `Hello, ${name}`;
        },
      },
    ],
  }),
);
