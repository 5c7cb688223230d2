"""Reading a log, whole and cut short."""

import json
import unittest

from ox_harness import events
from ox_harness.command import Files, Limits, run_command

LOG = [
    {"event": "conversation_id", "id": "c1", "ox": "0.1.0"},
    {"event": "turn_start", "prompt": "Fix it.", "model": {"name": "a/b"}},
    {
        "event": "stream_complete",
        "time": 0,
        "text": "Reading.",
        "calls": [{"id": "k1", "tool": "read_file", "args": {"path": "a.py"}}],
        "usage": {"input": 100, "cache_read": 60, "output": 7},
        "cost": 1500,
    },
    {"event": "tool_complete", "call": "k1", "outcome": {"status": "ok", "output": "x = 1"}},
    {"event": "token_usage", "cost": 1500},
    {"event": "summary", "summary": {"text": "Done.", "checks": [{"name": "pytest", "status": "passed"}]}},
    {"event": "completion", "stop": {"reason": "done"}, "exit_code": 0},
]


def lines(log):
    return "".join(json.dumps(event) + "\n" for event in log)


class Reading(unittest.TestCase):
    def test_a_whole_run(self):
        run = events.parse(lines(LOG))
        self.assertEqual((run.stop, run.exit_code, run.answer), ("done", 0, "Done."))
        self.assertEqual(run.steps[0].calls[0].output, "x = 1")
        facts = run.facts()
        self.assertEqual((facts["input_tokens"], facts["cached_tokens"], facts["output_tokens"]), (100, 60, 7))
        self.assertEqual((facts["cost_usd"], facts["checks"]), (0.0015, {"pytest": "passed"}))

    def test_a_run_that_was_stopped(self):
        run = events.parse(lines(LOG[:3]) + '{"event": "tool_comp')
        self.assertEqual((run.stop, run.exit_code), ("unfinished", None))
        self.assertEqual(run.steps[0].calls[0].status, "unfinished")

    def test_no_log(self):
        self.assertEqual(events.parse("").facts()["requests"], 0)


class CommandLine(unittest.TestCase):
    def test_what_a_task_says_stays_words(self):
        line = run_command("ox", "a/b", "it's `rm`; $HOME", Files("/logs"), Limits("5m"), ("/data",))
        self.assertIn("""'it'"'"'s `rm`; $HOME'""", line)
        self.assertIn("--max-time 5m --add-dir /data -", line)


if __name__ == "__main__":
    unittest.main()
