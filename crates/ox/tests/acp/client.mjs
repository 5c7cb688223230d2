// A session of `ox acp` with the official TypeScript SDK as the client: what it reads, it has checked against the schema.
//
// node client.mjs SDK OX MODEL PROJECT: the folder of the SDK, the binary, the model, and the project's folder.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";

const [sdk, ox, model, cwd] = process.argv.slice(2);
const require = createRequire(`${sdk}/package.json`);
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

const agent = spawn(ox, ["acp", "--model", model], { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((done) => agent.on("exit", done));
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

const updates = [];
const asked = [];
const app = acp
  .client({ name: "test" })
  .onNotification("session/update", ({ params }) => void updates.push(params.update))
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
  assert.ok(hello.agentCapabilities.loadSession);

  const { sessionId, modes } = await connection.request("session/new", { cwd, mcpServers: [] });
  assert.deepEqual(modes.availableModes.map((it) => it.id), ["auto", "chat", "plan", "build"]);
  const prompt = (text) => connection.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  assert.equal((await prompt("Change two to zwei.")).stopReason, "end_turn");
  assert.equal(asked.length, 1);
  const of = (kind) => updates.filter((it) => it.sessionUpdate === kind);
  assert.deepEqual(of("tool_call").map((it) => it.kind), ["read", "edit"]);
  const diff = of("tool_call_update").flatMap((it) => it.content ?? []).find((it) => it.type === "diff");
  assert.deepEqual([diff.oldText, diff.newText], ["one\ntwo\n", "one\nzwei\n"]);
  assert.match(of("agent_message_chunk").map((it) => it.content.text).join(""), /All is done\./);
  assert.ok(of("available_commands_update")[0].availableCommands.some((it) => it.name === "undo"));

  await connection.request("session/set_mode", { sessionId, modeId: "chat" });
  assert.equal(of("current_mode_update").at(-1).currentModeId, "chat");

  const { sessions } = await connection.request("session/list", { cwd });
  assert.deepEqual(sessions.map((it) => it.sessionId), [sessionId]);
  updates.length = 0;
  await connection.request("session/load", { sessionId, cwd, mcpServers: [] });
  assert.equal(of("user_message_chunk")[0].content.text, "Change two to zwei.");

  const wrong = connection.request("session/prompt", { sessionId: "nope", prompt: [] });
  await assert.rejects(wrong, (error) => error.code === -32002 && /session\/list/.test(error.message));
});
agent.stdin.end();
assert.equal(await ended, 0);
console.log("ok");
