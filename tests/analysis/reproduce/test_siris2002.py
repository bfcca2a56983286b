# SPDX-License-Identifier: Apache-2.0
"""siris2002's entries: the catalogue, and the computation of figures from runs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.entries import code_of
from ecnomy.analysis.reproduce.judge import interval_of
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.siris2002 import curves, fig3, fluid_stability, ratios, table2
from ecnomy.analysis.reproduce.siris2002.fig7 import predicted
from ecnomy.analysis.reproduce.siris2002.fig11 import log_slope
from ecnomy.analysis.reproduce.siris2002.responses import reached_s
from ecnomy.analysis.reproduce.studies import Form, Runs, load_study
from ecnomy.markets.compile.make import make_plan
from kept_papers import paper_of
from tiers import full

PAPER = paper_of("siris2002")
FASTEST_PPS = 1250.0  # 10 Mbps of 1000-byte packets


def runs_of(columns: dict[str, list[float]]) -> Runs:
    """Runs from columns; missing replicates are numbered."""
    frame = pd.DataFrame(columns)
    if "replicate" not in frame:
        frame["replicate"] = range(len(frame))
    return Runs(frame, batches=False, budget=1)


@pytest.mark.parametrize("study", PAPER.studies)
@pytest.mark.parametrize("quick", [False, True])
def test_studies_load(study: str, quick: bool, tmp_path) -> None:
    """Every sweep loads in both forms, and the quick form is smaller."""
    sweep = load_study(PAPER, study, Form(tmp_path, quick))
    assert 1 <= len(sweep) <= len(load_study(PAPER, study, Form(tmp_path)))


@pytest.mark.parametrize("study", ["fig3", "fig4", "fig8", "fig9", "table2", "fig1"])
def test_budgets_hold_the_link(study: str, tmp_path) -> None:
    """Budgets lie between 0.6 and 1.3 times what one link can carry in all runs."""
    sweep = load_study(PAPER, study, Form(tmp_path))
    point = sweep.points()[0]
    seconds = make_plan(sweep.scenario_at(point.params, point.seed)).duration_ps / 1e12
    most = len(sweep) * seconds * FASTEST_PPS
    assert 0.6 * most <= PAPER.studies[study].budget <= 1.3 * most


def test_entries_name_what_exists() -> None:
    """Each entry has a module with figures, and each finding belongs to an existing claim."""
    for entry in PAPER.entries.values():
        assert callable(code_of(PAPER, entry).figures)
    for name in PAPER.findings:
        item, _, claim = name.partition(".")
        assert claim in PAPER.entries[item].claims, name


def test_jackknife_of_a_mean_is_the_mean() -> None:
    """Pseudo-values of a linear statistic are the batches themselves."""
    load = np.array([[0.7, 0.8, 0.9], [0.8, 0.9, 1.0]])
    curve = curves.MarkingCurve((2, 4), load, load / 2)
    estimates = curves.pseudo_values(lambda load, p: float(load[0]), curve)
    np.testing.assert_allclose(estimates, load[0])


def test_line_through_exact_points() -> None:
    """Slope, onset and R squared of points on p = 2 (load - 0.7), without those at p <= 0.01."""
    load = np.array([0.5, 0.7, 0.8, 0.85, 0.95])
    p = np.maximum(2 * (load - 0.7), 0)
    assert curves.slope(load, p) == pytest.approx(2)
    assert curves.onset(load, p) == pytest.approx(0.7)
    assert curves.r_squared(load, p) == pytest.approx(1)
    assert curves.load_at(0.4)(load, p) == pytest.approx(0.9)
    assert math.isnan(curves.load_at(0.6)(load, p))
    assert math.isnan(curves.slope_between(0.9, 1)(load, p))


def test_spread_and_least_go_by_means() -> None:
    """The extremes are chosen by mean over seeds, not seed by seed."""
    low, high = np.array([1.0, 3.0]), np.array([2.0, 2.2])
    np.testing.assert_allclose(ratios.spread([low, high]), [1 / 1.5, -0.8 / 2.6])
    assert ratios.least_of(high, low) is low


@pytest.mark.parametrize("count", range(2, 11))
def test_perfect_order_is_exactly_one(count: int) -> None:
    """Rounding never brings a perfect rank correlation below 1 or a reversed one above -1."""
    rising = {float(r): np.array([1.1 * r, 1.1 * r]) for r in range(1, count + 1)}
    assert rank_correlation(rising).mean == 1
    assert rank_correlation({-r: value for r, value in rising.items()}).mean == -1


def test_ratios_by_unit() -> None:
    """r is the weight over the unit; ratios pair equal seeds."""
    runs = runs_of(
        {
            ratios.LONG: [1.5, 1.5, 3.0, 3.0],
            "replicate": [0, 1, 0, 1],
            "long.goodput_bps": [2.0, 4.0, 6.0, 9.0],
            "short.goodput_bps": [2.0, 2.0, 2.0, 3.0],
        }
    )
    by_r = ratios.long_over_short(runs, unit=1.5)
    assert list(by_r) == [1.0, 2.0]
    np.testing.assert_allclose(by_r[1.0], [1, 2])
    np.testing.assert_allclose(by_r[2.0], [3, 3])


def test_prediction_of_three_groups() -> None:
    """The prediction is r T12 p12 / (T13 (p12 + p23)) in a case worked by hand."""
    runs = runs_of(
        {
            ratios.LONG: [4.0],
            "first.marking_probability": [0.02],
            "second.marking_probability": [0.06],
        }
    )
    assert predicted(runs, 2 / 3)[4.0][0] == pytest.approx(4 * 2 / 3 / 4)


def test_power_of_p() -> None:
    """Throughput p^-0.5 gives a slope of -0.5 for each seed."""
    p = np.array([0.01, 0.01, 0.04, 0.04])
    runs = runs_of(
        {
            "sources.light.transport.flows": [1.0] * 4,
            "sources.heavy.transport.flows": [1.0] * 4,
            "sources.light.count": [2.0, 2.0, 8.0, 8.0],
            "replicate": [0, 1, 0, 1],
            "light.goodput_bps": (p**-0.5).tolist(),
            "bottleneck.marking_probability": p.tolist(),
        }
    )
    np.testing.assert_allclose(log_slope(runs, "flows")[0], [-0.5, -0.5])


def test_response_is_the_first_time_there() -> None:
    """The response time is the first sample with 0.9 of the mean of the last half."""
    times, p = np.arange(10.0), np.array([0.0, 0.5, 0.89, 0.95, 1, 1, 1, 1, 1, 1])
    assert reached_s(times, p) == 3.0


@full
def test_fluid_figures_are_exact() -> None:
    """Figures of theory are single finite values, and the onset of oscillation lies between."""
    figures = fluid_stability.figures(None)  # type: ignore[arg-type]
    assert all(math.isfinite(float(value)) for value in figures.values())
    assert all(interval_of(value) is not None for value in figures.values())
    assert figures["linear.crossings.0.3"] == 0 < figures["linear.crossings.0.4"]


class Given(dict[str, Runs]):
    """Studies made from given runs."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the studies."""
        return tuple(self)


CONTROLS = ("sources.light.transport.gain", "sources.light.transport.send")
LAWS = {
    "red": '{"law":"red","min_threshold":"5 packets","max_threshold":"15 packets"}',
    "red 3": '{"law":"red","min_threshold":"3 packets","max_threshold":"9 packets"}',
    "vq": '{"law":"virtual-queue"}',
    "lb": '{"law":"load-based"}',
}


def test_figure_3_holds_a_ratio_of_six_to_the_narrower_region() -> None:
    """r = 6 is small, 7 is large; means of all r from 6, and the interval at 10, are compared."""
    ratios_of = ("goodput_bps", "mean_cwnd", "marks_per_s", "sent_cv", "marking_rate")
    heavy = [f"heavy.{name}" for name in ratios_of]
    rows = [
        {
            "network.links.bottleneck.marking": LAWS[law],
            "sources.heavy.transport.weight": float(r),
            "replicate": replicate,
            "bottleneck.marks_dispersion": 1.0,
            **{f"light.{name}": 1.0 for name in ratios_of},
            **dict.fromkeys(heavy, r * (1.1 if law == "vq" else 1.0) * (1 + 0.01 * replicate)),
        }
        for law in ("red", "vq", "lb")
        for r in (5, 6, 7, 10)
        for replicate in (0, 1)
    ]
    runs = Runs(pd.DataFrame(rows), batches=False, budget=1)
    figures = fig3.figures(Given(fig3=runs))  # type: ignore[arg-type]
    sizes = {name for name in figures if name.startswith("ratio_over_r.")}
    assert sizes == {
        f"ratio_over_r.{size}.{law}.r={r}"
        for law in ("red", "lb")
        for size, r in (("small", 5), ("small", 6), ("large", 7), ("large", 10))
    }
    assert figures["mean.vq_minus.red.r=6"] == pytest.approx(0.6 * 1.005)
    assert figures["mean.vq_minus.lb.r=7"] == pytest.approx(0.7 * 1.005)
    assert {name for name in figures if "vq_minus.red" in name} == {
        "mean.vq_minus.red.r=6",
        "mean.vq_minus.red.r=7",
        "vq_minus.red.r=10",
    }


def test_table_2_measures_no_row_that_is_not_near_its_load() -> None:
    """A row at a load of 0.93 is NaN, and so are comparisons with it; any_load. has its value."""
    loads = {"red": 0.905, "red 3": 0.93, "vq": 0.895, "lb": 0.9}
    rows = [
        {
            "network.links.bottleneck.marking": LAWS[law],
            "sources.light.count": 8.0,
            "replicate": replicate,
            "bottleneck.utilization": load,
            "bottleneck.marking_probability": 0.2,
            "bottleneck.mean_queue_packets": 20.0,
            **{f"wait.{part}_s": 0.001 for part in ("mean", "max", "std")},
        }
        for law, load in loads.items()
        for replicate in (0, 1)
    ]
    columns = ["network.links.bottleneck.marking", *CONTROLS]
    none = Runs(pd.DataFrame(columns=columns), batches=True, budget=1)
    runs = Runs(pd.DataFrame(rows), batches=False, budget=1)
    cells = table2.figures(Given({"table2": runs, "curve-controls": none}))  # type: ignore[arg-type]
    assert np.isnan(cells["mean_ms.red_3_9"]).all()
    assert np.isnan(cells["order.mean.lb_minus_red_3_9"]).all()
    assert cells["order.mean.vq_minus_lb"] == pytest.approx([0, 0])
    assert cells["any_load.mean_ms.red_3_9"] == pytest.approx([1, 1])
