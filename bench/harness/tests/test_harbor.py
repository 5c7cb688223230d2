"""Ox in Harbor itself, in a local environment and with a scripted model: it installs, runs, times out, is collected."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from a_project import HANG, REPAIR, SUMS, UNIT

HERE = Path(__file__).parent
TASK = """\
schema_version = "1.4"
[metadata]
[verifier]
timeout_sec = 60.0
[agent]
timeout_sec = {seconds}
[environment]
build_timeout_sec = 60.0
"""
VERIFY = """\
#!/bin/bash
cd "$ROOT/app"
if python3 -m unittest -q; then echo 1; else echo 0; fi >"$ROOT/logs/verifier/reward.txt"
"""


def task(folder: Path, name: str, seconds: float) -> Path:
    root = folder / name
    for path, text in {
        "task.toml": TASK.format(seconds=seconds),
        "instruction.md": "add(1, 2) in sums.py must be 3. It isn't.",
        "environment/sums.py": SUMS,
        "environment/test_sums.py": UNIT,
        "tests/test.sh": VERIFY,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "tests/test.sh").chmod(0o755)
    return root


class Harbor(unittest.TestCase):
    def trial(self, name: str, script: str, seconds: float) -> tuple[dict, Path]:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ox-harbor-")))
        replies = folder / "replies.txt"
        replies.write_text(script)
        command = [str(Path(sys.executable).parent / "harbor"), "run", "--yes", "--quiet", "--job-name", "job"]
        command += ["--path", str(task(folder, name, seconds)), "--jobs-dir", str(folder / "jobs")]
        command += ["--agent", "ox_harness.harbor:Ox", "--model", f"scripted/{replies}"]
        command += ["--agent-kwarg", f"binary={os.environ['OX_BINARY']}"]
        command += ["--environment-import-path", "local_environment:LocalEnvironment"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=100, env={**os.environ, "PYTHONPATH": str(HERE)}
        )
        results = list((folder / "jobs").glob("job/*/result.json"))
        self.assertEqual(len(results), 1, done.stdout + done.stderr)
        return json.loads(results[0].read_text()), results[0].parent / "agent"

    def test_a_task_is_repaired_and_collected(self):
        result, logs = self.trial("repaired", REPAIR, 60)
        self.assertIsNone(result["exception_info"])
        self.assertEqual(result["verifier_result"]["rewards"], {"reward": 1.0})
        agent = result["agent_result"]
        self.assertGreater(agent["n_input_tokens"], 0)
        self.assertEqual((agent["metadata"]["stop"], agent["metadata"]["exit_code"]), ("done", 0))
        self.assertEqual(agent["metadata"]["checks"], {"unittest": "passed"})
        self.assertEqual(result["agent_info"]["version"], "0.1.0")
        trajectory = json.loads((logs / "trajectory.json").read_text())
        self.assertEqual([step["source"] for step in trajectory["steps"]], ["user", "agent", "agent"])
        self.assertIn("It isn't.", trajectory["steps"][0]["message"])
        self.assertEqual(trajectory["steps"][1]["tool_calls"][0]["function_name"], "edit_file")

    def test_a_task_that_takes_too_long_is_stopped_and_what_it_did_is_collected(self):
        result, logs = self.trial("hangs", HANG, 8)
        self.assertEqual(result["exception_info"]["exception_type"], "AgentTimeoutError")
        self.assertEqual(result["verifier_result"]["rewards"], {"reward": 0.0})
        self.assertEqual(result["agent_result"]["metadata"]["stop"], "unfinished")
        steps = json.loads((logs / "trajectory.json").read_text())["steps"]
        self.assertEqual(steps[2]["observation"]["results"][0]["extra"]["status"], "unfinished")

    def test_that_ox_cannot_work_is_an_error_and_no_score(self):
        result, _ = self.trial("broken", "no sections", 30)
        self.assertEqual(result["exception_info"]["exception_type"], "NonZeroAgentExitCodeError")
        self.assertIn("section", result["exception_info"]["exception_message"])


if __name__ == "__main__":
    unittest.main()
