"""The official Google client streams content from our mock server."""

from google import genai
from google.genai import errors, types

from strict import BASE, KEY, NOTHING, READ, TEXT, THOUGHTS, raises

client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE))


def tool(name, schema):
    return types.FunctionDeclaration(name=name, description=f"Does {name}.", parameters_json_schema=schema)


contents = [types.Content(role="user", parts=[types.Part(text="Fix it.")])]
config = types.GenerateContentConfig(
    system_instruction="You are Ox.",
    tools=[types.Tool(function_declarations=[tool("read_file", READ), tool("run_checks", NOTHING)])],
    tool_config=types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode="AUTO")),
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    max_output_tokens=1000,
    thinking_config=types.ThinkingConfig(include_thoughts=True),
)


def ask():
    """All parts, the last finish reason and the last usage."""
    parts, finish, usage = [], None, None
    for chunk in client.models.generate_content_stream(model="gemini-3-mock", contents=contents, config=config):
        # The client's own types are strict: a field that they do not know is an error.
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or []:
            parts += (candidate.content and candidate.content.parts) or []
            finish = candidate.finish_reason or finish
    return parts, finish, usage


def text(parts, thought=False):
    return "".join(it.text or "" for it in parts if bool(it.thought) == thought)


parts, finish, usage = ask()
assert text(parts, thought=True) == THOUGHTS, parts
assert text(parts) == TEXT, parts
calls = [it.function_call for it in parts if it.function_call]
found = [(it.name, it.args) for it in calls]
assert found == [("read_file", {"path": "a.rs"}), ("run_checks", {})], found
assert [bool(it.thought_signature) for it in parts if it.function_call] == [True, False]
assert finish == types.FinishReason.STOP
assert (usage.prompt_token_count, usage.cached_content_token_count, usage.total_token_count) == (1000, 900, 1020), usage

# Thoughts are not sent back; the signatures are, where they stood.
contents.append(types.Content(role="model", parts=[it for it in parts if not it.thought]))
answers = [types.FunctionResponse(id=it.id, name=it.name, response={"output": "seen"}) for it in calls]
contents.append(types.Content(role="user", parts=[types.Part(function_response=it) for it in answers]))
parts, finish, _ = ask()
assert (text(parts), finish) == ("Done.", types.FinishReason.STOP)

parts, finish, _ = ask()
assert (text(parts), finish) == ("Half of", types.FinishReason.MAX_TOKENS)
_, finish, _ = ask()
assert finish == types.FinishReason.SAFETY
limited = raises(errors.ClientError, 429, ask)
assert limited.status == "RESOURCE_EXHAUSTED", limited
raises(errors.ServerError, 500, ask)
assert raises(errors.ServerError, 529, ask).status == "UNAVAILABLE"
raises(errors.ClientError, 401, ask)
raises(errors.ClientError, 404, ask)
assert raises(errors.ClientError, 400, ask).status == "INVALID_ARGUMENT"
try:
    # A stream that breaks raises, or ends without a finish reason: the format has no other end.
    _, finish, _ = ask()
    assert finish is None
except Exception as error:
    assert not isinstance(error, AssertionError), error
