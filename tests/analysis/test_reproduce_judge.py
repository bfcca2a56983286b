# SPDX-License-Identifier: Apache-2.0
"""Verdicts on claims."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from scipy.stats import t

import ecnomy.analysis.reproduce as package
from ecnomy.analysis.reproduce.catalogue import Claim, Finding, Tried
from ecnomy.analysis.reproduce.judge import judge
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.reproduce.wording import filled


def claim(**regions) -> Claim:
    """A claim that expects these figures."""
    return Claim(priority="core", says="so", expect=regions)


SAMPLE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
NONE = cast(Studies, None)  # where no setting is named
HALF = t.ppf(0.95, 4) * np.sqrt(2.5) / np.sqrt(5)  # of the 90 % interval about 3


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
    """A claim over several figures needs all of them; one outside is enough to refute."""
    samples = {"x.1": SAMPLE, "x.2": SAMPLE + 100, "x.3": SAMPLE + HALF}
    verdict = judge(claim(**{"x.*": (0, 3 + HALF + 1e-9)}), samples)
    assert verdict.verdict == "refuted"
    assert [f.verdict for f in verdict.figures] == ["confirmed", "refuted", "inconclusive"]


@pytest.mark.parametrize(
    "sample", [np.array([1.0, np.nan]), np.array([1.0, np.inf]), np.array([1.0]), np.array([])]
)
def test_missing_values_settle_nothing(sample) -> None:
    """A missing value, or a single seed, is no measurement."""
    assert judge(claim(x=(0, 2)), {"x": sample}).verdict == "inconclusive"


def test_figures_without_bounds_decide_nothing() -> None:
    """Beside one that has bounds, a figure that is only reported does not count."""
    bounds = claim(x=(0, 9), y=(None, None))
    assert judge(bounds, {"x": SAMPLE, "y": SAMPLE}).verdict == "confirmed"
    assert judge(bounds, {"x": SAMPLE + 100, "y": SAMPLE}).verdict == "refuted"


def test_absent_figure_is_told() -> None:
    """A pattern that no figure has is inconclusive under its own name."""
    verdict = judge(claim(**{"y.*": (0, 2)}), {"x": SAMPLE})
    assert (verdict.verdict, verdict.figures[0].name) == ("inconclusive", "y.*")


def test_exact_figure_has_no_interval() -> None:
    """A figure of theory is held against the region as it is, ends included."""
    assert judge(claim(x=(2, 2)), {"x": 2.0}).verdict == "confirmed"
    assert judge(claim(x=(2, 2)), {"x": np.nextafter(2, 3)}).verdict == "refuted"


def test_pending_is_not_judged() -> None:
    """A claim that waits for something is pending whatever was measured."""
    pending = Claim(priority="core", says="so", expect={"x": (0, 1)}, pending="no agents")
    assert judge(pending, {"x": SAMPLE}).verdict == "pending"


def test_controls_that_were_not_run_show_nothing() -> None:
    """A control's conclusion needs one of its figures at least; those there are, are put in."""
    shows = "it goes from {a} to {b}: gone"
    finding = Finding("because", (Tried("paced", shows),))
    assert (
        filled(finding, {"c": SAMPLE}, NONE)[0]
        == "because; tried: paced: not measured in this form"
    )
    text, controls = filled(finding, {"a": 2.0}, NONE)
    assert text.endswith("it goes from 2 to (not measured in this form): gone")
    assert set(controls) == {"a"}
    told = "see fig4"
    assert filled(Finding("because", (Tried("paced", told),)), {}, NONE)[0].endswith(told)


def test_only_judge_reads_regions() -> None:
    """No module but those that check and judge touches a claim's `expect`."""
    folder = Path(next(iter(package.__path__)))
    readers = set()
    for file in folder.rglob("*.py"):
        tree = ast.parse(file.read_text())
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if "expect" in names:
            readers.add(file.name)
    assert readers == {"judge.py", "catalogue.py"}
