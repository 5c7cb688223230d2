/** A client of `ox serve`: its routes, typed, and a conversation that can be prompted and followed. */

import type * as api from "./api.js";
import { OxError } from "./error.js";
import { follow, type Cursors, type FollowOptions, type Update } from "./events.js";
import { apply, emptyView, isOfAgent, Live } from "./view.js";
import type { ApprovalRequest, Asked, Command, Decision, FileChange, Frame, View } from "./wire.js";

/** Where the server is, and how it is asked. */
export interface OxOptions {
  /** For example `http://127.0.0.1:7878`; empty for the origin of the page. */
  baseUrl: string;
  /** The bearer token; a page that has the cookie needs none. */
  token?: string;
  /** Asks instead of the global `fetch`. */
  fetch?: typeof fetch;
  /** The language of errors: `en` or `zh`. */
  language?: string;
}

type Query = Record<string, string | number | undefined>;

/** How one route is asked. */
export interface RequestOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Asks once more where the connection breaks; for requests that do not take effect twice. */
  again?: boolean;
}

/** The server. */
export class Ox {
  private readonly base: string;
  private readonly headers: Record<string, string>;
  private readonly ask: typeof fetch;

  constructor({ baseUrl, token, fetch: ask, language }: OxOptions) {
    this.base = baseUrl.replace(/\/+$/, "");
    this.headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(language ? { "accept-language": language } : {}),
    };
    this.ask = ask ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Asks a route and returns the answer as it came; one that is not a success is thrown as `OxError`. */
  async response(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { query, body, headers, signal, again = method === "GET" } = options;
    const init: RequestInit = { method, signal: signal ?? null, headers: { ...this.headers, ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "content-type": "application/json" };
    }
    const url = this.base + path + queryOf(query);
    for (let last = !again; ; last = true) {
      try {
        const response = await this.ask(url, init);
        if (!response.ok) throw await OxError.of(response);
        return response;
      } catch (error) {
        if (error instanceof OxError || signal?.aborted) throw error;
        if (last) throw new OxError("connection", `${method} ${path}: ${String(error)}`, {}, 0, error);
      }
    }
  }

  /** Asks a route and returns what it answers. */
  async request<T = void>(method: string, path: string, options?: RequestOptions): Promise<T> {
    const text = await (await this.response(method, path, options)).text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  private get<T>(path: string, query?: Query): Promise<T> {
    return this.request<T>("GET", path, { query });
  }

  // ------------------------------------------------------------ the server itself

  /** Whether it answers, and its version. */
  health = () => this.get<{ status: string; version: string }>("/health");
  /** Its language and its projects. */
  about = () =>
    this.get<{ version: string; language: string; projects: api.Project[]; words_version: unknown }>("/api/about");
  /** All sentences that a page shows, by key. */
  words = (language?: string) => this.get<Record<string, string>>("/api/words", { language });
  /** Markdown, code, diffs and events as data that can be drawn, in the order in which they are given. */
  render = async (items: api.RenderItem[], signal?: AbortSignal) =>
    (await this.request<{ items: api.Rendered[] }>("POST", "/api/render", { body: { items }, signal, again: true })).items;

  // ------------------------------------------------------------ projects

  projects = () => this.get<api.Project[]>("/api/projects");
  /** Opens a further folder. */
  openProject = (root: string) => this.request<api.Project>("POST", "/api/projects", { body: { root } });
  files = (project: string, path = "") =>
    this.inProject<{ path: string; entries: api.FolderEntry[] }>(project, "files", { path });
  file = (project: string, path: string) => this.inProject<api.FileText>(project, "file", { path });
  /** What `@` may stand for. */
  complete = (project: string, text: string, limit?: number) =>
    this.inProject<{ items: api.Completion[] }>(project, "complete", { text, limit });
  /** Places in the code that a question is about. */
  query = (project: string, text: string, limit?: number) =>
    this.inProject<{ hits: api.Hit[] }>(project, "query", { text, limit });
  /** The files one step around these. */
  graph = (project: string, paths: string[]) => {
    const query = paths.map((it) => `path=${encodeURIComponent(it)}`).join("&");
    return this.get<api.Graph>(`${inProject(project)}/graph?${query}`);
  };
  /** What a prompt would hold, by source. */
  context = (project: string, task: string) => this.inProject<api.ContextSections>(project, "context", { task });
  checks = (project: string) => this.inProject<{ checks: api.ProjectCheck[] }>(project, "checks");
  checkpoints = (project: string) => this.inProject<{ turns: api.CheckpointTurn[] }>(project, "checkpoints");
  /** How a recorded state differs from now. */
  checkpointDiff = (project: string, state: string, path?: string) =>
    this.inProject<{ files: api.ChangedFile[] }>(project, `checkpoints/${encodeURIComponent(state)}/diff`, { path });
  /** What putting a state back would change. */
  restorePreview = (project: string, state: string) =>
    this.inProject<{ changes: FileChange[] }>(project, `checkpoints/${encodeURIComponent(state)}/restore`);
  /** Puts a state back, in all files or in these. */
  restore = (project: string, state: string, paths?: string[]) => {
    const path = `${inProject(project)}/checkpoints/${encodeURIComponent(state)}/restore`;
    return this.request<{ changes: FileChange[]; undo_with: string }>("POST", path, { body: { paths } });
  };
  config = (project: string) => this.inProject<{ settings: api.Setting[] }>(project, "config");
  setConfig = (project: string, key: string, value: unknown) =>
    this.request("PUT", `${inProject(project)}/config`, { body: { key, value } });
  models = (project: string) => this.inProject<{ models: api.Model[]; current: string }>(project, "models");
  memory = (project: string) => this.inProject<{ turns: api.MemoryTurn[] }>(project, "memory");
  forget = (project: string, id: string) =>
    this.request("DELETE", `${inProject(project)}/memory/${encodeURIComponent(id)}`);

  private inProject<T>(project: string, path: string, query?: Query): Promise<T> {
    return this.get<T>(`${inProject(project)}/${path}`, query);
  }

  // ------------------------------------------------------------ conversations

  /** The conversations, newest first. */
  conversations = async (query: { project?: string; search?: string; limit?: number } = {}) =>
    (await this.get<{ conversations: api.Info[] }>("/api/conversations", query)).conversations;

  /** Begins a conversation. */
  async create(options: api.CreateOptions): Promise<Conversation> {
    const info = await this.request<api.Info>("POST", "/api/conversations", { body: options });
    return new Conversation(this, info.id);
  }

  /** A conversation that is there. */
  conversation(id: string): Conversation {
    return new Conversation(this, id);
  }

  /** Updates of a conversation after the event of this number, each once and in order, until `signal` ends it. */
  follow(id: string, options: FollowOptions & { after?: number } = {}): AsyncGenerator<Update, void, void> {
    const path = `${ofConversation(id)}/events`;
    const connect = (cursors: Cursors, lastId: string, signal: AbortSignal) =>
      this.stream(path, { after: cursors[id] }, lastId, signal);
    return follow(connect, { [id]: options.after ?? 0 }, options);
  }

  /** Updates of several conversations over one connection, and `changed` where the list of them changed. */
  followMany(cursors: Cursors, options: FollowOptions = {}): AsyncGenerator<Update, void, void> {
    const connect = (now: Cursors, lastId: string, signal: AbortSignal) => {
      const list = Object.entries(now).map(([id, seq]) => `${id}:${seq}`);
      return this.stream("/api/events", { follow: list.join(",") || undefined }, lastId, signal);
    };
    return follow(connect, cursors, options);
  }

  private stream(path: string, query: Query, lastId: string, signal: AbortSignal): Promise<Response> {
    const headers = { accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
    return this.response("GET", path, { query, headers, signal, again: false });
  }
}

/** What happens in a run, and who answers what it asks. */
export interface RunOptions extends api.PromptOptions {
  /** Decides about a call: true allows it, false denies it. Nothing leaves it to others, who see it too. */
  onApproval?: (request: ApprovalRequest, view: View) => Answer<Decision | boolean | undefined>;
  /** Answers a question of the agent. Nothing leaves it to others. */
  onQuestion?: (question: Extract<Asked, { asks: "question" }>, view: View) => Answer<string | undefined>;
  /** Is told everything that happens, after the view and the text that streams have taken it in. */
  onUpdate?: (update: Update, view: View, live: Live) => void;
  /** Ends the waiting; the turn itself goes on unless it is interrupted. */
  signal?: AbortSignal;
}

type Answer<T> = T | Promise<T>;

/** One conversation. */
export class Conversation implements AsyncIterable<Update> {
  /** Everything is asked through this. */
  readonly ox: Ox;
  readonly id: string;
  private readonly path: string;

  constructor(ox: Ox, id: string) {
    this.ox = ox;
    this.id = id;
    this.path = ofConversation(id);
  }

  info = () => this.ox.request<api.Info>("GET", this.path);
  rename = (name: string) => this.ox.request<api.Info>("PATCH", this.path, { body: { name } });
  delete = () => this.ox.request("DELETE", this.path);
  /** What a screen shows of it now. */
  view = () => this.ox.request<View>("GET", `${this.path}/view`);
  /** Its events after the one of this number. */
  frames = async (after = 0) =>
    (await this.ox.request<{ frames: Frame[] }>("GET", `${this.path}/frames`, { query: { after } })).frames;
  /** A copy, up to a turn where one is given. */
  fork = async (turn?: number) =>
    new Conversation(this.ox, (await this.ox.request<api.Info>("POST", `${this.path}/fork`, { body: { turn } })).id);
  /** The whole conversation as a document. */
  export = async (format: "markdown" | "json" = "markdown") =>
    (await this.ox.response("GET", `${this.path}/export`, { query: { format } })).text();

  /** Sends words of the user. A connection that breaks is tried once more; nothing runs twice. */
  prompt(text: string, { key = randomKey(), ...options }: api.PromptOptions = {}): Promise<api.Accepted> {
    const headers = { "idempotency-key": key };
    return this.ox.request("POST", `${this.path}/prompts`, { body: { text, ...options }, headers, again: true });
  }

  /** Sends any command. */
  send = (command: Command) => this.ox.request<api.Accepted>("POST", `${this.path}/commands`, { body: command });
  interrupt = () => this.ox.request<api.Accepted>("POST", `${this.path}/interrupt`);
  /** Answers a request for consent. */
  decide = (call: string, decision: Decision) =>
    this.ox.request<api.Accepted>("POST", `${this.path}/approvals/${encodeURIComponent(call)}`, { body: { decision } });
  /** Answers a question of the agent. */
  answer = (call: string, text: string) =>
    this.ox.request<api.Accepted>("POST", `${this.path}/questions/${encodeURIComponent(call)}`, { body: { text } });

  /** What undoing the last turn that changed files would do. */
  undoPreview = () => this.ox.request<api.UndoPreview>("GET", `${this.path}/undo`);
  /** Takes back what that turn changed; where later work would be lost, `over` says what becomes of it. */
  undo = (options: api.UndoOptions = {}) => this.ox.request<api.Accepted>("POST", `${this.path}/undo`, { body: options });
  redo = () => this.ox.request<api.Accepted>("POST", `${this.path}/redo`);
  /** What the last run changed, by file and hunk. */
  changes = async () => (await this.ox.request<{ files: api.ChangedFile[] }>("GET", `${this.path}/changes`)).files;
  /** Accepts and rejects hunks by their ids. */
  review = (accept: string[], reject: string[]) =>
    this.ox.request<{ accepted: number; rejected: number; files: api.ChangedFile[] }>("POST", `${this.path}/changes`, {
      body: { accept, reject },
    });
  /** The states of the project's files that this conversation recorded, newest turn first. */
  async checkpoints(): Promise<api.CheckpointTurn[]> {
    const { project } = await this.info();
    const { turns } = await this.ox.checkpoints(project.key);
    return turns.filter((it) => it.conversation === this.id);
  }
  /** A picture of a prompt or of a reply. */
  image = async (seq: number, index = 0) =>
    (await this.ox.response("GET", `${this.path}/image`, { query: { seq, index } })).blob();

  /** Updates after the event of this number, each once and in order, until `signal` ends it. */
  follow(options: FollowOptions & { after?: number } = {}): AsyncGenerator<Update, void, void> {
    return this.ox.follow(this.id, options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Update, void, void> {
    return this.follow();
  }

  /** Sends a prompt and waits for the end of the turn that answers it; returns the view then. */
  async run(text: string, options: RunOptions = {}): Promise<View> {
    const { onApproval, onQuestion, onUpdate, signal, ...prompt } = options;
    const state = { view: await this.view(), live: new Live() };
    const accepted = await this.prompt(text, prompt);
    const abort = new AbortController();
    const stop = () => abort.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    const answers = new Answers(this, { onApproval, onQuestion }, (why) => abort.abort(why));
    try {
      // Where the key was used before, the turn may have begun or be over.
      let begun = state.view.seq > accepted.seq;
      if (begun && !state.view.busy) return state.view;
      answers.look(state.view);
      for await (const update of this.follow({ after: state.view.seq, signal: abort.signal })) {
        take(state, update);
        onUpdate?.(update, state.view, state.live);
        answers.look(state.view);
        begun ||= isOf(update, accepted);
        if (begun && isOver(update, state.view, accepted)) return state.view;
      }
      throw abort.signal.reason;
    } finally {
      signal?.removeEventListener("abort", stop);
      abort.abort();
    }
  }
}

/** Takes an update into a view and into the text that streams. */
export function take(state: { view: View; live: Live }, update: Update): void {
  if (update.type === "snapshot") {
    state.view = { ...emptyView(), ...update.view };
    state.live.clear();
  } else if (update.type === "delta") {
    state.live.take(update.delta);
  } else if (update.type === "frame") {
    apply(state.view, update.frame);
    state.live.settle(update.frame);
  }
}

/** True where an update is an effect of the command, or can only be one. */
function isOf(update: Update, accepted: api.Accepted): boolean {
  if (update.type === "snapshot") return update.view.seq > accepted.seq;
  if (update.type !== "frame") return false;
  const { command_id, event, seq } = update.frame;
  return command_id === accepted.command_id || (event === "turn_start" && seq > accepted.seq);
}

/** True where the turn that answers the command has ended. */
function isOver(update: Update, view: View, accepted: api.Accepted): boolean {
  const waits = view.queue.some((it) => it.id === accepted.command_id);
  if (waits || view.busy) return false;
  if (update.type === "snapshot") return true;
  return update.type === "frame" && update.frame.event === "completion" && !isOfAgent(view, update.frame.conversation_id);
}

/** Hands what waits for the user to the callbacks, once each. */
class Answers {
  private readonly asked = new Set<string>();

  constructor(
    private readonly of: Conversation,
    private readonly by: Pick<RunOptions, "onApproval" | "onQuestion">,
    private readonly fail: (why: unknown) => void,
  ) {}

  look(view: View): void {
    const waiting = new Set(view.asked.map((it) => it.call));
    for (const call of this.asked) if (!waiting.has(call)) this.asked.delete(call);
    for (const it of view.asked) {
      if (this.asked.has(it.call)) continue;
      this.asked.add(it.call);
      this.answer(it, view).catch(this.fail);
    }
  }

  private async answer(it: Asked, view: View): Promise<void> {
    try {
      if (it.asks === "approval") {
        const said = await this.by.onApproval?.(it, view);
        const decision: Decision | undefined =
          said === true ? { answer: "allow" } : said === false ? { answer: "deny", reason: "" } : said;
        if (decision) await this.of.decide(it.call, decision);
      } else {
        const said = await this.by.onQuestion?.(it, view);
        if (said !== undefined) await this.of.answer(it.call, said);
      }
    } catch (error) {
      // Somebody else was faster, or the turn is over.
      if (!(error instanceof OxError && error.status === 409)) throw error;
    }
  }
}

const inProject = (project: string) => `/api/projects/${encodeURIComponent(project)}`;
const ofConversation = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (it) => it.toString(16).padStart(2, "0")).join("");
}
