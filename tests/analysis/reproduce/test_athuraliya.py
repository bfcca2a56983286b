# SPDX-License-Identifier: Apache-2.0
"""The computations of athuraliya2000's entries, with known numbers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.athuraliya2000.basic import Paths, dual, run_basic
from ecnomy.analysis.reproduce.athuraliya2000.fig2 import standard_errors
from ecnomy.analysis.reproduce.athuraliya2000.fig5 import theory_window
from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.laws import slope
from ecnomy.analysis.reproduce.athuraliya2000.measures import given, link_figures
from ecnomy.analysis.reproduce.athuraliya2000.periods import settling_s, trajectory
from ecnomy.analysis.reproduce.athuraliya2000.quadratic import optimum as quadratic_optimum
from ecnomy.analysis.reproduce.athuraliya2000.rem import (
    equal_windows,
    marking,
    path_marking,
    price,
    rate,
)
from ecnomy.analysis.reproduce.athuraliya2000.scaling import in_forms
from ecnomy.analysis.reproduce.athuraliya2000.stationary import settled_s
from ecnomy.analysis.reproduce.athuraliya2000.table2 import optimum
from ecnomy.analysis.reproduce.catalogue import FIGURES
from ecnomy.analysis.reproduce.cross.rem_wtp import advantage
from ecnomy.analysis.reproduce.grid import read_under, touched, variant_of
from ecnomy.analysis.reproduce.judge import interval_of, judge
from ecnomy.analysis.reproduce.papers import select
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.session import variants_in
from ecnomy.analysis.reproduce.studies import Form, Runs, Studies, changed_points, load_study
from ecnomy.analysis.reproduce.wording import filled
from ecnomy.markets.compile.make import make_plan
from kept_papers import paper_of
from tiers import full

PACKET_BITS = 8000.0  # of the packets in all studies
PS_PER_S = 1e12
PAPERS = ("athuraliya2000", "cross")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_study_of_a_paper_loads_in_both_forms(paper: str, tmp_path: Path) -> None:
    """Sweep files, scenarios and measures named in claims.yaml exist and load."""
    catalogue = paper_of(paper)
    for name in catalogue.studies:
        for quick in (False, True):
            sweep = load_study(catalogue, name, Form(tmp_path, quick))
            assert sweep.replicates >= 1


@full
def test_every_variant_makes_a_scenario_where_it_changes_a_point(tmp_path: Path) -> None:
    """Each alternative of each setting, applied to the first point it changes in each study."""
    selected = select("athuraliya2000")
    for paper, name, variant in variants_in(selected):
        sweep = load_study(paper, name, Form(tmp_path, quick=True), variant=variant)
        point = changed_points(sweep)[0]
        assert sweep.scenario_at(point.params, point.seed), (name, variant.name)


@pytest.mark.parametrize("paper", PAPERS)
def test_budgets_hold_what_links_can_carry(paper: str, tmp_path: Path) -> None:
    """Budgets lie between 0.6 and 1.3 times what shared links can carry in all runs."""
    catalogue = paper_of(paper)
    for name, study in catalogue.studies.items():
        sweep = load_study(catalogue, name, Form(tmp_path))
        carried = 0.0
        for point in sweep.points():
            if point.replicate == 0:
                plan = make_plan(sweep.scenario_at(point.params, point.seed))
                rates = [
                    link.rate_bps
                    for link in plan.links
                    if link.name.startswith(("bottleneck", "shared")) and "." not in link.name
                ]
                carried += sum(rates) / PACKET_BITS * plan.duration_ps / PS_PER_S
        most = carried * sweep.replicates
        assert 0.6 * most <= study.budget <= 1.3 * most, (name, most, study.budget)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_can_be_judged_or_says_why_not(paper: str) -> None:
    """A claim expects figures of its entry's module or is pending; findings belong to claims."""
    catalogue = paper_of(paper)
    for item, entry in catalogue.entries.items():
        for number, claim in entry.claims.items():
            assert bool(claim.expect) != bool(claim.pending), f"{item}.{number}"
            assert claim.pending or entry.module
    claims = {f"{i}.{n}" for i, entry in catalogue.entries.items() for n in entry.claims}
    assert set(catalogue.findings) <= claims


def test_marks_and_prices_are_inverse_and_multiply_along_a_path() -> None:
    """Eq. 2 to 4: the marks on a path follow from the sum of its prices."""
    prices = np.array([0.3, 1.0, 2.5])
    m = marking(prices, 1.4)
    assert m[1] == pytest.approx(1 - 1 / 1.4)
    assert price(m, 1.4) == pytest.approx(prices)
    assert path_marking(m) == pytest.approx(marking(prices.sum(), 1.4))
    assert rate(m, 1.4, 12) == pytest.approx(12 / prices)


def test_a_perfect_order_of_ten_has_a_rank_correlation_of_exactly_one() -> None:
    """Ten rising means give exactly 1 and ten falling ones -1, without rounding errors."""
    rising = {n: np.array([float(n), n + 0.5]) for n in range(10)}
    falling = {n: -sample for n, sample in rising.items()}
    for points, expected in ((rising, 1), (falling, -1)):
        correlation = rank_correlation(points)
        assert (correlation.low, correlation.mean, correlation.high) == (
            expected,
            expected,
            expected,
        )


def test_equal_windows_are_the_catalogues_28_45_packets() -> None:
    """The equal windows are c / sum 1/d, for 12 packets/ms and 7, 13, 11, 9 ms."""
    assert equal_windows(12, [7, 13, 11, 9]) == pytest.approx(28.45, abs=0.005)


def test_windows_of_figure_7_are_21_39_33_27() -> None:
    """Windows are (12 / 4) RTT, 85 % of it with PC1, and include 400 packets with PC2."""
    assert [theory_window("pc3", s, 4) for s in (1, 2, 3, 4)] == [21, 39, 33, 27]
    assert theory_window("pc1", 1, 4) == pytest.approx(0.85 * 21)
    assert theory_window("pc2", 1, 4) == pytest.approx(3 * (7 + 400 / 12))


def test_errors_in_the_round_trip_distort_the_optimum_as_in_table_2() -> None:
    """The theoretical windows printed for the last column, random2: 19.10, 32.74, 40.93, 27.29."""
    rates = optimum({1: 0, 2: -1, 3: 4, 4: 1})
    windows = [rates[s] * d for s, d in ((1, 7), (2, 13), (3, 11), (4, 9))]
    assert windows == pytest.approx([19.10, 32.74, 40.93, 27.29], abs=0.006)


def test_the_basic_algorithm_reaches_the_proportionally_fair_rates() -> None:
    """On two links with w = c, x0 is c/3, the other rates 2c/3, and both prices 3/2."""
    use = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    paths = Paths(use, np.full(2, 6.0), np.full(3, 6.0), 0.1, 12.0)
    ran = run_basic(paths, 20_000, 0.002)
    assert ran.rates[-1] == pytest.approx([2, 4, 4])
    assert ran.prices[-1] == pytest.approx([1.5, 1.5])
    assert dual(paths, ran.prices[-1]) < dual(paths, ran.prices[-1] * 1.1)


def test_a_source_that_is_not_active_sends_nothing_in_the_basic_algorithm() -> None:
    """The other source gets the whole link while one is inactive."""
    active = np.ones((4000, 2))
    active[2000:, 1] = 0
    paths = Paths(np.ones((1, 2)), np.array([6.0]), np.full(2, 6.0), 0.1, 12.0)
    ran = run_basic(paths, 4000, 0.005, delays=[7, 13], active=active)
    assert ran.rates[1999] == pytest.approx([3, 3], rel=1e-3)
    assert ran.rates[-1] == pytest.approx([6, 0], rel=1e-3)


def test_settling_is_when_nine_tenths_of_a_step_are_made() -> None:
    """An exponential with time constant 0.2 s reaches 90 % after 0.2 ln 10 s (+ 0.05 s of mean)."""
    at = np.arange(0, 8, 0.002)
    curve = np.where(at > 4, 3 - np.exp(-(at - 4) / 0.2), 2.0)
    assert settling_s(at, curve, 4.0) == pytest.approx(0.2 * math.log(10) + 0.05, abs=0.01)


def test_a_curve_has_settled_after_it_was_last_away_from_its_level() -> None:
    """A step from 0 to 1 at 1 s is within 10 % once its mean over 0.1 s contains 90 % ones."""
    at = np.arange(0, 4, 0.002)
    assert settled_s(at, np.where(at > 1, 1.0, 0.0), 1.0) == pytest.approx(1.09, abs=0.005)


def test_a_trajectory_is_zero_where_its_source_is_away() -> None:
    """S4 is active from 4 s to 6 s of 10 s: 16 of 80 points."""
    at = np.arange(0, 12, 0.01)
    assert sum(value > 0 for value in trajectory(at, np.ones_like(at), 4)) == 16


def test_loss_and_steadiness_of_a_link_from_counts() -> None:
    """Loss and steadiness follow from 2 drops and 3 marks of 40 arrivals."""
    found = link_figures(np.array([20.0, 20.0]), np.array([2.0, 1.0]), np.array([0.0, 2.0]))
    assert found["bottleneck.loss"] == pytest.approx(0.05)
    assert found["bottleneck.marked"] == pytest.approx(0.075)
    assert found["bottleneck.p_cv"] == pytest.approx(0.05 / math.sqrt(2) / 0.075)


def test_a_claim_reads_the_figures_of_a_form_that_was_measured_beside_the_chosen_one() -> None:
    """At 20 Mb/s figure 14 is judged by its figures there, without new runs."""
    catalogue = paper_of("athuraliya2000")
    variant = variant_of(catalogue, "capacity", "20 Mb/s")
    claim = read_under(catalogue.entries["fig14"].claims["c5"], variant)
    assert set(claim.expect) == {"loss.20Mbps.rem.n=*", "loss.20Mbps.rem_minus.*"}
    assert judge(claim, {"loss.45Mbps.rem.n=5": 0.0}).verdict == "inconclusive"
    samples = {"loss.20Mbps.rem.n=5": 0.0, "loss.20Mbps.rem_minus.red.n=5": -0.1}
    assert judge(claim, samples).verdict == "confirmed"
    assert touched(catalogue, catalogue.entries["fig14"].studies, variant) == ["transient"]


def test_every_form_that_settings_name_is_in_a_claim_of_an_entry_judged_over_it() -> None:
    """Parts of figure names that a setting replaces occur in a pattern of such an entry."""
    catalogue = paper_of("athuraliya2000")
    for name, setting in catalogue.settings.items():
        replaced = {part for also in setting.also.values() for part in also.get(FIGURES, {})}
        over = [entry for entry in catalogue.entries.values() if name in (entry.grid or ())]
        patterns = [p for e in over for c in e.claims.values() for p in c.expect]
        parts = {part for pattern in patterns for part in pattern.split(".")}
        assert replaced <= parts, name


def test_every_entry_says_over_what_it_is_judged() -> None:
    """Each entry with claims that can be judged declares a grid, even an empty one."""
    for item, entry in paper_of("athuraliya2000").entries.items():
        judged = any(not claim.pending for claim in entry.claims.values())
        assert entry.grid is not None or not judged, item


def test_figures_of_a_form_have_it_after_their_first_part() -> None:
    """`share_over_theory.n=3` of smoothed sources is `share_over_theory.smoothed.n=3`."""
    found = of_form("smoothed", {"share_over_theory.n=3": 1.0, "slope_of_share": 2.0})
    assert found == {"share_over_theory.smoothed.n=3": 1.0, "slope_of_share.smoothed": 2.0}


def test_forms_of_losses_follow_repair_and_buffer() -> None:
    """Repair with a buffer is `tcp`, no repair `surviving`, no buffer limit `unlimited`."""
    rem, link = "sources.rem.transport.repair", "network.links.bottleneck.buffer"
    tcp = pd.DataFrame({rem: ["True"], link: ["50 packets"], "run": [1]})
    others = pd.DataFrame(
        {rem: ["False", "True"], link: ["50 packets", "unlimited"], "run": [2, 3]}
    )
    forms = in_forms(*(Runs(frame, batches=False, budget=1.0) for frame in (tcp, others)))
    runs = {form: own.frame["run"].tolist() for form, own in forms.items()}
    assert runs == {"tcp": [1], "surviving": [2], "unlimited": [3]}


def test_reasons_of_section_7_speak_of_the_runs_they_are_printed_with(tmp_path: Path) -> None:
    """At 20 Mbps the reason has the product of 300 packets, and no figures of 45 Mbps."""
    catalogue = paper_of("athuraliya2000")
    sweep = load_study(catalogue, "fig14-capacities", Form(tmp_path))
    point = sweep.points()[0]
    of_plan = given(make_plan(sweep.scenario_at(point.params, point.seed)))
    assert of_plan["bottleneck.product_packets"] == pytest.approx(300)
    assert of_plan["bottleneck.buffer_packets"] == 100
    product = of_plan["bottleneck.product_packets"]
    studies = Studies(catalogue, ["fig14-capacities"], Form(tmp_path))
    samples = {"given.20Mbps.product_packets": product}
    text, _ = filled(catalogue.findings["fig14.c1"], samples, studies)
    assert "20 Mb/s: 300 packets" in text
    assert "45 Mb/s: not measured in this form" in text
    known = "the recorded cause applies to runs with given.45Mbps"
    assert text.startswith(f"cause unknown: {known}")
    for number in ("675", "450"):
        assert number not in text


def test_standard_errors_are_those_of_a_binomial_share() -> None:
    """0.55 of 100 packets is one standard error of 0.05 above 0.5."""
    assert standard_errors(0.55, 0.5, 100) == pytest.approx(1.0)


def test_slope_and_rank_of_a_curve() -> None:
    """A line has its slope in each seed; a constant has no rank."""
    points = {10: np.array([1.0, 5.0]), 20: np.array([2.0, 3.0]), 30: np.array([3.0, 1.0])}
    assert slope(points) == pytest.approx([0.1, -0.2])
    assert interval_of(rank_correlation({n: np.array([1.0]) for n in (1, 2, 3)})) is None
    assert rank_correlation({n: np.array([n * n]) for n in (1, 2, 3)}).mean == 1


def test_quadratic_sources_share_as_their_optimum_says() -> None:
    """Quadratic sources share as their optimum does: 12 - 3 p + 8 - p = 12 at p = 2."""
    rates, at_price = quadratic_optimum()
    assert (rates["s1"], rates["s2"], at_price) == (6, 6, 2)


def test_wtp_outdoes_rem_the_more_the_more_is_marked() -> None:
    """-ln(1 - m) / m is 1.05 at 0.1 and 2.56 at 0.9."""
    assert advantage([0.1, 0.9]) == pytest.approx([1.0536, 2.5584], abs=1e-4)
