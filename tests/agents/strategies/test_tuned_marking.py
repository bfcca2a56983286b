# SPDX-License-Identifier: Apache-2.0
"""`tuned-marking`: its effect on the one parameter of each law."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from carrier_books import S
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import LinkColumns, MarkingLaw, PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.tuned_marking import TunedMarking

LOAD = {"interval_s": 0.5, "threshold": 0.6, "slope": 0.5}


def observation(
    used: float, law: str, params: Mapping[str, float], t_s: int = 10
) -> PriceObservation:
    """A link `b` of this law, busy for this share of the last 10 s, and an idle link."""
    dt_ps = 10 * S if t_s else 0
    busy = np.array([0, round(used * dt_ps)], dtype=np.int64)
    zero = np.zeros(2, dtype=np.int64)
    links = LinkColumns(zero, zero + 10**7, zero, zero, zero, busy, zero)
    laws = (MarkingLaw("drop-tail", {}), MarkingLaw(law, params))
    return PriceObservation(t_s * S, dt_ps, 5, links, names=("a", "b"), laws=laws)


@pytest.mark.parametrize(
    ("law", "params", "name", "expected"),
    [
        ("load-based", LOAD, "slope", 0.5 * 0.9 / 0.8),
        ("red", {"max_probability": 0.1, "min_threshold": 5.0}, "max_probability", 0.1125),
        ("virtual-queue", {"theta": 0.9, "buffer_packets": 30.0}, "theta", 0.9 * 0.8 / 0.9),
    ],
)
def test_a_link_that_is_too_busy_marks_more(
    law: str, params: dict[str, float], name: str, expected: float
) -> None:
    """Marking changes by the ratio of use and target, and the price stays the same."""
    strategy = TunedMarking(target=0.8)
    assert strategy.tune(observation(0.0, law, params, 0)) == {}
    assert strategy.post_price(observation(0.9, law, params)) == 5
    assert strategy.tune(observation(0.9, law, params)) == {"b": {name: pytest.approx(expected)}}


def test_values_stay_in_bounds() -> None:
    """Values stay within a factor of 100 and within the law's range."""
    slope, share, theta = (TunedMarking(target=0.5) for _ in range(3))
    for _ in range(40):
        up = slope.tune(observation(1.0, "load-based", LOAD))["b"]["slope"]
        most = share.tune(observation(1.0, "red", {"max_probability": 0.1}))["b"]["max_probability"]
        idle = theta.tune(observation(0.2, "virtual-queue", {"theta": 0.9}))["b"]["theta"]
    assert (up, most, idle) == pytest.approx((50.0, 1.0, 1.0))
    for _ in range(80):
        down = slope.tune(observation(0.1, "load-based", LOAD))["b"]["slope"]
    assert down == pytest.approx(0.005)


def test_an_idle_interval_changes_the_value_by_a_factor_of_two() -> None:
    """A pause of all users says little about the demand, so one decision at most halves a value.

    A step up has no such limit: a full link is busy for 1 / target times its target.
    """
    strategy = TunedMarking(target=0.25)
    for used, slope in ((0.25, 0.5), (0.0, 0.25), (0.0, 0.125), (1.0, 0.5)):
        assert strategy.tune(observation(used, "load-based", LOAD))["b"]["slope"] == pytest.approx(
            slope
        )


@pytest.mark.parametrize("elasticity", [0.5, 1.0, 5.0])
def test_no_swing_with_a_virtual_queue(elasticity: float) -> None:
    """p = (u / theta)^6 against demand (P p)^-e: the error keeps its sign at each decision."""
    strategy, theta, errors = TunedMarking(target=0.7), 0.9, []
    for _ in range(25):
        # u = c (u / theta)^(-6 e), solved: log u (1 + 6 e) = log c + 6 e log theta
        used = math.exp((math.log(0.75) + 6 * elasticity * math.log(theta)) / (1 + 6 * elasticity))
        errors.append(math.log(used / 0.7))
        theta = strategy.tune(observation(used, "virtual-queue", {"theta": theta}))["b"]["theta"]
    assert min(errors) > -1e-9
    left = 1 / (1 + 6 * elasticity)  # of an error, per decision
    assert errors[1] / errors[0] == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize(
    ("law", "params", "said"),
    [
        ("pi", {"a": 1.0}, r"found the law pi on link b, expected one of load-based, red"),
        ("load-based", {"slope": 0.0}, r"found slope = 0 on link b"),
    ],
)
def test_laws_that_it_cannot_tune(law: str, params: dict[str, float], said: str) -> None:
    """The error names the link."""
    with pytest.raises(StrategyError, match=said):
        TunedMarking(target=0.5).tune(observation(0.5, law, params))


@pytest.mark.parametrize("target", [0.0, 1.0, 1.5, float("nan")])
def test_targets_that_no_link_has_are_refused(target: float) -> None:
    """The error names the parameter."""
    with pytest.raises(Refused) as caught:
        TunedMarking(target=target)
    assert caught.value.key == "target"
