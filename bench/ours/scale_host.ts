/** As `Host` does it: a gate and a listener for each MX extension, which is asked for its status once it said hello. */
import { node } from "../../src/adapters/node.ts";
import { Host } from "../../src/host/host.ts";
import { MxGate } from "../../src/mx/host.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import { MxVariable } from "../../src/mx/types.ts";
import type { Member } from "../harness/crowd.ts";
import { serveMany } from "../harness/many.ts";

const platform = node();
const vms = testPattern({ width: 64, height: 64 });
const host = new Host(platform, { statusIntervalMs: 0 });
const gates: MxGate[] = [];

serveMany({
  async expect(count) {
    const members: Member[] = [];
    for (let i = 0; i < count; i++) {
      const id = `extension-${i}`;
      const gate = new MxGate({
        id,
        codec: platform.codec(),
        vms,
        onSession: (session) => session.reportStatus(),
      });
      gates.push(gate);
      const { address } = await platform.listen((pipe) => gate.accept(pipe));
      const token = gate.environment(address)[MxVariable.token];
      const port = Number(address.split(":")[1]);
      members.push({ port, hello: { token, protocolVersion: 1, extensionId: id } });
    }
    return members;
  },
  async spawn(count, command, args) {
    const from = host.extensions().length;
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        host.start({ id: `child-${from + i}`, protocol: "dhara", command, args: [...args] }),
      ),
    );
  },
  async close() {
    await Promise.all([host.close(), ...gates.map((gate) => gate.close())]);
  },
});
