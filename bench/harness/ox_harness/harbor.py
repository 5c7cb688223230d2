"""Ox as an agent of Harbor: `harbor run --agent ox_harness.harbor:Ox`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, override

from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.trajectories import (
    Agent,
    FinalMetrics,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)
from harbor.utils.trajectory_utils import format_trajectory_json

from ox_harness import events
from ox_harness.command import Files, Limits, install_command, provider_environment, run_command


class Ox(BaseInstalledAgent):
    """Installs `ox` in the task's environment, runs it on the instruction, and reads its log."""

    capabilities = AgentCapabilities(atif=True)

    def __init__(
        self,
        logs_dir: Path,
        *args: Any,
        binary: str | None = None,
        url: str | None = None,
        max_time: str | None = None,
        max_cost: str | None = None,
        max_iterations: str | None = None,
        folders: str | None = None,
        **kwargs: Any,
    ):
        """`binary` is a file of the host, `url` the address of one; without either, Ox is built in the environment."""
        super().__init__(logs_dir, *args, **kwargs)
        self._binary = binary or os.environ.get("OX_BINARY")
        self._url = url or os.environ.get("OX_URL")
        self._limits = Limits(max_time, max_cost, max_iterations)
        self._folders = tuple(it for it in (folders or "").split(":") if it)

    @staticmethod
    @override
    def name() -> str:
        return "ox"

    @override
    def get_version_command(self) -> str | None:
        return 'export PATH="$HOME/.local/bin:$PATH"; ox --version'

    @override
    def parse_version(self, stdout: str) -> str:
        return stdout.strip().removeprefix("ox ")

    @override
    async def install(self, environment: BaseEnvironment) -> None:
        if not self._binary:
            packages = ("ca_certificates", "curl", "git")
            await self.ensure_system_dependencies(environment, packages if self._url else (*packages, "build_tools"))
            await self.exec_as_agent(environment, command=install_command(self._url))
            return
        await environment.upload_file(Path(self._binary), "/installed-agent/ox")
        await self.exec_as_root(environment, command="chmod 755 /installed-agent/ox")
        link = "mkdir -p ~/.local/bin && ln -sf /installed-agent/ox ~/.local/bin/ox"
        await self.exec_as_agent(environment, command=f"{link} && ~/.local/bin/ox --version")

    @override
    @with_prompt_template
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        if not self.model_name:
            raise ValueError("Ox needs a model; give one with --model, such as anthropic/claude-sonnet-4-5")
        files = Files(str(self.environment_logs_dir))
        command = run_command("ox", self.model_name, instruction, files, self._limits, self._folders)
        await self.exec_as_agent(
            environment,
            command=f'export PATH="$HOME/.local/bin:$PATH" OX_HOME={files.at("home")}; {command}',
            env=provider_environment(os.environ),
        )

    @override
    def populate_context_post_run(self, context: AgentContext) -> None:
        run = events.read(self.logs_dir / Files("").log)
        context.n_input_tokens = run.tokens("input")
        context.n_cache_tokens = run.tokens("cache_read")
        context.n_output_tokens = run.tokens("output")
        context.cost_usd = run.cost_usd
        context.metadata = run.facts()
        if run.steps:
            text = format_trajectory_json(trajectory(run).to_json_dict())
            (self.logs_dir / "trajectory.json").write_text(text)

    @override
    def convert_trajectory(self, logs_dir: Path) -> Trajectory | None:
        run = events.read(logs_dir / Files("").log)
        return trajectory(run) if run.steps else None


def trajectory(run: events.Run) -> Trajectory:
    """The run in Harbor's own format."""
    steps = [Step(step_id=1, source="user", message=run.prompt)]
    for it in run.steps:
        calls = [ToolCall(tool_call_id=call.id, function_name=call.tool, arguments=call.args) for call in it.calls]
        results = [
            ObservationResult(source_call_id=call.id, content=call.output, extra={"status": call.status})
            for call in it.calls
        ]
        metrics = Metrics(
            prompt_tokens=it.usage.get("input"),
            completion_tokens=it.usage.get("output"),
            cached_tokens=it.usage.get("cache_read"),
            cost_usd=it.cost_usd,
        )
        steps.append(
            Step(
                step_id=len(steps) + 1,
                timestamp=it.time,
                source="agent",
                message=it.text,
                reasoning_content=it.reasoning or None,
                tool_calls=calls or None,
                observation=Observation(results=results) if results else None,
                metrics=metrics,
                llm_call_count=1,
            )
        )
    total = FinalMetrics(
        total_prompt_tokens=run.tokens("input"),
        total_completion_tokens=run.tokens("output"),
        total_cached_tokens=run.tokens("cache_read"),
        total_cost_usd=run.cost_usd,
        total_steps=len(steps),
        extra={"stop": run.stop, "exit_code": run.exit_code, "checks": run.facts()["checks"]},
    )
    agent = Agent(name="ox", version=run.version, model_name=run.model)
    return Trajectory(session_id=run.conversation, agent=agent, steps=steps, final_metrics=total)
