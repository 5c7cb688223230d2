"""The official Anthropic client streams messages from our mock server."""

import anthropic
from anthropic.types import RawMessageStreamEvent

from strict import BASE, KEY, NOTHING, READ, TEXT, THOUGHTS, breaks, check, raises

client = anthropic.Anthropic(base_url=BASE, api_key=KEY, max_retries=0)
KEEP = {"cache_control": {"type": "ephemeral"}}


def tool(name, schema):
    return {"name": name, "description": f"Does {name}.", "input_schema": schema}


messages = [{"role": "user", "content": [{"type": "text", "text": "Fix it."} | KEEP]}]
asked = {
    "model": "mock-model",
    "max_tokens": 3000,
    "system": [{"type": "text", "text": "You are Ox."} | KEEP],
    "tools": [tool("read_file", READ), tool("run_checks", NOTHING) | KEEP],
    "tool_choice": {"type": "auto"},
    "thinking": {"type": "enabled", "budget_tokens": 2000},
}


def ask():
    with client.messages.stream(messages=messages, **asked) as stream:
        for event in stream:
            pass
        return stream.get_final_message()


def strictly():
    for event in client.messages.create(messages=messages, stream=True, **asked):
        check(RawMessageStreamEvent, event)


reply = ask()
assert reply.stop_reason == "tool_use", reply
kinds = [it.type for it in reply.content]
assert kinds == ["thinking", "text", "tool_use", "tool_use"], kinds
thinking, text, read, checks = reply.content
assert thinking.thinking == THOUGHTS and thinking.signature, thinking
assert text.text == TEXT, text
assert (read.name, read.input, checks.name, checks.input) == ("read_file", {"path": "a.rs"}, "run_checks", {})
usage = reply.usage
assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (100, 900, 20), usage

KEPT = {"thinking": ["type", "thinking", "signature"], "text": ["type", "text"], "tool_use": ["type", "id", "name", "input"]}
history = [{key: getattr(it, key) for key in KEPT[it.type]} for it in reply.content]
del messages[0]["content"][0]["cache_control"]
messages.append({"role": "assistant", "content": history})
results = [{"type": "tool_result", "tool_use_id": it.id, "content": "seen"} for it in (read, checks)]
results[-1] |= KEEP
messages.append({"role": "user", "content": results})
reply = ask()
assert (reply.stop_reason, reply.content[0].text) == ("end_turn", "Done.")

strictly()
reply = ask()
assert (reply.stop_reason, reply.content[0].text) == ("refusal", "No.")
limited = raises(anthropic.RateLimitError, 429, ask)
assert limited.response.headers["retry-after-ms"] == "7000"
assert limited.body["error"]["type"] == "rate_limit_error", limited.body
raises(anthropic.InternalServerError, 500, ask)
raises(anthropic.OverloadedError, 529, ask)
raises(anthropic.AuthenticationError, 401, ask)
raises(anthropic.NotFoundError, 404, ask)
raises(anthropic.BadRequestError, 400, ask)
breaks(ask)
