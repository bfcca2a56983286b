# SPDX-License-Identifier: Apache-2.0
"""Find packet engines by name, and start the built-in engine.

If ECNOMY_ENGINE is set, it names the built-in engine. Otherwise, ecnomy searches beside the running
Python and on the PATH. ecnomy.markets.omnet.installation finds OMNeT++, and linux.py finds the
engine that runs on the kernel's TCP.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from ecnomy.agents.errors import EngineError, InputError
from ecnomy.markets.engines.process import EngineProcess, plan_file
from ecnomy.markets.plan import Plan

__all__ = [
    "BINARY",
    "DEFAULT_ENGINE",
    "ENGINES",
    "SIMULATORS",
    "VARIABLE",
    "Engine",
    "EngineKind",
    "engine_kind",
    "find_engine",
]

BINARY: Final = "ecnomy-engine"
VARIABLE: Final = "ECNOMY_ENGINE"
DEFAULT_ENGINE: Final = "builtin"
SIMULATORS: Final = (DEFAULT_ENGINE, "omnet")  # equal plans give equal results
ENGINES: Final = (*SIMULATORS, "linux")


class EngineKind(Protocol):
    """The interface of an engine that is installed on this machine."""

    def start(
        self,
        plan: Plan,
        folder: Path | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> EngineProcess:
        """Start the engine on a sealed plan.

        Args:
            plan: the sealed plan.
            folder: results folder, in which the engine may store files, or None to discard them.
            positions: positions of nodes, for engines that draw the network.

        Raises:
            EngineError: the engine cannot be started.
            InputError: OMNeT++ does not accept the path of a NED folder.
        """

    def check(self, plan: Plan) -> None:
        """Check that the engine can run a plan here, without starting or writing anything.

        Raises:
            SourceError: the engine cannot run a source of the plan.
            InputError: the engine cannot run the plan on this machine, for another reason.
        """

    def digest(self) -> str:
        """Return the digest of the engine's simulation code, which identifies the engine."""


def engine_kind(name: str) -> EngineKind:
    """Return the engine with this name.

    Raises:
        InputError: the name is unknown, OMNeT++ or a part that it needs is missing, or the Linux
            engine is not built.
        EngineError: the built-in engine is missing.
    """
    if name == DEFAULT_ENGINE:
        return BuiltIn(find_engine())
    if name == "omnet":
        from ecnomy.markets.engines.omnet import Omnet
        from ecnomy.markets.omnet.installation import find_installation

        return Omnet(find_installation())
    if name == "linux":
        from ecnomy.markets.engines.linux import Linux, find_linux

        return Linux(find_linux())
    raise InputError(f"engine {name!r}: expected one of {', '.join(ENGINES)}")


def find_engine() -> Path:
    """Return the path of the built-in engine's program.

    Raises:
        EngineError: the engine is not found. The message names the places searched.
    """
    given = os.environ.get(VARIABLE)
    if given:
        if not os.access(given, os.X_OK) or not Path(given).is_file():
            raise EngineError(
                f"{VARIABLE}={given}: not an executable file; correct or unset {VARIABLE}"
            )
        return Path(given)
    beside = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    for folder in (*dict.fromkeys(beside), None):
        program = shutil.which(BINARY, path=folder)
        if program:
            return Path(program)
    places = ", ".join([VARIABLE, *dict.fromkeys(beside), "PATH"])
    raise EngineError(f"{BINARY} not found (searched {places}); reinstall ecnomy")


class Engine(EngineProcess):
    """A running built-in engine."""

    def __init__(self, plan: Plan, binary: Path | None = None) -> None:
        """Start the engine on a sealed plan.

        Raises:
            EngineError: the engine cannot be found or started.
        """
        with plan_file(plan) as given:
            super().__init__(
                binary or find_engine(),
                lambda number: ["run", "--plan", f"/dev/fd/{given}", "--bridge-fd", number],
                tempfile.TemporaryFile(),
                files=(given,),
            )


class BuiltIn:
    """The built-in engine, installed on this machine."""

    def __init__(self, binary: Path) -> None:
        self._binary = binary

    def start(
        self,
        plan: Plan,
        folder: Path | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> EngineProcess:
        """See EngineKind."""
        return Engine(plan, self._binary)

    def check(self, plan: Plan) -> None:
        """See EngineKind. The engine runs every plan."""

    def digest(self) -> str:
        """See EngineKind."""
        return hashlib.sha256(self._binary.read_bytes()).hexdigest()
