/** The conversation as a list: what was said, called, checked, asked and noticed, in order. */

import type { Call, CallEntry, Clipped, Entry, Event, FileChange, Frame, View } from "./wire.js";

/** The longest output and the longest diff of an entry, in characters. */
const LONGEST = 4_000;
/** The longest text among a call's arguments, in characters. */
const ARGUMENT = 400;

type Of<K extends Event["event"]> = Extract<Frame, { event: K }>;
/** The part of an entry that is not its place. */
type Kind = Entry extends infer E ? (E extends Entry ? Omit<E, "seq" | "time"> : never) : never;

/** The entry of a call. */
export function callEntry(view: View, call: string): (Entry & { entry: "call" }) | undefined {
  return last(view, (it) => it.entry === "call" && it.call === call) as (Entry & { entry: "call" }) | undefined;
}

function last(view: View, is: (it: Entry) => boolean): Entry | undefined {
  for (let at = view.entries.length - 1; at >= 0; at--) {
    if (is(view.entries[at]!)) return view.entries[at];
  }
  return undefined;
}

/** Keeps the list of entries. */
export function list(view: View, frame: Frame): void {
  switch (frame.event) {
    case "stream_complete":
      return replied(view, frame);
    case "approval_request":
      return entry(view, frame.call, (it) => (it.state = "asking"));
    case "approval":
      return entry(view, frame.call, (it) => (it.decision = frame.decision));
    case "amended":
      return entry(view, frame.call.id, (it) => (it.args = short(frame.call.args)));
    case "tool_start":
      return entry(view, frame.call, (it) => (it.state = "running"));
    case "tool_complete": {
      const { status, output, changed, exit_code, duration_ms } = frame.outcome;
      return entry(view, frame.call, (it) => settle(it, status, output, changed, exit_code, duration_ms));
    }
    case "lost":
      return entry(view, frame.call, (it) => settle(it, "lost", "", [], null, 0));
    case "answer":
      return answered(view, frame.call, frame.text);
    case "check_result": {
      const checks = last(view, (it) => it.entry === "checks");
      if (checks?.entry === "checks" && !checks.report) checks.report = frame.report;
      else begin(view, frame, checksOf(frame));
      return;
    }
    default: {
      const kind = entryOf(frame);
      if (kind) begin(view, frame, kind);
    }
  }
}

/** Adds an entry that a frame begins. */
export function begin(view: View, frame: Frame, kind: Kind): void {
  view.entries.push({ seq: frame.seq, time: frame.time, ...kind } as Entry);
}

function entry(view: View, call: string, change: (it: CallEntry) => void): void {
  const found = callEntry(view, call);
  if (found) change(found);
}

function settle(
  it: CallEntry, status: CallEntry["status"], output: string, changed: FileChange[] | undefined,
  exitCode: number | null | undefined, duration: number,
): void {
  it.state = "settled";
  it.status = status;
  it.output = endOf(output);
  it.changed = (changed ?? []).map((one) => (one.diff ? { ...one, diff: cut(one.diff, LONGEST) } : one));
  it.exit_code = exitCode ?? null;
  it.duration_ms = duration;
}

function answered(view: View, call: string, text: string): void {
  const open = last(view, (it) => it.entry === "question" && it.call === call);
  if (open?.entry === "question") open.answer = text;
}

function replied(view: View, frame: Of<"stream_complete">): void {
  const thinking = (frame.reasoning ?? []).map((it) => it.text ?? "").filter((it) => it !== "");
  begin(view, frame, {
    entry: "reply", message: frame.message_id, text: frame.text, thinking: thinking.join("\n\n"),
    images: frame.images?.length ?? 0, finish: frame.finish,
  });
  for (const call of frame.calls ?? []) {
    // What a concluding call says is in the summary.
    if (call.facts.kind !== "conclude") begin(view, frame, proposed(call));
  }
}

function proposed(call: Call): Kind {
  return {
    entry: "call", call: call.id, tool: call.tool, args: short(call.args), level: call.facts.level, state: "proposed",
    decision: null, status: null, output: { text: "", left_out: 0 }, changed: [], exit_code: null, duration_ms: 0,
  };
}

const checksOf = (it: Of<"check_result">): Kind =>
  ({ entry: "checks", baseline: it.baseline, round: it.round, total: it.total, report: it.report });

/** Kinds of events that are entries as they are. */
const NOTICES = new Set<string>([
  "model_failed", "intent", "repair", "prefix_dropped", "retry", "downgrade", "fallback", "pruned", "todo", "plan",
  "refusal", "taken_back", "interrupted", "mode_set", "approval_set", "user_command", "model_set", "effort_set", "files_set",
  "earlier_turns", "checkpoint", "restored", "rewound", "hooked", "background", "agent_end", "error",
]);

/** The entry that an event begins; none where it changes one that is there, or is nothing that a person would point at. */
function entryOf(frame: Frame): Kind | undefined {
  switch (frame.event) {
    case "turn_start":
      return { entry: "prompt", turn: frame.turn, text: frame.prompt, images: frame.images?.length ?? 0 };
    case "queued":
      return { entry: "steering", text: frame.text, images: frame.images?.length ?? 0 };
    case "question":
      return { entry: "question", call: frame.call, text: frame.text, options: frame.options ?? [], answer: null };
    case "checks_start":
      return { entry: "checks", baseline: frame.baseline, round: frame.round, total: frame.total, report: null };
    case "summary":
      return { entry: "summary", summary: frame.summary };
    case "completion":
      return { entry: "end", stop: frame.stop };
    case "checkpoint":
      return frame.skipped?.length ? { entry: "notice", event: eventOf(frame) } : undefined;
    default:
      return NOTICES.has(frame.event) ? { entry: "notice", event: eventOf(frame) } : undefined;
  }
}

/** The event without its place. */
function eventOf(frame: Frame): Event {
  const { v: _v, conversation_id: _c, seq: _s, time: _t, command_id: _i, ...event } = frame;
  return event as Event;
}

function endOf(text: string): Clipped {
  if (text.length <= LONGEST) return { text, left_out: 0 };
  const chars = Array.from(text);
  const left_out = Math.max(0, chars.length - LONGEST);
  return { text: chars.slice(left_out).join(""), left_out };
}

/** The beginning of a text, in characters and not in halves of them. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let at = 0;
  for (let count = 0; count < longest && at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at < text.length ? `${text.slice(0, at)}…` : text;
}

/** Arguments with long texts cut, at any depth. */
function short(args: unknown): unknown {
  if (typeof args === "string") return cut(args, ARGUMENT);
  if (Array.isArray(args)) return args.map(short);
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).map(([name, it]) => [name, short(it)]));
}
