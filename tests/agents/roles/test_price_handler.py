# SPDX-License-Identifier: Apache-2.0
"""The price handler as a role, and its strategies on scripted observations."""

from __future__ import annotations

from collections.abc import Callable

import mesa
import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.roles.price_handler import PriceHandler
from ecnomy.agents.roles.role import Terms
from ecnomy.agents.strategies.constant_throughput import ConstantThroughput
from ecnomy.agents.strategies.elastic_utility import ElasticUtility
from ecnomy.agents.utilities import utility_of
from tiers import rare

PS = 10**12
MICRO = 1e6
MBPS = 1e6


def observation(
    *goodput_bps: float,
    t_s: float = 5,
    dt_s: float = 5,
    marks: int = 10,
    active: int = 1,
    limit_bps: float = np.inf,
    first: int = 0,
) -> Observation:
    """Flows from `first` on, alike in all but goodput: T = 0.1 s, gain 0.5, 1,000 packets."""
    count = len(goodput_bps)

    def whole(value: int) -> np.ndarray:
        return np.full(count, value, dtype=np.int64)

    columns = FlowColumns(
        flow=np.arange(first, first + count, dtype=np.int64),
        active=whole(active),
        goodput_bps=np.array(goodput_bps, dtype=np.float64),
        delivered=whole(1000),
        marks=whole(marks),
        charge_micro=whole(0),
        srtt_s=np.full(count, 0.1 if active else 0.0),
        gain=np.full(count, 0.5),
        offer=whole(NO_OFFER),
        limit_bps=np.full(count, limit_bps),
    )
    return Observation(round(t_s * PS), round(dt_s * PS), 1000, (), columns)


def utility(alpha: float, a: float = 1.0, **more: float) -> ElasticUtility:
    """Alpha-fair with x0 = 1 Mbps."""
    return ElasticUtility({"kind": "alpha-fair", "alpha": alpha, "a": a, "x0": MBPS}, **more)


def log(a: float = 1.0, **more: float) -> ElasticUtility:
    """U = a log(1 + x/x0)."""
    return ElasticUtility({"kind": "log", "a": a, **more})


def pay(strategy: ElasticUtility, observation: Observation) -> np.ndarray:
    """Willingness to pay [money/s]."""
    return strategy.decide_many(observation).willingness_micro_per_s / MICRO


def settle(
    strategy: ElasticUtility,
    rate_at: Callable[[np.ndarray], np.ndarray],
    rounds: int,
    late: int = 0,
    flows: int = 1,
) -> np.ndarray:
    """Successive w of flows whose rates in Mbps follow w, or the w of `late` rounds before.

    Of one flow, a row of numbers; of several, a column for each.
    """
    found = [pay(strategy, observation(*[0.0] * flows, t_s=0, dt_s=0))]
    for k in range(rounds):
        rates = rate_at(found[max(0, len(found) - 1 - late)])
        found.append(pay(strategy, observation(*(rates * MBPS), t_s=5 * (k + 1))))
    return np.array(found)[:, 0] if flows == 1 else np.array(found)


@pytest.fixture
def handler() -> Callable[..., PriceHandler]:
    """Makes handlers that pay 2 money/s at an interval [s], None for the role's own."""
    model = mesa.Model(rng=1)

    def made(interval_s: int | None = None) -> PriceHandler:
        ps = None if interval_s is None else interval_s * PS
        return PriceHandler(model, "home", Terms(7, "constant-charge", {"charge": 2.0}, ps))

    return made


def test_first_decision_is_at_the_first_report(handler: Callable[..., PriceHandler]) -> None:
    """The first decision is at t = 0, before any packet; the second one is at a random phase."""
    home = handler(20)
    assert home.due(0)
    decision = home.decide(observation(0.0, 0.0, t_s=0, dt_s=0))
    assert decision.willingness_micro_per_s.tolist() == [2e6, 2e6]
    assert 0 < home.next_ps < 20 * PS
    home.decide(observation(MBPS, MBPS, t_s=13, dt_s=13))
    assert home.next_ps == 33 * PS


def test_own_interval_is_what_its_flows_need(handler: Callable[..., PriceHandler]) -> None:
    """The default interval is 3 T / (gain p) = 60 s, approached by doubling, or 5 s."""
    home, t_s, waits = handler(), 0.0, []
    home.decide(observation(0.0, t_s=0, dt_s=0))
    assert 0 < home.next_ps < 5 * PS
    dt_s = 2.0
    for _ in range(7):
        t_s += dt_s
        home.decide(observation(MBPS, t_s=t_s, dt_s=dt_s))
        dt_s = home.next_ps / PS - t_s
        waits.append(round(dt_s))
    assert waits == [5, 10, 20, 40, 60, 60, 60]
    home.decide(observation(MBPS, t_s=t_s, dt_s=60, marks=0))
    assert home.next_ps == round((t_s + 5) * PS)


def test_interval_too_short_is_hasty(handler: Callable[..., PriceHandler]) -> None:
    """An interval of 10 s where 60 s are needed is kept, with a notice."""
    home = handler(10)
    home.decide(observation(0.0, t_s=0, dt_s=0))
    home.decide(observation(MBPS, t_s=10, dt_s=10))
    assert home.hasty and home.next_ps == 20 * PS


@pytest.mark.parametrize("strategy", [log(), ConstantThroughput(threshold=1.0)])
def test_flow_without_any_rate_is_refused(strategy: ElasticUtility | ConstantThroughput) -> None:
    """A greedy flow has no rate to use as x0; that is an error, not a guess."""
    assert strategy.needs_rate in ("utility.x0", "rate")
    with pytest.raises(StrategyError, match="for a flow without"):
        strategy.decide_many(observation(MBPS, dt_s=0))


def test_constant_throughput_is_a_cap_and_a_willingness() -> None:
    """Each decision has x0 and the threshold for each flow. x0 is the flow's own by default."""
    decision = ConstantThroughput(threshold=2.0, rate=3 * MBPS).decide_many(observation(0.0, 0.0))
    assert decision.rate_cap_bps.tolist() == [3 * MBPS] * 2
    assert decision.willingness_micro_per_s.tolist() == [2e6] * 2
    own = ConstantThroughput(threshold=2.0)
    assert own.decide_many(observation(0.0, limit_bps=5 * MBPS)).rate_cap_bps.tolist() == [5 * MBPS]
    assert (
        own.decide_many(observation(0.0, 0.0, limit_bps=MBPS)).rate_cap_bps.tolist() == [MBPS] * 2
    )


def test_a_flow_that_joins_leaves_the_silence_of_the_others_as_it_is() -> None:
    """A flow's silence counts in full even if another flow joins meanwhile."""
    alone, joined = log(x0=MBPS), log(x0=MBPS)
    for k in range(3):
        quiet = observation(0.0, t_s=5 * k, dt_s=5 * (k > 0))
        assert pay(alone, quiet) == pay(joined, quiet)
    heard = pay(alone, observation(0.9 * MBPS, t_s=15))
    assert pay(joined, observation(0.9 * MBPS, 0.9 * MBPS, t_s=15))[0] == pytest.approx(heard[0])
    assert heard < pay(log(x0=MBPS), observation(0.9 * MBPS, t_s=0, dt_s=0))


def test_log_x_pays_the_same_at_any_rate() -> None:
    """With U = a log x, w is a from the first decision on."""
    strategy = ElasticUtility({"kind": "alpha-fair", "alpha": 1.0, "a": 3.0})
    assert pay(strategy, observation(0.0, t_s=0, dt_s=0)).tolist() == [3.0]
    assert pay(strategy, observation(1e3)).tolist() == [3.0]
    assert pay(strategy, observation(1e8, t_s=10)).tolist() == [3.0]


def test_first_willingness_is_that_of_the_own_rate() -> None:
    """x0 is what the flow wants by default, and a log(1 + x/x0) is worth a/2 there."""
    assert pay(log(4.0), observation(0.0, dt_s=0, limit_bps=5 * MBPS)).tolist() == [2.0]
    given = log(4.0, x0=MBPS)
    assert pay(given, observation(0.0, dt_s=0, limit_bps=3 * MBPS)).tolist() == [3.0]


def test_step_is_the_geometric_mean_of_old_and_worth() -> None:
    """The step gives w^(1 - g) (x U'(x))^g, g = 1/alpha, or w e^(x U'(x) / w - 1) if alpha < 1."""
    steep, flat = utility(3.0), utility(0.5)
    for strategy in (steep, flat):
        pay(strategy, observation(0.0, t_s=0, dt_s=0))
        pay(strategy, observation(MBPS))
    assert pay(steep, observation(0.5 * MBPS, t_s=10))[0] == pytest.approx(4.0 ** (1 / 3), abs=1e-6)
    assert pay(flat, observation(0.5 * MBPS, t_s=10))[0] == pytest.approx(
        np.exp(0.5**0.5 - 1), abs=1e-6
    )


@pytest.mark.parametrize("kind", ["log", "quadratic"])
def test_few_packets_a_decision_do_not_lower_the_mean(kind: str) -> None:
    """With 14 packets per decision, the mean rate is at most one packet lower.

    The mean of the logarithm of their number would leave 45 % less.
    """
    params = {"kind": kind, "a": 1.0, "x0": MBPS}
    demand, packets = utility_of(params), 140.0 if kind == "quadratic" else 125.0  # in x0
    price = 0.9 * float(demand.slope(np.zeros(1))[0])
    wanted = float(demand.demand(np.array([price]))[0])
    strategy, rng, bought = ElasticUtility(params), np.random.default_rng(7), []
    paid = pay(strategy, observation(*[0.0] * 100, t_s=0, dt_s=0))
    for k in range(500):
        counts = rng.poisson(paid / price * packets)
        paid = pay(strategy, observation(*(counts / packets * MBPS), t_s=5 * (k + 1), marks=1))
        bought.append(counts.mean())
    assert wanted * packets - 1.1 < np.mean(bought[200:]) < wanted * packets + 0.3


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("late", [0, 1])
def test_fixed_point_is_reached(alpha: float, late: int) -> None:
    """With any response of the rate, w settles at x U'(x); without delay, it never overshoots."""
    elasticity = np.array([0.0, 0.3, 0.7, 1.0])  # a flow of each
    found = np.log(settle(utility(alpha), lambda w: 0.4 * w**elasticity, 150, late, 4))
    end = (1 - alpha) * np.log(0.4) / (1 - (1 - alpha) * elasticity)
    assert found[-1] == pytest.approx(end, abs=1e-4)
    if not late:
        assert np.all(np.diff(np.abs(found - end), axis=0) <= 1e-5)
        assert np.all((found - end) * np.sign(found[0] - end) >= -1e-5)


@pytest.mark.parametrize("late", [0, 1])
def test_a_quadratic_utility_comes_to_rest(late: int) -> None:
    """However the rate follows w, even late, w comes to rest at x U'(x) = 2 a r (1 - r)."""
    grid = np.meshgrid([0.02, 0.2, 0.45, 0.5, 0.55, 0.8, 0.95], [0.0, 0.3, 0.7, 1.0])
    share, elasticity = (axis.ravel() for axis in grid)  # a flow of each pair
    end = 2 * share * (1 - share)
    strategy = ElasticUtility({"kind": "quadratic", "a": 1.0, "x0": MBPS})
    paid = settle(strategy, lambda w: share * (w / end) ** elasticity, 900, late, len(share))
    assert paid[-20:] == pytest.approx(np.tile(end, (20, 1)), rel=3e-3)


@pytest.mark.parametrize("price", [rare(1e-3), 0.1, 0.9, 1.1, rare(3.0), 50.0])
@pytest.mark.parametrize("kind", ["quadratic", "target", "lab_utilities:Saturating"])
def test_at_a_given_price_the_demand_is_bought(kind: str, price: float) -> None:
    """At low, high and prohibitive prices, the demand is reached in a few steps and kept."""
    params = {"kind": kind, "a": 1.0, "x0": MBPS}
    wanted = float(utility_of(params).demand(np.array([price]))[0])
    paid = settle(ElasticUtility(params), lambda w: w / price, 60)
    assert paid[-10:] / price == pytest.approx([wanted] * 10, rel=1e-3, abs=2e-3)


def test_a_rate_of_x0_that_costs_nothing_is_worth_nothing_more() -> None:
    """Alone on a link with room for more than x0, a sated flow's willingness to pay falls."""
    strategy = ElasticUtility({"kind": "quadratic", "a": 1.0, "x0": MBPS})
    assert settle(strategy, lambda w: 1.2 + 0 * w, 60)[-1] < 1e-3


@pytest.mark.parametrize("flows", [1, 100])
def test_worth_nothing_more_is_no_warning_of_numpy(flows: int) -> None:
    """At the first decision the largest rate may be twice x0, where x U'(x) is 0."""
    strategy = ElasticUtility({"kind": "quadratic", "a": 1.0, "x0": MBPS})
    with np.errstate(divide="raise"):
        first = pay(strategy, observation(*[0.0] * flows, t_s=0, dt_s=0, limit_bps=2 * MBPS))
    assert first == pytest.approx([1e-6] * flows)


def test_a_utility_that_is_not_concave_is_refused() -> None:
    """The error gives its key in the scenario, and lists the utilities that are accepted."""
    for kind in ("sigmoid", "step"):
        with pytest.raises(Refused) as caught:
            ElasticUtility({"kind": kind, "a": 1.0, "x0": MBPS})
        assert caught.value.key == "utility.kind"
        assert "not concave" in caught.value.found and "quadratic" in caught.value.expected


def test_without_smoothing_alpha_three_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a given price, the map without smoothing has the slope 1 - alpha and never settles."""
    plain = utility(3.0)
    monkeypatch.setattr(plain, "_gain", 1.0)
    swing = np.diff(np.log(settle(plain, lambda w: 2.0 * w, 60)))[20:]
    assert np.all(swing[1:] * swing[:-1] < 0) and np.all(np.abs(swing) > 1.0)
    calm = np.diff(np.log(settle(utility(3.0), lambda w: 2.0 * w, 60)))[20:]
    assert np.all(np.abs(calm) < 1e-5)


def test_no_rate_is_no_trap() -> None:
    """Priced out, U = a log(1 + x/x0) pays almost nothing, yet comes back when marks are cheap."""
    strategy = log(1.0, x0=MBPS)
    low = settle(strategy, lambda w: 0.01 * w, 40)
    assert 0 < low[-1] <= 1e-3
    back = [pay(strategy, observation(100 * MBPS * low[-1], t_s=300))[0]]
    for k in range(30):
        back.append(pay(strategy, observation(100 * MBPS * back[-1], t_s=305 + 5 * k))[0])
    assert back[-1] == pytest.approx(1 - 0.01, rel=1e-3)


def test_bounds_hold_at_any_rate() -> None:
    """Starved or flooded, w is above 0, finite, within budget, and grows four-fold at most."""
    strategy = utility(3.0, budget=50.0)
    was = settle(strategy, lambda w: 0 * w, 30)
    assert np.all(was[1:] <= 4 * was[:-1] * (1 + 1e-6)) and was[-1] == pytest.approx(50.0)
    now = settle(utility(20.0), lambda w: 1e9 + 0 * w, 200)
    assert np.all(now > 0) and np.all(np.isfinite(now))


def test_idle_flows_are_not_judged() -> None:
    """A flow's rate means nothing while it is off or in the interval in which it begins."""
    strategy = utility(3.0)
    pay(strategy, observation(0.0, t_s=0, dt_s=0, active=0))
    assert pay(strategy, observation(0.0, t_s=5, active=0)).tolist() == [1.0]
    assert pay(strategy, observation(0.1 * MBPS, t_s=10)).tolist() == [1.0]
    assert pay(strategy, observation(0.5 * MBPS, t_s=15))[0] == pytest.approx(
        4.0 ** (1 / 3), abs=1e-6
    )


def test_each_flow_has_its_own_willingness() -> None:
    """Flows that come and go do not affect the willingness to pay of the others."""
    strategy = utility(3.0)
    pay(strategy, observation(MBPS, MBPS, t_s=0, dt_s=0))
    pay(strategy, observation(MBPS, MBPS))
    paid = pay(strategy, observation(0.5 * MBPS, MBPS, t_s=10))
    assert paid == pytest.approx([4.0 ** (1 / 3), 1.0], abs=1e-6)
    later = pay(strategy, observation(MBPS, MBPS, t_s=15, first=1))
    assert later == pytest.approx([1.0, 1.0], abs=1e-6)


def test_a_thousand_flows_are_decided_as_one_by_one() -> None:
    """Decisions on columns equal decisions on individual flows."""
    rates = np.geomspace(0.05, 20.0, 1000) * MBPS
    whole = utility(3.0)
    for t_s, dt_s in ((0, 0), (5, 5), (10, 5)):
        paid = pay(whole, observation(*rates, t_s=t_s, dt_s=dt_s))
    for flow in range(0, 1000, 97):
        single = utility(3.0)
        for t_s, dt_s in ((0, 0), (5, 5), (10, 5)):
            alone = pay(single, observation(rates[flow], t_s=t_s, dt_s=dt_s))
        assert alone[0] == paid[flow]
