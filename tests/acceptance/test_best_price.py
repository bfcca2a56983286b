# SPDX-License-Identifier: Apache-2.0
"""Carriers that search for their best price, against closed forms.

Users with U = a log x spend a at any price (siris2002, section 2: w = x U'(x)), so revenue does
not depend on the price. Users with U = a sqrt(x / x0) buy x = x0 (a / 2 q x0)^2 at a price q of a
packet, with elasticity 2; at a cost c of a packet profit is highest at q = 2 c (Lerner 1934).
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from tiers import full, in_full, rare

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "best-price.yaml"
PS = 10**12
MARKED, OWED = 1 - 0.9 * 0.9, 0.9 * 0.1 * 0.02  # share of packets; money per packet
USERS, AMOUNT, X0_PPS = 6, 1.25, 125.0
BANDIT = "{kind: revenue-bandit, floor: 0.009 money, ceiling: 0.04 money, arms: 8}"
BY_LOAD = "{law: load-based, interval: 0.5 s, threshold: 0.6, slope: 0.71}"
BEST = 2 * OWED / MARKED  # money per mark
HALF = 0.5 * BEST
MINUTES = 40 if in_full() else 16  # for the search, and as long for the measurement
LONG = 18 if in_full() else 9  # minutes of users with U = a log x
LOG_PRICES = (0.05, 0.1, 0.2, 0.4) if in_full() else (0.05, 0.4)


def left_at(price: float) -> float:
    """The theoretical profit of access at a price per mark [money/s]."""
    packet = price * MARKED
    return (packet - OWED) * USERS * X0_PPS * (AMOUNT / (2 * packet * X0_PPS)) ** 2


@functools.cache
def searched(
    strategy: str, price: float, seed: int, more: tuple[str, ...] = ()
) -> tuple[float, float]:
    """The profit in the second half [money/s], and the mean price posted in it [money]."""
    overrides = [f"market.agents.access.price_per_mark={price:.6f} money"]
    overrides += (
        [] if strategy == "revenue-gradient" else [f"market.agents.access.strategy={BANDIT}"]
    )
    overrides += [f"duration={2 * MINUTES} min", f"warmup={MINUTES} min", *more]
    with tempfile.TemporaryDirectory() as folder:
        result = run(load(EXAMPLE, overrides=overrides), seed=seed, out=Path(folder) / "run")
        book, agents = result.raw.ledger, result.raw.agents
    from_s = 60 * MINUTES
    late = book[book["t_ps"] > from_s * PS]
    gained = late[late["credit"] == "access"]["amount_micro"].sum()
    paid = late[late["debit"] == "access"]["amount_micro"].sum()
    noted = agents[(agents["agent"] == "access") & (agents["t_ps"] > from_s * PS)]
    posted = noted[noted["name"] == "price_micro_per_mark"]["value"]
    mean = float(posted.mean()) / 1e6 if len(posted) else float("nan")
    return (gained - paid) / from_s / 1e6, mean


def test_the_closed_form_is_the_best_of_its_curve() -> None:
    """Lerner's price is the best one in a search over its underlying curve."""
    prices = np.geomspace(BEST / 4, BEST * 4, 4001)
    assert prices[left_at(prices).argmax()] == pytest.approx(BEST, rel=1e-3)


@pytest.mark.parametrize(
    ("strategy", "start", "seed"),
    [
        rare("revenue-gradient", 2 * BEST, 1),
        ("revenue-gradient", HALF, 2),
        rare("revenue-bandit", 2 * BEST, 1),
        rare("revenue-bandit", HALF, 2),
    ],
)
def test_what_is_left_is_close_to_the_most_there_is(strategy: str, start: float, seed: int) -> None:
    """Started at twice or half the best price, the profit is within 5 % of the closed form."""
    left, price = searched(strategy, start, seed)
    print(f"{strategy}: left {left:.4f} of {left_at(BEST):.4f} money/s, mean price {price:.5f}")
    assert left == pytest.approx(left_at(BEST), rel=0.05)


def test_a_fast_link_is_not_an_idle_one() -> None:
    """On 25 Gbps, users occupy a 10,000th of the link; the best price is the same."""
    more = ("network.links.*.rate=25 Gbps",)
    _, price = searched("revenue-gradient", HALF, 2, more)
    assert price == pytest.approx(BEST, rel=0.1)


@pytest.mark.parametrize(("start", "seed"), [pytest.param(2 * BEST, 1, marks=full), (HALF, 2)])
def test_the_gradient_finds_the_price_itself(start: float, seed: int) -> None:
    """The price is within 8 %. An error of 0.1 in the slope changes the price by 5 %."""
    assert searched("revenue-gradient", start, seed)[1] == pytest.approx(BEST, rel=0.08)


SLOW = ("sources.home.transport.gain=0.1", "market.agents.access.decision_interval=10 s")


@full
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_the_gradient_waits_for_customers_who_take_longer(seed: int) -> None:
    """Users take about 40 s and the carrier decides every 10 s, yet the price is the same.

    When a price was kept for 20 s, it rose to 30 times the best one, with a tenth of the profit.
    """
    left, price = searched("revenue-gradient", HALF, seed, SLOW)
    print(f"left {left:.4f} of {left_at(BEST):.4f} money/s, mean price {price:.5f} for {BEST:.5f}")
    assert left == pytest.approx(left_at(BEST), rel=0.03)
    assert price == pytest.approx(BEST, rel=0.15)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_where_it_started_was_worse(factor: float) -> None:
    """As a control, twice or half the best price gives 25 % less profit, or no profit."""
    assert left_at(factor * BEST) < 0.76 * left_at(BEST)


@functools.cache
def log_revenue(price: float) -> float:
    """The payments of six users with U = a log x on a link that marks by its load [money/s]."""
    overrides = [
        *("market.agents.access.strategy={kind: stay}", f"duration={2 + LONG} min", "warmup=2 min"),
        f"market.agents.access.price_per_mark={price} money",
        *("network.links.access-link.rate=10 Mbps", f"network.links.access-link.marking={BY_LOAD}"),
        "network.links.transit-link.marking={law: drop-tail}",
        "market.agents.people.strategy.utility={kind: alpha-fair, alpha: 1, a: 1.25 money/s}",
    ]
    with tempfile.TemporaryDirectory() as folder:
        book = run(load(EXAMPLE, overrides=overrides), seed=1, out=Path(folder) / "run").raw.ledger
    late = book[(book["t_ps"] > 120 * PS) & (book["credit"] == "access")]
    return float(late["amount_micro"].sum()) / 1e6 / (60 * LONG)


def test_revenue_is_flat_for_log_users() -> None:
    """Revenue varies by less than 2 % over prices from 0.05 to 0.4 money per mark."""
    found = [log_revenue(price) for price in LOG_PRICES]
    print([round(x, 4) for x in found], "of", USERS * AMOUNT)
    assert max(found) / min(found) < 1.02


@pytest.mark.parametrize("price", LOG_PRICES)
def test_log_users_spend_what_they_are_worth(price: float) -> None:
    """Log users spend 6 x 1.25 money/s, within 2 %."""
    assert log_revenue(price) == pytest.approx(USERS * AMOUNT, rel=0.02)
