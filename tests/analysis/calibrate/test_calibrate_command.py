# SPDX-License-Identifier: Apache-2.0
"""Sweep files with `calibrate`: their meaning, the first runs, and searches over real runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.calibrate import calibrated, planned_sweep, search_results
from ecnomy.analysis.calibrate.command import calibrate_command, calibration_table
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.cli.verbs.sweep import sweep_command
from ecnomy.markets.sweep.calibration import Calibration
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import missing
from ecnomy.markets.sweep.space import Range
from ecnomy.markets.sweep.store import Store
from sweep_world import Here, Watcher, write

SWEEP = """
version: 1
title: marks
scenario: scenario.yaml
set:
  sources.gold.traffic: {kind: cbr, rate: 100 kbps}
  sources.gold.transport: {law: udp, ecn: ect}
parameters: {grid: {sources.gold.count: [1, 3]}}
calibrate:
  figure: gold.marking_rate
  target: 0.1
  parameter: network.links.wire.marking.probability
  from: 0.01
  to: 0.5
  scale: log
  first: 3
replicates: 4
"""


def test_the_first_round(tmp_path: Path) -> None:
    """The first round has exactly the first values at each point, including both ends."""
    sweep = load_sweep(write(tmp_path, SWEEP))
    points = sweep.points()
    assert len(sweep) == len(points) == 2 * 3 * 4
    name = "network.links.wire.marking.probability"
    assert [point.params[name] for point in points[::4]] == [0.01, 0.07071, 0.5] * 2
    assert [point.seed for point in points[:4]] == [1, 2, 3, 4]
    assert sweep.calibrate is not None and sweep.calibrate.target(1) == 0.1


def test_what_goes_with_the_parameter(tmp_path: Path) -> None:
    """Other paths get a share of the value with its unit, and values are multiples of a step."""
    text = SWEEP.replace("network.links.wire.marking.probability", "sources.gold.traffic.rate")
    text = text.replace("from: 0.01", "from: 60 kbps").replace("to: 0.5", "to: 600 kbps")
    more = "  first: 3\n  step: 7 kbps\n  with: {network.links.wire.rate: 0.5}\n"
    text = text.replace("  first: 3\n", more)
    other = "{figure: x, target: [1, 2], parameter: duration, from: 2 s, to: 3 s}"
    text += f"quick: {{calibrate: {other}}}\n"
    sweep = load_sweep(write(tmp_path, text))
    rates = [point.params["sources.gold.traffic.rate"] for point in sweep.points()[::4]]
    assert rates[:3] == ["60.0 kbps", "189.0 kbps", "600.0 kbps"]
    assert sweep.points()[4].params["network.links.wire.rate"] == "94.5 kbps"
    quick = load_sweep(tmp_path / "sweep.yaml", quick=True)
    assert quick.calibrate is not None and quick.calibrate.targets == (1, 2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  target: 0.1\n", "", "calibrate: found no 'target', expected figure, target"),
        ("  target: 0.1", "  target: [0.1, 0.2, 0.3]", "3 targets, expected 2 (one for each point"),
        ("  target: 0.1", "  target: much", "calibrate.target"),
        ("  first: 3", "  first: 3\n  mots: 4", "unknown key 'mots'"),
        ("  first: 3", "  first: 13", "12 values in total, expected at least 13"),
        ("  to: 0.5", "  to: 0.001", ".to: found 0.001, expected a value above 'from'"),
        ("  from: 0.01", "  from: 0", ".from: found 0, expected a value above 0, because the"),
        ("  first: 3", "  step: 2 packets", "a step above 0 and below the width of"),
        ("  first: 3", "  with: {sources.gold.count: 2}", "which overlap"),
        (
            "  first: 3",
            "  with: {network.links.wire.marking.probability: 2}",
            "'network.links.wire.marking.probability', expected parameters other than",
        ),
        ("marking.probability", "marking.probably", "probably"),
        (
            "parameter: network.links.wire.marking.probability",
            "parameter: seed",
            "another parameter",
        ),
        ("replicates: 4", "replicates: 1", "at least 2"),
        (
            "replicates: 4",
            "replicates: 4\nseeds: independent",
            "independent seeds together with calibrate",
        ),
        ("  figure: gold.marking_rate", "  figure: []", "the name of a column"),
        ("calibrate:\n", "calibrate: 3\nx:\n", "unknown key 'x'"),
    ],
)
def test_faults_are_errors_with_their_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    """The error is one line with the place."""
    assert old in SWEEP
    with pytest.raises(ScenarioError) as error:
        load_sweep(write(tmp_path, SWEEP.replace(old, new)))
    assert words in str(error.value) and "\n" not in str(error.value)


def test_verbs_send_to_each_other(tmp_path: Path) -> None:
    """`sweep` refuses a calibration, and `calibrate` refuses a plain sweep."""
    file = write(tmp_path, SWEEP)
    with pytest.raises(InputError, match="ecnomy calibrate"):
        sweep_command(file)
    file.write_text(SWEEP[: SWEEP.index("calibrate:")])
    with pytest.raises(InputError, match="missing 'calibrate'"):
        calibrate_command(file)


@pytest.mark.parametrize("figure", ["status", "engine", "run", "seed", "sources.gold.count"])
def test_what_is_no_outcome_is_no_figure(tmp_path: Path, figure: str) -> None:
    """Texts, seeds and parameters are also columns; a target on them is refused without runs."""
    file = write(tmp_path, SWEEP.replace("gold.marking_rate", figure))
    with pytest.raises(
        InputError, match=f"calibrate.figure: found '{figure}', which is not an out"
    ):
        calibrate_command(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Tired(Here):
    """Workers that end after some runs."""

    def __init__(self, runs: int) -> None:
        super().__init__()
        self._left = runs

    def submit(self, function, task):  # type: ignore[no-untyped-def]
        if not self._left:
            raise typer.Abort
        self._left -= 1
        return super().submit(function, task)


def test_a_probability_is_found(tmp_path: Path) -> None:
    """A link with a fixed probability marks a tenth at 0.1; killed runs are repeated.

    A search that stopped halfway continues from its kept runs, and makes no run twice.
    """
    sweep, out = load_sweep(write(tmp_path, SWEEP)), tmp_path / "out"
    tired, rested = Tired(35), Here()
    with pytest.raises(typer.Abort):
        calibrated(sweep, out, tired, lambda total, missing: Watcher())
    results = calibrated(sweep, out, rested, lambda total, missing: Watcher())
    assert len(results) == 2 and all(each.verdict == "found" for each in results)
    for each in results:
        assert each.value == pytest.approx(0.1, rel=0.2)
        assert each.figure.low <= 0.1 <= each.figure.high
        assert each.interval is not None and each.interval.n == 4
    assert [each.params for each in results] == [{"sources.gold.count": n} for n in (1, 3)]
    assert len(set(tired.points) | set(rested.points)) == len(open_sweep(out))
    assert len(set(tired.points) & set(rested.points)) <= 3  # in progress when it stopped
    _read_again(sweep, out, results)


def _read_again(sweep, out, found) -> None:  # type: ignore[no-untyped-def]
    """The folder gives the same answer, nothing is missing, and the table agrees."""
    frame = open_sweep(out)
    assert search_results(sweep, frame) == found
    planned = planned_sweep(sweep, frame)
    store = Store(out, planned)
    try:
        assert missing(store, retry_failed=True, accept_old_code=False) == []
    finally:
        store.close()
    fresh = frame[frame["seed"] > 4]
    assert len(fresh) == 8 and set(fresh["seed"]) == {5, 6, 7, 8}
    table = calibration_table(sweep, found)
    assert table.row_count == 2
    assert list(table.columns[-1].cells) == ["found", "found"]
    with pytest.raises(ResultsError, match="the search is incomplete"):
        search_results(sweep, frame[frame["seed"] < 4])


def test_unreachable_targets_are_reported(tmp_path: Path) -> None:
    """A target beyond the range is reported, and so is a figure that runs lack."""
    text = SWEEP.replace("target: 0.1", "target: 0.9").replace("[1, 3]", "[1]")
    sweep = load_sweep(write(tmp_path, text))
    [found] = calibrated(sweep, tmp_path / "a", Here(), lambda total, missing: Watcher())
    assert found.verdict == "not reachable" and found.value == 0.5 and "below" in found.why
    sweep = load_sweep(write(tmp_path, text.replace("gold.marking_rate", "gold.marks")))
    with pytest.raises(ResultsError, match="'gold.marks', which is not a column"):
        calibrated(sweep, tmp_path / "b", Here(), lambda total, missing: Watcher())


def test_a_failed_run_ends_it(tmp_path: Path) -> None:
    """The error gives the first failure's reason; scenarios may refuse values of the range."""
    sweep = load_sweep(write(tmp_path, SWEEP.replace("to: 0.5", "to: 2")))
    with pytest.raises(ResultsError, match="8 runs failed; the first one: .*probability"):
        calibrated(sweep, tmp_path / "out", Here(), lambda total, missing: Watcher())


def test_an_interval_is_extended_to_whole_steps() -> None:
    """An interval is extended outwards to whole steps. Without a step it stays unchanged."""
    stepped = Calibration("x", (1.0,), "p", Range(0, 1), step=0.1)
    assert stepped.around(0.14, 0.16) == pytest.approx((0.1, 0.2))
    assert stepped.around(0.16, 0.24) == pytest.approx((0.1, 0.3))
    assert Calibration("x", (1.0,), "p", Range(0, 1)).around(0.14, 0.16) == (0.14, 0.16)
