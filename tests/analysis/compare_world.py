# SPDX-License-Identifier: Apache-2.0
"""Comparisons of the built-in engine with itself under another name, for tests."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import msgspec

from ecnomy.analysis.compare.runs import (
    BUILT_IN,
    ComparedScenario,
    Simulate,
    SimulationTask,
    simulated,
)

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "tests" / "validation" / "scenarios"
OTHER = "other"
# Both forms of WTP settle here within the warm-up, and ten seeds decide every row.
SETTLED = (
    "sources.heavy.transport.weight=4 marks",
    "sources.light.transport.form=inverse-decrease",
    "sources.heavy.transport.form=inverse-decrease",
)
_MADE: dict[SimulationTask, dict[str, bytes]] = {}  # the files of this process's runs
FAR = 1000  # added to seeds of the other engine


def other_seeds(task: SimulationTask, folder: Path) -> None:
    """The built-in engine. As the other engine it uses different seeds.

    Runs that a process has simulated are later written again.
    """
    seed = task.seed + (0 if task.engine == BUILT_IN else FAR)
    run = msgspec.structs.replace(task, engine=BUILT_IN, seed=seed)
    if run not in _MADE:
        simulated(run, folder)
        files = (file for file in folder.rglob("*") if file.is_file())
        _MADE[run] = {str(file.relative_to(folder)): file.read_bytes() for file in files}
        return
    for name, content in _MADE[run].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def changed(*overrides: str) -> Simulate:
    """The built-in engine. As the other engine it uses different seeds and another scenario."""

    def simulate(task: SimulationTask, folder: Path) -> None:
        if task.engine != BUILT_IN:
            task = msgspec.structs.replace(task, overrides=(*task.overrides, *overrides))
        other_seeds(task, folder)

    return simulate


def die(task: SimulationTask, folder: Path) -> None:
    """A run whose process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def study(folder: Path, simulate: Simulate = other_seeds, *overrides: str) -> ComparedScenario:
    """WTP over RED for both engines."""
    config = str(SCENARIOS / "wtp.yaml")
    return ComparedScenario(
        config, (*SETTLED, *overrides), (BUILT_IN, OTHER), folder, simulate=simulate
    )


def checkout(folder: Path) -> Path:
    """A folder like a checkout: a few sources, and the scenario of `study`."""
    for name in ("laws/law.h", "bridge/bridge.cc", "host/host.cc", "inet/Host.ned"):
        file = folder / "omnet" / name
        file.parent.mkdir(parents=True)
        file.write_text(f"// {name}\n")
    scenarios = folder / "tests" / "validation" / "scenarios"
    scenarios.mkdir(parents=True)
    shutil.copy(SCENARIOS / "wtp.yaml", scenarios)
    return folder
