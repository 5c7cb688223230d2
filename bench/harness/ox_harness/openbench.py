"""Ox as a code agent of OpenBench: `ox-openbench eval exercism --code-agent ox`.

Importing this enters `ox` into OpenBench's list of agents. Inspect imports it by its entry point; OpenBench's own command
line looks at its list earlier, so it is started by [`main`] here.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from inspect_ai.log import transcript
from inspect_ai.util import sandbox
from openbench._cli import app
from openbench.agents import AgentManager
from openbench.agents.base import BaseCodeAgent

from ox_harness import events
from ox_harness.command import Files, Limits, install_command, provider_environment, run_command

# OpenBench gives a task six minutes, in which its tests run too.
DEFAULT_SECONDS = 300
# What Ox gets beyond its own limit to write its summary before it is stopped.
GRACE_SECONDS = 30
BINARY = "/usr/local/bin/ox"


class OxAgent(BaseCodeAgent):
    """Runs Ox in the sandbox of the task and notes what it cost in the log of the evaluation."""

    def __init__(self) -> None:
        super().__init__("ox")

    async def execute(self, workdir: str, prompt_text: str, model: str) -> str:
        files = Files(f"/tmp/ox-run{workdir}")
        ox = await self._binary()
        seconds = self.get_timeout_seconds()
        limits = Limits(f"{seconds}s", os.environ.get("OX_MAX_COST"), os.environ.get("OX_MAX_ITERATIONS"))
        command = run_command(ox, model, prompt_text, files, limits)
        home = shlex.quote(files.at("home"))
        # All exercises are folders of one repository; the mark makes this one a project of its own.
        begin = f"export OX_HOME={home}; cd {shlex.quote(workdir)} && mkdir -p .ox"
        stopped = ""
        try:
            result = await sandbox().exec(
                ["bash", "-c", f"{begin} && {{ {command}; }}"],
                env=provider_environment(os.environ),
                timeout=seconds + GRACE_SECONDS,
            )
            stopped = "" if result.success else f"ox failed with exit code {result.returncode}: {result.stderr.strip()}"
        except TimeoutError:
            stopped = f"ox was stopped after {seconds + GRACE_SECONDS} s"
        log = await sandbox().exec(["cat", files.at(files.log)])
        run = events.parse(log.stdout)
        transcript().info(run.facts(), source="ox")
        facts = json.dumps(run.facts(), indent=2)
        return "\n".join(it for it in (stopped, run.answer, facts) if it)

    async def _binary(self) -> str:
        """Where `ox` is in the sandbox; a file of the host is copied there first."""
        host = os.environ.get("OX_BINARY")
        if host:
            await sandbox().write_file(BINARY, Path(host).read_bytes())
            await sandbox().exec(["chmod", "755", BINARY])
            return BINARY
        return "ox"  # OpenBench's images have `~/.local/bin` on their path.

    def resolve_model(self, state_model: str) -> str:
        return os.environ.get("OX_MODEL") or state_model

    def get_default_model(self) -> str:
        model = os.environ.get("OX_MODEL") or os.environ.get("BENCH_MODEL")
        if not model:
            raise ValueError("Ox needs a model; give one with --model or OX_MODEL")
        return model

    def get_description(self) -> str:
        return "ox cli code agent"

    def get_timeout_seconds(self) -> int:
        return int(os.environ.get("OX_SECONDS", DEFAULT_SECONDS))

    def get_base_packages(self) -> list[str]:
        return ["ca-certificates", "curl", "git", "build-essential"]

    def get_dockerfile_commands(self) -> list[str]:
        # A binary of the host is copied when the task begins.
        if os.environ.get("OX_BINARY"):
            return []
        return [f"RUN {install_command(os.environ.get('OX_URL'))}"]


AgentManager._agents["ox"] = OxAgent


def main() -> None:
    """OpenBench's own command line, with `ox` among its agents."""
    app()
