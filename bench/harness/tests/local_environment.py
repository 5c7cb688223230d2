"""An environment of Harbor without containers: a folder that stands for the container's root, for tests on one machine.

The paths that Harbor and its agents use are replaced by paths within the folder; nothing isolates a command.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from pathlib import Path
from typing import override

from harbor.environments.base import BaseEnvironment, ExecResult

ROOTS = re.compile(r"(?<![\w/.])/(app|logs|tests|installed-agent|solution)(?![\w.-])")


class LocalEnvironment(BaseEnvironment):
    @staticmethod
    @override
    def type() -> str:
        return "local"

    @override
    def _validate_definition(self) -> None:
        pass

    @property
    def _root(self) -> Path:
        return self.trial_paths.trial_dir.resolve() / "root"

    def _here(self, path: str | Path) -> Path:
        return self._root / str(path).lstrip("/")

    @override
    async def start(self, force_build: bool) -> None:
        for folder in ("app", "logs/agent", "logs/verifier", "tests", "installed-agent", "home"):
            (self._root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copytree(self.environment_dir, self._root / "app", dirs_exist_ok=True)

    @override
    async def stop(self, delete: bool) -> None:
        pass

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        self._here(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, self._here(target_path))

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._here(target_dir), dirs_exist_ok=True)

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        shutil.copy(self._here(source_path), target_path)

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self._here(source_dir), target_dir, dirs_exist_ok=True, symlinks=True)

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        place = lambda text: ROOTS.sub(lambda it: f"{self._root}/{it[1]}", text)  # noqa: E731
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            place(command),
            cwd=self._here(cwd or "/app"),
            env={**os.environ, **(env or {}), "HOME": str(self._root / "home"), "ROOT": str(self._root)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(timeout_sec):
                stdout, stderr = await process.communicate()
        except (TimeoutError, asyncio.CancelledError):
            # A container would end with all that runs in it.
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            raise
        return ExecResult(stdout=stdout.decode(), stderr=stderr.decode(), return_code=process.returncode or 0)
