// A scripted task, told as the frames and pieces of text that a run of Ox would publish. `run` is given what it needs of the
// conversation: `emit` records a frame, `say` streams a text, `wait` pauses, `ask` waits for the user.

const usage = (input, cached, output, reasoning = 0) => ({ input, cache_read: cached, cache_write: 0, output, reasoning });
const facts = (kind, level, more = {}) => ({ kind, level, explores: kind === "read", ...more });
const LIMITS = { iterations: 40, stop_hook_retries: 5, failed_replies: 3, same_failure: 3, oscillation: 3, check_rounds: 5, model_attempts: 6, baseline_wait_ms: 15000 };
const MODEL = { name: "anthropic/claude-sonnet-5-5", window: 200000, max_output: 16384, reasons: true, can_require: true, tools: "native", input_price: 3000000, cached_price: 300000, output_price: 15000000 };

export const DIFF = `@@ -12,9 +12,14 @@ impl Ledger {
     pub fn total(&self) -> Money {
-        self.entries.iter().map(|it| it.amount).sum()
+        self.entries.iter().fold(Money::ZERO, |sum, it| sum.saturating_add(it.amount))
     }
 
     /// Entries of one account, newest first.
     pub fn of(&self, account: &Account) -> Vec<&Entry> {
-        self.entries.iter().filter(|it| it.account == *account).collect()
+        let mut found: Vec<&Entry> =
+            self.entries.iter().filter(|it| it.account == *account).collect();
+        found.sort_by_key(|it| std::cmp::Reverse(it.time));
+        found
     }
 }
`;
const TEST = `@@ -40,4 +40,12 @@ mod tests {
     #[test]
     fn empty() {
         assert_eq!(Ledger::default().total(), Money::ZERO);
+    }
+
+    #[test]
+    fn overflow_saturates() {
+        let ledger = Ledger::of([Money::MAX, Money::new(1)]);
+        assert_eq!(ledger.total(), Money::MAX);
     }
 }
`;
export const CHANGES = [
  { path: "src/ledger.rs", kind: "modified", diff: DIFF, added: 5, removed: 2, why: "the sum wrapped around" },
  { path: "tests/ledger.rs", kind: "modified", diff: TEST, added: 6, removed: 0, why: "shows the overflow" },
];
const LOG = `\x1b[1m   Compiling\x1b[0m ledger v0.3.1
running 14 tests
test tests::empty ... \x1b[32mok\x1b[0m
test tests::newest_first ... \x1b[32mok\x1b[0m
test tests::overflow_saturates ... \x1b[31mFAILED\x1b[0m

---- tests::overflow_saturates stdout ----
thread 'tests::overflow_saturates' panicked at tests/ledger.rs:49:9:
assertion \`left == right\` failed
  left: Money(0)
 right: Money(18446744073709551615)

test result: \x1b[31mFAILED\x1b[0m. 13 passed; 1 failed; finished in 0.02s`;
const check = (name, kind, status, more = {}) => ({ check: { name, kind, command: name, limit_ms: 600000, source: "Cargo.toml" }, status, duration_ms: 1840, ...more });
export const REPLY = `The total wraps around because \`Sum\` for \`Money\` adds with \`+\`. Two places depend on it:

1. [src/ledger.rs](src/ledger.rs:12), which adds the entries up
2. \`report::monthly\`, which shows the result

| place | before | after |
|---|---|---|
| \`Ledger::total\` | wraps | saturates |
| \`report::monthly\` | wrong sum | unchanged |

I use a saturating fold:

\`\`\`rust
self.entries.iter().fold(Money::ZERO, |sum, it| sum.saturating_add(it.amount))
\`\`\`

**Nothing else** calls it, so no signature changes.`;

export async function run(c, prompt, { images = [], mode } = {}) {
  const turn = (c.turn = (c.turn ?? 0) + 1);
  const stage = async (name, ms, inside) => {
    c.emit({ event: "stage_enter", stage: name });
    await c.wait(ms);
    await inside?.();
    c.emit({ event: "stage_exit", stage: name, duration_ms: ms, success: true });
  };
  await stage("claim", 20);
  await stage("load_context", 60, () =>
    c.emit({ event: "turn_start", turn, mode: mode ?? c.mode ?? "auto", prompt, images, continues: false, branch: "main", rules: { approval: c.policy ?? "ask", rules: [], scope: [], isolated: true, reach: { write: ["/home/user/ledger"] } }, limits: { ...LIMITS, cost: 2000000 }, model: MODEL, verification: "full" }),
  );
  await stage("assemble_prompt", 40);
  let stop = "done";
  await stage("agent_loop", 10, async () => {
    try {
      stop = /^how|\?$/.test(prompt) ? await answer(c) : await work(c, prompt);
    } catch (why) {
      if (why !== "interrupt") throw why;
      c.emit({ event: "interrupted" });
      stop = "interrupted";
    }
    c.emit({ event: "stopped", stop: { reason: stop } });
  });
  await stage("final_response", 10);
  await stage("write_result", 10, () => {
    if (stop === "done")
      c.emit({ event: "summary", summary: { text: "The total **saturates** now instead of wrapping around, and `of` returns the newest entry first, as its comment promised.", files: CHANGES.map(({ diff: _, ...it }) => it), checks: [{ name: "cargo check", status: "passed" }, { name: "cargo clippy", status: "passed" }, { name: "cargo test", status: "passed" }], verify: "Run `cargo test overflow`.", undone: [], iterations: 6, usage: usage(84200, 61000, 4100, 900), cost: 214000, duration_ms: 48200 } });
  });
  await stage("cleanup", 10);
  c.emit({ event: "completion", stop: { reason: stop }, exit_code: stop === "done" ? 0 : 3 });
}

let iteration = 0;
async function reply(c, text, calls = [], { thinking = "", input = 9000 } = {}) {
  iteration = c.iteration = (c.iteration ?? 0) + 1;
  c.emit({ event: "iteration_start", iteration, total: 40, tool_choice: "auto" });
  const message_id = `m${c.seq}`;
  if (thinking) await c.say("thinking", message_id, thinking);
  else await c.wait(200);
  if (text) await c.say("stream_delta", message_id, text);
  const used = usage(input, Math.round(input * 0.7), 320, thinking ? 140 : 0);
  c.emit({ event: "stream_complete", want: { seq: c.seq, index: 0 }, message_id, text, reasoning: thinking ? [{ text: thinking }] : [], calls, finish: calls.length ? "calls" : "stop", usage: used, cost: input * 3, total_length: text.length, duration_ms: 900 });
  c.emit({ event: "token_usage", turn: used, conversation: used, used: (c.used = (c.used ?? 3000) + input / 3 | 0), window: 200000 });
}
async function call(c, id, tool, args, outcome, ms = 300) {
  c.emit({ event: "tool_start", call: id, tool, args, iteration });
  await c.wait(ms);
  c.emit({ event: "tool_complete", call: id, tool, outcome: { status: "ok", output: "", tree_changed: false, duration_ms: ms, ...outcome } });
}

async function answer(c) {
  await reply(c, "", [{ id: `q${c.seq}`, tool: "grep", args: { pattern: "fn total" }, facts: facts("read", "read") }]);
  await call(c, `q${c.seq - 2}`, "grep", { pattern: "fn total" }, { output: "src/ledger.rs:12:    pub fn total(&self) -> Money {" });
  await reply(c, REPLY);
  return "answered";
}

async function work(c, prompt) {
  const n = c.turn;
  const id = (name) => `${name}_${n}`;
  await reply(c, "I look at how the total is computed, and who depends on it.", [
    { id: id("read"), tool: "read_file", args: { path: "src/ledger.rs" }, facts: facts("read", "read") },
    { id: id("grep"), tool: "grep", args: { pattern: "\\.total\\(\\)", path: "src" }, facts: facts("read", "read") },
    { id: id("agent"), tool: "agent", args: { kind: "explore", task: "Find every place that adds amounts without a check for overflow." }, facts: facts("agent", "read") },
  ], { thinking: "The sum is computed with `Sum`, which wraps in release builds. I should check who else relies on the wrapping before I change it.\n\nThe doc comment of `of` also promises an order that the code does not keep." });
  await call(c, id("read"), "read_file", { path: "src/ledger.rs" }, { output: "pub struct Ledger {\n    entries: Vec<Entry>,\n}\n[src/ledger.rs: 64 lines]" });
  await call(c, id("grep"), "grep", { pattern: "\\.total\\(\\)" }, { output: "src/report.rs:31: ledger.total()\ntests/ledger.rs:22: ledger.total()" });
  await subAgent(c, id("agent"));
  c.emit({ event: "plan", plan: { id: `p${n}`, goal: "Make sums safe, and keep the promised order", text: "", steps: [
    { id: 1, text: "Add amounts with a saturating fold", files: ["src/ledger.rs"], state: "open" },
    { id: 2, text: "Sort the entries of an account, newest first", files: ["src/ledger.rs"], state: "open" },
    { id: 3, text: "Test the overflow", files: ["tests/ledger.rs"], state: "open" } ], risks: ["`report::monthly` may rely on the old order"] } });
  c.emit({ event: "todo", items: [{ id: 1, text: "Saturating sum", state: "in_progress" }, { id: 2, text: "Newest first", state: "pending" }, { id: 3, text: "Test for the overflow", state: "pending" }] });
  if (/\bask\b/i.test(prompt)) await question(c, id("ask"));
  await reply(c, REPLY, [{ id: id("edit"), tool: "edit_file", args: { path: "src/ledger.rs", old: "…", new: "…" }, facts: facts("mutate", "edit", { paths: [{ path: "src/ledger.rs", write: true }] }) }], { input: 14000 });
  if ((c.policy ?? "ask") === "ask") {
    const said = await c.ask({ event: "approval_request", call: id("edit"), tool: "edit_file", args: { path: "src/ledger.rs" }, level: "edit", effects: [{ kind: "write", what: "src/ledger.rs", level: "edit" }], why: { code: "approval.why.edit" }, always: { action: "allow", tool: "edit_file" }, changes: [CHANGES[0]] });
    if (said.answer === "deny") {
      c.emit({ event: "tool_complete", call: id("edit"), tool: "edit_file", outcome: { status: "denied", output: "permission refused", tree_changed: false, duration_ms: 0 } });
      return "permission_refused";
    }
  }
  c.emit({ event: "checkpoint", id: `c${n}0e841`, reason: "before_turn", files: 0, tree: "e0" });
  await call(c, id("edit"), "edit_file", { path: "src/ledger.rs" }, { output: "edited src/ledger.rs", changed: [CHANGES[0]], tree_changed: true });
  c.emit({ event: "todo", items: [{ id: 1, text: "Saturating sum", state: "completed" }, { id: 2, text: "Newest first", state: "completed" }, { id: 3, text: "Test for the overflow", state: "in_progress" }] });
  await reply(c, "", [{ id: id("test"), tool: "edit_file", args: { path: "tests/ledger.rs" }, facts: facts("mutate", "edit") }, { id: id("run"), tool: "run_command", args: { command: "cargo test overflow" }, facts: facts("mutate", "shell", { command: "cargo test overflow" }) }], { input: 16000 });
  await call(c, id("test"), "edit_file", { path: "tests/ledger.rs" }, { output: "edited tests/ledger.rs", changed: [CHANGES[1]], tree_changed: true });
  if ((c.policy ?? "ask") !== "auto") {
    const said = await c.ask({ event: "approval_request", call: id("run"), tool: "run_command", args: { command: "cargo test overflow" }, level: "shell", commands: ["cargo test overflow"], effects: [{ kind: "execute", what: "cargo test", level: "shell" }], why: { code: "approval.why.shell" }, always: { action: "allow", tool: "run_command", pattern: "cargo test *" } });
    if (said.answer === "deny") {
      c.emit({ event: "tool_complete", call: id("run"), tool: "run_command", outcome: { status: "denied", output: "permission refused", tree_changed: false, duration_ms: 0 } });
      return "checks_not_run";
    }
  }
  c.emit({ event: "tool_start", call: id("run"), tool: "run_command", args: { command: "cargo test overflow" }, iteration });
  await c.say("tool_output", "", "   Compiling ledger v0.3.1\n    Finished test profile in 1.92s\n     Running tests/ledger.rs\n\nrunning 1 test\ntest overflow_saturates ... ok\n", id("run"));
  c.emit({ event: "tool_complete", call: id("run"), tool: "run_command", outcome: { status: "ok", output: "running 1 test\ntest overflow_saturates ... ok\n[exit code 0]", exit_code: 0, tree_changed: false, duration_ms: 2400 } });
  await checks(c, n);
  c.emit({ event: "todo", items: [{ id: 1, text: "Saturating sum", state: "completed" }, { id: 2, text: "Newest first", state: "completed" }, { id: 3, text: "Test for the overflow", state: "completed" }] });
  await reply(c, "", [{ id: id("end"), tool: "attempt_completion", args: {}, facts: facts("conclude", "read") }], { input: 18000 });
  return "done";
}

async function checks(c, n) {
  const start = (round) => c.emit({ event: "checks_start", want: { seq: c.seq, index: 0 }, baseline: false, round, total: 5 });
  const end = (round, results) => c.emit({ event: "check_result", want: { seq: c.seq, index: 0 }, baseline: false, round, total: 5, report: { results, tree: "t" } });
  start(1);
  await c.wait(900);
  end(1, [check("cargo check", "types", "passed"), check("cargo clippy", "lint", "passed"), check("cargo test", "test", "failed", { exit_code: 101, tests: { passed: 13, failed: 1 }, diagnostics: [{ file: "tests/ledger.rs", line: 49, column: 9, code: "", message: "assertion `left == right` failed: left: Money(0), right: Money(18446744073709551615)" }], tail: LOG })]);
  await reply(c, "The test ran against the old build of `Money`; its `saturating_add` was not used by `Sum`.", [{ id: `fix_${n}`, tool: "edit_file", args: { path: "src/money.rs" }, facts: facts("mutate", "edit") }], { input: 17000 });
  await call(c, `fix_${n}`, "edit_file", { path: "src/money.rs" }, { output: "edited src/money.rs", changed: [{ path: "src/money.rs", kind: "modified", diff: "@@ -8,3 +8,3 @@ impl Money {\n     pub fn saturating_add(self, other: Money) -> Money {\n-        Money(self.0 + other.0)\n+        Money(self.0.saturating_add(other.0))\n     }\n", added: 1, removed: 1 }], tree_changed: true });
  start(2);
  await c.wait(900);
  end(2, [check("cargo check", "types", "passed"), check("cargo clippy", "lint", "passed"), check("cargo test", "test", "passed", { exit_code: 0, tests: { passed: 14, failed: 0 }, tail: "test result: ok. 14 passed; 0 failed" })]);
}

async function question(c, id) {
  await reply(c, "", [{ id, tool: "ask_user", args: { question: "Saturate or fail?" }, facts: facts("question", "read") }]);
  await c.ask({ event: "question", call: id, text: "Shall the sum saturate at the largest amount, or fail with an error?", options: ["Saturate", "Fail with an error", "Keep it as it is"] });
  await call(c, id, "ask_user", {}, { output: "answered" }, 10);
}

async function subAgent(c, call_) {
  const agent = `${c.id}.${c.turn}`;
  const request = { kind: "explore", task: "Find every place that adds amounts without a check for overflow." };
  c.emit({ event: "tool_start", call: call_, tool: "agent", args: request, iteration });
  c.emit({ event: "agent_start", call: call_, agent, request, limits: { ...LIMITS, iterations: 30 } });
  c.emit({ event: "conversation_id", id: agent, root: "/home/user/ledger", ox: "0.1.0" }, agent);
  for (const [n, [tool, args]] of [["grep", { pattern: "\\+ .*amount" }], ["read_file", { path: "src/report.rs" }], ["read_file", { path: "src/money.rs" }]].entries()) {
    c.emit({ event: "iteration_start", iteration: n + 1, total: 30, tool_choice: "auto" }, agent);
    const id = `a${c.turn}_${n}`;
    c.emit({ event: "stream_complete", want: { seq: 1, index: 0 }, message_id: `${agent}m${n}`, text: "", calls: [{ id, tool, args, facts: facts("read", "read") }], finish: "calls", usage: usage(2200, 0, 60), cost: 7000, total_length: 0, duration_ms: 300 }, agent);
    c.emit({ event: "tool_start", call: id, tool, args, iteration: n + 1 }, agent);
    await c.wait(350);
    c.emit({ event: "tool_complete", call: id, tool, outcome: { status: "ok", output: "src/report.rs:31", tree_changed: false, duration_ms: 12 } }, agent);
  }
  c.emit({ event: "stream_complete", want: { seq: 1, index: 0 }, message_id: `${agent}m9`, text: "Only `Ledger::total` adds without a check. `report::monthly` goes through it.", calls: [], finish: "stop", usage: usage(2600, 1800, 90), cost: 5000, total_length: 0, duration_ms: 300 }, agent);
  c.emit({ event: "agent_end", call: call_, agent, stop: { reason: "answered" }, iterations: 4, usage: usage(9200, 1800, 270), cost: 26000 });
  c.emit({ event: "tool_complete", call: call_, tool: "agent", outcome: { status: "ok", output: "Only `Ledger::total` adds without a check.", tree_changed: false, duration_ms: 1100 } });
}
