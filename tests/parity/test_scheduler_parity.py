# SPDX-License-Identifier: Apache-2.0
"""The calls of both engines to the class scheduler, repeated, have the same answers."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path
from unittest import mock

import msgspec
import pytest

import drive
import drive_omnet
import engine_build
import plans
from class_plans import TABLE_1, by_flow, classed, dual, scheduler, weights
from compiling import missing_compiler
from ecnomy.markets.plan import Plan, Source
from law_api import load_module
from law_build import build_module
from law_replay import Replay, replay
from parity_plans import WINDOWS, crowded
from tiers import full

HOOKS = ("join", "room", "settle", "next")
ENGINES = [
    pytest.param(name, marks=pytest.mark.skipif(bool(reason), reason=reason))
    for name, reason in (("builtin", missing_compiler()), ("omnet", drive_omnet.missing()))
]
pytestmark = [pytest.mark.xdist_group("law-parity"), full]


LAWS = {
    "class-based": lambda: scheduler(
        TABLE_1, regulation="ecn", buffer_packets=15.0, least_bytes=2000.0
    ),
    "deficit-round-robin": lambda: weights(
        [{"share": share, "buffer_packets": 12.0} for share in (0.1, 0.2, 0.3, 0.4)],
        [None, plans.red(3, 9), plans.fixed(0.02), None],
        quantum_bytes=600,
    ),
    "dualpi2": lambda: dual(target_s=0.002, step_s=0.0005),
    "docsis": lambda: dual("docsis", target_s=0.002, critical_score_s=0.0005, aging_rate_bps=1e5),
    "fq-codel": lambda: by_flow(target_s=0.001, interval_s=0.02, ce_threshold_s=0.002, queues=16),
}


def in_classes(law: str) -> Plan:
    """Flows of every window law in four classes on a small link: as in Table 1, or by shares."""
    plan = crowded("drop-tail", duration_s=6.0)
    of = LAWS[law]()
    sources = [_in_class(source, i, len(of.classes)) for i, source in enumerate(plan.sources)]
    links = [classed(plan.links[0], of), plan.links[1]]
    return msgspec.structs.replace(plan, links=links, sources=sources).sealed()


def _in_class(source: Source, index: int, classes: int) -> Source:
    """The source with a class by its number; every second one sends ECT(1)."""
    transport = msgspec.structs.replace(
        source.transport, codepoint="ect-1" if index % 2 == 0 else "ect-0"
    )
    return msgspec.structs.replace(source, classes=[index % classes], transport=transport)


@functools.cache
def log_of(engine: str, law: str) -> tuple[str, ...]:
    """The law log of a run, line by line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        with mock.patch.dict(os.environ, {"ECNOMY_LAW_LOG": str(path)}):
            if engine == "omnet":
                drive_omnet.run(in_classes(law))
            else:
                built = str(engine_build.build_engine())
                with mock.patch.object(drive, "engine", lambda: built):
                    drive.run(in_classes(law))
        return tuple(path.read_text().splitlines())


def again(lines: tuple[str, ...], most: int = 10) -> Replay:
    """Repeat the calls of the log until a given number of them differ."""
    return replay(load_module(build_module()), lines, most)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("engine", ENGINES)
def test_scheduler_calls_replay(engine: str, law: str) -> None:
    """Every call of the scheduler has the same outcome as in the engine, to the bit."""
    replayed = again(log_of(engine, law))
    assert replayed.differing == []
    assert all(replayed.calls[law, hook] > 1000 for hook in HOOKS)
    if law == "deficit-round-robin":
        assert all(replayed.calls[marking, "arrival"] > 1000 for marking in ("red", "fixed"))
    assert all(replayed.calls[window, "ack"] > 0 for window in WINDOWS)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("hook", "at", "by"), [("join", 2, 1000), ("next", 0, 10**9)])
def test_a_changed_call_of_the_scheduler_is_found(
    engine: str, law: str, hook: str, at: int, by: int
) -> None:
    """A packet that is a kilobyte larger, or a choice a millisecond later, is detected."""
    lines = list(log_of(engine, law))
    calls = [i for i, line in enumerate(lines) if line.startswith(hook + " ")]
    name, host, *words = lines[calls[len(calls) // 2]].split()
    words[at] = str(int(words[at]) + by)
    lines[calls[len(calls) // 2]] = " ".join([name, host, *words])
    assert again(tuple(lines), most=1).differing
