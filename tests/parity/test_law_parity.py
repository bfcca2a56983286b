# SPDX-License-Identifier: Apache-2.0
"""The calls of the built-in engine to the laws, repeated, have the same answers."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

import drive
from compiling import missing_compiler
from ecnomy.markets.plan.law_table import law_table
from engine_build import build_engine
from law_replay import Replay, replay
from parity_plans import CHANGES, DEPARTURES, MARKING, TIMERS, WINDOWS, crowded, decisions
from tiers import full

pytestmark = [
    pytest.mark.skipif(bool(missing_compiler()), reason=missing_compiler()),
    pytest.mark.xdist_group("law-parity"),
    full,
]


@functools.cache
def laws():
    """The laws as a module."""
    from law_api import load_module
    from law_build import build_module

    return load_module(build_module())


def run(marking: str, log: Path | None) -> drive.EngineOutput:
    """A run of the engine that can log. With `log` None, it does not log."""
    environment = {k: v for k, v in os.environ.items() if k != "ECNOMY_LAW_LOG"}
    environment |= {"ECNOMY_LAW_LOG": str(log)} if log else {}
    plan = crowded(marking)
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(drive, "engine", lambda: str(build_engine())),
    ):
        return drive.run(plan, decisions(plan))


@functools.cache
def log_of(marking: str) -> tuple[str, ...]:
    """The law log of a run, line by line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        run(marking, path)
        return tuple(path.read_text().splitlines())


@functools.cache
def replay_of(marking: str) -> Replay:
    """The result of repeating the calls of a run's log."""
    return replay(laws(), log_of(marking))


def of(marking: str) -> str:
    """Return the law of one of the plans."""
    return MARKING[marking].law


def test_no_law_is_left_out() -> None:
    """The plans call every law, and change a parameter of each marking law that has one."""
    table = law_table()
    for kind, called in (("marking", {law.law for law in MARKING.values()}), ("window", WINDOWS)):
        missing = sorted(table[kind].keys() - called)
        assert not missing, f"{kind} laws without a line in parity_plans.py: {missing}"
    fixed = sorted(
        {name for name, law in table["marking"].items() if law.parameters} - CHANGES.keys()
    )
    assert not fixed, f"marking laws without a line in CHANGES of parity_plans.py: {fixed}"


@pytest.mark.parametrize("marking", MARKING)
def test_engine_calls_replay(marking: str) -> None:
    """Every call of every law of a run has the same outcome as in the engine."""
    replayed = replay_of(marking)
    assert replayed.differing == []
    for window in WINDOWS:
        assert replayed.calls[window, "ack"] > 0, window
    for window in ("cubic", "dctcp"):
        assert replayed.calls[window, "see"] >= replayed.calls[window, "ack"], window
    for what in ("sent", "delivered"):
        assert replayed.calls["bbr", what] > 0, what
    for what in ("weight", "gain"):
        assert replayed.calls["wtp", what] > 0, what
    if of(marking) != "drop-tail":
        assert replayed.calls[of(marking), "arrival"] > 1000
        assert replayed.calls[of(marking), "configure"] >= 15
    assert bool(replayed.calls[of(marking), "departure"]) == (marking in DEPARTURES)
    assert bool(replayed.calls[of(marking), "timer"]) == (of(marking) in TIMERS)


def test_losses_timeouts_and_echoes_are_among_the_calls() -> None:
    """Together the plans make every kind of call to a window law."""
    calls = sum((replay_of(name).calls for name in MARKING), Replay().calls)
    for window in ("reno", "newreno", "tahoe", "multcp"):
        for hook in ("ack", "congestion", "loss"):
            assert calls[window, hook] > 0, (window, hook)
    assert sum(calls[window, "timeout"] for window in WINDOWS) > 0


Edit = Callable[[list[str]], bool]  # edits the words after hook and host; True if it fits


def draw(words: list[str]) -> bool:
    """Replaces the draw of a mark by one that does not mark.

    Only small draws that marked fit, because a probability of 1 marks at any draw.
    """
    if words[9] != "1" or words[-3] != "1" or float.fromhex(words[10]) > 0.05:
        return False
    words[10] = (1 - 2.0**-53).hex()
    return True


def queue(words: list[str]) -> bool:
    """Adds 100 packets to the queue, if that changes a probability."""
    words[0] = str(int(words[0]) + 100)
    return 0 < float.fromhex(words[-1]) < 1


def room(words: list[str]) -> bool:
    """Fills the queue, if nothing was marked."""
    words[0] = "1000"
    return words[-3] == "0"


def moment(words: list[str]) -> bool:
    """Halves the measuring window."""
    words[4] = str(int(words[4]) - 10**11)
    return 0 < float.fromhex(words[-1]) < 1


def packets(words: list[str]) -> bool:
    """Adds a packet to an ACK that made the window grow."""
    words[4] = str(int(words[4]) + 1)
    return words[5] == "0" and words[0] != words[6]


def used(words: list[str]) -> bool:
    """Doubles the base of a cut that left half of it."""
    packets, left = float.fromhex(words[4]), float.fromhex(words[-4])
    words[4] = (2 * packets).hex()
    return packets > 2 and left == packets / 2


def outcome(words: list[str]) -> bool:
    """Changes the last bit of the resulting window."""
    bits = float.fromhex(words[-4])
    words[-4] = (bits * (1 + 2.0**-52)).hex()
    return True


def value(words: list[str]) -> bool:
    """Triples the target value."""
    words[0] = (3 * float.fromhex(words[0])).hex()
    return True


FAULTS = [
    ("fixed", "arrival", draw),
    ("red", "arrival", draw),
    ("red", "arrival", queue),
    ("load-based", "timer", moment),
    ("threshold-departing", "departure", room),
    ("red", "ack", packets),
    ("red", "ack", outcome),
    ("red", "congestion", used),
    ("drop-tail", "loss", used),
    ("red", "weight", value),
    ("fixed", "configure", value),
]


def faulty(lines: tuple[str, ...], hook: str, edit: Edit) -> list[str]:
    """The log with one changed call: the first in its second half that the edit fits."""
    changed = list(lines)
    for at in range(len(lines) // 2, len(lines)):
        name, host, *words = lines[at].split()
        if name == hook and edit(words):
            changed[at] = " ".join([name, host, *words])
            return changed
    raise AssertionError(f"no {hook} to change")


@pytest.mark.parametrize(
    ("marking", "hook", "edit"), FAULTS, ids=[f"{m}-{h}-{e.__name__}" for m, h, e in FAULTS]
)
def test_a_changed_argument_is_found(marking: str, hook: str, edit: Edit) -> None:
    """A change of one argument, draw or outcome in one of thousands of calls is found."""
    assert replay(laws(), faulty(log_of(marking), hook, edit), most=1).differing


@pytest.mark.parametrize("marking", ["red", "load-based"])
def test_the_record_changes_nothing(marking: str, tmp_path: Path) -> None:
    """A run is identical with a log, without a log and in an engine without logging."""
    plan = crowded(marking)
    plain = drive.run(plan, decisions(plan))
    for logged in (run(marking, tmp_path / "log"), run(marking, None)):
        for one, other in zip(plain.reports, logged.reports, strict=True):
            for part in ("flows", "links", "pairs"):
                theirs = getattr(other, part)
                for name, column in getattr(one, part).items():
                    assert column.tobytes() == theirs[name].tobytes(), (one.t_ps, part, name)
