# SPDX-License-Identifier: Apache-2.0
"""Replicates until an interval is narrow: the rule, its coverage, and rounds on a store."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.stats import t

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.analysis.sweep_report.points import open_swept
from ecnomy.markets.cli.verbs.sweep import sweep_command
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.rounds import grown
from ecnomy.markets.sweep.sequential import Until, counts_of, narrow, next_count
from made_up_sweep import record
from sweep_world import SWEEP, Here, write

UNTIL = SWEEP.replace("replicates: 3", "replicates: 5\nuntil: {until}")


def stopped(draws: np.ndarray, until: Until, first: int, level: float) -> tuple[float, float]:
    """The coverage of the mean (0) by the points' final intervals, and the mean number of runs."""
    looks, n_draws = until.looks(first), len(draws)
    left = np.ones(n_draws, dtype=bool)
    covered, runs = 0, 0
    for look in looks:
        some = draws[:, :look]
        mean, spread = some.mean(axis=1), some.std(axis=1, ddof=1)
        half = t.ppf((1 + level) / 2, look - 1) * spread / math.sqrt(look)
        ends = left & ((half <= until.half_width) | (look == looks[-1]))
        covered += int((np.abs(mean) <= half)[ends].sum())
        runs += look * int(ends.sum())
        left &= ~ends
    return covered / n_draws, runs / n_draws


@pytest.mark.parametrize("half", [0.25, 0.4, 0.8])
def test_stopping_keeps_its_coverage(half: float) -> None:
    """The final 95 % intervals hold the mean for 95 % of 20,000 simulated points."""
    draws = np.random.default_rng(3).standard_normal((20_000, 100))
    until = Until("x", half, relative=False)
    coverage, _ = stopped(draws, until, 5, until.level_of_look(5))
    assert coverage >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / len(draws))


def test_plain_intervals_would_not() -> None:
    """The same rule with plain 95 % intervals at each look has clearly lower coverage."""
    draws = np.random.default_rng(3).standard_normal((20_000, 100))
    coverage, _ = stopped(draws, Until("x", 0.4, relative=False), 5, 0.95)
    assert coverage < 0.93


def test_the_simulated_rule_is_the_one_in_use() -> None:
    """`next_count` ends points at the same looks as the simulation."""
    draws = np.random.default_rng(5).standard_normal((200, 100))
    until = Until("x", 0.5, relative=False)
    counts = [next_count([float(v) for v in row], until, 5) for row in draws]
    assert all(enough for _, enough in counts)
    _, runs = stopped(draws, until, 5, until.level_of_look(5))
    assert np.mean([count for count, _ in counts]) == pytest.approx(runs)
    assert len({count for count, _ in counts}) > 2


def test_a_point_that_is_not_all_there_waits() -> None:
    """A missing run stops the replay at its look. A failed run counts."""
    until = Until("x", 0.1, relative=True, most=20)
    assert next_count([1.0, None, 1.0, 1.1, 1.0, 1.0, 1.0, 1.0], until, 5) == (5, False)
    assert next_count([1.0, math.nan, 1.0, 1.0, 1.0], until, 5) == (5, True)
    assert next_count([math.nan] * 5, until, 5) == (5, True)


@pytest.mark.parametrize(
    ("first", "most", "looks"),
    [(5, 30, (5, 8, 12, 18, 27, 30)), (6, 9, (6, 9)), (7, 7, (7,)), (10, 24, (10, 15, 23, 24))],
)
def test_looks_by_hand(first: int, most: int, looks: tuple[int, ...]) -> None:
    """Each look adds half as many runs, up to the maximum; the looks share the error level."""
    until = Until("x", 0.1, relative=False, level=0.9, most=most)
    assert until.looks(first) == looks
    assert until.level_of_look(first) == pytest.approx(1 - 0.1 / len(looks), rel=1e-12)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("values", [[-9.0, -11.0, -10.5], [40.0, 44.0, 39.0, 47.0], [3.0, 5.0]])
def test_an_interval_is_narrow_from_its_half_width_on(values: list[float], relative: bool) -> None:
    """Student's confidence interval for the mean at a look's level; shares relate to the mean."""
    n, level = len(values), 1 - 0.2 / 6
    half = t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / math.sqrt(n)
    half = float(half / abs(np.mean(values)) if relative else half)
    for factor in (0.999, 1.001):
        until = Until("x", factor * half, relative, level=0.8, most=30)
        assert narrow(values, until, 5) is (factor > 1)
    assert not narrow(values[:1], Until("x", 1e9, relative=False), 5)


def test_points_end_at_the_most_and_count_what_is_known() -> None:
    """A failed run counts as a run but has no value; each point is judged separately."""
    until = Until("x", 0.5, relative=False, most=8)
    wide = [0.0, 9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0]
    assert next_count(wide[:5], until, 5) == (8, False)
    assert next_count([*wide[:7], None], until, 5) == (8, False)
    assert next_count(wide, until, 5) == (8, True)
    near = [1.0, math.nan, 1.1, 0.9, 1.0]
    assert next_count(near, until, 5) == (5, True)
    names = [[f"{point}{run}" for run in range(8)] for point in "abc"]
    known = {f"a{run}": value for run, value in enumerate(wide)}
    known |= {f"b{run}": value for run, value in enumerate(near)}
    assert counts_of(names, known | {"c0": 1.0}, until, 5) == ((8, 5, 5), 2)


def figures(point) -> dict[str, int | float | None]:
    """Noise that is large at a high price and almost 0 at a low one."""
    dear = point.params["market.price_per_mark"] == "0.2 money"
    noise = np.random.default_rng([point.seed, point.params["sources.gold.count"]])
    return {"gold.goodput_bps": 100 + (30 if dear else 0.1) * float(noise.standard_normal())}


def test_rounds_go_on_until_all_is_narrow(tmp_path: Path) -> None:
    """Noisy points get more replicates than other points, and existing runs are not repeated."""
    out = tmp_path / "out"
    sweep = load_sweep(write(tmp_path, UNTIL.format(until="half-width 5 %")))
    assert len(sweep) == 20
    planned = grown(sweep, out)
    for _ in range(12):
        record(out, planned, figures)
        if (more := grown(sweep, out)) == planned:
            break
        planned = more
    assert planned.counts[:2] == (5, 5) and min(planned.counts[2:]) > 20
    assert grown(sweep, out) == planned, "the same records, the same sweep"
    head = json.loads((out / "sweep.json").read_text())
    assert head["until"]["outcome"] == "gold.goodput_bps" and head["counts"] == [*planned.counts]
    swept = open_swept(out)
    assert np.bincount(swept.point).tolist() == list(planned.counts)
    assert swept.level == pytest.approx(planned.until.level_of_look(5)) and swept.level > 0.99
    assert "Replicates were added" in swept.notes[0]


def test_the_order_of_arrival_does_not_count(tmp_path: Path) -> None:
    """The decision does not depend on the distribution of replicates over shards."""
    sweep = load_sweep(write(tmp_path, UNTIL.format(until="half-width 5 %")))
    first = grown(sweep, tmp_path / "a")
    record(tmp_path / "a", first, figures)
    second = grown(sweep, tmp_path / "a")
    record(tmp_path / "b", second, figures)
    assert grown(sweep, tmp_path / "b").counts[:2] == (5, 5)
    record(tmp_path / "a", second, figures)
    assert grown(sweep, tmp_path / "a") == grown(sweep, tmp_path / "b")


def test_an_outcome_that_no_run_has(tmp_path: Path) -> None:
    """The error names the unknown outcome, and the nearest known one."""
    text = UNTIL.format(until="{outcome: gold.goodput, half-width: 5 %}")
    sweep = load_sweep(write(tmp_path, text))
    record(tmp_path / "out", grown(sweep, tmp_path / "out"), figures)
    with pytest.raises(InputError, match="'gold.goodput', expected a column.*gold.goodput_bps"):
        grown(sweep, tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("half-width 2.5 %", Until("", 0.025, relative=True)),
        ("half-width 250", Until("", 250.0, relative=False)),
        ("{half-width: 99 %, level: 50 %, most: 5}", Until("", 0.99, True, 0.5, 5)),
        ("{half-width: 0.75, level: 0.98, outcome: x}", Until("x", 0.75, False, 0.98)),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, text: str, until: Until) -> None:
    """Shares and figures, levels in percent or not, and a maximum equal to the first look work."""
    read = load_sweep(write(tmp_path, UNTIL.format(until=text))).until
    assert read == msgspec.structs.replace(until, half_width=pytest.approx(until.half_width))


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ("2 %", "half-width 2 %, half-width 0.5"),
        ("half-width -1", "half-width 2 %"),
        ("{half-width: 2 %, most: 4}", "at least 5"),
        ("half-width 100 %", "half-width 2 %"),
        ("half-width 0", "half-width 2 %"),
        ("half-width inf", "half-width 2 %"),
        ("half-width 3 % or so", "half-width 2 %"),
        ("{half-width: 2 %, level: 100 %}", "from 50 % to below 100 %"),
        ("{half-width: 2 %, level: 49 %}", "from 50 % to below 100 %"),
        ("{half-width: 2 %, outcome: 5}", "the name of a column"),
        ("{most: 9}", "no 'half-width'"),
        ("{half-width: 2 %, level: 2}", "from 50 % to below 100 %"),
        ("{half-width: 2 %, halfwidth: 2 %}", "unknown key 'halfwidth'"),
    ],
)
def test_faults_are_errors_with_their_place(tmp_path: Path, until: str, message: str) -> None:
    """A fault gives one line with file, place, and the values found and expected."""
    with pytest.raises(ScenarioError, match=message):
        load_sweep(write(tmp_path, UNTIL.format(until=until)))


def test_few_replicates_are_refused(tmp_path: Path) -> None:
    """Three runs are too few for a first look."""
    with pytest.raises(ScenarioError, match="at least 5"):
        load_sweep(write(tmp_path, SWEEP + "until: half-width 2 %\n"))


def test_the_command_makes_rounds_and_concludes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ecnomy sweep` continues by itself, ends with its findings, and makes no run twice."""
    until = "{outcome: gold.marks_per_s, half-width: 1 %, most: 12}"
    file = write(
        tmp_path, UNTIL.format(until=until).replace("    sources.gold.count: [1, 2]\n", "")
    )
    pools: list[Here] = []
    monkeypatch.setattr(
        "ecnomy.markets.sweep.pool.DaskPool", lambda *_: pools.append(Here()) or pools[-1]
    )
    sweep_command(file, out=tmp_path / "out")
    said = capsys.readouterr().out
    made = pools[0].points
    assert 10 < len(made) <= 24 and len(set(made)) == len(made)
    assert f"{len(made)} runs: {len(made)} new, 0 reused" in said
    assert "is highest at price_per_mark" in said and f"ecnomy report {tmp_path / 'out'}" in said
    sweep_command(file, out=tmp_path / "out")
    assert len(pools) == 1 and f"0 new, {len(made)} reused" in capsys.readouterr().out
