// Conversations that are there from the beginning: the fixtures of the view, and one of very many events.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const read = (name) =>
  readFileSync(fileURLToPath(new URL(`../../crates/client/tests/client/view/${name}.jsonl`, import.meta.url)), "utf8")
    .trim().split("\n").map((it) => JSON.parse(it));

export const fixtures = () => [
  { id: "20261123-4mhgte", title: "add(2, 2) gives 0. Fix it.", project: "sums", age: 2 * 86_400_000, frames: read("one_turn"), stop: { reason: "done_unchecked" } },
  { id: "20261120-7f3k", title: "the sum", project: "sums", age: 5 * 86_400_000, frames: read("every_kind").map((it) => ({ ...it, conversation_id: "20261120-7f3k" })), stop: { reason: "model_failed" } },
  { id: "20270101-abc", title: "from the future", project: "sums", age: 6 * 86_400_000, frames: read("future") },
];

/** So many events, and a diff of 20,000 lines. */
export function long(count) {
  const id = "20261124-long";
  const frames = [];
  const put = (event) => frames.push({ v: 2, conversation_id: id, seq: frames.length + 1, time: 1795132800000 + frames.length * 50, ...event });
  const start = read("one_turn").find((it) => it.event === "turn_start");
  const { v: _v, conversation_id: _c, seq: _s, time: _t, ...turn } = start;
  put({ event: "conversation_id", id, root: "/home/user/ledger", ox: "0.1.0" });
  put({ ...turn, prompt: "Rename every module" });
  for (let n = 1; frames.length < count - 2; n++) {
    const path = `src/module_${n}.rs`;
    put({ event: "iteration_start", iteration: n, total: 2500, tool_choice: "auto" });
    put({ event: "stream_complete", want: { seq: frames.length, index: 0 }, message_id: `m${n}`, text: `Module ${n} comes **next**. It has \`${n % 7}\` callers, which are renamed with it.`, calls: [{ id: `c${n}`, tool: "edit_file", args: { path }, facts: { kind: "mutate", level: "edit", explores: false } }], finish: "calls", usage: { input: 900, cache_read: 700, cache_write: 0, output: 60, reasoning: 0 }, cost: 900, total_length: 60, duration_ms: 20 });
    put({ event: "tool_start", call: `c${n}`, tool: "edit_file", args: { path }, iteration: n });
    put({ event: "tool_complete", call: `c${n}`, tool: "edit_file", outcome: { status: "ok", output: `edited ${path}`, changed: [{ path, kind: "modified", diff: "@@ -1,1 +1,1 @@\n-mod old;\n+mod new;\n", added: 1, removed: 1 }], tree_changed: true, duration_ms: 5 } });
  }
  put({ event: "stopped", stop: { reason: "done" } });
  put({ event: "completion", stop: { reason: "done" }, exit_code: 0 });
  const lines = Array.from({ length: 10_000 }, (_, n) => `-    let value_${n} = old(${n}, "text"); // line ${n}\n+    let value_${n} = new(${n}, "text"); // line ${n}`);
  const big = [{ path: "src/generated.rs", kind: "modified", added: 10_000, removed: 10_000, diff: `@@ -1,10000 +1,10000 @@ fn all()\n${lines.join("\n")}\n` }];
  return { id, title: "Rename every module", project: "ledger", age: 3 * 86_400_000, frames, big, stop: { reason: "done" } };
}
