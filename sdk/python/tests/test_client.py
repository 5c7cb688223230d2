import json
import threading
import unittest

from ox_sdk import OxError, empty_view

from .server import Server

USAGE = {"input": 1, "cache_read": 0, "cache_write": 0, "output": 1, "reasoning": 0}
ASKS = {
    "event": "approval_request", "call": "call_4_0", "tool": "run_command", "args": {}, "level": "shell",
    "why": {"code": "x"}, "always": {"action": "allow", "tool": "run_command"},
}  # fmt: skip


class Fake:
    """One conversation: a prompt asks for consent, then a question, then is answered."""

    def __init__(self):
        self.frames, self.admitted, self.changed = [], {}, threading.Condition()
        self.broken, self.refused = 0, None

    def record(self, **event):
        with self.changed:
            seq = len(self.frames) + 1
            self.frames.append({"v": 2, "conversation_id": "c", "seq": seq, "time": seq} | event)
            self.changed.notify_all()

    def end(self):
        reply = {"want": {"seq": 1, "index": 0}, "message_id": "m", "text": "Done.", "finish": "stop", "usage": USAGE}
        self.record(event="stream_complete", total_length=5, duration_ms=1, **reply)
        self.record(event="completion", stop={"reason": "done"}, exit_code=0)

    def answer(self, handler, body):
        path = handler.path.replace("/api/conversations/c", "")
        if path == "/view":
            handler.json(empty_view() | {"conversation": "c"})
        elif path.startswith("/events"):
            self.stream(handler, int(path.split("after=")[1]))
        elif path == "/prompts":
            self.prompt(handler, handler.headers["Idempotency-Key"])
        elif path.startswith("/approvals/") and self.refused:
            handler.json({"code": "server.not_asked", "message": "Nobody asks."}, self.refused)
        elif path.startswith("/approvals/"):
            self.record(event="approval", call="call_4_0", decision=body["decision"], by="user")
            self.record(event="question", call="call_4_1", text="Which?", options=["a", "b"])
            handler.json({}, 202)
        elif path.startswith("/questions/"):
            self.record(event="answer", call="call_4_1", text=body["text"])
            self.end()
            handler.json({}, 202)
        else:
            handler.json({"code": "server.not_found", "message": "There is no such thing.", "args": {"path": path}}, 404)

    def prompt(self, handler, key):
        if key not in self.admitted:
            self.admitted[key] = {"command_id": key, "conversation": "c", "seq": len(self.frames)}
            self.record(event="stage_enter", stage="claim", command_id=key)
            self.record(**ASKS)
        self.broken -= 1
        if self.broken >= 0:
            handler.drop()
        else:
            handler.json(self.admitted[key], 202)

    def stream(self, handler, after):
        handler.open()
        while True:
            with self.changed:
                self.changed.wait_for(lambda: len(self.frames) > after)
                new = self.frames[after:]
            for frame in new:
                handler.chunk(f"event: frame\nid: {frame['seq']}\ndata: {json.dumps(frame)}\n\n")
            after += len(new)


class Client(unittest.TestCase):
    def setUp(self):
        self.fake = Fake()
        self.server = Server(self.fake.answer)
        self.addCleanup(self.server.close)
        self.conversation = self.server.ox.conversation("c")

    def test_a_run_goes_from_the_prompt_to_the_end_of_its_turn_and_callbacks_answer(self):
        self.fake.record(event="conversation_id", id="c", root="/p", ox="1")
        seen = []
        view = self.conversation.run(
            "Fix it",
            on_approval=lambda request, view: request["tool"] == "run_command",
            on_question=lambda question, view: question["options"][1],
            on_update=lambda update, state: seen.append(update.value["event"]),
        )
        self.assertEqual((view["reply"], view["stop"], view["asked"]), ("Done.", {"reason": "done"}, []))
        expected = "conversation_id stage_enter approval_request approval question answer stream_complete completion"
        self.assertEqual(seen, expected.split())
        posts = [(path.rpartition("/c/")[2], body) for method, path, body, _ in self.server.asked if method == "POST"]
        allow = {"decision": {"answer": "allow"}}
        self.assertEqual(
            posts, [("prompts", {"text": "Fix it"}), ("approvals/call_4_0", allow), ("questions/call_4_1", {"text": "b"})]
        )

    def test_a_prompt_whose_answer_is_lost_is_sent_once_more_under_the_same_key(self):
        self.fake.broken = 1
        accepted = self.conversation.prompt("Fix it", delivery="queue")
        keys = [headers["Idempotency-Key"] for *_, headers in self.server.asked]
        self.assertEqual((len(keys), len(set(keys)), len(self.fake.admitted)), (2, 1, 1))
        self.assertRegex(keys[0], "^[0-9a-f]{32}$")
        self.assertEqual([body for _, _, body, _ in self.server.asked], [{"text": "Fix it", "delivery": "queue"}] * 2)
        self.assertEqual(accepted["command_id"], keys[0])
        self.fake.broken = 2
        with self.assertRaises(OxError) as raised:
            self.conversation.prompt("Again")
        self.assertEqual((raised.exception.code, raised.exception.passing), ("connection", True))

    def test_an_answer_that_comes_too_late_is_no_failure_and_one_that_is_refused_is(self):
        self.fake.refused = 409
        late = self.conversation.run("Fix it", on_approval=lambda *_: self.fake.end() or True)
        self.assertEqual(late["reply"], "Done.")
        self.fake.refused = 403
        with self.assertRaises(OxError) as raised:
            self.conversation.run("Again", on_approval=lambda *_: False)
        self.assertEqual(raised.exception.status, 403)
        self.assertEqual(self.server.asked[-1][2], {"decision": {"answer": "deny", "reason": ""}})

    def test_errors_carry_code_sentence_and_arguments(self):
        with self.assertRaises(OxError) as raised:
            self.conversation.changes()
        it = raised.exception
        expected = ("server.not_found", "There is no such thing.", {"path": "/changes"}, 404)
        self.assertEqual((it.code, str(it), it.arguments, it.status), expected)

    def test_fields_of_routes_are_sent_as_they_are(self):
        with self.assertRaises(OxError):
            self.server.ox.in_project("k", "graph", path=["a b", "c"], limit=None)
        with self.assertRaises(OxError):
            self.server.ox.checkpoint_diff("k", "s/1", "a&b")
        paths = [path for _, path, _, _ in self.server.asked]
        expected = ["/api/projects/k/graph?path=a+b&path=c", "/api/projects/k/checkpoints/s%2F1/diff?path=a%26b"]
        self.assertEqual(paths, expected)
