# SPDX-License-Identifier: Apache-2.0
"""Sampling plans as sweeps, and indices of invented outcomes in a sweep's store.

The Ishigami function, y = sin a + 7 sin^2 b + 0.1 c^4 sin a over [-pi, pi]^3, has indices in closed
form (Ishigami, Homma 1990; Saltelli et al. 2008, p. 179):

    V = 49/8 + 0.1 pi^4 / 5 + 0.01 pi^8 / 18 + 1/2
    V S_a = (1 + 0.1 pi^4 / 5)^2 / 2,   V S_b = 49/8,   V S_ac = V T_c = 0.01 pi^8 (1/18 - 1/50)
"""

from __future__ import annotations

import concurrent.futures
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis import open_sweep
from ecnomy.analysis.sensitivity import sensitivity_of
from ecnomy.analysis.sensitivity.command import sensitivity_command
from ecnomy.analysis.sensitivity.indices import SamplingPlan, indices
from ecnomy.analysis.sensitivity.sweep import indices_of, sampled
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.outcome import DONE, FAILED, RunOutcome, Task
from sweep_world import Here, go, write
from tiers import full

MARKING = "network.links.wire.marking.probability"
OVER = f"""
      {MARKING}: {{from: 0.0, to: 1.0}}
      market.price_per_mark: {{from: 0.1 money, to: 0.9 money}}
      sources.gold.count: {{from: 1, to: 1000}}
"""
SOBOL = f"""
version: 1
title: what matters
scenario: scenario.yaml
parameters:
  sobol:
    samples: 256
    second-order: true
    over: {OVER}
"""
PLAIN = SOBOL.replace("256", "128").replace("    second-order: true\n", "")
MORRIS = SOBOL.replace("sobol:", "morris:").replace("    second-order: true\n", "")
MORRIS = MORRIS.replace("samples: 256", "trajectories: 32").replace(OVER, OVER + "    levels: 6\n")
NAMES = (MARKING, "market.price_per_mark", "sources.gold.count")
Model = Callable[[np.ndarray, int], float]


class Made(Here):
    """Invents outcomes from the positions of values in their ranges, in [0, 1], and the seed."""

    def __init__(self, model: Model, failing: int = -1) -> None:
        super().__init__()
        self._model, self._failing, self._count = model, failing, 0

    def submit(self, function: Any, task: Task) -> concurrent.futures.Future[Any]:
        """A run that ends at once."""
        marking, price, gold = (float(str(task.params[name]).split()[0]) for name in NAMES)
        at = np.array([marking, (price - 0.1) / 0.8, (gold - 0.5) / 1000])
        failed = self._count == self._failing
        self._count += 1
        values = {} if failed else {"y": self._model(at, task.seed), "same": 3.0}
        status = FAILED if failed else DONE
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.set_result(RunOutcome(task.point, "k", status, "", task.code, {}, values))
        return future


def ishigami(at: np.ndarray, seed: int) -> float:
    """The Ishigami function with a = 7, b = 0.1."""
    a, b, c = math.pi * (2 * at - 1)
    return float(math.sin(a) + 7 * math.sin(b) ** 2 + 0.1 * c**4 * math.sin(a))


@pytest.fixture(scope="module")
def ishigami_sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """256 x 8 runs."""
    folder = tmp_path_factory.mktemp("ishigami")
    tally, _, _ = go(write(folder, SOBOL), folder / "out", Made(ishigami))
    assert tally.done == 256 * 8
    return folder / "out"


def test_the_ishigami_functions_indices(ishigami_sweep: Path) -> None:
    """The indices are within 0.05 of the closed form, which the intervals contain."""
    pi4 = math.pi**4
    v = 49 / 8 + 0.1 * pi4 / 5 + 0.01 * pi4**2 / 18 + 0.5
    alone, both = (1 + 0.1 * pi4 / 5) ** 2 / 2 / v, 0.01 * pi4**2 * (1 / 18 - 1 / 50) / v
    totals = {NAMES[0]: alone + both, NAMES[1]: 49 / 8 / v, NAMES[2]: both}
    firsts = {NAMES[0]: alone, NAMES[1]: 49 / 8 / v, NAMES[2]: 0.0}
    frame = sensitivity_of(ishigami_sweep, "y").set_index("parameter")
    assert list(frame.index) == sorted(totals, key=lambda name: -totals[name])
    for name in NAMES:
        row = frame.loc[name]
        print(
            name, *(f"{row[k]:.3f}" for k in ("total", "first_order")), totals[name], firsts[name]
        )
        assert row["total"] == pytest.approx(totals[name], abs=0.05)
        assert row["first_order"] == pytest.approx(firsts[name], abs=0.05)
        assert row["total_low"] <= totals[name] <= row["total_high"]
        assert row["first_order_low"] <= firsts[name] <= row["first_order_high"]
    [pair, *others] = indices_of(sampled(ishigami_sweep), "y").pairs
    assert (pair.first, pair.second) == (NAMES[0], NAMES[2])
    assert pair.index == pytest.approx(both, abs=0.07)
    assert all(abs(other.index) < 0.07 for other in others)


def test_sobols_indices_from_the_samples_themselves(ishigami_sweep: Path) -> None:
    """The indices equal Saltelli's and Jansen's estimators over the recorded runs.

    Saltelli et al. 2010, Table 2 (b) and (f): of each sample the points A, A with each column from
    B in turn, B with each from A, and B.
    """
    frame = open_sweep(ishigami_sweep).sort_values("number")
    x = frame[list(NAMES)].to_numpy(float).reshape(256, 8, 3)
    y = frame["y"].to_numpy(float).reshape(256, 8)
    a, b, mixed = y[:, 0], y[:, 7], y[:, 1:4]
    table = sensitivity_of(ishigami_sweep, "y").set_index("parameter")
    whole = np.concatenate([a, b])
    for i, name in enumerate(NAMES):
        others = [j for j in range(3) if j != i]
        assert (x[:, 1 + i, i] == x[:, 7, i]).all()
        assert (x[:, 1 + i, others] == x[:, 0, others]).all()
        first = np.mean((b - y.mean()) * (mixed[:, i] - a)) / whole.var()
        total = np.mean((a - mixed[:, i]) ** 2) / 2 / whole.var()
        assert table.loc[name, "first_order"] == pytest.approx(first, abs=1e-9)
        assert table.loc[name, "total"] == pytest.approx(total, abs=1e-9)


def test_the_verb_says_which_matter(
    ishigami_sweep: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verb prints a ranked table with a sentence and a picture, for varying outcomes."""
    sensitivity_command(ishigami_sweep, ["y"])
    printed = capsys.readouterr().out
    assert f"3 parameters of 3 matter to y: {NAMES[0]}, {NAMES[1]}, {NAMES[2]}" in printed
    assert "chance and effects of parameters cannot be separated" in printed
    assert (ishigami_sweep / "sensitivity.png").read_bytes()[:4] == b"\x89PNG"
    sensitivity_command(ishigami_sweep)
    printed = capsys.readouterr().out
    assert re.search("^y ", printed, re.M) and not re.search("^(same|point) ", printed, re.M)
    sensitivity_command(ishigami_sweep, ["y"], as_json=True)
    [outcome] = json.loads(capsys.readouterr().out)["outcomes"]
    assert outcome["that_matter"] == list(NAMES) and outcome["noise"] is None


def test_a_plan_is_the_same_every_time(tmp_path: Path) -> None:
    """A plan has its number of points, and depends only on the seed."""
    for text, count in ((SOBOL, 256 * 8), (MORRIS, 32 * 4)):
        sweep = load_sweep(write(tmp_path, text))
        points = sweep.points()
        assert len(sweep) == len(points) == count
        assert points == load_sweep(tmp_path / "sweep.yaml").points()
        assert points != load_sweep(write(tmp_path, text + "seed: 2\n")).points()
        counts = [point.params["sources.gold.count"] for point in points]
        assert all(type(each) is int and 1 <= each <= 1000 for each in counts)
    plain = load_sweep(write(tmp_path, SOBOL.replace("second-order: true", "second-order: false")))
    assert len(plain) == 256 * 5


def noisy(at: np.ndarray, seed: int) -> float:
    """Two of three parameters have an effect; the remaining variance is noise, 1."""
    key = [seed, *(int(1e6 * x) for x in at)]
    return float(6 * at[0] + 3 * at[1] + seed + np.random.default_rng(key).normal())


@pytest.mark.parametrize("text", [pytest.param(PLAIN, marks=full), MORRIS])
def test_effects_of_seeds_are_separated(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parameter without effect has the index of the noise floor, and is not called important.

    Var(6 u) + Var(3 u) = 3.75. Within a point there are noise, 1, and the seeds' values 1, 2, 3, 4,
    whose variance is 5/3.
    """
    go(write(tmp_path, text + "replicates: 4\n"), tmp_path / "out", Made(noisy))
    effects = indices_of(sampled(tmp_path / "out"), "y")
    assert effects.that_matter == NAMES[:2]
    idle = effects.each[2]
    assert idle.main == pytest.approx(effects.floor, abs=2 * idle.main_half)
    if effects.kind == "sobol":
        assert effects.floor == pytest.approx(0.25 / (3.75 + 0.25), rel=0.2)
        share = (1 + 5 / 3) / (3.75 + 1 + 5 / 3)
        assert effects.noise == pytest.approx(share, rel=0.15)
    else:
        mu = {one.parameter: one.mu for one in effects.each}
        assert mu[NAMES[0]] == pytest.approx(6, abs=0.4)
        assert mu[NAMES[1]] == pytest.approx(3, abs=0.4)
    sensitivity_command(tmp_path / "out", ["y"])
    assert f"2 parameters of 3 matter to y: {NAMES[0]}, {NAMES[1]}" in capsys.readouterr().out


@pytest.mark.parametrize("replicates", [2, 3])
def test_the_noise_is_that_of_an_analysis_of_variance(replicates: int) -> None:
    """The noise equals that of an analysis of variance over points and shared seeds."""
    rng = np.random.default_rng(replicates)
    y = rng.normal(size=(6, replicates)) + 5 * rng.normal(size=(6, 1))
    x = np.array([[0, 0], [2, 0], [2, 2], [3, 1], [1, 1], [1, 3]]) / 3
    of_points, of_seeds = y.mean(axis=1), y.mean(axis=0)
    freedom = 6 * (replicates - 1)
    within = ((y - of_points[:, None]) ** 2).sum() / freedom
    rest = ((y - of_points[:, None] - of_seeds + y.mean()) ** 2).sum() / (5 * (replicates - 1))
    share = within / (within + max(0.0, of_points.var() - within / replicates))
    for paired, variance in ((True, rest), (False, within)):
        plan = SamplingPlan("morris", ("a", "b"), 2, levels=4, paired=paired)
        effects = indices(plan, "y", x, y)
        assert effects.noise == pytest.approx(share)
        floor = 2 * math.sqrt(variance / replicates / math.pi) / (2 / 3)
        assert effects.floor == pytest.approx(floor)


def test_runs_that_failed_are_left_out_with_what_belongs_to_them(tmp_path: Path) -> None:
    """A trajectory that lacks a point is left out; the others remain."""
    go(write(tmp_path, MORRIS), tmp_path / "out", Made(ishigami, failing=7))
    effects = indices_of(sampled(tmp_path / "out"), "y")
    assert effects.left_out == 1 and effects.points == 31 * 4
    frame = sensitivity_of(tmp_path / "out", "y")
    assert frame.attrs["left_out"] == 1 and frame["mu_star"].gt(0).all()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("samples: 256", "samples: 500", "parameters.sobol.samples: found 500, expected a power"),
        ("samples: 256", "samples: 1", "parameters.sobol.samples"),
        ("samples: 256", "trajectories: 4", "expected samples: N and over"),
        ("second-order: true", "second-order: 2", "parameters.sobol.second-order: found 2"),
        ("second-order: true", "levels: 4", "unknown key 'levels'"),
        ("  sobol:", "  grid: {sources.silver.count: [1]}\n  sobol:", "sobol together with grid"),
        ("sobol:", "morris:", "expected trajectories: N and over"),
    ],
)
def test_faults_are_errors_with_their_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    """The error is one line with the place."""
    assert old in SOBOL
    with pytest.raises(ScenarioError) as error:
        load_sweep(write(tmp_path, SOBOL.replace(old, new, 1)))
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("levels", [5, 9])
def test_odd_levels_are_refused(tmp_path: Path, levels: int) -> None:
    """Morris's steps span half of the levels."""
    with pytest.raises(ScenarioError, match=f"levels: found {levels}, expected an even number"):
        load_sweep(write(tmp_path, MORRIS.replace("levels: 6", f"levels: {levels}")))


def test_unknown_or_constant_outcomes_are_errors(ishigami_sweep: Path, tmp_path: Path) -> None:
    """Unknown or constant outcomes, and sweeps without a plan, give an error."""
    with pytest.raises(InputError, match="found no 'z', expected an outcome of the sweep"):
        sensitivity_of(ishigami_sweep, "z")
    with pytest.raises(ResultsError, match="same: found 3 in all runs"):
        sensitivity_of(ishigami_sweep, "same")
    with pytest.raises(ResultsError, match="found no readable sweep.json, expected the results of"):
        sensitivity_of(tmp_path, "y")
    plain = SOBOL.partition("parameters:")[0] + "parameters: {grid: {sources.gold.count: [1]}}\n"
    go(write(tmp_path, plain.replace("duration: 3 s", "")), tmp_path / "out")
    with pytest.raises(ResultsError, match="without a sampling plan, expected sobol"):
        sensitivity_of(tmp_path / "out", "y")
