# SPDX-License-Identifier: Apache-2.0
"""Start the engine that runs a plan on the kernel's TCP, in wall-clock time.

`make linux` builds the engine in the source tree, as omnet/linux/ecnomy-linux. ECNOMY_OMNET names
the folder omnet. If the variable is not set, ecnomy searches for this folder beside the virtual
environment, in the source tree and in the installed package.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ecnomy.agents.errors import EngineError, InputError, SourceError
from ecnomy.markets.engines.process import EngineProcess, plan_file
from ecnomy.markets.omnet.installation import project_folder
from ecnomy.markets.plan import Plan

__all__ = ["LINUX_BINARY", "Linux", "LinuxEngine", "description", "find_linux", "refusal"]

LINUX_BINARY: Final = "ecnomy-linux"
_SOURCES: Final = ("linux", "engine", "host", "bridge", "laws")  # source folders of the program
_CODE: Final = (".h", ".cc", ".c")
_QUANTILES: Final = ("p99", "p999")
_CHECK_S: Final = 30.0  # time limit for a check of the machine and the plan
_OF_A_SOURCE: Final = re.compile(r"source '(.+?)': (.+) is not possible with (.+), which has (.+)")


def find_linux() -> Path:
    """Return the path of the Linux engine's program.

    Raises:
        InputError: the engine is not built, or is older than a source file. The message contains
            the command that builds it.
    """
    folder = project_folder()
    binary = folder / "linux" / LINUX_BINARY
    if not os.access(binary, os.X_OK):
        remedy = f"make -C {folder}/linux"
        if not binary.parent.is_dir():
            remedy = "make linux in a checkout of ecnomy, and set ECNOMY_OMNET to its folder omnet"
        raise InputError(f"{binary}: not found; build the Linux engine: {remedy}")
    built_s = binary.stat().st_mtime
    files = (file for part in _SOURCES for file in sorted((folder / part).rglob("*")))
    newer = next((f for f in files if f.suffix in _CODE and f.stat().st_mtime > built_s), None)
    if newer is not None:
        newest = newer.relative_to(folder)
        raise InputError(f"{binary}: older than {newest}; rebuild it: make -C {folder}/linux")
    return binary


def refusal(binary: Path, plan: Plan | None = None) -> str:
    """Return the reason why the engine cannot run a plan on this machine, or "" if it can.

    Args:
        binary: the program of the engine.
        plan: the sealed plan, or None to check only the machine.

    Raises:
        EngineError: the program cannot be started, or does not answer.
    """
    done = _check(binary, plan)
    if done.returncode == 0:
        return ""
    last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
    return last.removeprefix(f"{LINUX_BINARY}: ")


def description(binary: Path) -> str:
    """Describe the kernel and the engine's window laws, or return "" if the engine cannot run here.

    Raises:
        EngineError: the program cannot be started, or does not answer.
    """
    return _check(binary, None).stdout.strip()


def _check(binary: Path, plan: Plan | None) -> subprocess.CompletedProcess[str]:
    words: list[str | Path] = [binary, "check"]
    with contextlib.ExitStack() as stack:
        given = [] if plan is None else [stack.enter_context(plan_file(plan))]
        words += [word for one in given for word in ("--plan", f"/dev/fd/{one}")]
        try:
            return subprocess.run(
                words,
                pass_fds=given,
                capture_output=True,
                text=True,
                timeout=_CHECK_S,
                check=False,
            )
        except OSError as error:
            raise EngineError(f"{binary}: cannot be started ({error.strerror})") from error
        except subprocess.TimeoutExpired:
            raise EngineError(f"{binary} check: no answer within {_CHECK_S:g} s") from None


def _ms(time_s: float) -> str:
    return f"{time_s * 1e3:.3g} ms" if time_s < 1 else f"{time_s:,.1f} s"


class Linux:
    """The Linux engine, built on this machine."""

    def __init__(self, binary: Path) -> None:
        self._binary = binary

    def start(
        self,
        plan: Plan,
        folder: Path | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> EngineProcess:
        """See EngineKind."""
        return LinuxEngine(self._binary, plan)

    def check(self, plan: Plan) -> None:
        """See EngineKind."""
        reason = refusal(self._binary, plan)
        if not reason:
            return
        match = _OF_A_SOURCE.fullmatch(reason)
        if match is None:
            raise InputError(reason)
        source, found, engine, expected = match.groups()
        raise SourceError(source, f"{found} with {engine}", expected)

    def digest(self) -> str:
        """See EngineKind."""
        return hashlib.sha256(self._binary.read_bytes()).hexdigest()


class LinuxEngine(EngineProcess):
    """A running Linux engine."""

    def __init__(self, binary: Path, plan: Plan) -> None:
        """Start the engine on a sealed plan.

        Raises:
            EngineError: the engine cannot be started.
        """
        self._facts = tempfile.TemporaryFile()
        try:
            facts = self._facts.fileno()
            with plan_file(plan) as given:
                super().__init__(
                    binary,
                    lambda number: [
                        *("run", "--plan", f"/dev/fd/{given}"),
                        *("--bridge-fd", number, "--facts", f"/dev/fd/{facts}"),
                    ],
                    tempfile.TemporaryFile(),
                    files=(given, facts),
                )
        except BaseException:
            self._facts.close()
            raise

    def facts(self) -> dict[str, Any]:
        """See EngineProcess. The facts state how late packets were and whether the run is valid."""
        self._facts.seek(0)
        text = self._facts.read()
        facts: dict[str, Any] = json.loads(text) if text.strip() else {}
        return facts

    def doubts(self) -> list[str]:
        """See EngineProcess. A run is not valid if its packets were too late."""
        facts = self.facts()
        if facts.get("valid", True):
            return []
        late = " and ".join(_ms(facts[f"late_{name}_s"]) for name in _QUANTILES)
        bounds = " and ".join(f"{facts[f'bound_{name}_s'] * 1e3:g} ms" for name in _QUANTILES)
        remedy = "run the scenario on an idle machine"
        if not facts.get("precedence", True):
            remedy += ", and with CAP_SYS_NICE: without it, other processes take precedence"
        return [
            f"not valid: packets were late by {late} (99 % and 99.9 % quantiles), expected at most "
            f"{bounds}; {remedy}"
        ]

    def close(self) -> None:
        """See EngineProcess."""
        super().close()
        self._facts.close()
