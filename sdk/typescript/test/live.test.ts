/** Against a real server: OX_BASE_URL and OX_TOKEN say which; its model has to be able to change a file. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Ox, type Conversation } from "../src/index.js";

const { OX_BASE_URL: baseUrl, OX_TOKEN: token } = process.env;
const skip = baseUrl && token ? false : "OX_BASE_URL and OX_TOKEN are not set";
const options = { skip, timeout: 120_000 };

async function begin(): Promise<Conversation> {
  const ox = new Ox({ baseUrl: baseUrl!, token: token! });
  const [project] = await ox.projects();
  assert.ok(project, "the server has a project");
  return ox.create({ project: project.key, approval: "ask" });
}

/** Waits until the files are put back: the next test begins with them. */
async function restored(conversation: Conversation, after: number): Promise<void> {
  for await (const update of conversation.follow({ after })) {
    if (update.type === "frame" && update.frame.event === "restored") return;
  }
}

const PROMPT = process.env.OX_PROMPT ?? "Write the word hello into hello.txt.";

test("from the prompt to the answer", options, async () => {
  const conversation = await begin();
  const view = await conversation.run(PROMPT, { onApproval: () => true });
  assert.equal(view.busy, false);
  assert.ok(["done", "done_unchecked"].includes(view.stop?.reason ?? ""), JSON.stringify(view.stop));
  const whole = await conversation.view();
  assert.deepEqual(view.entries.map((it) => [it.seq, it.entry]), whole.entries.filter((it) => it.seq <= view.seq).map((it) => [it.seq, it.entry]));
  await conversation.undo({ over: "force" });
  await restored(conversation, view.seq);
});

test("approvals by callback, changes, undo", options, async () => {
  const conversation = await begin();
  let asked = 0;
  const view = await conversation.run(PROMPT, { onApproval: () => ++asked > 0 });
  assert.ok(asked > 0, "something was asked");
  assert.ok(view.changes.length > 0, "something was changed");
  const files = await conversation.changes();
  assert.deepEqual(files.map((it) => it.change.path), [...new Set(view.changes.map((it) => it.path))]);
  const preview = await conversation.undoPreview();
  assert.ok(preview.possible);
  await conversation.undo({ over: "force" });
  await restored(conversation, view.seq);
  assert.ok((await conversation.checkpoints()).length > 0);
});
