# SPDX-License-Identifier: Apache-2.0
"""Equilibria on networks: figures of Siris et al. 2002, closed forms, fluids run to rest."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import LoadLink, LogUtility, PowerUtility, QueueLink

CAPACITY = 1250.0  # packets/s: 10 Mbps in packets of 1,000 bytes
ROUTES = [(0,)] * 5 + [(1,)] * 5 + [(0, 1)] * 5  # R1-R2, R2-R3, R1-R3


def _load_based(load: float) -> float:
    return theory.load_based_probability(load, 0.6, 0.71)


def _red(queue: float) -> float:
    return theory.red_probability(queue, 5, 15, 0.1)


@pytest.mark.parametrize(
    ("rtt_s", "p12", "p23", "printed"), [(0.2, 0.023, 0.042, 0.236), (0.1, 0.042, 0.042, 0.25)]
)
def test_ratios_of_table_1(rtt_s: float, p12: float, p23: float, printed: float) -> None:
    """w / (p T) with the measured probabilities gives the printed ratio."""
    short, long = theory.wtp_rates_pps([1, 1], [p12, p12 + p23], [rtt_s, rtt_s + 0.1])
    assert long / short == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize(
    ("rtt_s", "p12", "lowest", "highest"),
    [(0.2, 0.023, 0.227, 0.229), (0.1, 0.042, 0.2445, 0.2455)],
)
def test_ratios_of_table_1_with_floor_and_queue(
    rtt_s: float, p12: float, lowest: float, highest: float
) -> None:
    """The floor effect and 8 to 12 packets in each queue lower them to 0.227-0.229 and 0.245."""
    for packets in (8, 10, 12):
        wait = packets / CAPACITY
        short, long = theory.wtp_rates_pps(
            [1, 1], [p12, p12 + 0.042], [rtt_s + wait, rtt_s + 0.1 + 2 * wait], floor=True
        )
        assert lowest <= long / short <= highest


def _fluid_at_rest(rtts: np.ndarray, use: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Windows and two RED queues, integrated over time by Euler's rule until they are at rest."""
    window, queue = np.full(rtts.size, 15.0), np.full(2, 8.0)
    for _ in range(40_000):
        rtt = rtts + use @ queue / CAPACITY
        p = use @ np.array([_red(q) for q in queue])
        rates = window / rtt
        window = window + 2e-3 * 0.5 * (1 - window * p) / rtt
        queue = np.maximum(queue + 2e-3 * 0.2 * (rates @ use - CAPACITY), 0.0)
    return rates, queue


def test_two_red_links_settle_where_a_fluid_does() -> None:
    """In Table 1's network at 200 ms, rates and queues are within 0.1 % of the fluid's."""
    rtts = np.array([0.2] * 5 + [0.1] * 5 + [0.3] * 5)
    links = [QueueLink(CAPACITY, _red, 30.0)] * 2
    got = theory.wtp_network(ROUTES, links, [1.0] * 15, rtts.tolist())
    use = np.array([[1, 0]] * 5 + [[0, 1]] * 5 + [[1, 1]] * 5, dtype=float)
    rates, queue = _fluid_at_rest(rtts, use)
    assert got.rates_pps == pytest.approx(rates.tolist(), rel=1e-3)
    assert got.queues_packets == pytest.approx(queue.tolist(), rel=1e-3)
    assert got.loads == pytest.approx([1, 1])
    assert got.probabilities == pytest.approx([_red(q) for q in got.queues_packets])


def test_one_link_is_the_single_link_solution() -> None:
    """`wtp_network` with one link is `wtp_equilibrium` or `wtp_red_equilibrium`."""
    weights, rtts, routes = [1.0] * 5 + [4.0] * 5, [0.2] * 4 + [0.3] * 6, [(0,)] * 10
    by_load = theory.wtp_network(routes, [LoadLink(CAPACITY, _load_based)], weights, rtts)
    single = theory.wtp_equilibrium(weights, rtts, CAPACITY, _load_based)
    assert by_load.rates_pps == pytest.approx(single.rates_pps, rel=1e-9)
    by_queue = theory.wtp_network(routes, [QueueLink(CAPACITY, _red, 30.0)], weights, rtts)
    red = theory.wtp_red_equilibrium(
        weights, rtts, CAPACITY, min_threshold=5, max_threshold=15, max_probability=0.1
    )
    assert by_queue.rates_pps == pytest.approx(red.rates_pps, rel=1e-9)
    assert by_queue.queues_packets == pytest.approx([red.queue_packets])


@pytest.mark.parametrize(("ratio", "load"), [(1, 0.683), (4, 0.780), (10, 0.932)])
def test_loads_of_figure_3(ratio: int, load: float) -> None:
    """Ten flows over load-based marking fill the link to 0.683, 0.780 and 0.932."""
    links = [LoadLink(CAPACITY, _load_based)]
    weights = [1.0] * 5 + [float(ratio)] * 5
    got = theory.wtp_network([(0,)] * 10, links, weights, [0.2] * 10)
    assert got.loads == pytest.approx([load], abs=5e-4)


@pytest.mark.parametrize(("rtt_s", "slope", "onset"), [(0.2, 2 / 3, 5.36), (0.1, 0.5, 5.06)])
def test_figure_5_bends_where_the_second_link_marks(
    rtt_s: float, slope: float, onset: float
) -> None:
    """The ratio is r T_short / T_long until link 2 passes load 0.6, at r = 5.36 or 5.06.

    There the long flows have 150 packets/s each and link 1 marks with 0.71 x / 250, where x is the
    rate of a short one, so that 0.71 x^2 / 250 = 1 / T.
    """
    by_hand = 150 / (slope * (250 / (0.71 * rtt_s)) ** 0.5)
    assert by_hand == pytest.approx(onset, abs=5e-3)
    links = [LoadLink(CAPACITY, _load_based)] * 2
    routes, rtts = [(0,)] * 5 + [(0, 1)] * 5, [rtt_s] * 5 + [rtt_s + 0.1] * 5

    def solve(r: float) -> theory.NetworkEquilibrium:
        return theory.wtp_network(routes, links, [1.0] * 5 + [r] * 5, rtts)

    below, above, far = solve(by_hand - 0.01), solve(by_hand + 0.01), solve(8.0)
    assert below.loads[1] < 0.6 < above.loads[1]
    assert below.rates_pps[9] / below.rates_pps[0] == pytest.approx(slope * (by_hand - 0.01))
    assert far.rates_pps[9] / far.rates_pps[0] < 0.97 * slope * 8


def test_fixed_point_behind_antoniadis_figure_7() -> None:
    """With 11 sources on a virtual queue, W is near 2.4, p is 0.42, and T / (gain p) is 9.5 s.

    Those three are rounded and approximate; the exact curve for Poisson arrivals gives them
    within 3 %.
    """
    link = LoadLink(187.5, lambda load: theory.virtual_queue_probability(load, 0.7, 10))
    got = theory.wtp_network([(0,)] * 11, [link], [1.0] * 11, [0.2] * 11)
    p = float(got.probabilities[0])
    assert p == pytest.approx(0.42, rel=0.03)
    assert got.rates_pps * 0.2 == pytest.approx([2.4] * 11, rel=0.03)
    assert theory.wtp_time_constant_s(0.2, 0.05, p) == pytest.approx(9.5, rel=0.03)


def test_general_utility_on_one_link_by_hand() -> None:
    """For n flows with -w/x and p = s y, the equilibrium is at w / x^2 = s n x."""
    links = [LoadLink(1000.0, lambda load: 0.4 * load)]
    got = theory.utility_network([(0,)] * 4, links, PowerUtility(500.0, 2.0))
    assert got.rates_pps == pytest.approx([(500 * 1000 / (0.4 * 4)) ** (1 / 3)] * 4)


def test_sum_of_probabilities_maximises_welfare() -> None:
    """Any rate 1 % off lowers sum U - sum C_j, with C_j of a linear p in closed form."""
    routes, capacities = [(0, 1), (1,), (0,)], np.array([900.0, 600.0])
    links = [LoadLink(c, lambda load: 0.5 * load) for c in capacities]
    utility = LogUtility(np.array([30.0, 60.0, 20.0]))
    use = np.array([[1, 1], [0, 1], [1, 0]], dtype=float)

    def welfare(rates: np.ndarray) -> float:
        arrivals = rates @ use
        return float(utility.value(rates).sum() - (0.25 * arrivals**2 / capacities).sum())

    best = theory.utility_network(routes, links, utility).rates_pps
    for flow in range(3):
        for factor in (0.99, 1.01):
            moved = best.copy()
            moved[flow] *= factor
            assert welfare(moved) < welfare(best)


def test_product_of_links_marks_less_than_their_sum() -> None:
    """With 1 - prod(1 - p) rates equal w / (p T); the two-link flow gets more than with the sum."""
    links = [LoadLink(CAPACITY, lambda load: 0.6 * load)] * 2
    routes, rtts = [(0,), (1,), (0, 1)], [0.1, 0.2, 0.1]
    summed = theory.wtp_network(routes, links, [20.0] * 3, rtts)
    got = theory.wtp_network(routes, links, [20.0] * 3, rtts, compose="product")
    p = 1 - (1 - got.probabilities[0]) * (1 - got.probabilities[1])
    assert got.path_probabilities[2] == pytest.approx(p)
    assert got.rates_pps[2] == pytest.approx(20 / (p * 0.1))
    assert got.rates_pps[2] > summed.rates_pps[2] * 1.05


def test_what_it_refuses() -> None:
    """Errors name links that cannot mark enough, and arguments that do not fit."""
    links = [LoadLink(1000.0, _load_based), LoadLink(100.0, lambda load: 0.01 * load)]
    with pytest.raises(InputError, match="link 1 cannot mark enough"):
        theory.wtp_network([(0,), (1,)], links, [1.0, 5.0], [0.1, 0.1])
    with pytest.raises(InputError, match="for each of 2 routes"):
        theory.wtp_network([(0,), (1,)], links, [1.0], [0.1])
    with pytest.raises(InputError, match="'sum' or 'product'"):
        theory.wtp_network([(0,)], links, [1.0], [0.1], compose="max")
    with pytest.raises(InputError, match="each with a positive capacity"):
        theory.wtp_network([(0,)], [LoadLink(0.0, _load_based)], [1.0], [0.1])
    with pytest.raises(InputError, match="must be positive"):
        theory.wtp_rates_pps([1.0], [0.0], [0.1])
