import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { apply, callEntry, Live, viewOf } from "../src/view.js";
import type { Delta, Frame } from "../src/wire.js";

const folder = fileURLToPath(new URL("../../../../crates/client/tests/client/view/", import.meta.url));
const frames = (name: string): Frame[] =>
  readFileSync(`${folder}${name}.jsonl`, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Frame);

test("every fixture folds to its view", async (t) => {
  const names = readdirSync(folder).filter((it) => it.endsWith(".jsonl")).map((it) => it.slice(0, -6));
  assert.ok(names.length >= 3, "the fixtures are gone");
  for (const name of names) {
    await t.test(name, () => {
      const expected = JSON.parse(readFileSync(`${folder}${name}.json`, "utf8"));
      assert.deepStrictEqual(viewOf(frames(name)), expected);
    });
  }
});

/** The frames of `one_turn`, over and over, as one long conversation. */
function long(count: number): Frame[] {
  const turn = frames("one_turn").slice(1);
  const all = [frames("one_turn")[0]!];
  for (let at = 0; all.length < count; at++) {
    const of = structuredClone(turn[at % turn.length]!);
    of.seq = all.length + 1;
    if (of.event === "turn_start") of.turn = 1 + Math.floor(at / turn.length);
    all.push(of);
  }
  return all;
}

test("ten thousand events fold fast", () => {
  const all = long(10_000);
  viewOf(long(1_000));
  const begun = performance.now();
  const view = viewOf(all);
  const took = performance.now() - begun;
  assert.equal(view.seq, 10_000);
  assert.ok(view.turns.length > 200);
  assert.ok(took < 500, `${took} ms`);
});

test("folding the same frames again gives the same view", () => {
  for (const name of ["every_kind", "one_turn", "future"]) {
    const all = frames(name);
    const first = structuredClone(viewOf(all));
    assert.deepStrictEqual(viewOf(all), first);
  }
});

const at = (seq: number, event: object, conversation = "c") =>
  ({ v: 2, conversation_id: conversation, seq, time: 1_000 + seq, ...event }) as Frame;
const usage = { input: 10, cache_read: 5, cache_write: 0, output: 1, reasoning: 0 };
const limits = (iterations: number) => ({
  iterations, stop_hook_retries: 5, failed_replies: 3, same_failure: 3, oscillation: 3, check_rounds: 5, model_attempts: 6,
  baseline_wait_ms: 60_000,
});
const asks = (call: string) => ({
  event: "approval_request", call, tool: "run_command", args: {}, level: "shell", why: { code: "x" },
  always: { action: "allow", tool: "run_command" },
});
const start = (agent: string, kind: string) => {
  const turn = frames("one_turn").find((it) => it.event === "turn_start")!;
  const own = "limits" in turn ? turn.limits : limits(9);
  return { event: "agent_start", call: "call_2_0", agent, request: { kind, task: "look" }, limits: { ...own, iterations: 9 } };
};

test("what sub-agents do and ask is seen in the view of the conversation above", () => {
  const view = viewOf([at(1, { event: "conversation_id", id: "c", root: "/p", ox: "1" })]);
  const fold = (...all: Frame[]) => all.forEach((it) => apply(view, it));
  fold(at(2, start("c.1", "explore")), at(1, start("c.1.1", "review"), "c.1"));
  assert.deepEqual(view.agents?.map((it) => [it.conversation, it.kind, it.iteration]), [["c.1", "explore", [0, 9]], ["c.1.1", "review", [0, 9]]]);
  fold(
    at(3, { event: "iteration_start", iteration: 2, total: 9, tool_choice: "auto" }, "c.1"),
    at(4, { event: "tool_start", call: "a1_call_3_0", tool: "grep", args: {}, iteration: 2 }, "c.1"),
    at(5, asks("a1_call_3_1"), "c.1"), at(5, asks("a1_call_3_1"), "c.1"), at(1, asks("a1_1_call_1_0"), "c.1.1"),
  );
  assert.deepEqual([view.agents?.[0]?.iteration, view.agents?.[0]?.tool, view.seq], [[2, 9], "grep", 2]);
  assert.deepEqual(view.asked.map((it) => [it.call, it.agent]), [["a1_call_3_1", "explore"], ["a1_1_call_1_0", "review"]]);
  fold(at(2, { event: "completion", stop: { reason: "done" }, exit_code: 0 }, "c.1.1"));
  assert.deepEqual(view.asked.map((it) => it.call), ["a1_call_3_1"]);
  fold(at(6, { event: "approval", call: "a1_call_3_1", decision: { answer: "allow" }, by: "user" }, "c.1"));
  assert.deepEqual([view.asked, view.answered], [[], ["a1_call_3_1"]]);
  const end = { event: "agent_end", call: "call_2_0", stop: { reason: "done" }, iterations: 3, usage };
  fold(at(7, { ...end, agent: "c.1.1" }, "c.1"), at(3, { ...end, agent: "c.1" }));
  assert.deepEqual(view.account.turn, { usage, cost: 0, requests: 3, unpriced: 3 });
  assert.equal("agents" in view, false);
});

test("long texts are cut in whole characters", () => {
  const view = viewOf([at(1, { event: "conversation_id", id: "c", root: "/p", ox: "1" })]);
  const text = `${"😀".repeat(401)}`;
  const call = { id: "call_2_0", tool: "t", args: { a: [text] }, facts: { kind: "mutate", level: "edit" } };
  apply(view, at(2, { event: "stream_complete", want: { seq: 1, index: 0 }, message_id: "m", text: "", calls: [call], finish: "calls", usage, total_length: 0, duration_ms: 0 }));
  apply(view, at(3, { event: "tool_complete", call: "call_2_0", tool: "t", outcome: { status: "ok", output: "求".repeat(4_001) } }));
  const entry = callEntry(view, "call_2_0");
  assert.deepEqual(entry?.args, { a: [`${"😀".repeat(400)}…`] });
  assert.deepEqual(entry?.output, { text: "求".repeat(4_000), left_out: 1 });
});

test("streaming text is taken once, wherever its pieces begin, and dropped when the event comes", () => {
  const live = new Live();
  const piece = (offset: number, delta: string, more: Partial<Delta> = {}): Delta =>
    ({ conversation_id: "c", event: "stream_delta", message_id: "m", offset, delta, ...more });
  live.take(piece(0, "求"));
  live.take(piece(3, "和 is"));
  live.take(piece(3, "和 is"));
  live.take(piece(6, " is a sum"));
  live.take(piece(3, "和"));
  live.take(piece(15, "!"));
  assert.equal(live.reply("m"), "求和 is a sum!");
  live.take(piece(0, "Anew"));
  live.take(piece(0, "why", { event: "thinking" }));
  live.take(piece(500, "the end", { event: "tool_output", message_id: "", call: "call_1_0" }));
  assert.deepEqual([live.reply("m"), live.thinking("m"), live.output("call_1_0")], ["Anew", "why", "the end"]);
  live.take(piece(507, "x".repeat(200_000), { event: "tool_output", message_id: "", call: "call_1_0" }));
  assert.equal(live.output("call_1_0").length, 64 * 1024);
  live.take(piece(0, "below", { conversation_id: "c.1" }));
  live.settle(at(9, { event: "stream_complete" }));
  assert.deepEqual(live.all().map((it) => [it.conversation, it.kind]), [["c", "tool_output"], ["c.1", "stream_delta"]]);
  live.settle(at(10, { event: "tool_complete", call: "call_1_0" }));
  live.settle(at(11, { event: "agent_end", agent: "c.1" }));
  assert.deepEqual(live.all(), []);
});
