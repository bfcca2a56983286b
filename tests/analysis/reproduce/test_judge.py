# SPDX-License-Identifier: Apache-2.0
"""Verdicts on claims, computed from their figures."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from scipy.stats import t

import ecnomy.analysis.reproduce as package
from ecnomy.analysis.reproduce.catalogue import Claim, ClaimReason, Control, ControlledRun
from ecnomy.analysis.reproduce.judge import (
    At,
    contradicted,
    deciding,
    holm,
    judge,
    over_grid,
    settled,
)
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.reproduce.wording import filled, grid_text
from ecnomy.analysis.statistics.intervals import Interval, bootstrap, p_beyond


def claim(**regions) -> Claim:
    """A claim that expects these figures."""
    return Claim(priority="core", says="so", expect=regions)


SAMPLE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
NONE = cast(Studies, None)  # if no setting is named
HALF = t.ppf(0.95, 4) * np.sqrt(2.5) / np.sqrt(5)  # half the 90 % interval about 3


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (3 - HALF - 1e-9, 3 + HALF + 1e-9, "confirmed"),
        (3 - HALF + 1e-9, 3 + HALF + 1e-9, "inconclusive"),
        (3 - HALF - 1e-9, 3 + HALF - 1e-9, "inconclusive"),
        (3 + HALF + 1e-9, 9, "refuted"),
        (None, 3 - HALF - 1e-9, "refuted"),
        (3 - HALF - 1e-9, None, "confirmed"),
        (None, None, "reported"),
    ],
)
def test_interval_against_region(low, high, expected) -> None:
    """Inside, outside or straddling is decided by the ends of the t interval."""
    assert judge(claim(x=(low, high)), {"x": SAMPLE}).verdict == expected


def test_one_refuted_figure_refutes() -> None:
    """A claim over several figures needs all of them; a single one outside refutes it."""
    samples = {"x.1": SAMPLE, "x.2": SAMPLE + 100, "x.3": SAMPLE + HALF}
    verdict = judge(claim(**{"x.*": (0, 3 + HALF + 1e-9)}), samples)
    assert verdict.verdict == "refuted"
    assert [f.verdict for f in verdict.figures] == ["confirmed", "refuted", "inconclusive"]


@pytest.mark.parametrize(
    "sample", [np.array([1.0, np.nan]), np.array([1.0, np.inf]), np.array([1.0]), np.array([])]
)
def test_missing_values_settle_nothing(sample) -> None:
    """A missing value or a single seed does not count as a measurement."""
    assert judge(claim(x=(0, 2)), {"x": sample}).verdict == "inconclusive"


def test_figures_without_bounds_decide_nothing() -> None:
    """A figure without bounds is only reported, and does not affect the verdict."""
    bounds = claim(x=(0, 9), y=(None, None))
    assert judge(bounds, {"x": SAMPLE, "y": SAMPLE}).verdict == "confirmed"
    assert judge(bounds, {"x": SAMPLE + 100, "y": SAMPLE}).verdict == "refuted"


def test_absent_figure_is_inconclusive() -> None:
    """A pattern without a figure is inconclusive under its own name."""
    verdict = judge(claim(**{"y.*": (0, 2)}), {"x": SAMPLE})
    assert (verdict.verdict, verdict.figures[0].name) == ("inconclusive", "y.*")


def test_exact_figure_has_no_interval() -> None:
    """A theoretical figure is compared directly with the region, including its ends."""
    assert judge(claim(x=(2, 2)), {"x": 2.0}).verdict == "confirmed"
    assert judge(claim(x=(2, 2)), {"x": np.nextafter(2, 3)}).verdict == "refuted"


def test_pending_is_not_judged() -> None:
    """A claim with a `pending` reason stays pending, whatever was measured."""
    pending = Claim(priority="core", says="so", expect={"x": (0, 1)}, pending="no agents")
    assert judge(pending, {"x": SAMPLE}).verdict == "pending"


def test_controls_that_were_not_run_show_nothing() -> None:
    """A control's conclusion needs at least one of its figures; the available ones are inserted."""
    shows = "it goes from {a} to {b}: gone"
    finding = ClaimReason("because", (ControlledRun("paced", shows),))
    assert (
        filled(finding, {"c": SAMPLE}, NONE)[0]
        == "because; tried: paced: not measured in this form"
    )
    text, controls = filled(finding, {"a": 2.0}, NONE)
    assert text.endswith("it goes from 2 to (not measured in this form): gone")
    assert set(controls) == {"a"}
    shows = "see fig4"
    assert filled(ClaimReason("because", (ControlledRun("paced", shows),)), {}, NONE)[0].endswith(
        shows
    )


def above(p: float, n: int = 5) -> np.ndarray:
    """Values whose mean lies above 0 with this p-value, one-sided."""
    spread = np.linspace(-1, 1, n)
    error = spread.std(ddof=1) / np.sqrt(n)
    return np.asarray(spread + t.ppf(1 - p, n - 1) * error)


def test_holm_against_its_definition() -> None:
    """Stepping down stops at the first p-value above alpha / (number of remaining p-values)."""
    assert holm([0.01, 0.04, 0.03]) == [True, False, False]
    assert holm([0.01, 0.04, 0.02]) == [True, True, True]
    assert holm([0.06]) == [False] and holm([0.05]) == [True] and holm([]) == []


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ((0.04,), "refuted"),
        ((0.04, 0.5), "inconclusive"),
        ((0.024, 0.5), "refuted"),
        ((0.024, 0.5, 0.5), "inconclusive"),
        ((0.016, 0.024, 0.5), "refuted"),
    ],
)
def test_refuting_is_corrected_over_figures(p_values, expected) -> None:
    """One of many figures outside by chance does not refute, but one far outside does."""
    samples = {f"x.{i}": above(p) for i, p in enumerate(p_values)}
    assert judge(claim(**{"x.*": (-9, 0)}), samples).verdict == expected


def test_holm_marks_the_figures_that_it_rejects() -> None:
    """The figure that refutes is distinguished from those outside by chance."""
    samples = {"x.a": above(0.001), "x.b": above(0.045), "x.c": above(0.4)}
    figures = judge(claim(**{"x.*": (-9, 0)}), samples).figures
    assert [f.verdict for f in figures] == ["refuted", "inconclusive", "inconclusive"]
    assert [f.p for f in figures] == pytest.approx([0.001, 0.045, 0.4])


def test_confirming_needs_no_correction() -> None:
    """Fifty figures whose 90 % intervals are inside confirm, because all of them must be."""
    samples = {f"x.{i}": above(0.95) for i in range(50)}
    inside = claim(**{"x.*": (-9, 1e-9)})
    assert judge(inside, samples).verdict == "confirmed"
    assert judge(inside, samples | {"x.50": above(0.94)}).verdict == "inconclusive"


def test_single_values_are_not_corrected() -> None:
    """A count outside refutes by itself and does not enlarge the correction of the others."""
    alone = {"x.a": above(0.04), "x.b": -1.0, "x.c": -1.0}
    assert judge(claim(**{"x.*": (-9, 0)}), alone).verdict == "refuted"
    assert [f.p for f in judge(claim(**{"x.*": (-9, 0)}), alone).figures][1:] == [None, None]
    assert judge(claim(**{"x.*": (-9, 0)}), {"x.a": above(0.5), "x.b": 1e-9}).verdict == "refuted"


def test_bootstraps_are_corrected_by_their_draws() -> None:
    """A bootstrap outside in 3 % of its draws refutes alone, not as one of two."""
    rng = np.random.default_rng(3)
    drawn = bootstrap(lambda rows: rows[0].mean(axis=-1), [rng.normal(size=200)])
    high = float(np.quantile(drawn.draws, 0.03))
    assert p_beyond(drawn, -9, high) == pytest.approx(0.03, abs=0.001)
    assert judge(claim(x=(-9, high)), {"x": drawn}).verdict == "refuted"
    two = {"x.a": drawn, "x.b": above(0.5)}
    assert judge(claim(**{"x.a": (-9, high), "x.b": (-9, 9)}), two).verdict == "inconclusive"


def test_intervals_without_draws_are_held_to_five_percent() -> None:
    """For an interval without draws, p is 5 % outside and 1 elsewhere."""
    other = Interval(3.0, 2.0, 4.0, 0.9, 9)
    assert judge(claim(x=(0, 1)), {"x": other}).verdict == "refuted"
    assert judge(claim(**{"x.*": (0, 1)}), {"x.a": other, "x.b": 0.5}).verdict == "refuted"
    held = {"x.a": other, "x.b": np.array([0.4, 0.5, 0.6])}
    assert judge(claim(**{"x.*": (0, 1)}), held).verdict == "inconclusive"


def test_a_region_of_one_point_has_two_sides() -> None:
    """Against an exact value p counts both ways: 4 % one-sided is 8 %."""
    assert judge(claim(x=(0, 0)), {"x": above(0.04)}).verdict == "inconclusive"
    assert judge(claim(x=(0, 0)), {"x": above(0.02)}).verdict == "refuted"
    assert judge(claim(x=(0, 0)), {"x": np.zeros(4)}).verdict == "confirmed"
    assert judge(claim(x=(0, 0)), {"x": np.ones(4)}).verdict == "refuted"


CONTROLLED = Claim(
    priority="core",
    says="so",
    expect={"x": (0, 9)},
    control=Control(says="nothing regulated", expect={"control.x": (0, 9)}),
)


@pytest.mark.parametrize(
    ("control", "expected", "how"),
    [
        (SAMPLE + 100, "confirmed", ""),
        (SAMPLE, "inconclusive", "holds in its control too (nothing regulated)"),
        (SAMPLE + 5, "inconclusive", "is undecided in its control too"),
        (np.array([]), "inconclusive", "is undecided in its control too"),
    ],
)
def test_a_claim_must_fail_in_its_control(control, expected, how) -> None:
    """A claim that holds in its control, or is not known to fail there, is not confirmed."""
    verdict = judge(CONTROLLED, {"x": SAMPLE, "control.x": control})
    assert verdict.verdict == expected
    assert how in verdict.note and bool(verdict.note) == bool(how)


def test_what_refutes_needs_no_control() -> None:
    """A refuted claim stays refuted, whatever its control shows."""
    verdict = judge(CONTROLLED, {"x": SAMPLE + 100, "control.x": SAMPLE})
    assert (verdict.verdict, verdict.note) == ("refuted", "")


def test_not_testable_is_measured_and_not_judged() -> None:
    """Figures of a claim that cannot be tested are shown, with that verdict."""
    no_figure = Claim(priority="core", says="so", expect={"x": (None, None)}, not_testable="none")
    verdict = judge(no_figure, {"x": SAMPLE + 100})
    assert verdict.verdict == "not testable"
    assert verdict.figures[0].measured is not None


@pytest.mark.parametrize(
    ("alone", "grid", "expected"),
    [
        ("confirmed", [], ("confirmed", ())),
        ("confirmed", [("a", "confirmed"), ("b", "confirmed")], ("confirmed", ())),
        ("refuted", [("a", "refuted")], ("refuted", ())),
        ("confirmed", [("a", "refuted"), ("b", "confirmed")], ("depends", ("a",))),
        ("refuted", [("a", "confirmed"), ("a", "refuted")], ("depends", ("a",))),
        ("confirmed", [("a", "refuted"), ("b", "refuted")], ("depends", ("a", "b"))),
        ("confirmed", [("a", "refuted"), ("b", "inconclusive")], ("depends", ("a",))),
        ("inconclusive", [("a", "refuted"), ("b", "confirmed")], ("depends", ("a", "b"))),
        ("confirmed", [("a", "inconclusive")], ("inconclusive", ())),
        ("inconclusive", [("a", "confirmed")], ("inconclusive", ())),
        ("reported", [("a", "reported")], ("reported", ())),
    ],
)
def test_over_a_grid(alone, grid, expected) -> None:
    """Either all agree, or two are opposite and name their setting, or some are undecided."""
    assert settled(alone, grid) == expected


def test_what_flips_a_verdict_is_named() -> None:
    """The reason has the alternative and its deciding figure with the interval."""
    bounds = claim(x=(0, 9), y=(0, 9))
    chosen = judge(bounds, {"x": SAMPLE, "y": SAMPLE})
    other = judge(bounds, {"x": SAMPLE, "y": SAMPLE + 100})
    undecided = judge(bounds, {"x": SAMPLE + 5, "y": SAMPLE})
    found = over_grid(chosen, [At("timeout", "1 s", other), At("files", "long", undecided)])
    assert (found.words, found.alone) == ("depends on timeout", "confirmed")
    text = grid_text(found)
    assert "refuted with timeout 1 s (y 103 [" in text and "expected 0 to 9" in text
    assert "inconclusive with files long (x 8 [" in text
    back = over_grid(other, [At("timeout", "0.2 s", chosen)])
    assert "confirmed with timeout 0.2 s (y 3 [" in grid_text(back)
    left_open = over_grid(chosen, [At("timeout", "1 s", chosen), At("files", "long", undecided)])
    assert left_open.words == "confirmed as chosen; 1 of 2 alternatives agree, files is open"
    assert deciding(chosen) is None
    assert grid_text(over_grid(chosen, [At("timeout", "1 s", chosen)])) == ""


def test_a_cause_applies_to_its_own_runs_only() -> None:
    """The cause is omitted if a figure differs from the one for which it was found."""
    finding = ClaimReason("the link runs empty", when={"use": (None, 0.9)})
    assert contradicted(finding, {"use": 0.8}) is None
    assert filled(finding, {"use": 0.8}, NONE)[0] == "the link runs empty"
    cause = filled(finding, {"use": 0.99}, NONE)[0]
    known = "the recorded cause applies to runs with use <= 0.9"
    assert cause == f"cause unknown: {known}, but here it is 0.99"
    assert filled(finding, {}, NONE)[0].startswith("cause unknown")


def test_settings_in_a_cause_are_those_of_the_runs() -> None:
    """`{study@path}` gives the runs' setting, so 45 never appears for 20."""

    class At20:
        def setting(self, study: str, path: str) -> str:
            assert (study, path) == ("fig14", "network.links.bottleneck.rate")
            return "20 Mbps"

    finding = ClaimReason("at {fig14@network.links.bottleneck.rate} it is empty")
    assert filled(finding, {}, cast(Studies, At20()))[0] == "at 20 Mbps it is empty"


def test_only_judge_reads_regions() -> None:
    """Only the modules that check and judge use a claim's `expect`."""
    folder = Path(next(iter(package.__path__)))
    readers = set()
    for file in folder.rglob("*.py"):
        tree = ast.parse(file.read_text())
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if "expect" in names:
            readers.add(file.name)
    assert readers == {"judge.py", "catalogue.py", "papers.py"}
