/**
 * The stream of a conversation's events, over `fetch` so that headers may be sent.
 *
 * Each update is handed out once and in order, also where the connection breaks: the reader connects again and says how
 * far it has come. An event of a name that this version does not know is handed out as it is.
 */

import { OxError } from "./error.js";
import type { Delta, Frame, View } from "./wire.js";

/** One event as the server sent it. */
export interface ServerEvent {
  /** Its name; `message` where it has none. */
  event: string;
  /** Its data; lines are joined by a line feed. */
  data: string;
  /** The last id that was sent; empty where there was none. */
  id: string;
}

/** One thing that a follower is told. */
export type Update =
  /** An event was recorded. */
  | { type: "frame"; frame: Frame }
  /** A piece of streaming text. */
  | { type: "delta"; delta: Delta }
  /** What all events so far amount to; it stands in for too many of them. */
  | { type: "snapshot"; view: View }
  /** The list of conversations changed. */
  | { type: "changed" }
  /** Something of a newer version. */
  | { type: "other"; event: string; data: unknown };

/** How a stream is followed. */
export interface FollowOptions {
  /** Ends it. */
  signal?: AbortSignal;
  /** Is told when the connection stands and when it is lost. */
  onConnection?: (state: "open" | "lost", why?: unknown) => void;
  /** How long to wait before the first new attempt, in ms; it doubles with each, up to `retryLimitMs`. */
  retryMs?: number;
  /** The longest wait, in ms. */
  retryLimitMs?: number;
  /** A connection that says nothing for this long, in ms, is taken for broken; the server says something every 15 s. */
  idleMs?: number;
}

/** How far a follower has come, by conversation. */
export type Cursors = Record<string, number>;

/** Opens the stream; `lastId` is the last id that was received, empty at first. */
export type Connect = (cursors: Cursors, lastId: string, signal: AbortSignal) => Promise<Response>;

/** Reads events out of bytes, however they are split. */
export class EventParser {
  /** The wait before a new attempt that the server asked for, in ms. */
  retry: number | undefined;
  private readonly decoder = new TextDecoder();
  private line = "";
  private afterReturn = false;
  private name = "";
  private data: string[] = [];
  private id = "";

  /** Takes in some bytes and returns the events that are complete with them. */
  push(bytes: Uint8Array): ServerEvent[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const events: ServerEvent[] = [];
    if (text === "") return events;
    let from = this.afterReturn && text[0] === "\n" ? 1 : 0;
    this.afterReturn = false;
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      this.take(this.line + text.slice(from, end.index), events);
      this.line = "";
      from = ends.lastIndex;
      this.afterReturn = end[0] === "\r" && from === text.length;
    }
    this.line += text.slice(from);
    return events;
  }

  private take(line: string, events: ServerEvent[]): void {
    if (line === "") {
      if (this.data.length > 0) events.push({ event: this.name || "message", data: this.data.join("\n"), id: this.id });
      this.name = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

/** The events of an open stream until it ends; one that says nothing for `idleMs` fails. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>, idleMs = Infinity, parser = new EventParser(),
): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await within(idleMs, reader.read());
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    // Not waited for: a connection that hangs may hang here too.
    reader.cancel().catch(() => undefined);
  }
}

/** Follows one or several conversations from where `cursors` say until `signal` ends it. */
export async function* follow(
  connect: Connect, cursors: Cursors, options: FollowOptions = {},
): AsyncGenerator<Update, void, void> {
  const { signal, onConnection, retryMs = 500, retryLimitMs = 30_000, idleMs = 45_000 } = options;
  const progress = new Progress(cursors);
  let attempts = 0;
  let first = retryMs;
  while (!signal?.aborted) {
    const abort = new AbortController();
    const stop = () => abort.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    const parser = new EventParser();
    let why: unknown;
    try {
      const response = await connect(progress.cursors(), progress.lastId, abort.signal);
      if (!response.ok) throw await OxError.of(response);
      if (!response.body) throw new OxError("connection", "The stream has no body.");
      onConnection?.("open");
      for await (const event of readEvents(response.body, idleMs, parser)) {
        if (event.event === "gap") break;
        const update = updateOf(event);
        if (event.event === "failed") throw ended(update);
        attempts = 0;
        if (progress.isNew(update, event.id)) yield update;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof OxError && !error.passing) throw error;
      why = error;
    } finally {
      signal?.removeEventListener("abort", stop);
      abort.abort();
    }
    if (signal?.aborted) return;
    first = parser.retry ?? first;
    onConnection?.("lost", why);
    // Readers that were cut at the same moment do not come back at the same moment.
    const wait = Math.min(retryLimitMs, first * 2 ** attempts++) * (0.5 + Math.random() / 2);
    await sleep(wait, signal);
  }
}

/** What was handed out already. */
class Progress {
  lastId = "";
  private readonly followed: string[];
  private readonly seen: Map<string, number>;

  constructor(cursors: Cursors) {
    this.followed = Object.keys(cursors);
    this.seen = new Map(Object.entries(cursors));
  }

  cursors(): Cursors {
    return Object.fromEntries(this.followed.map((id) => [id, this.seen.get(id) ?? 0]));
  }

  isNew(update: Update, id: string): boolean {
    this.lastId = id;
    if (update.type === "snapshot") {
      const { conversation, seq } = update.view;
      this.seen.set(conversation, seq);
      // What sub-agents that run have recorded comes again after it.
      for (const name of this.seen.keys()) if (name.startsWith(`${conversation}.`)) this.seen.delete(name);
    }
    if (update.type !== "frame") return true;
    const conversation = update.frame.conversation_id ?? this.followed[0] ?? "";
    if (update.frame.seq <= (this.seen.get(conversation) ?? 0)) return false;
    this.seen.set(conversation, update.frame.seq);
    return true;
  }
}

function updateOf({ event, data }: ServerEvent): Update {
  if (event === "changed") return { type: "changed" };
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return { type: "other", event, data };
  }
  if (event === "frame") return { type: "frame", frame: value as Frame };
  if (event === "delta") return { type: "delta", delta: value as Delta };
  if (event === "snapshot") return { type: "snapshot", view: (value as { view: View }).view };
  return { type: "other", event, data: value };
}

/** The server could not go on, and may later. */
function ended(update: Update): OxError {
  const { code, args } = (update as { data?: { code?: string; args?: Record<string, unknown> } }).data ?? {};
  return new OxError(code ?? "server.ended", `The stream ended: ${code ?? "no reason was given"}.`, args, 503);
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  if (ms === Infinity) return promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OxError("connection", `The stream said nothing for ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
