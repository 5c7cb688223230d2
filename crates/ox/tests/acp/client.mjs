// Sessions of `ox acp` with the official TypeScript SDK as the client: what it reads, it has checked against the schema.
//
// node client.mjs SDK OX PROJECT MODEL LATER FILES: the folder of the SDK, the binary, the project's folder, the model, that
// of a second process, and that of a client that has files open.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";

const [sdk, ox, cwd, model, later, files] = process.argv.slice(2);
const require = createRequire(`${sdk}/package.json`);
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

const updates = [];
const asked = [];
/// The texts of files that are open, by their paths, and what was written of them.
const open = new Map();
const written = [];
const disk = (name) => readFileSync(`${cwd}/${name}`, "utf8");
const of = (kind) => updates.filter((it) => it.sessionUpdate === kind);
const said = (kind) => of(kind).map((it) => it.content.text).join("");
/// Resolves at the first update that is meant.
let watched;
const seen = (means) => new Promise((done) => (watched = { means, done }));

/// Holds `talk` with a process of its own, which must end well.
async function process_of(model, talk, clientCapabilities = {}) {
  const agent = spawn(ox, ["acp", "--model", model], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => agent.on("exit", done));
  const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
  const app = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
      if (watched?.means(params.update)) watched.done();
    })
    .onRequest("session/request_permission", ({ params }) => {
      asked.push({ ...params.toolCall, disk: disk("a.txt") });
      const allow = params.options.find((it) => it.kind === "allow_once");
      return { outcome: { outcome: "selected", optionId: allow.optionId } };
    })
    .onRequest("fs/read_text_file", ({ params }) => ({ content: open.get(params.path) ?? readFileSync(params.path, "utf8") }))
    .onRequest("fs/write_text_file", ({ params }) => {
      written.push(params.content);
      open.set(params.path, params.content);
      writeFileSync(params.path, params.content);
      return {};
    });
  await app.connectWith(stream, async (connection) => {
    const hello = await connection.request("initialize", {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities,
      clientInfo: { name: "test", version: "1" },
    });
    assert.equal(hello.protocolVersion, acp.PROTOCOL_VERSION);
    await talk(connection, hello.agentCapabilities);
  });
  agent.stdin.end();
  assert.equal(await ended, 0);
}

let sessionId;
const prompt = (connection, ...blocks) => connection.request("session/prompt", { sessionId, prompt: blocks });
const text = (text) => ({ type: "text", text });
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// An edit that is asked for, with its diff.
async function edits(connection) {
  const created = await connection.request("session/new", { cwd, mcpServers: [] });
  sessionId = created.sessionId;
  assert.deepEqual(created.modes.availableModes.map((it) => it.id), ["auto", "chat", "plan", "build"]);
  assert.equal((await prompt(connection, text("Change two to zwei."))).stopReason, "end_turn");
  assert.equal(asked.length, 1);
  assert.deepEqual(of("tool_call").map((it) => it.kind), ["read", "edit"]);
  const diff = of("tool_call_update").flatMap((it) => it.content ?? []).find((it) => it.type === "diff");
  assert.deepEqual([diff.oldText, diff.newText], ["one\ntwo\n", "one\nzwei\n"]);
  assert.match(said("agent_message_chunk"), /All is done\./);
  assert.ok(of("available_commands_update")[0].availableCommands.some((it) => it.name === "undo"));
}

/// A picture and a file that is sent with the prompt; what is to be done comes as a plan, each time as a whole.
async function looks(connection, { promptCapabilities }) {
  assert.ok(promptCapabilities.image && promptCapabilities.embeddedContext);
  const notes = { uri: pathToFileURL(`${cwd}/notes.txt`).href, text: "not on disk\n", mimeType: "text/plain" };
  const picture = { type: "image", mimeType: "image/png", data: dot };
  const done = await prompt(connection, text("Look at "), { type: "resource", resource: notes }, picture);
  assert.equal(done.stopReason, "end_turn");
  const plans = of("plan").map((plan) => plan.entries.map((it) => `${it.content} ${it.status}`));
  assert.deepEqual(plans[0], ["Look pending", "Tell pending"]);
  assert.deepEqual(plans.at(-1), ["Look completed", "Tell completed"]);
  assert.match(said("agent_message_chunk"), /It is a dot\./);
}

/// A prompt that is cancelled while its command runs.
async function cancels(connection) {
  updates.length = 0;
  const runs = seen((it) => it.sessionUpdate === "tool_call_update" && it.status === "in_progress");
  const waits = prompt(connection, text("Wait."));
  await runs;
  await connection.notify("session/cancel", { sessionId });
  assert.equal((await waits).stopReason, "cancelled");
  const { toolCallId } = of("tool_call").at(-1);
  const ends = of("tool_call_update").filter((it) => it.toolCallId === toolCallId && it.status);
  assert.equal(ends.at(-1).status, "failed");
  assert.doesNotMatch(said("agent_message_chunk"), /Never/);
}

await process_of(model, async (connection, capabilities) => {
  assert.ok(capabilities.loadSession && capabilities.sessionCapabilities.resume);
  await edits(connection);
  await looks(connection, capabilities);
  await cancels(connection);

  await connection.request("session/set_mode", { sessionId, modeId: "chat" });
  assert.equal(of("current_mode_update").at(-1).currentModeId, "chat");

  const wrong = connection.request("session/prompt", { sessionId: "nope", prompt: [] });
  await assert.rejects(wrong, (error) => error.code === -32002 && /session\/list/.test(error.message));
});

await process_of(later, async (connection) => {
  const { sessions } = await connection.request("session/list", { cwd });
  assert.deepEqual(sessions.map((it) => it.sessionId), [sessionId]);

  // What is loaded is shown as it was: also what the prompts had beside their words.
  updates.length = 0;
  await connection.request("session/load", { sessionId, cwd, mcpServers: [] });
  const shown = of("user_message_chunk").map((it) => it.content);
  assert.deepEqual(shown.map((it) => it.type), ["text", "text", "image", "text"]);
  assert.equal(shown[0].text, "Change two to zwei.");
  assert.match(shown[1].text, /^Look at @notes.txt\s+<file path="notes.txt">\nnot on disk\n<\/file>$/);
  assert.deepEqual([shown[2].mimeType, shown[2].data], ["image/png", dot]);
  assert.match(said("agent_message_chunk"), /All is done\.[^]*It is a dot\./);

  // What is resumed is not shown, and goes on as it was.
  await connection.request("session/close", { sessionId });
  await assert.rejects(prompt(connection, text("And?")), (error) => error.code === -32002);
  updates.length = 0;
  const resumed = await connection.request("session/resume", { sessionId, cwd, mcpServers: [] });
  assert.equal(resumed.modes.currentModeId, "chat");
  assert.equal((await prompt(connection, text("Why?"))).stopReason, "end_turn");
  assert.deepEqual(of("user_message_chunk"), []);
  assert.equal(said("agent_message_chunk").trim(), "It was wanted.");
});

// What is not saved is read, and saved before it is edited; what is edited is told.
writeFileSync(`${cwd}/b.txt`, "b\n");
open.set(`${cwd}/a.txt`, "one\nzwei\ntyped\n").set(`${cwd}/b.txt`, "b\ntyped\n");
const fs = { readTextFile: true, writeTextFile: true };
await new Promise((passed) => setTimeout(passed, 100));
await process_of(files, async (connection) => {
  ({ sessionId } = await connection.request("session/new", { cwd, mcpServers: [] }));
  [updates, asked].forEach((it) => (it.length = 0));
  assert.equal((await prompt(connection, text("Edit both."))).stopReason, "end_turn");
  const results = of("tool_call_update").filter((it) => it.rawOutput).map((it) => it.rawOutput);
  assert.match(results[0].output, /^one\nzwei\ntyped\n[^]*changes that are not saved/);
  // The question shows the edit of what is in the editor, and until it is answered nothing is saved.
  const { content, disk: before } = asked[0];
  assert.equal(content.find((it) => it.type === "diff").newText, "one\nzwei\nedited\n");
  assert.equal(before, "one\nzwei\n");
  assert.match(results[1].output, /saved before this/);
  assert.deepEqual(written, ["one\nzwei\ntyped\n", "one\nzwei\nedited\n"]);
  assert.deepEqual([disk("a.txt"), open.get(`${cwd}/a.txt`)], [written[1], written[1]]);
  // What has changed in the editor and on disk is not edited, and each stays.
  assert.match(results[3].output, /one of the two would be lost/);
  assert.deepEqual([disk("b.txt"), open.get(`${cwd}/b.txt`)], ["b\nmore\n", "b\ntyped\n"]);
  // What was typed is there again when the edit is taken back.
  await prompt(connection, text("/undo"));
  assert.equal(disk("a.txt"), "one\nzwei\ntyped\n");
}, { fs });
console.log("ok");
