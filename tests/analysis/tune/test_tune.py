# SPDX-License-Identifier: Apache-2.0
"""Sweep files with `tune`: their meaning, and searches over invented outcomes with known optima.

A carrier whose customers' demand has elasticity 2 earns (q - c) / q^2 at a price q, which is most
at q = 2 c (Lerner 1934). Real runs of that market are in tests/acceptance/test_tuned_price.py.
"""

from __future__ import annotations

import concurrent.futures
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from rich.console import Console

from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.sweep_report.findings import findings_of
from ecnomy.analysis.sweep_report.points import open_swept
from ecnomy.analysis.sweep_report.printed import print_sweep
from ecnomy.analysis.sweep_report.searched import best_first
from ecnomy.analysis.sweep_report.values import sweep_values
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.tune import TuningAnswer, tuned
from ecnomy.analysis.tune.best_values import _ends, answered
from ecnomy.analysis.tune.command import answer_table, answer_values, answer_words, tune_command
from ecnomy.analysis.tune.tuning_plot import tuning_picture
from ecnomy.markets.cli.printing import print_json
from ecnomy.markets.cli.verbs.sweep import sweep_command
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.outcome import DONE, FAILED, RunOutcome, Task
from ecnomy.markets.sweep.space import Range
from ecnomy.markets.sweep.tuning import OutcomeBounds, Tuning
from sweep_world import Here, Watcher, write
from tiers import full, in_full

PRICE = "market.price_per_mark"
GOLD = "sources.gold.count"
COST = 0.1
TRIALS = "trials: 40"
SHORT = "trials: 12" if not in_full() else TRIALS
SWEEP = """
version: 1
title: a price
scenario: scenario.yaml
tune:
  over:
    market.price_per_mark: {from: 0.05 money, to: 2 money, scale: log}
  maximise: income
  trials: 40
  check: 6
replicates: 3
"""


def income(params: dict[str, Any], seed: int) -> dict[str, float]:
    """The income (at most 1, with noise of a hundredth), and the quantity sold."""
    price = float(str(params[PRICE]).split()[0])
    chance = np.random.default_rng([seed, int(price * 1e6)]).normal() / 100
    earned = 4 * COST * (price - COST) / price**2
    return {"income": earned + chance, "sold": 1 / price**2, "gone": float("nan")}


class Made(Here):
    """Invents outcomes; ends after some runs."""

    def __init__(self, model: Callable[..., dict[str, float]] = income, runs: int = -1) -> None:
        super().__init__()
        self._model, self._left = model, runs

    def submit(self, function: Any, task: Task) -> concurrent.futures.Future[Any]:
        """A run that ends at once."""
        if not self._left:
            raise typer.Abort
        self._left -= 1
        self.points.append(task.point)
        values = self._model(task.params, task.seed)
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.set_result(RunOutcome(task.point, "k", DONE, "", task.code, {}, values))
        return future


def found(file: Path, out: Path, pool: Made | None = None) -> TuningAnswer:
    """The answer to a file."""
    return tuned(load_sweep(file), out, pool or Made(), lambda total, missing: Watcher())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TuningAnswer]:
    """A folder with SWEEP and, in `out`, its search; also the answer."""
    home = tmp_path_factory.mktemp("tune")
    return home, found(write(home, SWEEP), home / "out")


def test_each_whole_number_has_the_same_share_of_the_first_round() -> None:
    """Ends and inner values of a range of whole numbers have the same share."""
    tuning = Tuning("maximise", "x", ("sources.s.count",), (Range(1, 4, whole=True),), first=400)
    counts = np.bincount([int(value) for (value,) in tuning.first_values(1)])
    assert counts.tolist() == [0, 100, 100, 100, 100]


def test_the_first_round_runs_each_value_with_each_seed(tmp_path: Path) -> None:
    """Seeds count up from the scenario's, once for each of the values."""
    points = load_sweep(write(tmp_path, SWEEP)).points()
    assert [point.seed for point in points[:6]] == [1, 2, 3, 1, 2, 3]
    assert [point.replicate for point in points[:6]] == [0, 1, 2, 0, 1, 2]
    prices = [point.params[PRICE] for point in points]
    assert prices[::3] == prices[1::3] == prices[2::3] and len(set(prices)) == len(points) / 3


@pytest.mark.parametrize(
    ("bound", "excess"),
    [
        (OutcomeBounds("x", least=4.0), {3.0: 0.25, 4.0: 0.0, 6.0: -0.5, math.nan: math.inf}),
        (OutcomeBounds("x", most=5.0), {3.0: -0.4, 5.0: 0.0, 7.0: 0.4}),
        (OutcomeBounds("x", -8.0, 2.0), {-10.0: 0.25, 1.0: -0.125, -7.0: -0.125, 3.0: 0.125}),
        (OutcomeBounds("x", least=0.0), {-3.0: 3.0, 2.0: -2.0}),
    ],
)
def test_how_far_a_bound_is_exceeded(bound: OutcomeBounds, excess: dict[float, float]) -> None:
    """The excess is a share of the bound's largest end, or in the outcome's unit if that is 0."""
    assert {value: bound.excess(value) for value in excess} == pytest.approx(excess, nan_ok=True)


@pytest.mark.parametrize(("aim", "loss"), [("maximise", -3.0), ("minimise", 3.0), ("target", 2.5)])
def test_what_a_search_minimises(aim: str, loss: float) -> None:
    """A search minimises the outcome, its negative, or its distance from the target."""
    tuning = Tuning(aim, "x", ("p",), (Range(1, 4),), target=5.5)
    assert tuning.loss(3.0) == loss
    assert Tuning("target", "x", ("p",), (Range(1, 4),), target=0.5).loss(3.0) == 2.5


def test_values_have_four_digits_within_their_ranges() -> None:
    """Values of integer parameters are rounded to integers."""
    ranges = Range(0.5, 2.5), Range(3, 9, whole=True), Range(0.001, 5.0)
    tuning = Tuning("maximise", "x", ("p", "q", "r"), ranges)
    assert tuning.rounded((1.234567, 4.6, 0.00123456)) == (1.235, 5, 0.001235)
    assert tuning.rounded((0.49996, 9.7, 5.00049)) == (0.5, 9, 5.0)
    assert tuning.rounded((2.6, 2.2, 0.0009)) == (2.5, 3, 0.001)


def test_a_known_optimum_is_found(whole: tuple[Path, TuningAnswer]) -> None:
    """The price is within 10 % of the best and in its range; the interval has the true outcome."""
    home, answer = whole
    [price], [(low, high)], [(near_low, near_high)] = answer.values, answer.same, answer.near
    print(price, (low, high), (near_low, near_high), answer.outcome)
    assert answer.verdict == "found" and answer.why == ""
    assert price == pytest.approx(2 * COST, rel=0.1)
    assert low <= 2 * COST <= high and high / low < 2
    assert near_low <= price <= near_high
    assert answer.outcome.low <= 1 <= answer.outcome.high and answer.outcome.n == 6
    runs = open_sweep(home / "out")
    assert set(runs[runs[PRICE] == price]["seed"]) == set(range(1, 10))
    assert set(runs[runs[PRICE] != price]["seed"]) == {1, 2, 3}
    assert len(answer.tried) <= 40 and len(runs) == 3 * len(answer.tried) + 6


@full
def test_a_search_goes_on_after_a_kill(whole: tuple[Path, TuningAnswer], tmp_path: Path) -> None:
    """No kept run is repeated; the answer equals that of an uninterrupted search."""
    home, answer = whole
    file = write(tmp_path, SWEEP)
    tired, rested = Made(runs=61), Made()
    with pytest.raises(typer.Abort):
        found(file, tmp_path / "out", tired)
    assert found(file, tmp_path / "out", rested) == answer
    assert len(set(tired.points) & set(rested.points)) <= 3  # in progress when it stopped
    again = Made()
    assert found(home / "sweep.yaml", home / "out", again) == answer and again.points == []


@pytest.mark.drawn
def test_the_search_is_printed(
    whole: tuple[Path, TuningAnswer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search prints a table, sentences, JSON and a picture, and `show` works."""
    home, answer = whole
    sweep, out = load_sweep(home / "sweep.yaml"), home / "out"
    assert answer_table(sweep, answer).row_count == 1
    words = answer_words(sweep, answer)
    assert words[0] == f"found: income is highest at {PRICE} {answer.values[0]} money"
    print_json(answer_values(sweep, answer, out))
    document = json.loads(capsys.readouterr().out)
    assert (
        document["best"] == {PRICE: f"{answer.values[0]} money"}
        and document["found"]["verdict"] == "found"
    )
    assert len(document["found"]["tried"]) == len(answer.tried)
    tuning_picture(sweep, answer, tmp_path / "a.png")
    tuning_picture(sweep, answer, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    console = Console(file=io.StringIO(), width=100)
    print_sweep(out, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    tried = len({each.values for each in answer.tried})
    best = next(line for line in said.splitlines() if "* best" in line)
    assert best.split()[:3] == [f"{answer.values[0]:.5g}", "money", "3"]
    assert f"{PRICE} [money]: {tried} values from " in said
    assert f"Of {tried} values tried, income is highest at {answer.values[0]:.5g} money." in said
    assert "there, over 6 seeds not used in the search" in said


def test_points_of_a_search_are_its_values(tmp_path: Path) -> None:
    """New seeds are not a separate point; nothing is compared, the best value is as wanted."""
    text = SWEEP.replace("maximise: income", "minimise: income").replace(TRIALS, SHORT)
    assert "minimise" in text
    answer = found(write(tmp_path, text), tmp_path / "out")
    swept = open_swept(tmp_path / "out")
    assert swept.points == len(answer.tried) and swept.runs == 3 * len(answer.tried)
    assert swept.search is not None and swept.search.there == answer.outcome
    best = swept.labels[best_first(swept)[0]]
    assert best == f"{answer.values[0]:.5g} money"
    said = findings_of(swept)
    assert said.contrasts == () and said.matters == () and "is lowest at " in said.headline
    points = sweep_values(tmp_path / "out")["points"]
    assert [p["outcomes"]["income"]["n"] for p in points] == [3] * len(answer.tried)


@full
def test_several_parameters_and_constraints(tmp_path: Path) -> None:
    """Integers work too, and a binding constraint moves the optimum to its bound."""

    def model(params: dict[str, Any], seed: int) -> dict[str, float]:
        values, count = income(params, seed), params[GOLD]
        return values | {"income": values["income"] - (count - 7) ** 2 / 50, "customers": count}

    text = SWEEP.replace("  maximise", f"    {GOLD}: {{from: 1, to: 20}}\n  maximise")
    answer = found(write(tmp_path, text.replace("40", "60")), tmp_path / "free", Made(model))
    assert answer.values[0] == pytest.approx(2 * COST, rel=0.25) and abs(answer.values[1] - 7) <= 1
    bounds = "  constraints: {sold: {at-most: 6.25}, customers: {at-least: 9}}\n"
    text = text.replace("  trials: 40", f"{bounds}  trials: 60")
    answer = found(write(tmp_path, text), tmp_path / "bound", Made(model))
    assert answer.verdict == "found"
    assert 0.4 <= answer.values[0] < 0.6 and answer.values[1] in (9, 10)
    assert all(
        each.kept == (each.values[0] >= 0.4 and each.values[1] >= 9) for each in answer.tried
    )
    assert answer.bounds[0].mean <= 6.25 and answer.bounds[1].mean >= 9
    tuning_picture(load_sweep(tmp_path / "sweep.yaml"), answer, tmp_path / "a.png")
    text = text.replace("at-least: 9", "at-least: 21")
    answer = found(write(tmp_path, text), tmp_path / "never", Made(model))
    assert answer.verdict == "not reachable" and "customers is 20 at best" in answer.why


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_as_good_as_the_best_keeps_the_bounds(sign: int) -> None:
    """Values without a significant difference are as good, those within 1 % near; bounds hold."""
    aim = "maximise" if sign > 0 else "minimise"
    tuning = Tuning(aim, "y", ("x",), (Range(0, 10),), bounds=(OutcomeBounds("z", most=5.0),))
    one = np.array([-1.0, 0.0, 1.0])
    given = {  # x: y, z
        1.0: (100 + one, 6.0),
        2.0: (100.4 + one, 5.1),
        4.0: (100 + one, 5.0),  # the best
        5.0: (99.2 + one, 4.0),  # each run is less, by less than a hundredth
        6.0: (90 + 30 * one, 4.0),
        7.0: (98.8 + one, 4.0),
        8.0: (100 + one * math.nan, 4.0),
        9.0: (80 + 90 * one, 5.2),
    }
    tried = {(x,): {"y": 100 + sign * (y - 100), "z": np.full(3, z)} for x, (y, z) in given.items()}
    answer = answered(tuning, tried, tried[4.0,])
    assert answer.values == (4.0,)
    assert (answer.same, answer.near) == (((4.0, 6.0),), ((4.0, 5.0),))
    judged = {one.values[0]: (one.kept, one.same, one.near) for one in answer.tried}
    beyond, bad = (False, False, False), (True, False, False)
    assert judged == {
        **dict.fromkeys((1.0, 2.0, 9.0), beyond),
        **{4.0: (True, True, True), 5.0: (True, False, True), 6.0: (True, True, False)},
        **dict.fromkeys((7.0, 8.0), bad),
    }


def test_a_target_is_met_or_said_not_to_be(tmp_path: Path) -> None:
    """A known price is found; a target out of reach is reported."""
    target = "target: {outcome: income, value: 50 %, within: 3 %}"
    answer = found(write(tmp_path, SWEEP.replace("maximise: income", target)), tmp_path / "a")
    roots = [2 * COST / (1 + sign / 2**0.5) for sign in (-1, 1)]  # 4 c (q - c) / q^2 = 1/2
    assert answer.verdict == "found"
    assert any(answer.values[0] == pytest.approx(root, rel=0.1) for root in roots)
    assert answer.outcome.mean == pytest.approx(0.5, rel=0.06) and answer.outcome.level == 0.99
    text = SWEEP.replace("maximise: income", "target: {outcome: income, value: 2}")
    answer = found(write(tmp_path, text.replace(TRIALS, SHORT)), tmp_path / "b")
    assert answer.verdict == "not reachable" and "income is below 2 at all values" in answer.why


def test_an_optimum_at_an_end_is_said_to_be_one(tmp_path: Path) -> None:
    """Lower prices sell more, so a wider range may hold better values.

    In the fast tier only the lower one is searched for.
    """
    text = SWEEP.replace(TRIALS, "trials: 25").replace("maximise: income", "maximise: sold")
    answer = found(write(tmp_path, text), tmp_path / "o")
    assert f"{PRICE} is best at the low end of its range" in answer.why
    if not in_full():
        tuning = load_sweep(tmp_path / "sweep.yaml").tune
        assert tuning is not None
        said = _ends(tuning, (1.99,), answer.outcome)
        assert f"{PRICE} is best at the high end of its range" in said
        return
    answer = found(write(tmp_path, text.replace("maximise", "minimise")), tmp_path / "p")
    assert f"{PRICE} is best at the high end of its range" in answer.why


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  maximise: income\n", "", "tune: found no aim, expected one of maximise"),
        ("  trials: 40", "  minimise: sold\n  trials: 40", "found maximise and minimise"),
        ("maximise: income", "maximise: 3", "tune.maximise: found 3, expected the name"),
        ("maximise: income", "target: sold", "expected {outcome: a column, value: a number}"),
        ("maximise: income", "target: {outcome: sold, value: 3 s}", "such as 0.01 or 1 %"),
        ("  trials: 40", "  first: 41\n  trials: 40", "tune.first: found 41, expected at most 40"),
        ("  trials: 40", "  trails: 40", "unknown key 'trails'"),
        ("  trials: 40", "  constraints: {sold: 3}", "expected {at-least: A, at-most: B}"),
        ("  trials: 40", "  constraints: {sold: {at-least: 2, at-most: 1}}", "below at-most"),
        (
            "from: 0.05 money",
            "from: 5 money",
            ".to: found '2 money', expected a value above 'from'",
        ),
        (
            "from: 0.05 money",
            "from: 0 money",
            "found '0 money', expected a value above 0, because",
        ),
        ("to: 2 money", "to: 2e6 money", "found '2000000.0 money', expected an amount of at most"),
        ("market.price_per_mark", "seed", "another parameter"),
        ("market.price_per_mark", "market.price_per_mork", "mork"),
        ("replicates: 3", "replicates: 1", "at least 2, because tune reports intervals"),
        (
            "replicates: 3",
            "replicates: 3\nseeds: independent",
            "independent seeds together with tune",
        ),
        (
            "replicates: 3",
            "parameters: {grid: {sources.gold.count: [1]}}",
            "parameters together with tune",
        ),
    ],
)
def test_faults_are_errors_with_their_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    """The error is one line with the place."""
    assert old in SWEEP
    with pytest.raises(ScenarioError) as error:
        load_sweep(write(tmp_path, SWEEP.replace(old, new)))
    assert words in str(error.value) and "\n" not in str(error.value)


def test_outcomes_that_nobody_has(tmp_path: Path) -> None:
    """An unknown column, and one that is empty in all runs, are refused."""
    file = write(tmp_path, SWEEP.replace("maximise: income", "maximise: incoming"))
    with pytest.raises(
        ResultsError, match="tune.maximise: found 'incoming', which is not a column of numbers"
    ):
        found(file, tmp_path / "a")
    text = SWEEP.replace(TRIALS, SHORT).replace("maximise: income", "maximise: gone")
    file = write(tmp_path, text)
    with pytest.raises(ResultsError, match="3 of 3 runs lack gone"):
        found(file, tmp_path / "b")


def test_verbs_send_to_each_other(tmp_path: Path) -> None:
    """`sweep` refuses a tuning, and `tune` refuses a plain sweep."""
    file = write(tmp_path, SWEEP)
    with pytest.raises(InputError, match="found a 'tune' section; run `ecnomy tune .*`"):
        sweep_command(file)
    file.write_text(SWEEP[: SWEEP.index("tune:")])
    with pytest.raises(InputError, match="missing 'tune'"):
        tune_command(file)


class Fails(Made):
    """A pool whose first run fails."""

    def submit(self, function: Any, task: Task) -> concurrent.futures.Future[Any]:
        """The outcome of Made, except for the first run."""
        future = super().submit(function, task)
        if len(self.points) == 1:
            why = "over its time limit"
            future = concurrent.futures.Future()
            future.set_result(RunOutcome(task.point, "k", FAILED, why, task.code, {}, {}))
        return future


def test_a_failed_run_of_a_search_is_repeated(tmp_path: Path) -> None:
    """The search ends with its reason. The same command repeats that run, and none that is done."""
    file = write(tmp_path, SWEEP.replace(TRIALS, SHORT))
    fails, again = Fails(), Made()
    with pytest.raises(ResultsError, match="1 run failed: over its time limit"):
        found(file, tmp_path / "out", fails)
    answer = found(file, tmp_path / "out", again)
    assert set(fails.points) & set(again.points) == {fails.points[0]}
    assert answer == found(file, tmp_path / "undisturbed")
