/** All that a host imports. */
export * from "../../mod.ts";
export { connect, node, serve } from "../../src/adapters/node.ts";
