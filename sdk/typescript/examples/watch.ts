/** Follows the newest conversation, whoever works on it, until it is interrupted. */

import { emptyView, Live, Ox, take } from "../src/index.js";

const ox = new Ox({ baseUrl: process.env.OX_BASE_URL ?? "", token: process.env.OX_TOKEN });
const [newest] = await ox.conversations({ limit: 1 });
if (!newest) throw new Error("There is no conversation yet.");

const state = { view: emptyView(), live: new Live() };
for await (const update of ox.follow(newest.id)) {
  take(state, update);
  const { view } = state;
  if (update.type === "frame") {
    console.log(`${update.frame.seq} ${update.frame.event} · turn ${view.turn}, ${view.busy ? (view.stage ?? "works") : "idle"}`);
  }
}
