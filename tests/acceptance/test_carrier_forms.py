# SPDX-License-Identifier: Apache-2.0
"""Carriers that steer a price against closed forms: the form is found, or `show` says otherwise.

Users of U = a log(1 + x / x0) buy x = a / q - x0 at a price q of a packet. At a cost c of a packet
a carrier is left (q - c) x, which is most at q = sqrt(c a / x0). Of several groups, all of which
buy there, a and x0 are the sums over users.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from carrier_forms_world import FAR, GRADIENT, NEAR, Found, found, people
from tiers import full, seeds

OWED = 0.02  # money for each mark of the second link
COST = OWED * FAR  # of a packet
MARKED = NEAR + FAR  # share of packets that arrive marked
PACKET_BITS = 7680  # of data
GROUPS = {  # users, money/s, packets/s
    "one": ((6, 1.0, 50.0),),
    "two": ((3, 1.0, 40.0), (3, 1.5, 90.0)),
}


def closed_form(groups: tuple[tuple[int, float, float], ...]) -> float:
    """The best price of a mark, money."""
    worth = sum(count * a for count, a, _ in groups)
    least = sum(count * x0 for count, _, x0 in groups)
    return math.sqrt(COST * worth / least) / MARKED


def left_at(groups: tuple[tuple[int, float, float], ...], price: float) -> float:
    """What a price of a mark leaves by theory, money/s."""
    q = price * MARKED
    return sum((q - COST) * n * max(a / q - x0, 0.0) for n, a, x0 in groups)


def searched(groups: tuple[tuple[int, float, float], ...], seed: int) -> Found:
    """`up` climbs from half or from twice the best price; it owes `down` a fixed price."""
    start = closed_form(groups) * (2.0 if seed % 2 else 0.5)
    users = [
        people(
            f"home-{k}",
            count,
            f"{{kind: log, a: {a} money/s, x0: {x0 * PACKET_BITS / 1000} kbps}}",
        )
        for k, (count, a, x0) in enumerate(groups)
    ]
    return found(users, seed=seed, settlement="retail", prices=(start, OWED), up=GRADIENT)


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_the_closed_form_is_the_best_of_its_curve(name: str) -> None:
    """Against a search over what is left by theory, where a group may buy nothing."""
    groups, q = GROUPS[name], np.geomspace(COST, 0.05, 200_001)
    left = sum((q - COST) * n * np.maximum(a / q - x0, 0) for n, a, x0 in groups)
    assert q[np.argmax(left)] / MARKED == pytest.approx(closed_form(groups), rel=1e-3)


@pytest.mark.parametrize("seed", seeds(10, fast=2))
@pytest.mark.parametrize("name", sorted(GROUPS))
def test_the_gradient_finds_the_price_of_log_users(name: str, seed: int) -> None:
    """Within 5 % of the best price in the last ten minutes, or it leaves within 1 % of the most.

    What it leaves is read off the curve: users buy 2 to 3 % more than theory has, so that measured
    money is above the best by as much. The search ends low with one group: 2.9 % in the mean of
    ten seeds, and 6.3 % in seed 9, where revenue is flat enough to miss 0.5 % only.
    """
    one, best = searched(GROUPS[name], seed), closed_form(GROUPS[name])
    print(f"{name} {seed}: price {one.price['up'] / best:.3f} of the best, {one.verdict}")
    near = one.price["up"] == pytest.approx(best, rel=0.05)
    assert near or left_at(GROUPS[name], one.price["up"]) > 0.99 * left_at(GROUPS[name], best)
    assert one.verdict == {"up": "settled"}


@pytest.mark.parametrize("seed", [2, *(pytest.param(s, marks=full) for s in (1, 3))])
def test_two_that_move_under_retail_do_not_settle(seed: int) -> None:
    """At a given price of `up`, `down` earns in proportion to its own price: there is no rest.

    At least one of the two is found out; in seed 3 `down` alone would pass for settled. Users of
    U = a sqrt(x / x0), whose demand has the elasticity 2 at any price.
    """
    users = [people("home", 6, "{kind: sqrt, a: 0.6 money/s, x0: 1 Mbps}")]
    start = 2 * COST / MARKED
    one = found(
        users,
        seed=seed,
        settlement="retail",
        prices=(start, OWED),
        up=GRADIENT,
        down=GRADIENT,
        duration=1800,
    )
    print(one)
    assert set(one.verdict.values()) != {"settled"}
