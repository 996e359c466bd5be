// A host as a user of the package writes one. Its arguments are the command of the extension.
import { Host } from "extwire";
import { node } from "extwire/node";

const [command, ...args] = process.argv.slice(2);
const host = new Host(node());
const told = [];
try {
  await host.start({ id: "greeter", protocol: "dhara", command, args });
  const tools = host.tools().map(({ name, extension }) => `${extension}/${name}`);
  const { content } = await host.execute("greet", { name: "Ada" }, { onProgress: (message) => told.push(message) });
  console.log(JSON.stringify({ tools, told, content }));
} finally {
  await host.close();
}
