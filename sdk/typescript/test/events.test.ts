import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import { Ox, OxError, EventParser, type ServerEvent, type Update } from "../src/index.js";

const encoder = new TextEncoder();

/** A server that answers each request by the next of the scripts, and then by none. */
async function serve(t: TestContext, ...scripts: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const script = scripts[Math.min(asked.length, scripts.length) - 1]!;
    script(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ox: new Ox({ baseUrl: `http://127.0.0.1:${port}`, token: "secret" }), asked };
}

const open = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });
const named = (seq: number, conversation = "c", more: object = {}) =>
  ({ v: 2, conversation_id: conversation, seq, time: seq, event: "named", name: `n${seq}`, ...more });
const frame = (seq: number) => `event: frame\nid: ${seq}\ndata: ${JSON.stringify(named(seq))}\n\n`;
const fast = { retryMs: 1, retryLimitMs: 5 };

async function collect(updates: AsyncIterable<Update>, count: number): Promise<Update[]> {
  const all: Update[] = [];
  for await (const update of updates) {
    all.push(update);
    if (all.length === count) break;
  }
  return all;
}

const seqs = (all: Update[]) => all.map((it) => (it.type === "frame" ? it.frame.seq : it.type));

test("the same events come out, wherever the bytes are split", () => {
  const lines = [
    ": a comment", "event: frame", "id: 7", "data: {\"text\":", "data:  \"größer 求和 😀\"}", "", "data", "", "id", "event: x",
    "", "retry: 250", "retry: soon", "data:no space", "unknown: field", "", "event: cut", "data: off",
  ];
  const expected: ServerEvent[] = [
    { event: "frame", data: '{"text":\n "größer 求和 😀"}', id: "7" },
    { event: "message", data: "", id: "7" },
    { event: "message", data: "no space", id: "" },
  ];
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = encoder.encode(`\ufeff${lines.join(end)}${end}`);
    for (let at = 0; at <= bytes.length; at++) {
      const parser = new EventParser();
      const events = [...parser.push(bytes.subarray(0, at)), ...parser.push(bytes.subarray(at))];
      assert.deepEqual(events, expected, `${JSON.stringify(end)} split at ${at}`);
      assert.equal(parser.retry, 250);
    }
    const parser = new EventParser();
    assert.deepEqual(Array.from(bytes).flatMap((it) => parser.push(Uint8Array.of(it))), expected);
  }
});

test("reading is linear in what is sent", () => {
  const time = (size: number) => {
    const parser = new EventParser();
    const chunk = encoder.encode("x".repeat(16));
    const begun = performance.now();
    parser.push(encoder.encode("data: "));
    for (let sent = 0; sent < size; sent += chunk.length) parser.push(chunk);
    assert.equal(parser.push(encoder.encode("\n\n"))[0]?.data.length, size);
    return performance.now() - begun;
  };
  time(1 << 20);
  const [small, large] = [time(1 << 20), time(1 << 23)];
  assert.ok(large < 40 * Math.max(small, 5), `${small} ms for 1 MiB, ${large} ms for 8 MiB`);
});

test("updates come once and in order, however often the connection breaks and whatever is repeated", async (t) => {
  let seq = 0;
  const cut = (_: IncomingMessage, response: ServerResponse) => {
    open(response);
    const before = seq === 0 ? "retry: 1\n\n" : frame(seq - 1) + frame(seq);
    seq += 3;
    const text = before + frame(seq - 2) + frame(seq - 1) + frame(seq);
    // The next event is cut in the middle.
    response.write(text + frame(seq + 1).slice(0, 30), () => response.destroy());
  };
  const { ox, asked } = await serve(t, cut);
  const states: string[] = [];
  const all = await collect(ox.follow("c", { ...fast, onConnection: (state) => states.push(state) }), 30);
  assert.deepEqual(seqs(all), Array.from({ length: 30 }, (_, at) => at + 1));
  assert.deepEqual(asked.slice(0, 3).map((it) => it.url), [0, 3, 6].map((it) => `/api/conversations/c/events?after=${it}`));
  assert.deepEqual(asked.slice(0, 3).map((it) => it.headers["last-event-id"]), [undefined, "3", "6"]);
  assert.ok(asked.every((it) => it.headers.authorization === "Bearer secret"));
  assert.deepEqual(states.slice(0, 4), ["open", "lost", "open", "lost"]);
});

test("a gap ends a stream and the next one goes on; a snapshot sets where", async (t) => {
  const view = { conversation: "c", seq: 2_000, entries: [] };
  const agent = `event: frame\ndata: ${JSON.stringify(named(1, "c.1"))}\n\n`;
  const { ox, asked } = await serve(
    t,
    (_, response) => open(response).end(`${frame(1)}${agent}event: gap\ndata: {"event":"gap","from":2}\n\n${frame(9)}`),
    (_, response) =>
      open(response).end(`event: snapshot\nid: 2000\ndata: ${JSON.stringify({ event: "snapshot", view })}\n\n${agent}`),
    (_, response) => open(response).write(`${frame(2_000)}${frame(2_001)}${agent}event: delta\ndata: {"offset":0}\n\nevent: later\ndata: {"a":1}\n\n`),
  );
  const all = await collect(ox.follow("c", fast), 7);
  assert.deepEqual(seqs(all), [1, 1, "snapshot", 1, 2_001, "delta", "other"]);
  assert.deepEqual(all.at(-1), { type: "other", event: "later", data: { a: 1 } });
  assert.deepEqual(asked.map((it) => it.url!.split("after=")[1]), ["0", "1", "2000"]);
});

test("several conversations are followed over one connection", async (t) => {
  const event = (conversation: string, seq: number, id: string) =>
    `event: frame\nid: ${id}\ndata: ${JSON.stringify(named(seq, conversation))}\n\n`;
  const { ox, asked } = await serve(
    t,
    (_, response) => open(response).end('event: failed\ndata: {"code":"store.locked","args":{"a":"1"}}\n\n'),
    (_, response) => open(response).end(event("a", 4, "a:4,b:7") + event("b", 8, "a:4,b:8")),
    (_, response) => open(response).write(`${event("b", 8, "a:4,b:8")}event: changed\ndata: {}\n\n${event("a", 5, "a:5,b:8")}`),
  );
  const lost: unknown[] = [];
  const all = await collect(ox.followMany({ a: 3, b: 7 }, { ...fast, onConnection: (_, why) => why && lost.push(why) }), 4);
  assert.deepEqual(lost.map((it) => it instanceof OxError && [it.code, it.args]), [["store.locked", { a: "1" }]]);
  assert.deepEqual(seqs(all), [4, 8, "changed", 5]);
  assert.deepEqual(asked.map((it) => decodeURIComponent(it.url!)), ["a:3,b:7", "a:3,b:7", "a:4,b:8"].map((it) => `/api/events?follow=${it}`));
  assert.equal(asked[2]!.headers["last-event-id"], "a:4,b:8");
});

test("a silent connection is given up, a refusal is not tried again, and a signal ends it", async (t) => {
  const silent = await serve(t, (_, response) => void open(response).write(": here\n\n"), (_, response) => open(response).write(frame(1)));
  assert.deepEqual(seqs(await collect(silent.ox.follow("c", { ...fast, idleMs: 30 }), 1)), [1]);
  assert.equal(silent.asked.length, 2);

  const refused = await serve(t, (_, response) => {
    response.writeHead(403, { "content-type": "application/json" }).end('{"code":"server.forbidden","message":"No.","args":{"a":1}}');
  });
  await assert.rejects(collect(refused.ox.follow("c", fast), 1), (error: unknown) => {
    assert.ok(error instanceof OxError);
    assert.deepEqual([error.code, error.message, error.args, error.status], ["server.forbidden", "No.", { a: 1 }, 403]);
    return true;
  });
  assert.equal(refused.asked.length, 1);

  const busy = await serve(t, (_, response) => void response.writeHead(503).end("later"), (_, response) => open(response).write(frame(1)));
  const abort = new AbortController();
  const got: number[] = [];
  for await (const update of busy.ox.follow("c", { ...fast, signal: abort.signal })) {
    if (update.type === "frame") got.push(update.frame.seq);
    setTimeout(() => abort.abort(), 5);
  }
  assert.deepEqual([got, busy.asked.length], [[1], 2]);
});
