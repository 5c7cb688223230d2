"""The official OpenAI client streams Responses from our mock server."""

import json

import openai
from openai.types.responses import ResponseStreamEvent

from strict import BASE, KEY, NOTHING, READ, TEXT, THOUGHTS, breaks, check, raises

client = openai.OpenAI(base_url=f"{BASE}/v1", api_key=KEY, max_retries=0)


def tool(name, schema):
    return {"type": "function", "name": name, "description": f"Does {name}.", "parameters": schema, "strict": False}


items = [{"type": "message", "role": "user", "content": "Fix it."}]
asked = {
    "model": "mock-model",
    "instructions": "You are Ox.",
    "tools": [tool("read_file", READ), tool("run_checks", NOTHING)],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"summary": "auto"},
    "store": False,
    "max_output_tokens": 1000,
}


def ask():
    """The last event; the text, reasoning and arguments of the deltas must be those of the whole."""
    number, text, thoughts, arguments = -1, "", "", {}
    for event in client.responses.create(input=items, stream=True, **asked):
        check(ResponseStreamEvent, event)
        number += 1
        assert event.sequence_number == number, event
        match event.type:
            case "response.output_text.delta":
                text += event.delta
            case "response.reasoning_summary_text.delta":
                thoughts += event.delta
            case "response.function_call_arguments.delta":
                arguments[event.item_id] = arguments.get(event.item_id, "") + event.delta
            case "response.output_item.done" if event.item.type == "function_call":
                assert arguments.pop(event.item.id, "") == event.item.arguments
    assert event.type in ("response.completed", "response.incomplete", "response.failed"), event.type
    assert event.response.output_text == text
    return event.response, thoughts


response, thoughts = ask()
assert response.status == "completed"
assert thoughts == THOUGHTS, thoughts
assert response.output_text == TEXT, response.output_text
calls = [it for it in response.output if it.type == "function_call"]
found = [(it.name, json.loads(it.arguments)) for it in calls]
assert found == [("read_file", {"path": "a.rs"}), ("run_checks", {})], found
usage = response.usage
assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (1000, 20, 1020), usage
assert usage.input_tokens_details.cached_tokens == 900, usage

for it in response.output:
    if it.type == "reasoning":
        assert it.encrypted_content
        items.append(it.to_dict())
    elif it.type == "message":
        items.append({"type": "message", "role": "assistant", "content": response.output_text})
    else:
        items.append({key: getattr(it, key) for key in ("type", "call_id", "name", "arguments")})
items += [{"type": "function_call_output", "call_id": it.call_id, "output": "seen"} for it in calls]

# The client's own helper puts the same kind of stream together.
with client.responses.stream(input=items, **asked) as stream:
    for event in stream:
        pass
    response = stream.get_final_response()
assert (response.status, response.output_text) == ("completed", "Done.")

response, _ = ask()
assert (response.status, response.incomplete_details.reason) == ("incomplete", "max_output_tokens")
assert response.output_text == "Half of"
response, _ = ask()
assert (response.status, response.incomplete_details.reason) == ("incomplete", "content_filter")
limited = raises(openai.RateLimitError, 429, ask)
assert limited.response.headers["retry-after-ms"] == "7000"
raises(openai.InternalServerError, 500, ask)
raises(openai.InternalServerError, 529, ask)
raises(openai.AuthenticationError, 401, ask)
raises(openai.NotFoundError, 404, ask)
assert raises(openai.BadRequestError, 400, ask).code == "context_length_exceeded"
breaks(ask)
