"""Reads the JSON lines of `ox run --json`: what was said and called, what it cost, how it ended.

A log that ends in the middle is read as far as it goes, because a run that is stopped at its time limit leaves one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any


@dataclass
class Call:
    """One call of a tool, with what came of it."""

    id: str
    tool: str
    args: dict[str, Any]
    status: str = "unfinished"
    output: str = ""


@dataclass
class Step:
    """One reply of the model."""

    text: str
    reasoning: str
    calls: list[Call]
    usage: dict[str, int]
    cost_usd: float | None
    time: str


@dataclass
class Run:
    """A whole run."""

    version: str = "unknown"
    conversation: str | None = None
    model: str | None = None
    prompt: str = ""
    steps: list[Step] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    cost_usd: float | None = None
    stop: str = "unfinished"
    exit_code: int | None = None
    answer: str = ""

    def tokens(self, key: str) -> int:
        """The sum over all replies; `input` counts the cached parts too."""
        return sum(step.usage.get(key, 0) for step in self.steps)

    def facts(self) -> dict[str, Any]:
        """What a table of results needs."""
        return {
            "ox_version": self.version,
            "model": self.model,
            "stop": self.stop,
            "exit_code": self.exit_code,
            "requests": len(self.steps),
            "tool_calls": sum(len(step.calls) for step in self.steps),
            "input_tokens": self.tokens("input"),
            "cached_tokens": self.tokens("cache_read"),
            "output_tokens": self.tokens("output"),
            "cost_usd": self.cost_usd,
            "checks": {check.get("name", ""): check.get("status", "") for check in self.checks},
        }


def read(log: Path) -> Run:
    """The run that `log` tells of; an empty one where there is no log."""
    if not log.exists():
        return Run()
    return parse(log.read_text(encoding="utf-8", errors="replace"))


def parse(text: str) -> Run:
    """The run that these JSON lines tell of."""
    run = Run()
    calls: dict[str, Call] = {}
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue  # The last line of a run that was stopped.
        if isinstance(event, dict):
            _follow(run, calls, event)
    return run


def _follow(run: Run, calls: dict[str, Call], event: dict[str, Any]) -> None:
    kind = event.get("event")
    if kind == "conversation_id":
        run.version, run.conversation = event.get("ox", run.version), event.get("id")
    elif kind == "turn_start":
        run.prompt, run.model = event.get("prompt", ""), event.get("model", {}).get("name")
    elif kind == "stream_complete":
        made = [Call(it["id"], it["tool"], it["args"] if isinstance(it["args"], dict) else {"raw": it["args"]})
                for it in event.get("calls", [])]
        calls.update((call.id, call) for call in made)
        reasoning = "\n".join(it.get("text", "") for it in event.get("reasoning", []))
        usage = {key: int(value) for key, value in event.get("usage", {}).items()}
        time = datetime.fromtimestamp(event.get("time", 0) / 1000, timezone.utc).isoformat()
        run.steps.append(Step(event.get("text", ""), reasoning, made, usage, _dollars(event.get("cost")), time))
    elif kind == "tool_complete" and event.get("call") in calls:
        call, outcome = calls[event["call"]], event.get("outcome", {})
        call.status, call.output = outcome.get("status", ""), outcome.get("output", "")
    elif kind == "token_usage":
        run.cost_usd = _dollars(event.get("cost"))
    elif kind == "summary":
        summary = event.get("summary", {})
        run.answer, run.checks = summary.get("text", ""), summary.get("checks", [])
    elif kind == "completion":
        run.stop, run.exit_code = event.get("stop", {}).get("reason", "unknown"), event.get("exit_code")


def _dollars(millionths: int | None) -> float | None:
    return None if millionths is None else millionths / 1_000_000
