/**
 * What a screen shows of a conversation, folded from its frames: the same in every language.
 *
 * `apply` never fails: every frame of every conversation folds, also of a kind that this version does not know. It
 * decides and words nothing. A view is changed in place and only grows at its end, so that ten thousand events are cheap;
 * parts of a frame are shared with the view and never changed by it, but for defaults that a frame leaves out.
 */

import { begin, callEntry, list } from "./entries.js";
import { isKnown } from "./shape.js";
import type {
  Asked, Event, Frame, Limits, Plan, QueuedPrompt, RunningAgent, Spent, Usage, View,
} from "./wire.js";

export { callEntry } from "./entries.js";
export { Live, type LiveText } from "./live.js";

type Of<K extends Event["event"]> = Extract<Frame, { event: K }>;

/** A view of nothing. */
export function emptyView(): View {
  return {
    conversation: "", root: "", name: null, seq: 0, mode: "auto", approval: "ask", model: "", effort: null,
    sandbox_reach: null, not_isolated: null, turn: 0, busy: false, began: 0, iteration: [0, 0], stage: null, stages: [],
    calls: [], running: [], checks: null, retry: null, asked: [], answered: [], queue: [], jobs: [], files: {}, todos: [],
    plan: null, changes: [], turns: [],
    account: { turn: nothing(), conversation: nothing(), cost_limit: null, token_limit: null },
    window: [0, 0], failure: null, reply: "", summary: null, workflow: "explore", stop: null, entries: [],
  };
}

/** The view of a whole log. */
export function viewOf(frames: Iterable<Frame>): View {
  const view = emptyView();
  for (const frame of frames) apply(view, frame);
  return view;
}

/** Takes in one frame. */
export function apply(view: View, frame: Frame): void {
  const known = isKnown(frame);
  if (isOfAgent(view, frame.conversation_id)) {
    if (known) agentFrame(view, frame);
    return;
  }
  view.seq = frame.seq;
  if (!known) {
    begin(view, frame, { entry: "unknown", kind: String(frame.event ?? "") });
    unknown(view, frame as unknown as Record<string, unknown>);
    return;
  }
  list(view, frame);
  change(view, frame);
}

/** True where a frame or a piece of text belongs to a sub-agent of this conversation. */
export function isOfAgent(view: View, conversation: string | undefined): boolean {
  return view.conversation !== "" && !!conversation && conversation !== view.conversation;
}

/** The sub-agent that works in this conversation. */
export function agentOf(view: View, conversation: string | undefined): RunningAgent | undefined {
  return view.agents?.find((it) => it.conversation === conversation);
}

/** How much of the input came from the provider's cache, in percent; none where nothing was asked. */
export function hitRate(spent: Spent): number | undefined {
  const { input, cache_read } = spent.usage;
  return input > 0 ? Math.min(100, Math.floor((cache_read * 100) / input)) : undefined;
}

// ---------------------------------------------------------------- what each event changes

function change(view: View, frame: Frame): void {
  switch (frame.event) {
    case "conversation_id":
      view.conversation = frame.id;
      view.root = frame.root;
      break;
    case "named":
      view.name = frame.name;
      break;
    case "turn_start":
      turn(view, frame);
      break;
    case "stage_enter":
      // A claim begins a turn, also after a crash that left the turn before without its end.
      if (frame.stage === "claim") view.stages = [];
      view.stage = frame.stage;
      break;
    case "stage_exit":
      view.stage = null;
      view.stages.push([frame.stage, frame.duration_ms, frame.success]);
      break;
    case "queued":
      view.unread = [...(view.unread ?? []), frame.text];
      break;
    case "taken_back":
      view.unread = view.unread?.slice(0, Math.max(0, view.unread.length - frame.count));
      if (!view.unread?.length) delete view.unread;
      break;
    case "iteration_start":
      delete view.unread;
      view.iteration = [frame.iteration, frame.total];
      view.retry = null;
      break;
    case "model_failed":
      view.failure = frame.failure;
      break;
    case "retry":
      view.retry = frame.until;
      break;
    case "woken":
      view.retry = null;
      break;
    case "token_usage":
      view.window = [frame.used, frame.window];
      break;
    case "todo":
      view.todos = frame.items;
      break;
    case "plan":
      view.plan = numbered(frame.plan);
      break;
    case "workflow":
      view.workflow = frame.state;
      break;
    case "mode_set":
      view.mode = frame.mode;
      break;
    case "model_set":
      view.model = frame.model;
      break;
    case "effort_set":
      view.effort = frame.effort ?? null;
      break;
    case "approval_set":
      view.approval = frame.policy;
      break;
    case "files_set":
      view.files = present({ files: frame.files, excluded: frame.excluded });
      break;
    case "summary":
      view.summary = frame.summary;
      break;
    case "prompt_queued":
      view.queue.push(present({ id: frame.id, text: frame.text, images: frame.images, mode: frame.mode ?? undefined }));
      break;
    case "queue_set":
      view.queue = reordered(view.queue, frame.prompts);
      break;
    case "background":
      view.jobs = view.jobs.filter((it) => it.id !== frame.id);
      if (frame.state === "started") {
        view.jobs.push({ id: frame.id, command: frame.command, state: frame.state, since: frame.time });
      }
      break;
    case "rewound":
      view.turns = view.turns.filter((it) => it.number < frame.turn);
      break;
    case "agent_start":
    case "agent_end":
      agent(view, frame);
      break;
    case "repair":
      view.stop = null;
      break;
    default:
      work(view, frame);
  }
}

/** Replies, calls, questions, checks and the end. */
function work(view: View, frame: Frame): void {
  switch (frame.event) {
    case "stream_complete":
      addSpent(view, frame.usage, frame.cost, 1);
      view.failure = null;
      view.retry = null;
      view.reply = frame.text;
      view.calls = frame.calls ?? [];
      break;
    case "amended":
      unask(view, frame.call.id);
      view.answered.push(frame.call.id);
      view.calls = view.calls.map((it) => (it.id === frame.call.id ? frame.call : it));
      break;
    case "approval_request":
    case "question":
      ask(view, frame);
      break;
    case "approval":
    case "answer":
      unask(view, frame.call);
      view.answered.push(frame.call);
      break;
    case "tool_start":
      view.running.push([frame.call, frame.time]);
      break;
    case "tool_complete": {
      unrun(view, frame.call);
      unask(view, frame.call);
      const changed = frame.outcome.changed ?? [];
      view.turns.at(-1)?.files.push(...changed.map((it) => it.path));
      view.changes.push(...changed);
      break;
    }
    case "lost":
      unrun(view, frame.call);
      break;
    case "checks_start":
      view.checks = [frame.time, frame.round];
      break;
    case "check_result":
      view.checks = null;
      break;
    case "stopped":
      view.stop = frame.stop;
      break;
    case "completion":
      view.stop = frame.stop;
      end(view);
      break;
  }
}

/**
 * An event of a newer version. A known kind with a value that is not known still ends what it ends, so that nobody waits
 * for ever.
 */
function unknown(view: View, fields: Record<string, unknown>): void {
  const call = typeof fields.call === "string" ? fields.call : "";
  switch (fields.event) {
    case "approval":
    case "answer":
      unask(view, call);
      break;
    case "tool_complete": {
      unrun(view, call);
      unask(view, call);
      const entry = callEntry(view, call);
      if (entry) entry.state = "settled";
      break;
    }
    case "check_result":
      view.checks = null;
      break;
    case "completion":
      end(view);
      break;
  }
}

/** The turn is over: nothing runs and nothing waits for the user. */
function end(view: View): void {
  view.busy = false;
  view.asked = [];
  view.running = [];
  delete view.agents;
  view.checks = null;
  view.retry = null;
}

function turn(view: View, frame: Of<"turn_start">): void {
  const { limits, model, rules } = frame;
  accountTurn(view, limits);
  if (view.turns.at(-1)?.number !== frame.turn) {
    view.turns.push({ number: frame.turn, began: frame.time, prompt: frame.prompt, files: [] });
  }
  const { conversation, root, name, seq, entries, queue, jobs, stages, stage, todos, plan, turns, account } = view;
  delete view.agents;
  delete view.unread;
  Object.assign(view, emptyView(), {
    conversation, root, name, seq, entries, queue, jobs, stages, stage, todos, plan, turns, account,
    turn: frame.turn,
    mode: frame.mode,
    approval: rules.approval,
    sandbox_reach: rules.isolated ? (rules.reach ?? {}) : null,
    not_isolated: rules.not_isolated ?? null,
    model: model.name,
    effort: model.effort ?? null,
    iteration: [0, limits.iterations],
    busy: true,
    began: frame.time,
  });
}

/** Something waits for the user; `agent` is the kind of the sub-agent that asks. */
function ask(view: View, frame: Of<"approval_request"> | Of<"question">, agent?: string): void {
  // A sub-agent's events so far come again with each subscription.
  if (agent !== undefined && view.asked.some((it) => it.call === frame.call)) return;
  if (frame.event === "question") {
    view.asked.push(present({ asks: "question", call: frame.call, text: frame.text, options: frame.options ?? [], agent }));
    return;
  }
  const { call, tool, args, level, commands, effects, hosts, why, always, further, changes } = frame;
  view.asked.push(present({
    asks: "approval", call, tool, args, level, commands: commands ?? [], effects: effects ?? [], why, always,
    hosts: hosts?.length ? hosts : undefined,
    further: further?.length ? further : undefined,
    changes: changes?.length ? changes : undefined,
    sandbox_reach: view.sandbox_reach,
    agent,
  }));
}

function unask(view: View, call: string): void {
  if (view.asked.length > 0) view.asked = view.asked.filter((it) => it.call !== call);
}

function unrun(view: View, call: string): void {
  view.running = view.running.filter(([id]) => id !== call);
}

/** The prompts in this order; those that are not named wait no longer. */
function reordered(queue: QueuedPrompt[], order: string[]): QueuedPrompt[] {
  const waiting = [...queue];
  return order.flatMap((id) => {
    const at = waiting.findIndex((it) => it.id === id);
    return at < 0 ? [] : waiting.splice(at, 1);
  });
}

/** The plan with a number for each step; none where it says nothing. */
function numbered(plan: Plan): Plan | null {
  const { goal, text, steps, risks, questions, options } = plan;
  if (!goal && !text && ![steps, risks, questions, options].some((it) => it?.length)) return null;
  let next = Math.max(0, ...steps.map((it) => it.id));
  return { ...plan, steps: steps.map((it) => (it.id === 0 ? { ...it, id: ++next } : it)) };
}

/** The object without the fields that are undefined. */
function present<T extends object>(of: T): T {
  return Object.fromEntries(Object.entries(of).filter(([, it]) => it !== undefined)) as T;
}

// ---------------------------------------------------------------- sub-agents

function agent(view: View, frame: Of<"agent_start"> | Of<"agent_end">): void {
  if (frame.event === "agent_start") {
    if (agentOf(view, frame.agent)) return;
    (view.agents ??= []).push({
      conversation: frame.agent, call: frame.call, kind: frame.request.kind,
      iteration: [0, frame.limits.iterations], tool: "",
    });
    return;
  }
  // What it used holds what its own sub-agents used.
  if (parentOf(frame.agent) === view.conversation) addSpent(view, frame.usage, frame.cost, frame.iterations);
  const rest = view.agents?.filter((it) => it.conversation !== frame.agent);
  if (rest?.length) view.agents = rest;
  else delete view.agents;
}

/** What happens in a sub-agent: how far it is, and what it asks. */
function agentFrame(view: View, frame: Frame): void {
  const running = agentOf(view, frame.conversation_id);
  switch (frame.event) {
    case "approval_request":
    case "question":
      ask(view, frame, running?.kind ?? "");
      break;
    case "approval":
    case "answer":
      unask(view, frame.call);
      view.answered.push(frame.call);
      break;
    case "amended":
      unask(view, frame.call.id);
      view.answered.push(frame.call.id);
      break;
    case "tool_complete":
      unask(view, frame.call);
      break;
    case "completion": {
      const prefix = callPrefix(frame.conversation_id ?? "");
      view.asked = view.asked.filter((it: Asked) => !it.call.startsWith(prefix));
      break;
    }
    case "agent_start":
    case "agent_end":
      agent(view, frame);
      break;
    case "iteration_start":
      if (running) running.iteration = [frame.iteration, frame.total];
      break;
    case "tool_start":
      if (running) running.tool = frame.tool;
      break;
  }
}

/** The conversation that this one is a sub-agent of; none for one that a user began. */
export function parentOf(conversation: string): string | undefined {
  const found = /^(.+)\.\+?(\d+)$/s.exec(conversation);
  return found && Number(found[2]) < 2 ** 32 ? found[1] : undefined;
}

/** What the ids of a sub-agent's calls begin with: `a3_` for the third, `a3_1_` for the first one of that. */
function callPrefix(conversation: string): string {
  const parent = parentOf(conversation);
  if (parent === undefined) return "";
  return `${callPrefix(parent) || "a"}${conversation.slice(parent.length + 1)}_`;
}

// ---------------------------------------------------------------- what was used

function nothing(): Spent {
  return {
    usage: { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 }, cost: 0, requests: 0, unpriced: 0,
  };
}

function accountTurn(view: View, limits: Limits): void {
  view.account.turn = nothing();
  view.account.cost_limit = limits.cost ?? null;
  view.account.token_limit = limits.tokens ?? null;
}

/** Counts so many requests; one whose price is not known is counted as such and never as free. */
function addSpent(view: View, usage: Usage, cost: number | null | undefined, requests: number): void {
  if (requests === 0) return;
  for (const spent of [view.account.turn, view.account.conversation]) {
    for (const name of Object.keys(spent.usage) as (keyof Usage)[]) spent.usage[name] += usage[name];
    spent.requests += requests;
    if (cost === null || cost === undefined) spent.unpriced += requests;
    else spent.cost += cost;
  }
}
