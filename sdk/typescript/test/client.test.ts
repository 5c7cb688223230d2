import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import { emptyView, Ox, OxError, type Conversation, type Frame } from "../src/index.js";

const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1, reasoning: 0 };
const asks = {
  event: "approval_request", call: "call_4_0", tool: "run_command", args: {}, level: "shell", why: { code: "x" },
  always: { action: "allow", tool: "run_command" },
};

/** A server that holds one conversation: a prompt asks for consent, then a question, then answers. */
class Server {
  readonly requests: { method: string; path: string; body: unknown; key: string | undefined }[] = [];
  private readonly frames: object[] = [];
  private readonly streams = new Set<ServerResponse>();
  private readonly admitted = new Map<string, object>();
  /** How many prompts are taken in and then not answered. */
  broken = 0;
  /** What an approval is refused with. */
  refused: number | undefined;

  record(event: object, command?: string): number {
    const seq = this.frames.length + 1;
    const frame = { v: 2, conversation_id: "c", seq, time: seq, ...(command ? { command_id: command } : {}), ...event };
    this.frames.push(frame);
    for (const stream of this.streams) stream.write(text(frame));
    return seq;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, "http://x");
    let sent = "";
    for await (const piece of request) sent += piece;
    const body = sent === "" ? undefined : JSON.parse(sent);
    const path = url.pathname.replace("/api/conversations/c", "");
    const key = request.headers["idempotency-key"] as string | undefined;
    this.requests.push({ method: request.method!, path, body, key });
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (path === "/view") return void json({ ...emptyView(), conversation: "c" });
    if (path === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      this.frames.slice(Number(url.searchParams.get("after"))).forEach((it) => response.write(text(it as Frame)));
      this.streams.add(response);
      return;
    }
    if (path === "/prompts") return this.prompt(key!, response, json);
    if (path.startsWith("/approvals/")) {
      if (this.refused) return void json({ code: "server.not_asked", message: "Nobody asks." }, this.refused);
      this.record({ event: "approval", call: "call_4_0", decision: body.decision, by: "user" });
      this.record({ event: "question", call: "call_4_1", text: "Which?", options: ["a", "b"] });
      return void json({}, 202);
    }
    if (path.startsWith("/questions/")) {
      this.record({ event: "answer", call: "call_4_1", text: body.text });
      this.end();
      return void json({}, 202);
    }
    json({ code: "server.not_found", message: "There is no such thing.", args: { path } }, 404);
  }

  private prompt(key: string, response: ServerResponse, json: (value: unknown, status: number) => unknown): void {
    if (!this.admitted.has(key)) {
      const seq = this.frames.length;
      this.admitted.set(key, { command_id: key, conversation: "c", seq });
      this.record({ event: "stage_enter", stage: "claim" }, key);
      this.record(asks);
    }
    if (this.broken-- > 0) return void response.destroy();
    json(this.admitted.get(key), 202);
  }

  end(): void {
    this.record({ event: "stream_complete", want: { seq: 1, index: 0 }, message_id: "m", text: "Done.", finish: "stop", usage, total_length: 5, duration_ms: 1 });
    this.record({ event: "completion", stop: { reason: "done" }, exit_code: 0 });
  }
}

const text = (frame: object) => `event: frame\nid: ${(frame as Frame).seq}\ndata: ${JSON.stringify(frame)}\n\n`;

async function begin(t: TestContext): Promise<{ server: Server; conversation: Conversation }> {
  const server = new Server();
  const http = createServer((request, response) => void server.answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const ox = new Ox({ baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` });
  return { server, conversation: ox.conversation("c") };
}

test("a run goes from the prompt to the end of its turn, and callbacks answer what it asks", async (t) => {
  const { server, conversation } = await begin(t);
  server.record({ event: "conversation_id", id: "c", root: "/p", ox: "1" });
  const seen: string[] = [];
  const view = await conversation.run("Fix it", {
    onApproval: async (request) => request.tool === "run_command",
    onQuestion: (question) => question.options[1],
    onUpdate: (update) => update.type === "frame" && seen.push(update.frame.event),
  });
  assert.deepEqual([view.reply, view.stop, view.asked], ["Done.", { reason: "done" }, []]);
  assert.deepEqual(seen, [
    "conversation_id", "stage_enter", "approval_request", "approval", "question", "answer", "stream_complete", "completion",
  ]);
  const posts = server.requests.filter((it) => it.method === "POST").map(({ path, body }) => ({ path, body }));
  assert.deepEqual(posts, [
    { path: "/prompts", body: { text: "Fix it" } },
    { path: "/approvals/call_4_0", body: { decision: { answer: "allow" } } },
    { path: "/questions/call_4_1", body: { text: "b" } },
  ]);
});

test("a prompt whose answer is lost is sent once more under the same key", async (t) => {
  const { server, conversation } = await begin(t);
  server.broken = 1;
  const accepted = await conversation.prompt("Fix it", { delivery: "queue" });
  const [first, second] = server.requests;
  assert.deepEqual(server.requests.length, 2);
  assert.match(first!.key!, /^[0-9a-f]{32}$/);
  assert.deepEqual(first, second);
  assert.deepEqual(first!.body, { text: "Fix it", delivery: "queue" });
  assert.equal(accepted.command_id, first!.key);
  server.broken = 2;
  await assert.rejects(conversation.prompt("Again"), (error: unknown) => error instanceof OxError && error.code === "connection");
});

test("an answer that comes too late is no failure; one that is refused is", async (t) => {
  const { server, conversation } = await begin(t);
  server.refused = 409;
  const late = conversation.run("Fix it", { onApproval: () => { setTimeout(() => server.end(), 5); return true; } });
  assert.equal((await late).reply, "Done.");
  const again = await begin(t);
  again.server.refused = 403;
  await assert.rejects(again.conversation.run("Fix it", { onApproval: () => false }), (error: unknown) => error instanceof OxError && error.status === 403);
  const thrown = await begin(t);
  await assert.rejects(thrown.conversation.run("Fix it", { onApproval: () => { throw new Error("mine"); } }), /mine/);
  const stopped = await begin(t);
  await assert.rejects(stopped.conversation.run("Fix it", { signal: AbortSignal.timeout(30) }), { name: "TimeoutError" });
});

test("errors carry code, sentence and arguments", async (t) => {
  const { conversation } = await begin(t);
  await assert.rejects(conversation.changes(), (error: unknown) => {
    assert.ok(error instanceof OxError);
    assert.deepEqual([error.code, error.message, error.args, error.status], ["server.not_found", "There is no such thing.", { path: "/changes" }, 404]);
    return true;
  });
});
