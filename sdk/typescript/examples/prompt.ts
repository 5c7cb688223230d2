/** Has a prompt answered, and prints what streams meanwhile: `OX_BASE_URL=… OX_TOKEN=… node dist/examples/prompt.js "Fix the test"`. */

import { Ox } from "../src/index.js";

const ox = new Ox({ baseUrl: process.env.OX_BASE_URL ?? "", token: process.env.OX_TOKEN });
const [project] = await ox.projects();
if (!project) throw new Error("The server has no project: open one with `ox serve` in its folder.");

const conversation = await ox.create({ project: project.key });
const view = await conversation.run(process.argv[2] ?? "What does this project do?", {
  onUpdate: (update) => {
    if (update.type === "delta" && update.delta.event === "stream_delta") process.stdout.write(update.delta.delta);
  },
});
console.log(`\n${view.stop?.reason}: ${view.account.turn.requests} requests, ${view.account.turn.cost / 1e6} USD`);
