import copy
import json
import time
import unittest
from pathlib import Path

from ox_sdk import Live, apply, call_entry, view_of

FOLDER = Path(__file__).resolve().parents[3] / "crates/client/tests/client/view"


def frames(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def text(value):
    """The value in a form in which 1 is not true."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def at(seq, conversation="c", **event):
    return {"v": 2, "conversation_id": conversation, "seq": seq, "time": 1000 + seq} | event


FIRST = {"event": "conversation_id", "id": "c", "root": "/p", "ox": "1"}
USAGE = {"input": 10, "cache_read": 5, "cache_write": 0, "output": 1, "reasoning": 0}


class Fold(unittest.TestCase):
    maxDiff = None

    def test_every_fixture_folds_to_its_view(self):
        names = sorted(it.stem for it in FOLDER.glob("*.jsonl"))
        self.assertGreaterEqual(len(names), 3, "the fixtures are gone")
        for name in names:
            with self.subTest(name):
                all = frames(name)
                expected = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
                self.assertEqual(text(view_of(all)), text(expected))
                self.assertEqual(text(view_of(all)), text(expected), "the same frames give the same view again")

    def test_ten_thousand_events_fold_fast(self):
        first, *turn = frames("one_turn")
        all = [first]
        while len(all) < 10_000:
            it = copy.deepcopy(turn[(len(all) - 1) % len(turn)])
            it["seq"] = len(all) + 1
            if it["event"] == "turn_start":
                it["turn"] = 1 + (len(all) - 1) // len(turn)
            all.append(it)
        begun = time.perf_counter()
        view = view_of(all)
        took = time.perf_counter() - begun
        self.assertEqual(view["seq"], 10_000)
        self.assertGreater(len(view["turns"]), 200)
        self.assertLess(took, 3)

    def test_what_sub_agents_do_and_ask_is_seen_above(self):
        view = view_of([at(1, **FIRST)])
        turn = next(it for it in frames("one_turn") if it["event"] == "turn_start")
        limits = turn["limits"] | {"iterations": 9}

        def start(agent, kind):
            request = {"kind": kind, "task": "look"}
            return {"event": "agent_start", "call": "call_2_0", "agent": agent, "request": request, "limits": limits}

        def asks(call):
            why, always = {"code": "x"}, {"action": "allow", "tool": "run_command"}
            ask = {"event": "approval_request", "call": call, "tool": "run_command", "args": {}, "level": "shell"}
            return ask | {"why": why, "always": always}

        def fold(*all):
            for it in all:
                apply(view, it)

        fold(at(2, **start("c.1", "explore")), at(1, "c.1", **start("c.1.1", "review")))
        agents = [(it["conversation"], it["kind"], it["iteration"]) for it in view["agents"]]
        self.assertEqual(agents, [("c.1", "explore", [0, 9]), ("c.1.1", "review", [0, 9])])
        fold(
            at(3, "c.1", event="iteration_start", iteration=2, total=9, tool_choice="auto"),
            at(4, "c.1", event="tool_start", call="a1_call_3_0", tool="grep", args={}, iteration=2),
            at(5, "c.1", **asks("a1_call_3_1")),
            at(5, "c.1", **asks("a1_call_3_1")),
            at(1, "c.1.1", **asks("a1_1_call_1_0")),
        )
        self.assertEqual((view["agents"][0]["iteration"], view["agents"][0]["tool"], view["seq"]), ([2, 9], "grep", 2))
        asked = [(it["call"], it["agent"]) for it in view["asked"]]
        self.assertEqual(asked, [("a1_call_3_1", "explore"), ("a1_1_call_1_0", "review")])
        fold(at(2, "c.1.1", event="completion", stop={"reason": "done"}, exit_code=0))
        self.assertEqual([it["call"] for it in view["asked"]], ["a1_call_3_1"])
        fold(at(6, "c.1", event="approval", call="a1_call_3_1", decision={"answer": "allow"}, by="user"))
        self.assertEqual((view["asked"], view["answered"]), ([], ["a1_call_3_1"]))
        end = {"event": "agent_end", "call": "call_2_0", "stop": {"reason": "done"}, "iterations": 3, "usage": USAGE}
        fold(at(7, "c.1", agent="c.1.1", **end), at(3, agent="c.1", **end))
        self.assertEqual(view["account"]["turn"], {"usage": USAGE, "cost": 0, "requests": 3, "unpriced": 3})
        self.assertNotIn("agents", view)

    def test_long_texts_are_cut(self):
        view = view_of([at(1, **FIRST)])
        call = {"id": "call_2_0", "tool": "t", "args": {"a": ["😀" * 401]}, "facts": {"kind": "mutate", "level": "edit"}}
        reply = {"want": {"seq": 1, "index": 0}, "message_id": "m", "text": "", "finish": "calls", "usage": USAGE}
        apply(view, at(2, event="stream_complete", calls=[call], total_length=0, duration_ms=0, **reply))
        outcome = {"status": "ok", "output": "求" * 4001}
        apply(view, at(3, event="tool_complete", call="call_2_0", tool="t", outcome=outcome))
        entry = call_entry(view, "call_2_0")
        self.assertEqual(entry["args"], {"a": ["😀" * 400 + "…"]})
        self.assertEqual(entry["output"], {"text": "求" * 4000, "left_out": 1})


class Streaming(unittest.TestCase):
    def test_text_is_taken_once_and_dropped_when_the_event_comes(self):
        live = Live()

        def take(offset, delta, **more):
            piece = {"conversation_id": "c", "event": "stream_delta", "message_id": "m", "offset": offset, "delta": delta}
            live.take(piece | more)

        for offset, delta in ((0, "求"), (3, "和 is"), (3, "和 is"), (6, " is a sum"), (3, "和"), (15, "!")):
            take(offset, delta)
        self.assertEqual(live.reply("m"), "求和 is a sum!")
        take(0, "Anew")
        take(0, "why", event="thinking")
        output = {"event": "tool_output", "message_id": "", "call": "call_1_0"}
        take(500, "the end", **output)
        self.assertEqual((live.reply("m"), live.thinking("m"), live.output("call_1_0")), ("Anew", "why", "the end"))
        take(507, "x" * 200_000, **output)
        self.assertEqual(len(live.output("call_1_0")), 64 * 1024)
        take(0, "below", conversation_id="c.1")
        live.settle(at(9, event="stream_complete"))
        self.assertEqual([(it.conversation, it.kind) for it in live.all()], [("c", "tool_output"), ("c.1", "stream_delta")])
        live.settle(at(10, event="tool_complete", call="call_1_0"))
        live.settle(at(11, event="agent_end", agent="c.1"))
        self.assertEqual(live.all(), [])
