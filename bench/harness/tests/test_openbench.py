"""Ox in OpenBench's own solver and scorer, in a local sandbox and with a scripted model."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.util import sandboxenv
from inspect_ai.util._sandbox.local import LocalSandboxEnvironment
from openbench.agents import AgentManager
from openbench.agents.docker_manager import DockerManager
from openbench.scorers.exercism import exercism_scorer
from openbench.solvers.exercism_solver import exercism_solver

import ox_harness.openbench
from a_project import HANG, REPAIR, SUMS, UNIT


@sandboxenv(name="workspace")
class Workspace(LocalSandboxEnvironment):
    """A local sandbox in which `/workspace` and what Ox leaves under `/tmp` are folders of its own."""

    root = ""

    @classmethod
    async def sample_init(cls, task_name, config, metadata):
        return {"default": cls()}

    async def exec(self, cmd, input=None, cwd=None, env={}, user=None, timeout=None, timeout_retry=True):
        place = lambda it: f"{self.root}/{'log' if it[1] else 'workspace'}"  # noqa: E731
        own = [re.sub(r"(/tmp/ox-run)?/workspace", place, word) for word in cmd]
        return await super().exec(own, input, cwd, env, user, timeout, timeout_retry)


class OpenBench(unittest.TestCase):
    def evaluated(self, script: str, seconds: int):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ox-openbench-")))
        project = folder / "workspace/python/sums"
        project.mkdir(parents=True)
        (folder / "workspace/.git").mkdir()
        (folder / "replies.txt").write_text(script)
        (project / "sums.py").write_text(SUMS)
        (project / "test_sums.py").write_text(UNIT)
        Workspace.root = str(folder)
        os.environ.update(OX_MODEL=f"scripted/{folder}/replies.txt", OX_SECONDS=str(seconds))
        ox_harness.openbench.BINARY = str(folder / "ox")
        metadata = {
            "language": "python",
            "task_name": "sums",
            "test_command": "python3 -m unittest test_sums",
            "setup_commands": [],
            "code_agent": "ox",
        }
        sample = Sample(id="python/sums", input="add(1, 2) must be 3. It isn't.", metadata=metadata)
        task = Task(
            dataset=MemoryDataset([sample]), solver=exercism_solver(), scorer=exercism_scorer(), sandbox="workspace"
        )
        logs = eval(task, model="mockllm/model", display="none", log_dir=str(folder / "logs"))
        self.assertEqual(logs[0].status, "success", logs[0].error)
        sample = logs[0].samples[0]
        facts = [it.data for it in sample.events if it.event == "info" and it.source == "ox"]
        return sample, facts[0]

    def test_a_task_is_repaired_and_scored(self):
        sample, facts = self.evaluated(REPAIR, 60)
        self.assertEqual(sample.scores["exercism_scorer"].value, "C")
        self.assertEqual((facts["stop"], facts["exit_code"], facts["requests"]), ("done", 0, 2))
        self.assertGreater(facts["input_tokens"], 0)
        self.assertIn("add() adds now.", sample.output.completion)

    def test_a_task_that_takes_too_long_ends_at_its_limit(self):
        sample, facts = self.evaluated(HANG, 5)
        self.assertEqual(sample.scores["exercism_scorer"].value, "I")
        self.assertEqual((facts["stop"], facts["exit_code"]), ("time_budget", 5))

    def test_that_ox_cannot_work_is_said(self):
        sample, facts = self.evaluated("no sections", 10)
        self.assertIn("ox failed with exit code", sample.output.completion)
        self.assertEqual(facts["requests"], 0)

    def test_openbench_knows_it(self):
        self.assertTrue(AgentManager.validate_code_agent("ox"))
        self.assertIn("FROM debian", DockerManager.generate_dockerfile("ox"))

    def test_its_command_line_knows_it(self):
        # Without a token for the data set it gets no further than that.
        command = [str(Path(sys.executable).parent / "ox-openbench"), "eval", "exercism_python", "--code-agent", "ox"]
        command += ["--model", "mockllm/model", "--limit", "1"]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
        self.assertNotIn("Invalid code agent", done.stdout + done.stderr)
        self.assertIn("lvogel123/exercism", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
