/** Asks at the terminal about each call, shows what changed, and takes it back where that is wanted. */

import { createInterface } from "node:readline/promises";

import { Ox } from "../src/index.js";

const ox = new Ox({ baseUrl: process.env.OX_BASE_URL ?? "", token: process.env.OX_TOKEN });
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const yes = async (question: string) => (await terminal.question(`${question} [y/n] `)).trim() === "y";

const [project] = await ox.projects();
if (!project) throw new Error("The server has no project.");
const conversation = await ox.create({ project: project.key, approval: "ask" });
await conversation.run(process.argv[2] ?? "Write the word hello into hello.txt.", {
  onApproval: (request) => yes(`${request.tool} ${request.commands.join("; ") || JSON.stringify(request.args)}?`),
  onQuestion: (question) => terminal.question(`${question.text} `),
});
for (const { change } of await conversation.changes()) console.log(`${change.path}: +${change.added} -${change.removed}`);
if (!(await yes("Keep it?"))) await conversation.undo();
terminal.close();
