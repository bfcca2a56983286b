# SPDX-License-Identifier: Apache-2.0
"""Carriers that steer a price against closed forms: they find it, or `show` reports this.

Users with U = a log(1 + x / x0) buy x = a / q - x0 at a price q of a packet. At a packet's cost c
a carrier's profit (q - c) x is highest at q = sqrt(c a / x0). For several groups that all
buy at that price, a and x0 are sums over users.

Under `direct` two carriers in a row each earn q_i x(q_1 + q_2). The best reply to the other's z
is sqrt(z a / x0) - z: both charge a quarter of the choke price a / x0. With U = a (1 - (1 -
x / x0)^2) it is half of the choke price 2 a / x0 less z: both charge a third of it.

If a share D(q) = 1 / (1 + exp((q - m) / s)) of users takes part, (q - c) D is highest at
q - c = s / (1 - D).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from carrier_forms_world import FAR, GRADIENT, NEAR, CarrierFigures, found, people
from tiers import full, in_full, seeds

Floats = npt.NDArray[np.float64]
OWED = 0.02  # money for each mark of the second link
COST = OWED * FAR  # cost of a packet
MARKED = NEAR + FAR  # share of packets that arrive marked
PACKET_BITS = 8000  # bits of an IP packet, as in x and x0
GROUPS = {  # users, money/s, packets/s
    "one": ((6, 1.0, 50.0),),
    "two": ((3, 1.0, 40.0), (3, 1.5, 90.0)),
}


def closed_form(groups: tuple[tuple[int, float, float], ...], cost: float = COST) -> float:
    """The best price of a mark, money."""
    worth = sum(count * a for count, a, _ in groups)
    least = sum(count * x0 for count, _, x0 in groups)
    return math.sqrt(cost * worth / least) / MARKED


def left_at(
    groups: tuple[tuple[int, float, float], ...], price: float, cost: float = COST
) -> float:
    """The theoretical profit at a price of a mark, money/s."""
    q = price * MARKED
    return sum((q - cost) * n * max(a / q - x0, 0.0) for n, a, x0 in groups)


def searched(
    groups: tuple[tuple[int, float, float], ...],
    seed: int,
    owed: float = OWED,
    length: int = 1,
    up: str = GRADIENT,
) -> CarrierFigures:
    """`up` climbs from half or from twice the best price; it owes `down` a fixed price."""
    start = closed_form(groups, owed * FAR) * (2.0 if seed % 2 else 0.5)
    users = [
        people(
            f"home-{k}",
            count,
            f"{{kind: log, a: {a} money/s, x0: {x0 * PACKET_BITS / 1000} kbps}}",
        )
        for k, (count, a, x0) in enumerate(groups)
    ]
    return found(
        users,
        seed=seed,
        settlement="retail",
        prices=(start, owed),
        up=up,
        duration=1200 * length,
    )


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_the_closed_form_is_the_best_of_its_curve(name: str) -> None:
    """The closed form agrees with a search over the profit, in which a group may buy nothing."""
    groups, q = GROUPS[name], np.geomspace(COST, 0.05, 200_001)
    left = sum((q - COST) * n * np.maximum(a / q - x0, 0) for n, a, x0 in groups)
    assert q[np.argmax(left)] / MARKED == pytest.approx(closed_form(groups), rel=1e-3)


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("name", [pytest.param("one", marks=full), "two"])
def test_the_gradient_finds_the_price_of_log_users(name: str, seed: int) -> None:
    """The price is within 5 % of the best one at the end, or profit within 1 % of the highest.

    The profit is read off the curve. Users buy their demand: measured money is within 0.5 % of
    the curve. The search ends 5 % low with one group (seeds 1 and 2), where revenue is flat enough
    to miss 0.3 % only.
    """
    one, best = searched(GROUPS[name], seed), closed_form(GROUPS[name])
    print(f"{name} {seed}: price {one.price['up'] / best:.3f} of the best, {one.verdict}")
    near = one.price["up"] == pytest.approx(best, rel=0.05)
    assert near or left_at(GROUPS[name], one.price["up"]) > 0.99 * left_at(GROUPS[name], best)
    assert one.verdict == {"up": "settled"}


def by_hill(price: float) -> str:
    """Step by step, each a tenth of the best price."""
    return f"{{kind: hill-climbing, step: {price / 10:.6f} money}}"


def by_bandit(price: float) -> str:
    """From a list of eight prices, a factor of 1.22 apart; one is 5 % below the best one."""
    ends = f"floor: {price * 0.525:.6f} money, ceiling: {price * 2.1:.6f} money"
    return f"{{kind: revenue-bandit, {ends}, arms: 8}}"


@full
@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("name", sorted(GROUPS))
@pytest.mark.parametrize("strategy", [by_hill, by_bandit])
def test_other_searches_find_the_price_of_log_users(
    strategy: Callable[[float], str], name: str, seed: int
) -> None:
    """The price is within 5 % of the best one or loses under 1 % of the profit.

    In 1 of 20 runs, hill-climbing ends within 5 % of the best price and is said to rise: a tenth of
    the price is a long step.
    """
    groups, best = GROUPS[name], closed_form(GROUPS[name])
    one = searched(groups, seed, length=4 if strategy is by_hill else 2, up=strategy(best))
    lost = 1 - left_at(groups, one.price["up"]) / left_at(groups, best)
    print(f"{name} {seed}: price {one.price['up'] / best:.3f}, loses {lost:.3f}, {one.verdict}")
    verdict = one.verdict.get("up", "unclear")
    near = one.price["up"] == pytest.approx(best, rel=0.05)
    assert verdict in ("settled", "unclear") or (near and strategy is by_hill)
    assert near or lost < (0.01 if verdict == "settled" or strategy is by_bandit else 0.05)


@full
@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("kind", ["log", "quadratic"])
@pytest.mark.parametrize("strategy", [by_hill, by_bandit])
def test_other_searches_under_direct_settle_only_at_the_equilibrium(
    strategy: Callable[[float], str], kind: str, seed: int
) -> None:
    """If both prices are said to have settled, each loses under 4 % to the best reply.

    Otherwise they lose up to 18 %, or all with prices above the highest that users pay. Of 40 runs,
    two of bandits are called settled. In one, `down` has 0.73 of the equilibrium's price and loses
    3.8 %, in the other both lose at most 1.2 %.
    """
    a, x0, share, _ = DIRECT[kind]
    choke, price = share * a / x0, nash(kind, share * a / x0)
    best = {"up": price / NEAR, "down": price / FAR}
    apart = 1.5 if seed % 2 else 0.6
    users = [people("home", 6, f"{{kind: {kind}, a: {a} money/s, x0: {x0 * 8} kbps}}")]
    one = found(
        users,
        seed=seed,
        settlement="direct",
        prices=(apart * best["up"], apart * best["down"]),
        up=strategy(best["up"]),
        down=strategy(best["down"]),
        duration=3600,
    )
    packet = {"up": one.price["up"] * NEAR, "down": one.price["down"] * FAR}
    grid = np.linspace(0, choke, 20_001)[1:]
    for name, others in (("up", packet["down"]), ("down", packet["up"])):
        most = max(q * bought(kind, q + others) for q in grid)
        lost = 1 - packet[name] * bought(kind, sum(packet.values())) / most
        print(
            f"{kind} {seed} {name}: {one.price[name] / best[name]:.3f} of the equilibrium, {lost}"
        )
        assert lost < 0.04 or set(one.verdict.values()) != {"settled"}


def bought(kind: str, packet: float) -> float:
    """The demand of a user of DIRECT at a price per packet."""
    a, x0, *_ = DIRECT[kind]
    found = a / packet - x0 if kind == "log" else x0 * (1 - packet * x0 / 2 / a)
    return max(found, 0.0)


@full
@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("owed", [0.01, 0.04])
def test_the_gradient_finds_the_reply_to_a_leader(owed: float, seed: int) -> None:
    """`down` charges half or twice as much per mark: sqrt(1/2) or sqrt 2 times the price above.

    The profit of `down` is within 1 % of the highest.
    """
    group, cost = GROUPS["one"], owed * FAR
    one = searched(group, seed, owed, 2)
    best = closed_form(group, cost)
    print(f"{owed} {seed}: price {one.price['up'] / best:.3f} of the best reply")
    assert one.price["up"] == pytest.approx(best, rel=0.1)
    assert left_at(group, one.price["up"], cost) > 0.99 * left_at(group, best, cost)


@pytest.mark.parametrize("seed", seeds(10))
def test_a_leader_whose_follower_stays_does_not_settle(seed: int) -> None:
    """`up` has a fixed price to its users and pays `down` any price, so that of `down` rises."""
    users = [people("home", 6, f"{{kind: log, a: 1 money/s, x0: {50 * PACKET_BITS / 1000} kbps}}")]
    prices = (closed_form(GROUPS["one"]), OWED)
    one = found(users, seed=seed, settlement="retail", prices=prices, down=GRADIENT)
    print(one)
    assert one.verdict == {"down": "rising"}


def nash(kind: str, choke: float) -> float:
    """The price per packet that each of two charges under `direct`, by best replies on a grid."""
    grid, mine = np.linspace(0, choke, 100_001)[1:], 0.1 * choke
    for _ in range(60):
        q = np.minimum((grid + mine) / choke, 1)
        mine = grid[np.argmax(grid * (1 / q - 1 if kind == "log" else 1 - q))]
    return float(mine)


DIRECT = {"log": (1.0, 50.0, 1.0, 1 / 4), "quadratic": (1.0, 200.0, 2.0, 1 / 3)}


@pytest.mark.parametrize("kind", sorted(DIRECT))
def test_two_in_a_row_ask_that_share_of_the_choke_price(kind: str) -> None:
    """The closed form equals repeated best replies."""
    assert nash(kind, 1.0) == pytest.approx(DIRECT[kind][3], rel=1e-3)


def in_a_row(kind: str, seed: int) -> tuple[list[float], bool]:
    """Prices of two climbing carriers under `direct` over the equilibrium; whether settled."""
    a, x0, factor, _ = DIRECT[kind]
    packet = nash(kind, factor * a / x0)
    best = {"up": packet / NEAR, "down": packet / FAR}
    x0_kbps = x0 * PACKET_BITS / 1000
    start = 1.6 if seed % 2 else 0.5
    one = found(
        [people("home", 6, f"{{kind: {kind}, a: {a} money/s, x0: {x0_kbps} kbps}}")],
        seed=seed,
        settlement="direct",
        prices=(start * best["up"], start * best["down"]),
        up=GRADIENT,
        down=GRADIENT,
        duration=3600,
    )
    print(f"{kind} {seed}: {[one.price[name] / best[name] for name in best]}, {one.verdict}")
    settled = set(one.verdict.values()) == {"settled"}
    return [one.price[name] / best[name] for name in best], settled


@full
@pytest.mark.parametrize("kind", ["log", "quadratic"])
def test_two_in_a_row_mark_up_twice(kind: str) -> None:
    """Under `direct`, prices are within 5 % on average over seeds and carriers, each within 15 %.

    In two seeds of ten the profit may be too noisy for a verdict, or a price may still drift.
    """
    found = [in_a_row(kind, seed) for seed in seeds(10)]
    ratios = np.array([shares for shares, _ in found])
    assert sum(settled for _, settled in found) >= len(found) - 2
    assert np.abs(ratios - 1).max() < 0.15
    assert ratios.mean() == pytest.approx(1, abs=0.05)


POOR, RICH, X0_PPS = 1.0, 2.5, 125.0  # money/s, money/s, packets/s


def two_peaks(packet: float | Floats) -> float | Floats:
    """The profit from four users of each group at a price per packet, money/s.

    Users with U = a (1 - (1 - x / x0)^2) buy x0 (1 - q x0 / 2 a) up to a price of 2 a / x0.
    """
    bought = [X0_PPS * np.maximum(1 - packet * X0_PPS / (2 * a), 0) for a in (POOR, RICH)]
    return packet * 4 * sum(bought)


@full
@pytest.mark.parametrize("start", [0.7, 0.9])
def test_a_group_that_leaves_is_won_back(start: float) -> None:
    """Above the highest price of poor users there is a second peak with 12.5 % less profit.

    Poor users return late. One run of 20 stays at that peak (seed 7 from 0.9), and `show` calls it
    unclear.
    """
    ended = [two_groups(start, seed) for seed in seeds(10)]
    print(ended)
    near = [abs(price - 1) < 0.1 and abs(left - 1) < 0.04 for price, left, _ in ended]
    assert all(
        good for good, (*_, verdict) in zip(near, ended, strict=True) if verdict == "settled"
    )
    assert sum(near) >= 9


def two_groups(start: float, seed: int) -> tuple[float, float, str]:
    """Price and profit of a climbing carrier of both groups over the best; its verdict."""
    packets = np.geomspace(0.002, 0.06, 20001)
    best = float(packets[two_peaks(packets).argmax()])
    assert two_peaks(RICH / X0_PPS) == pytest.approx(0.875 * two_peaks(best), rel=1e-3)
    groups = (("poor", POOR), ("rich", RICH))
    users = [people(n, 4, f"{{kind: quadratic, a: {a} money/s, x0: 1 Mbps}}") for n, a in groups]
    one = found(
        users,
        seed=seed,
        settlement="direct",
        prices=(start * best / NEAR, 1e-6),
        up=GRADIENT,
        duration=2400,
    )
    most = float(two_peaks(best))
    return one.price["up"] * NEAR / best, one.left["up"] / most, one.verdict["up"]


USERS, MIDDLE, SPREAD, MB = 100, 6.0, 0.8, 960 / 1e6  # users, money/MB (twice), cost of a packet
CROWD = (
    f"  - {{name: home, count: {USERS}, from: homes, to: town,\n"
    "     traffic: {kind: rate-capped, rate: 50 kbps},\n"
    "     transport: {law: wtp, gain: 0.5, mss: 960 bytes, mark_rate: 20 marks/s}}\n",
    "    - {name: crowd, role: customer, sources: home, decision_interval: 2 s,\n"
    "       strategy: {kind: price-demand, even: true, looks: 1, demand:\n"
    f"         {{kind: logit, at: {MIDDLE} money/MB, spread: {SPREAD} money/MB}}}}}}\n",
)
BANDIT = "{kind: revenue-bandit, floor: 0.009 money, ceiling: 0.024 money, arms: 8}"
HILL = "{kind: hill-climbing, step: 0.0012 money}"


def logit_best() -> float:
    """The best price of a mark, by fixed point: q = c + s / (1 - D(q))."""
    low, high = COST / MB, 3 * MIDDLE
    for _ in range(60):
        q = (low + high) / 2
        dear = q - COST / MB > SPREAD * (1 + math.exp((MIDDLE - q) / SPREAD))
        low, high = (low, q) if dear else (q, high)
    return low * MB / MARKED


def left_by_logit(price: float) -> float:
    """The theoretical profit at a price per packet, money/s."""
    taking = USERS / (1 + math.exp((price / MB - MIDDLE) / SPREAD))
    return (price - COST) * taking * 50_000 / 8000


@functools.cache
def by_logit(strategy: str, seed: int) -> CarrierFigures:
    """A carrier of users with a logit curve, which begins above or below the best price."""
    prices = (logit_best() * (1.5 if seed % 2 else 0.6), OWED)
    duration = 4800 if strategy == HILL else 2400  # a step takes four intervals
    how = dict(seed=seed, settlement="retail", prices=prices, up=strategy, duration=duration)
    return found([CROWD], **how)


@full
@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize(
    ("strategy", "off", "least"),
    [(GRADIENT, 0.05, 0.9), (BANDIT, 0.075, 0.94), (HILL, 0.075, 0.88)],
)
def test_the_best_price_of_users_who_take_part_or_not(
    strategy: str, off: float, least: float, seed: int
) -> None:
    """For logit demand, the price is within 5 % by climbing, and within half a step of a list.

    Trying costs: `least` of the maximum is earned, as prices 10 % off earn 8 % less. `show` never
    says that it moves on, or that a price with 3 % less profit has settled. A list may lack a
    better price.
    """
    best, one = logit_best(), by_logit(strategy, seed)
    price = best * MARKED
    most, at_mean = left_by_logit(price), left_by_logit(one.price["up"] * MARKED)
    print(f"{seed}: price {one.price['up'] / best:.3f}, left {one.left['up'] / most:.3f}")
    assert one.price["up"] == pytest.approx(best, rel=off)
    assert one.left["up"] > least * most
    verdict = one.verdict.get("up", "unclear")
    assert verdict in ("settled", "unclear", "climbing")
    assert verdict != "climbing" or at_mean < 0.985 * most
    assert verdict != "settled" or at_mean > 0.97 * most or strategy == BANDIT


@full
@pytest.mark.parametrize(("strategy", "fewest"), [(GRADIENT, 8), (BANDIT, 8), (HILL, 4)])
def test_most_prices_of_such_users_are_said_to_have_settled(strategy: str, fewest: int) -> None:
    """In one or two seeds of ten, a settled price is `unclear` by chance.

    Steps of a tenth of the price end up to 7 % from the best one, which `show` says.
    """
    verdicts = [by_logit(strategy, seed).verdict.get("up", "unclear") for seed in seeds(10)]
    assert verdicts.count("settled") >= fewest, verdicts


@pytest.mark.parametrize("seed", seeds(10))
def test_two_that_move_under_retail_do_not_settle(seed: int) -> None:
    """For any price of `up`, `down` earns in proportion to its own price, so it never rests.

    At least one of the two is detected, `down` in an hour; after half an hour seed 1 would pass as
    settled. Users have U = a sqrt(x / x0), whose demand has elasticity 2 at any price.
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
        duration=3600 if in_full() else 1260,
    )
    print(one)
    assert set(one.verdict.values()) != {"settled"}
