"""The official OpenAI client streams chat completions from our mock server."""

import json

import openai
from openai.types.chat import ChatCompletionChunk

from strict import BASE, KEY, NOTHING, READ, TEXT, THOUGHTS, breaks, check, raises

client = openai.OpenAI(base_url=f"{BASE}/v1", api_key=KEY, max_retries=0)


def tool(name, schema):
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": schema}}


messages = [{"role": "system", "content": "You are Ox."}, {"role": "user", "content": "Fix it."}]
asked = {
    "model": "mock-model",
    "tools": [tool("read_file", READ), tool("run_checks", NOTHING)],
    "tool_choice": "auto",
    "stream_options": {"include_usage": True},
    "max_tokens": 1000,
}


def ask():
    thoughts = ""
    with client.chat.completions.stream(messages=messages, **asked) as stream:
        for event in stream:
            if event.type != "chunk":
                continue
            # The field in which many compatible servers send reasoning is no part of OpenAI's own format.
            check(ChatCompletionChunk, event.chunk, allowed=["reasoning_content"])
            for choice in event.chunk.choices:
                thoughts += getattr(choice.delta, "reasoning_content", "")
        return stream.get_final_completion(), thoughts


reply, thoughts = ask()
said = reply.choices[0].message
assert thoughts == THOUGHTS, thoughts
assert said.content == TEXT, said.content
assert reply.choices[0].finish_reason == "tool_calls"
calls = [(it.function.name, json.loads(it.function.arguments)) for it in said.tool_calls]
assert calls == [("read_file", {"path": "a.rs"}), ("run_checks", {})], calls
usage = reply.usage
assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (1000, 20, 1020), usage
assert usage.prompt_tokens_details.cached_tokens == 900, usage

history = [{"id": it.id, "type": "function", "function": it.function.to_dict()} for it in said.tool_calls]
history = [it | {"function": {key: it["function"][key] for key in ("name", "arguments")}} for it in history]
messages.append({"role": "assistant", "content": said.content, "tool_calls": history})
messages += [{"role": "tool", "tool_call_id": it.id, "content": "seen"} for it in said.tool_calls]
reply, _ = ask()
assert reply.choices[0].message.content == "Done."
assert reply.choices[0].finish_reason == "stop"
assert reply.usage.prompt_tokens == 1100

assert type(breaks(ask)) is openai.LengthFinishReasonError
assert type(breaks(ask)) is openai.ContentFilterFinishReasonError
limited = raises(openai.RateLimitError, 429, ask)
assert limited.response.headers["retry-after-ms"] == "7000"
assert "slow down" in str(limited), limited
raises(openai.InternalServerError, 500, ask)
raises(openai.InternalServerError, 529, ask)
raises(openai.AuthenticationError, 401, ask)
raises(openai.NotFoundError, 404, ask)
assert raises(openai.BadRequestError, 400, ask).code == "context_length_exceeded"
breaks(ask)
