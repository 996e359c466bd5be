import { tryAll } from "./portable.mjs";

export default {
  fetch: async () => Response.json(await tryAll()),
};
