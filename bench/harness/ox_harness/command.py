"""The command line that runs Ox without a person, and what its exit codes mean to a harness."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import Mapping

REPOSITORY = "https://github.com/ox-agent/ox"

# Variables that hold keys and addresses of providers; those that are set on the host are handed to Ox.
PROVIDER_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "DASHSCOPE_API_KEY",
    "DASHSCOPE_BASE_URL",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENROUTER_API_KEY",
)

# Ends of a task. All other codes mean that Ox did not get to work: an error, bad usage, no model.
ENDS = (0, 3, 4, 5, 6)


@dataclass(frozen=True)
class Limits:
    """What one task may use; None leaves Ox's own default."""

    max_time: str | None = None
    max_cost: str | None = None
    max_iterations: str | None = None


@dataclass(frozen=True)
class Files:
    """Where a run leaves what it says; all of them in one folder."""

    folder: str
    log: str = field(default="ox.jsonl", init=False)
    errors: str = field(default="ox.stderr", init=False)
    code: str = field(default="ox.exit", init=False)

    def at(self, name: str) -> str:
        return f"{self.folder}/{name}"


def run_command(
    binary: str,
    model: str,
    instruction: str,
    files: Files,
    limits: Limits = Limits(),
    folders: tuple[str, ...] = (),
) -> str:
    """A line of shell that runs Ox on `instruction` in the current folder.

    The log is written as it grows, so that a run that is stopped at its time limit leaves all that it did. The line fails
    only where Ox did not get to work; that a task was not solved is for the harness to find out.

    The container is thrown away after the task, so it is the sandbox, and nothing needs approval.
    """
    words = ["env", "OX_SANDBOX=external", binary, "run", "--json", "--mode", "build", "--approval", "auto"]
    words += ["--model", model]
    for flag, value in (
        ("--max-time", limits.max_time),
        ("--max-cost", limits.max_cost),
        ("--max-iterations", limits.max_iterations),
    ):
        words += [flag, str(value)] if value else []
    for folder in folders:
        words += ["--add-dir", folder]
    ends = "|".join(str(code) for code in ENDS)
    quoted = {name: shlex.quote(files.at(name)) for name in (files.log, files.errors, files.code)}
    return (
        f"mkdir -p {shlex.quote(files.folder)}; "
        f"printf %s {shlex.quote(instruction)} | "
        f"{shlex.join(words)} - >{quoted[files.log]} 2>{quoted[files.errors]}; "
        f"code=$?; echo $code >{quoted[files.code]}; "
        f"case $code in {ends}) ;; *) tail -n 20 {quoted[files.errors]} >&2; exit $code ;; esac"
    )


def provider_environment(host: Mapping[str, str]) -> dict[str, str]:
    """The keys and addresses that `host` has,."""
    return {name: host[name] for name in PROVIDER_VARIABLES if host.get(name)}


def install_command(url: str | None) -> str:
    """A line of shell that puts `ox` into `~/.local/bin`: a release file if there is an address, otherwise from source."""
    if url:
        fetch = f"curl -fsSL {shlex.quote(url)} -o ~/.local/bin/ox && chmod +x ~/.local/bin/ox"
        return f"mkdir -p ~/.local/bin && {fetch}"
    return (
        "mkdir -p ~/.local/bin && "
        "(command -v cargo >/dev/null || curl -fsSL https://sh.rustup.rs | sh -s -- -y --profile minimal) && "
        'export PATH="$HOME/.cargo/bin:$PATH" && '
        f"cargo install --locked --root ~/.local --git {REPOSITORY} ox"
    )
