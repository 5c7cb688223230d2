// A development server for the page: the HTTP contract with a scripted conversation. Run `node mock/server.mjs [PORT]`
// after `npm run build`, then open the printed address. OX_MOCK_SPEED=20 plays twenty times as fast.

import { createServer } from "node:http";
import { readFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hunks, render, spans } from "./render.mjs";
import { CHANGES, run } from "./script.mjs";
import { fixtures, long } from "./seeds.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SPEED = Number(process.env.OX_MOCK_SPEED ?? 1);
const PROJECT = { key: "0123456789ab", root: "/home/user/ledger", name: "ledger", branch: "main", dirty: 2, trusted: "trusted", model: "anthropic/claude-sonnet-5-5", mode: "auto", approval: "ask" };
const OTHER = { ...PROJECT, key: "ba9876543210", root: "/home/user/sums", name: "sums", dirty: 0 };
const all = new Map();
const listeners = new Set();

function words(language) {
  const out = {};
  for (const line of readFileSync(here(`../../crates/protocol/locales/${language}.txt`), "utf8").split("\n")) {
    const at = line.indexOf(" = ");
    if (at > 0 && line[0] !== "#") out[line.slice(0, at)] = line.slice(at + 3).replaceAll("\\n", "\n");
  }
  return out;
}
/** What the page shows: its own sentences, and those of codes in events. */
const SHOWN = /^(page|stage|stop|approval\.(level|why)|effect|checkpoints\.reason|checks\.kind|mode)\./;
const WORDS = { en: words("en"), zh: words("zh") };

const sleep = (ms) => new Promise((done) => setTimeout(done, ms / SPEED));
const listChanged = () => listeners.forEach((it) => it.send("changed", {}));

/** A conversation: its log, who follows it, and what it waits for. */
class Talk {
  constructor(id, project, title) {
    Object.assign(this, { id, project, title, frames: [], seq: 0, seqs: new Map(), partial: new Map(), waiting: new Map(), queue: [], busy: false, created: Date.now(), updated: Date.now(), stop: null, changes: undefined });
  }
  emit(event, of = this.id) {
    if (event.event === "interrupted") this.working = false;
    if (event.event === "turn_start") this.working = true;
    if (this.aborted && this.working) throw "interrupt";
    const seq = (this.seqs.get(of) ?? 0) + 1;
    this.seqs.set(of, seq);
    if (of === this.id) this.seq = seq;
    const frame = { v: 2, conversation_id: of, seq, time: this.at ?? Date.now(), ...event };
    if (this.at) this.at += 400;
    this.frames.push(frame);
    this.updated = frame.time;
    if (event.event === "stream_complete" || event.event === "interrupted") this.partial.clear();
    if (event.event === "turn_start" && !this.title) this.title = event.prompt.slice(0, 80);
    if (event.event === "completion") this.stop = event.stop;
    for (const it of listeners) if (it.follows === this.id) it.send("frame", frame, of === this.id ? `${this.id}:${seq}` : undefined);
    if (/turn_start|approval|question|answer|completion|named/.test(event.event)) listChanged();
  }
  async say(event, message_id, text, call) {
    for (let at = 0; at < text.length; at += 9) {
      const delta = { conversation_id: this.id, event, message_id, call, offset: Buffer.byteLength(text.slice(0, at)), delta: text.slice(at, at + 9) };
      this.partial.set(`${event}${call ?? ""}`, { ...delta, offset: 0, delta: text.slice(0, at + 9) });
      for (const it of listeners) if (it.follows === this.id) it.send("delta", delta);
      await this.wait(30);
    }
    if (event === "tool_output") this.partial.delete(`${event}${call}`);
  }
  async wait(ms) {
    if (!this.instant) await sleep(ms);
    if (this.aborted && this.working) throw "interrupt";
  }
  ask(event) {
    this.emit(event);
    if (this.instant) {
      this.emit(event.event === "question" ? { event: "answer", call: event.call, text: "Saturate" } : { event: "approval", call: event.call, decision: { answer: "allow" }, by: "user" });
      return { answer: "allow" };
    }
    return new Promise((done, failed) => this.waiting.set(event.call, { done, failed, question: event.event === "question" }));
  }
  decide(call, decision) {
    const found = this.waiting.get(call);
    if (!found) return false;
    this.waiting.delete(call);
    this.emit(found.question ? { event: "answer", call, text: decision.text } : { event: "approval", call, decision, by: "user" });
    found.done(decision);
    return true;
  }
  async prompt(text, fields) {
    this.busy = true;
    this.changes = undefined;
    await run(this, text, fields).catch((why) => console.error(why));
    this.busy = this.aborted = false;
    const next = this.queue.shift();
    listChanged();
    if (next) {
      this.emit({ event: "queue_set", prompts: this.queue.map((it) => it.id) });
      void this.prompt(next.text, next);
    }
  }
  info() {
    const prompt = this.frames.find((it) => it.event === "turn_start")?.prompt ?? "";
    const failed = this.stop && !/^(done|answered|interrupted)/.test(this.stop.reason);
    return { id: this.id, project: { key: this.project.key, root: this.project.root, name: this.project.name }, title: this.title ?? prompt, name: null, prompt, branch: "main", created: this.created, updated: this.updated, turns: this.turn ?? 1, cost: this.seq > 20 ? 214000 : null, tokens: 84200, stop: this.stop, state: this.waiting.size ? "waiting" : this.busy ? "working" : failed ? "failed" : "idle", here: this.busy, elsewhere: false };
  }
  changed() {
    this.changes ??= (this.big ?? CHANGES).map((change, f) => ({ change, why: change.why ? [change.why] : [], hunks: hunks(change.diff).map((it, h) => ({ ...it, id: `${f}-${h}`, state: "pending" })) }));
    return this.frames.some((it) => it.event === "tool_complete" && it.outcome.changed?.length) || this.big ? this.changes : [];
  }
}

const add = (talk) => all.set(talk.id, talk);
async function seed() {
  const day = 86_400_000;
  for (const [id, title, project, age] of [["20261126-done", "The ledger's total wraps around", PROJECT, 3_600_000], ["20261125-runb", "Totals overflow in release builds", PROJECT, day]]) {
    const talk = add(new Talk(id, project, title)).get(id);
    Object.assign(talk, { instant: true, at: Date.now() - age });
    talk.emit({ event: "conversation_id", id, root: project.root, ox: "0.1.0" });
    await talk.prompt("The ledger's total wraps around for large amounts. Make it saturate, and `ask` me if in doubt.");
    talk.instant = talk.at = false;
  }
  for (const it of [...fixtures(), long(10_000)]) {
    const talk = add(new Talk(it.id, it.project === "sums" ? OTHER : PROJECT, it.title)).get(it.id);
    Object.assign(talk, { frames: it.frames, seq: it.frames.length, big: it.big, turn: 1, updated: Date.now() - it.age, stop: it.stop });
    for (const frame of it.frames) talk.seqs.set(it.id, frame.seq), (talk.seq = frame.seq);
  }
}

const json = (res, status, body) => {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(body === undefined ? "" : JSON.stringify(body));
};
const PAGE = { "/": ["index.html", "text/html"], "/app.js": ["app.js", "text/javascript"], "/app.css": ["app.css", "text/css"] };
const CSP = "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'";

function events(req, res, url) {
  const [id, seq] = (req.headers["last-event-id"] ?? url.searchParams.get("follow") ?? "").split(",")[0].split(":");
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const me = { follows: id, end: () => res.end(), send: (event, data, cursor) => res.write(`event: ${event}\n${cursor ? `id: ${cursor}\n` : ""}data: ${JSON.stringify(data)}\n\n`) };
  res.write(": hello\n\n");
  const talk = all.get(id);
  if (talk) {
    for (const it of talk.frames) if (it.conversation_id !== id || it.seq > Number(seq ?? 0)) me.send("frame", it, it.conversation_id === id ? `${id}:${it.seq}` : undefined);
    for (const it of talk.partial.values()) me.send("delta", it);
  }
  listeners.add(me);
  req.on("close", () => listeners.delete(me));
}

const FILES = { "": [["src", 1], ["tests", 1], ["Cargo.toml"], ["README.md"]], src: [["ledger.rs"], ["money.rs"], ["report.rs"]], tests: [["ledger.rs"]] };
const TEXT = `//! A ledger.\n\nuse crate::money::Money;\n\n/// Entries in the order in which they came.\n#[derive(Default)]\npub struct Ledger {\n    entries: Vec<Entry>,\n}\n\nimpl Ledger {\n    pub fn total(&self) -> Money {\n        self.entries.iter().map(|it| it.amount).sum()\n    }\n}\n`;
const states = (n) => ["after_turn", "after_command", "before_turn"].map((reason, i) => ({ id: `c${n}${i}0e841`, time: Date.now() - n * 3_600_000 - i * 40_000, reason, files: i ? i - 1 : 2 }));

const projectRoutes = {
  files: (q) => ({ path: q.get("path") ?? "", entries: (FILES[q.get("path") ?? ""] ?? []).map(([name, folder]) => ({ name, path: q.get("path") ? `${q.get("path")}/${name}` : name, kind: folder ? "folder" : "file", size: folder ? null : 1284, changed: name === "ledger.rs" })) }),
  file: (q) => ({ path: q.get("path"), size: 1284, text: TEXT, lines: TEXT.split("\n").map(spans), image: null, too_large: false }),
  complete: (q) => ({ items: ["src/ledger.rs", "src/money.rs", "src/report.rs", "tests/ledger.rs", "Cargo.toml"].filter((it) => [...(q.get("text") ?? "")].every((char) => it.includes(char))).map((it) => ({ kind: "file", insert: it, shown: it, detail: "" })) }),
  graph: () => ({ nodes: [["src/ledger.rs", 1], ["src/money.rs", 1], ["src/report.rs"], ["src/main.rs"], ["src/entry.rs"], ["tests/ledger.rs", 1, 1], ["tests/report.rs", 0, 1]].map(([path, changed, test]) => ({ path, changed: !!changed, test: !!test })), edges: [["src/main.rs", "src/report.rs"], ["src/report.rs", "src/ledger.rs"], ["src/ledger.rs", "src/money.rs"], ["src/ledger.rs", "src/entry.rs"], ["src/entry.rs", "src/money.rs"], ["tests/ledger.rs", "src/ledger.rs", "tests"], ["tests/report.rs", "src/report.rs", "tests"]].map(([from, to, kind]) => ({ from, to, kind: kind ?? "imports" })) }),
  context: () => ({ sections: [["system", 1900], ["rules:AGENTS.md", 640], ["memory", 420], ["tools", 2100], ["search", 800]].map(([name, tokens]) => ({ name, tokens, budget: tokens, items: [] })), total: 5860, window: 200000 }),
  checks: () => ({ checks: [["cargo check", "types"], ["cargo clippy", "lint"], ["cargo test", "test"]].map(([command, kind]) => ({ name: command, kind, command, limit_ms: 600000, source: "Cargo.toml" })) }),
  checkpoints: () => ({ turns: [{ turn: 1, conversation: "20261126-done", title: "The ledger's total wraps around", time: Date.now() - 3_600_000, states: states(1) }, { turn: null, conversation: null, title: "", time: Date.now() - 90_000_000, states: states(9).slice(0, 1) }] }),
  models: () => ({ models: [["anthropic/claude-sonnet-5-5", "sonnet", true], ["openai/gpt-5.5", "gpt", true], ["ollama/qwen3-coder", null, false]].map(([name, alias, ready]) => ({ name, alias, window: 200000, input_price: 3000000, output_price: 15000000, ready })), current: "anthropic/claude-sonnet-5-5" }),
};

async function route(req, res) {
  const url = new URL(req.url, "http://localhost");
  const path = url.pathname;
  const language = req.headers["accept-language"] === "zh" ? "zh" : "en";
  if (PAGE[path]) {
    const [file, type] = PAGE[path];
    res.writeHead(200, { "content-type": `${type}; charset=utf-8`, "content-security-policy": CSP });
    return res.end(existsSync(here(`../dist/${file}`)) ? readFileSync(here(`../dist/${file}`)) : "");
  }
  let body = {};
  if (/POST|PATCH|PUT/.test(req.method)) {
    const parts = [];
    for await (const part of req) parts.push(part);
    body = JSON.parse(Buffer.concat(parts).toString() || "{}");
  }
  const refuse = (status, message) => json(res, status, { code: "server.refused", message, args: {} });
  if (path === "/mock/cut") return [...listeners].forEach((it) => it.end()), json(res, 200, {});
  if (path === "/api/about") return json(res, 200, { version: "0.1.0", language: "en", projects: [PROJECT, OTHER], words_version: "1" });
  if (path === "/api/words") return json(res, 200, Object.fromEntries(Object.entries(WORDS[url.searchParams.get("language")] ?? WORDS.en).filter(([key]) => SHOWN.test(key))));
  if (path === "/api/render") return json(res, 200, { items: body.items.map((it) => render(it, WORDS[language])) });
  if (path === "/api/events") return events(req, res, url);
  if (path === "/api/projects") return json(res, 200, req.method === "POST" ? PROJECT : [PROJECT, OTHER]);
  const inProject = /^\/api\/projects\/(\w+)\/(\w+)(?:\/(\w+)\/(diff|restore))?$/.exec(path);
  if (inProject) {
    if (inProject[4] === "diff") return json(res, 200, { files: CHANGES.map((change) => ({ change, hunks: hunks(change.diff) })) });
    if (inProject[4]) return json(res, 200, { changes: CHANGES.map(({ diff: _, ...it }) => it), undo_with: "c1" });
    return projectRoutes[inProject[2]] ? json(res, 200, projectRoutes[inProject[2]](url.searchParams)) : refuse(404, "No such thing.");
  }
  if (path === "/api/conversations" && req.method === "POST") {
    const id = `20261126-${Math.random().toString(36).slice(2, 8)}`;
    const talk = new Talk(id, body.project === OTHER.key ? OTHER : PROJECT);
    add(talk);
    Object.assign(talk, { mode: body.mode, policy: body.approval });
    talk.emit({ event: "conversation_id", id, root: talk.project.root, ox: "0.1.0" });
    listChanged();
    return json(res, 201, talk.info());
  }
  if (path === "/api/conversations") {
    const text = (url.searchParams.get("search") ?? "").toLowerCase();
    return json(res, 200, { conversations: [...all.values()].map((it) => it.info()).filter((it) => it.title.toLowerCase().includes(text)).sort((a, b) => b.updated - a.updated) });
  }
  const found = /^\/api\/conversations\/([^/]+)(?:\/(\w+))?(?:\/([^/]+))?$/.exec(path);
  const talk = all.get(found?.[1]) ?? [...all.values()].find((it) => it.seqs.has(found?.[1]));
  if (!talk) return refuse(404, "There is no such conversation.");
  return inConversation(req, res, url, body, talk, found, refuse);
}

async function inConversation(req, res, url, body, talk, [, id, what, which], refuse) {
  const post = req.method === "POST";
  const ok = () => json(res, 202, { command_id: "x", conversation: talk.id, seq: talk.seq });
  switch (what) {
    case undefined:
      if (req.method === "DELETE") return all.delete(talk.id), listChanged(), json(res, 204);
      if (req.method === "PATCH") talk.emit({ event: "named", name: (talk.title = body.name) });
      return json(res, 200, talk.info());
    case "frames": return json(res, 200, { frames: talk.frames.filter((it) => it.conversation_id === id && it.seq > Number(url.searchParams.get("after") ?? 0)) });
    case "view": {
      const { viewOf } = await import("./view.mjs");
      return json(res, 200, await viewOf(talk.frames));
    }
    case "prompts":
      if (talk.busy && body.delivery === "queue") {
        const it = { id: `q${Math.random().toString(36).slice(2)}`, text: body.text, images: body.images ?? [] };
        talk.queue.push(it);
        talk.emit({ event: "prompt_queued", ...it });
      } else if (talk.busy) talk.emit({ event: "queued", text: body.text, images: body.images ?? [] });
      else void talk.prompt(body.text, { images: body.images ?? [], mode: body.mode });
      return ok();
    case "commands": {
      if (body.command === "set_mode") talk.emit({ event: "mode_set", mode: (talk.mode = body.mode) });
      else if (body.command === "set_approval") talk.emit({ event: "approval_set", policy: (talk.policy = body.policy) });
      else if (body.command === "set_model") talk.emit({ event: "model_set", model: body.model });
      else if (body.command === "set_queue") (talk.queue = body.prompts.flatMap((it) => talk.queue.find((one) => one.id === it) ?? [])), talk.emit({ event: "queue_set", prompts: body.prompts });
      else if (body.command === "continue") void talk.prompt("");
      else if (body.command === "comment_plan") {
        const plan = structuredClone(talk.frames.findLast((it) => it.event === "plan").plan);
        plan.steps.find((it) => it.id === body.step).comments = [body.text];
        talk.emit({ event: "plan", plan });
      }
      return ok();
    }
    case "interrupt":
      if (!talk.busy) return refuse(409, WORDS.en["rejected.idle"]);
      talk.aborted = true;
      for (const it of talk.waiting.values()) it.failed("interrupt");
      talk.waiting.clear();
      return ok();
    case "approvals": return talk.decide(which, body.decision) ? ok() : refuse(409, WORDS.en["rejected.not_asked"]);
    case "questions": return talk.decide(which, { text: body.text }) ? ok() : refuse(409, WORDS.en["rejected.not_asked"]);
    case "fork": {
      const fork = new Talk(`${talk.id}-f`, talk.project, talk.title);
      Object.assign(fork, { frames: talk.frames, seq: talk.seq, seqs: new Map(talk.seqs) });
      add(fork);
      return json(res, 201, fork.info());
    }
    case "undo":
      if (post) return talk.emit({ event: "restored", to: "c10e841", before: "c20e841", files: CHANGES.map(({ diff: _, ...it }) => it) }), ok();
      return json(res, 200, { possible: true, changes: CHANGES.map(({ diff: _, ...it }) => it), lost: [{ path: "tests/ledger.rs", kind: "modified", added: 3, removed: 1 }], head_moved: false });
    case "redo": return ok();
    case "changes": {
      const files = talk.changed();
      if (post) for (const file of files) for (const it of file.hunks) {
        if (body.accept?.includes(it.id)) it.state = "accepted";
        if (body.reject?.includes(it.id)) it.state = "rejected";
      }
      return json(res, 200, post ? { accepted: body.accept?.length ?? 0, rejected: body.reject?.length ?? 0, files } : { files });
    }
    case "image": {
      const frame = talk.frames.find((it) => it.seq === Number(url.searchParams.get("seq")));
      const image = frame?.images?.[Number(url.searchParams.get("index"))];
      res.writeHead(image ? 200 : 404, { "content-type": image?.media_type ?? "text/plain" });
      return res.end(image ? Buffer.from(image.data, "base64") : "");
    }
    default: return refuse(404, "No such thing.");
  }
}

await seed();
const port = Number(process.argv[2] ?? process.env.PORT ?? 7171);
createServer((req, res) => void route(req, res).catch((why) => json(res, 500, { code: "server.failed", message: String(why) }))).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
