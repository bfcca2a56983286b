# SPDX-License-Identifier: Apache-2.0
"""REM in equilibrium: each value that Athuraliya, Low 2000 prints or implies.

Rates are in packets/ms, round trips in ms.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import FlowProblem, LogUtility, RemEquilibrium

RTTS = (7, 13, 11, 9)  # S1 to S4, ms


def one_link(flows: int, capacity: float, weight: float | np.ndarray) -> FlowProblem:
    """The paper's single link, with rates between 0.1 packet/ms and twice the capacity."""
    routes = ((0,),) * flows
    return FlowProblem(routes, (capacity,), LogUtility(weight), 0.1, 2 * capacity)


def row(links: int, long_weight: float, phi: float) -> RemEquilibrium:
    """Fig. 2b: a long connection over all links, a short one over each; c = 12, w = 12."""
    routes = (tuple(range(links)), *((i,) for i in range(links)))
    weights = np.array([long_weight] + [12.0] * links)
    problem = FlowProblem(routes, (12.0,) * links, LogUtility(weights), 0.1, 24.0)
    return theory.rem_equilibrium(problem, [2 * links + 3] + [7] * links, phi=phi)


@pytest.mark.parametrize(("flows", "marking"), [(2, 0.490), (3, 0.636), (4, 0.740)])
def test_windows_and_marking_of_figures_5_to_7(flows: int, marking: float) -> None:
    """p* is the number of sources, windows are (12 / n) RTT: 21, 39, 33 and 27 with four."""
    got = theory.rem_equilibrium(one_link(flows, 12, 12), RTTS[:flows], phi=1.4)
    assert got.prices == pytest.approx([flows], rel=1e-9)
    assert got.link_marking == pytest.approx([marking], abs=5e-4)
    assert got.path_marking == pytest.approx([float(got.link_marking[0])] * flows)
    assert got.windows == pytest.approx([12 / flows * rtt for rtt in RTTS[:flows]], rel=1e-9)
    if flows == 4:
        assert np.round(got.windows).tolist() == [21, 39, 33, 27]


@pytest.mark.parametrize("flows", [2, 3, 4])
def test_backlogs_of_the_three_price_rules(flows: int) -> None:
    """PC1 at 85 % has p* = n / 0.85 and no backlog, PC2 p* / gamma = 100 n, PC3 its b0."""
    problem, rtts = one_link(flows, 12, 12), RTTS[:flows]
    pc1 = theory.rem_equilibrium(problem, rtts, phi=1.4, rule="pc1", capacity_share=0.85)
    assert pc1.prices == pytest.approx([flows / 0.85])
    assert (pc1.loads[0], pc1.backlogs[0]) == (pytest.approx(0.85), 0)
    pc2 = theory.rem_equilibrium(problem, rtts, phi=1.4, rule="pc2", gamma=0.01)
    assert pc2.backlogs == pytest.approx([100 * flows])
    exact = theory.rem_equilibrium(problem, rtts, phi=1.4, rule="pc1", gamma=0.01)
    assert exact.backlogs == pytest.approx(pc2.backlogs.tolist())
    pc3 = theory.rem_equilibrium(problem, rtts, phi=1.4, target_backlog=20)
    assert (pc3.backlogs[0], pc3.loads[0]) == (20, pytest.approx(1))


def test_backlogs_fill_windows_only_with_queueing() -> None:
    """With `queueing` PC2's windows are x (RTT + b / c): 400 more packets over all sources."""
    settings = {"phi": 1.4, "rule": "pc2", "gamma": 0.01}
    without = theory.rem_equilibrium(one_link(4, 12, 12), RTTS, **settings)
    with_queue = theory.rem_equilibrium(one_link(4, 12, 12), RTTS, queueing=True, **settings)
    assert without.windows.sum() == pytest.approx(120)
    assert with_queue.windows.sum() == pytest.approx(120 + 400)


def test_equal_windows_of_figure_8a() -> None:
    """w = c / (d sum 1/d) makes all windows 28.45 with p* = 1; fewer sources share higher ones."""
    delays = np.array([7.0, 9.0, 11.0, 13.0])
    weights = 12 / (delays * (1 / delays).sum())
    assert weights == pytest.approx([4.064, 3.161, 2.586, 2.188], abs=5e-4)
    for active in (4, 3, 2):
        problem = one_link(active, 12, weights[:active])
        got = theory.rem_equilibrium(problem, delays[:active].tolist(), phi=1.4)
        common = 12 / (1 / delays[:active]).sum()
        assert got.windows == pytest.approx([common] * active)
        if active == 4:
            assert common == pytest.approx(28.45, abs=5e-3)
            assert got.prices == pytest.approx([1])


@pytest.mark.parametrize("links", range(1, 11))
def test_proportional_shares_of_figure_8b(links: int) -> None:
    """The long connection's share of every link is 1 / (n + 1)."""
    got = row(links, 12.0, 1.4)
    share = got.rates[0] / (got.rates[0] + got.rates[1:])
    assert share == pytest.approx([1 / (links + 1)] * links, rel=1e-9)
    if links == 10:
        assert got.path_marking[0] == pytest.approx(0.975, abs=5e-4)


def test_scaling_of_figures_9_to_11() -> None:
    """Rates, prices and markings scale when load, capacity and delay grow tenfold."""
    for n in range(10, 101, 10):
        got = theory.rem_equilibrium(one_link(n, 25, 12.5), [10] * n, phi=1.05)
        assert got.rates == pytest.approx([25 / n] * n)
        assert got.prices == pytest.approx([n / 2])
        if n in (10, 100):
            expected = {10: 0.216, 100: 0.913}[n]
            assert got.link_marking == pytest.approx([expected], abs=5e-4)
    for c in range(10, 101, 10):
        got = theory.rem_equilibrium(one_link(20, c, 12.5), [10] * 20, phi=1.1)
        assert got.rates == pytest.approx([c / 20] * 20)
        assert got.prices == pytest.approx([250 / c])
        if c in (10, 100):
            expected = {10: 0.908, 100: 0.212}[c]
            assert got.link_marking == pytest.approx([expected], abs=5e-4)
    for delay in range(10, 101, 10):
        got = theory.rem_equilibrium(one_link(20, 20, 12.5), [delay] * 20, phi=1.1)
        assert got.windows == pytest.approx([delay] * 20)
        assert got.link_marking == pytest.approx([0.696], abs=5e-4)


@pytest.mark.parametrize("links", [1, 6, 10])
def test_maxmin_shares_of_figure_12(links: int) -> None:
    """With w_0 = n w_1, the long connection has half of every link."""
    got = row(links, 12.0 * links, 1.1)
    assert got.rates == pytest.approx([6.0] * (links + 1))
    assert got.loads == pytest.approx([1.0] * links)


def test_twenty_links_of_figure_13() -> None:
    """The share 1/21, and the printed range of markings: 0.1972 short, 0.9876 long."""
    got = row(20, 12.0, 1.2327)
    assert got.rates[0] / (got.rates[0] + got.rates[1:]) == pytest.approx([1 / 21] * 20)
    assert got.path_marking[1:] == pytest.approx([0.1972] * 20, abs=5e-5)
    assert got.path_marking[0] == pytest.approx(0.9876, abs=5e-5)
    assert got.windows[0] < got.windows[1:].min() / 2


@pytest.mark.parametrize(
    ("errors_ms", "windows"),
    [
        ((-1, -1, -1, -1), (20.12, 40.24, 33.54, 26.83)),
        ((0, 0, 0, 0), (21, 39, 33, 27)),
        ((1, 1, 1, 1), (21.71, 37.99, 32.57, 27.14)),
        ((2, 2, 2, 2), (22.30, 37.16, 32.21, 27.25)),
        ((3, 3, 3, 3), (22.79, 36.46, 31.91, 27.35)),
        ((0, -1, 4, 1), (19.10, 32.74, 40.93, 27.29)),
    ],
)
def test_windows_of_table_2(errors_ms: tuple[int, ...], windows: tuple[float, ...]) -> None:
    """A wrong round trip shifts windows as Eq. 16 says; x / (1 + error) stays equal."""
    relative = np.array(errors_ms) / np.array(RTTS)
    got = theory.rem_equilibrium(one_link(4, 12, 12), RTTS, phi=1.4, rtt_errors=relative.tolist())
    assert got.windows == pytest.approx(windows, abs=5.1e-3)
    assert np.ptp(got.rates / (1 + relative)) < 1e-9


def test_only_the_relative_error_counts() -> None:
    """Errors and round trips that are both twice as long give the same rates."""
    errors = [0.1, -0.2, 0.3, 0.0]
    once = theory.rem_equilibrium(one_link(4, 12, 12), RTTS, phi=1.4, rtt_errors=errors)
    longer = [2 * rtt for rtt in RTTS]
    twice = theory.rem_equilibrium(one_link(4, 12, 12), longer, phi=1.4, rtt_errors=errors)
    assert twice.rates == pytest.approx(once.rates.tolist())
    assert twice.windows == pytest.approx((2 * once.windows).tolist())


def test_curves_of_figure_1() -> None:
    """The curve is m = 1 - phi^-p at a base of 1.2, and gives back the rate 2 / p."""
    prices = np.array([0.0, 1.0, 2.0, 10.0])
    marks = theory.rem_marking(prices, 1.2)
    assert marks == pytest.approx([0, 1 - 1 / 1.2, 1 - 1 / 1.44, 1 - 1.2**-10], abs=1e-15)
    assert theory.rem_price(marks, 1.2) == pytest.approx(prices.tolist(), abs=1e-12)
    rates = theory.rem_source_rate(marks[1:], LogUtility(2.0), 1.2)
    assert rates == pytest.approx([2, 1, 0.2])
    quadratic = theory.QuadraticUtility(5.0, 2.0)
    assert theory.rem_source_rate(marks, quadratic, 1.2) == pytest.approx([5, 3, 1, 0])


def test_marks_compose_on_a_path() -> None:
    """Over all outcomes of up to four links, the probability of a mark equals the function's."""
    links = np.array([0.1, 0.35, 0.0, 0.6])
    routes = ((0,), (0, 1), (3, 1, 0), (0, 1, 2, 3))
    chances = []
    for route in routes:
        outcomes = itertools.product((False, True), repeat=len(route))
        terms = [
            np.prod([links[j] if hit else 1 - links[j] for j, hit in zip(route, hits, strict=True)])
            for hits in outcomes
            if any(hits)
        ]
        chances.append(float(sum(terms)))
    assert theory.path_marking(routes, links) == pytest.approx(chances)
    prices = np.array([0.3, 1.2, 0.0, 2.0])
    ends = [prices[list(route)].sum() for route in routes]
    composed = theory.path_marking(routes, theory.rem_marking(prices, 1.3))
    assert composed == pytest.approx(theory.rem_marking(ends, 1.3).tolist())
    both = theory.path_marking(routes, np.stack([links, links / 2]))
    assert both.shape == (2, 4)
    assert both[0] == pytest.approx(chances)


def test_what_it_refuses() -> None:
    """Errors name rules, shares, targets and bases out of range."""
    problem = one_link(4, 12, 12)
    for wrong, message in (
        ({"rule": "pc4"}, "price rule"),
        ({"capacity_share": 0.85}, "share of the capacity"),
        ({"rule": "pc2", "target_backlog": 5.0}, "target backlog"),
        ({"phi": 1.0}, "phi must be above 1"),
        ({"rtt_errors": -1.0}, "1 [+] error"),
    ):
        with pytest.raises(InputError, match=message):
            theory.rem_equilibrium(problem, RTTS, **({"phi": 1.4} | wrong))
    with pytest.raises(InputError, match="round trip"):
        theory.rem_equilibrium(problem, RTTS[:3], phi=1.4)
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        theory.rem_price([0.5, 1.1], 1.4)
    with pytest.raises(InputError, match="negative"):
        theory.rem_marking(-1.0, 1.4)
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        theory.path_marking(((0,),), [1.5])
