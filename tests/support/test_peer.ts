/** What a peer under test does with what it is asked: the same in this process and in one of its own. */
import { ErrorCode, RpcError } from "../../src/rpc/errors.ts";
import type { PeerHandlers } from "../../src/rpc/peer.ts";

export const DEEP = "20 000 levels";

export const UNSENDABLE: Readonly<Record<string, () => unknown>> = {
  bigint: () => ({ n: 1n }),
  cycle: () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    return cycle;
  },
  "throwing toJSON": () => ({
    toJSON() {
      throw new Error("no JSON today");
    },
  }),
  "toJSON that throws what has no text form": () => ({
    toJSON() {
      throw WITHOUT_TEXT["no prototype"]?.();
    },
  }),
  function: () => () => {},
  symbol: () => Symbol("s"),
  "throwing getter": () => ({
    get value() {
      throw new Error("not now");
    },
  }),
  [DEEP]: () => nested(20_000),
};

/** What may be thrown, and String() throws at. */
export const WITHOUT_TEXT: Readonly<Record<string, () => unknown>> = {
  "no prototype": () => Object.create(null),
  "throwing toString": () => ({
    toString() {
      throw new Error("no text today");
    },
  }),
  "throwing message": () =>
    Object.defineProperty(new Error("hidden"), "message", {
      get() {
        throw new Error("no message today");
      },
    }),
  "revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

/** Arrays in arrays. */
export function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

export function testHandlers(): PeerHandlers {
  const held = new Map<unknown, (value: unknown) => void>();
  let notes = 0;
  return {
    request(method, params, context) {
      const { kind } = (params ?? {}) as { kind?: string };
      switch (method) {
        case "echo":
          return params;
        case "many":
          return "x".repeat(params as number);
        case "deep":
          return nested(params as number);
        case "later":
          return Promise.resolve(params);
        case "hold":
          return new Promise((resolve) => held.set(context.id, resolve));
        case "fail":
          throw new Error("boom");
        case "fail_later":
          return Promise.reject(new Error("boom later"));
        case "refuse":
          throw new RpcError(-32_042, "no", { why: "because" });
        case "unsendable":
          return UNSENDABLE[kind ?? ""]?.();
        case "unsendable_later":
          return Promise.resolve().then(() => UNSENDABLE[kind ?? ""]?.());
        case "unsendable_data":
          throw new RpcError(-32_001, "with data", UNSENDABLE[kind ?? ""]?.());
        case "throw_text":
          throw JSON.parse('"just text"');
        case "throw_odd":
          throw WITHOUT_TEXT[kind ?? ""]?.();
        case "reject_odd":
          return Promise.reject(WITHOUT_TEXT[kind ?? ""]?.());
        case "thenable":
          // A thenable that throws, as broken promises of other libraries do.
          return {
            // biome-ignore lint/suspicious/noThenProperty: it is what is tested
            then() {
              throw new Error("bad thenable");
            },
          };
        case "nothing":
          return undefined;
        case "not_finite":
          return { nan: Number.NaN, infinite: Infinity };
        case "notes":
          return notes;
        default:
          throw new RpcError(ErrorCode.methodNotFound, `method not found: ${method}`);
      }
    },
    notification(method, params) {
      notes++;
      if (method === "release") {
        const { id, value } = params as { id: unknown; value: unknown };
        held.get(id)?.(value);
      }
      if (method === "throw") throw new Error("in a notification");
      if (method === "reject") return Promise.reject(new Error("in a notification, later"));
      return undefined;
    },
  };
}
