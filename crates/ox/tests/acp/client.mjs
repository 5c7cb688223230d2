// Sessions of `ox acp` with the official TypeScript SDK as the client: what it reads, it has checked against the schema.
//
// node client.mjs SDK OX PROJECT MODEL LATER: the folder of the SDK, the binary, the project's folder, the model, and the
// model of a second process.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";

const [sdk, ox, cwd, model, later] = process.argv.slice(2);
const require = createRequire(`${sdk}/package.json`);
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

const updates = [];
const asked = [];
const of = (kind) => updates.filter((it) => it.sessionUpdate === kind);
const said = (kind) => of(kind).map((it) => it.content.text).join("");
/// Resolves at the first update that is meant.
let watched;
const seen = (means) => new Promise((done) => (watched = { means, done }));

/// Holds `talk` with a process of its own, which must end well.
async function process_of(model, talk) {
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
      asked.push(params.toolCall.title);
      const allow = params.options.find((it) => it.kind === "allow_once");
      return { outcome: { outcome: "selected", optionId: allow.optionId } };
    });
  await app.connectWith(stream, async (connection) => {
    const hello = await connection.request("initialize", {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {},
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
console.log("ok");
