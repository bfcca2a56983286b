# SPDX-License-Identifier: Apache-2.0
"""Payments for marks in a network of three domains, worked out by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import market_world as world
from ecnomy.agents.errors import InputError
from ecnomy.agents.spec import AgentSpec, MarketSpec
from ecnomy.markets.bridge.columns import REPORT_PAIRS
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.economy.marks_by_flow import shared
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Link, Plan
from market_world import PS

# One flow over access (10 per mark), transit (7) and far (3), another that enters at transit. In
# the first epoch `long` has 5, 4 and 2 marks set and 9 delivered; `short` 6 and 1 set and 7
# delivered. Before the second one transit goes to 8; then `long` has 1, 0 and 3 set, 4 delivered.
PRICES = {"access": 10, "transit": 7, "far": 3}
FIRST = {"long": (5, 4, 2), "short": (6, 1)}
SECOND = {"long": (1, 0, 3), "short": (0, 0)}
HAND = {
    "retail": {
        ("ann", "access"): 9 * 10 + 4 * 10,
        ("bob", "transit"): 7 * 7,
        ("access", "transit"): 4 * 7 + 0,
        ("access", "far"): 2 * 3 + 3 * 3,
        ("transit", "far"): 1 * 3,
    },
    "cascade": {
        ("ann", "access"): 9 * 10 + 4 * 10,
        ("bob", "transit"): 7 * 7,
        ("access", "transit"): (4 + 2) * 7 + (0 + 3) * 8,
        ("transit", "far"): (2 + 1) * 3 + 3 * 3,
    },
    "direct": {
        ("ann", "access"): 5 * 10 + 1 * 10,
        ("ann", "transit"): 4 * 7,
        ("ann", "far"): 2 * 3 + 3 * 3,
        ("bob", "transit"): 6 * 7,
        ("bob", "far"): 1 * 3,
    },
    "peering": {("ann", "access"): 9 * 10 + 4 * 10, ("bob", "transit"): 7 * 7},
}


def chain() -> Plan:
    """Three links in a row; `long` uses all of them, `short` the last two."""
    bare = world.plan([world.source("long"), world.source("short")])
    first = bare.links[0]
    links = [_link(first, i, name) for i, name in enumerate(PRICES)]
    paths = {"long": [0, 1, 2], "short": [1, 2]}
    l4s = _replaced(world.tcp(), codepoint="ect-1")
    sources = [_replaced(source, path=paths[source.name]) for source in bare.sources]
    sources[0] = _replaced(sources[0], transport=l4s)
    nodes = ["n0", "n1", "n2", "n3"]
    return _replaced(bare, links=links, sources=sources, nodes=nodes, plan_digest="").sealed()


def _replaced(struct, **changes):
    import msgspec

    known = {key: value for key, value in changes.items() if key in struct.__struct_fields__}
    return msgspec.structs.replace(struct, **known)


def _link(like: Link, i: int, name: str) -> Link:
    return _replaced(like, name=name, source=i, target=i + 1, stream=f"link/{name}/marking")


def three(rule: str, ratio: float = 1.0) -> Market:
    """Three carriers, and a customer for each flow; `long` sends ECT(1), `short` ECT(0)."""
    carriers = [
        AgentSpec(name, "connectivity-provider", links=(name,), price_micro_per_mark=price)
        for name, price in PRICES.items()
    ]
    users = [world.customer("ann", "long"), world.customer("bob", "short")]
    return Market(chain(), MarketSpec(99, (*carriers, *users), rule, ratio))


def report(plan: Plan, epoch: int, marks: list[int], delivered: list[int]) -> Report:
    """Cumulative marks of each (source, link) and marked packets delivered of each flow."""
    usual = world.report(plan, epoch * PS, epoch, ce=delivered)
    pairs = {name: np.zeros(len(marks), dtype=dtype) for name, dtype in REPORT_PAIRS.items()}
    pairs["marks"] = np.array(marks, dtype=np.int64)
    return Report(usual.t_ps, usual.epoch, usual.flows, usual.links, pairs)


def bills(market: Market) -> dict[tuple[str, str], int]:
    """The sums of the ledger, (debit, credit) -> micro-units."""
    totals: Counter[tuple[str, str]] = Counter()
    names = market.ledger.names
    for rows in market.ledger.take():
        for debit, credit, amount in zip(rows.debit, rows.credit, rows.amount_micro, strict=True):
            totals[names[debit], names[credit]] += int(amount)
    return dict(totals)


@pytest.mark.parametrize("rule", HAND)
def test_three_domains_by_hand(rule: str) -> None:
    """Every posting of two epochs is right to the micro-unit, and the books balance."""
    market = three(rule)
    first = [*FIRST["long"], *FIRST["short"]]
    both = [a + b for a, b in zip(first, (*SECOND["long"], *SECOND["short"]), strict=True)]
    market.decide(report(market.plan, 0, [0] * 5, [0, 0]))
    market.decide(report(market.plan, 1, first, [9, 7]))
    market.domains.post(1, 8)
    market.decide(report(market.plan, 2, both, [13, 7]))
    assert bills(market) == HAND[rule]
    assert int(market.ledger.balances_micro.sum()) == 0


class Recent:
    """Fading marks of a source: by e for every 100 later marks, or every v^2 times as many."""

    def __init__(self) -> None:
        self.epochs: list[tuple[float, np.ndarray]] = []  # weight, marks by domain

    def add(self, own: np.ndarray, price: np.ndarray) -> None:
        """Adds an epoch's marks; v is the variation of the prices of the earlier ones."""
        later = 100.0
        counts = sum((weight * marks for weight, marks in self.epochs), np.zeros(len(own)))
        if counts.any() and (mean := counts @ price / counts.sum()):
            later *= max(1.0, counts @ (price - mean) ** 2 / counts.sum() / mean**2)
        fade = math.exp(-own.sum() / later)
        self.epochs = [(weight * fade, marks) for weight, marks in self.epochs] + [(1.0, own)]

    def mean(self, price: list[int], access: float) -> float:
        """Return the mean price of the marks; without marks, the access carrier's."""
        total = sum(weight * marks.sum() for weight, marks in self.epochs)
        money = sum(weight * float(marks @ np.array(price)) for weight, marks in self.epochs)
        return money / total if total else access


@pytest.mark.parametrize("ratio", [1.0, 2.5, 0.05])
@pytest.mark.parametrize("rule", HAND)
def test_many_epochs_of_changing_prices_by_a_recount(rule: str, ratio: float) -> None:
    """Bills and prices of a mark agree with a recomputation after each of eight epochs."""
    rng, market = np.random.Generator(np.random.Philox(5)), three(rule, ratio)
    posted = dict(PRICES)

    def priced(user: str) -> dict[str, int]:
        """Return the price of a mark on this user's packets; half a micro-unit rounds to even."""
        if user == "ann":
            return posted
        return {name: max(round(p * ratio), min(p, 1)) for name, p in posted.items()}

    marks, delivered = np.zeros(5, np.int64), np.zeros(2, np.int64)  # so far
    recent = Recent(), Recent()
    owed: Counter[tuple[str, str]] = Counter()
    paid: Counter[tuple[str, str]] = Counter()
    market.decide(report(market.plan, 0, marks.tolist(), delivered.tolist()))
    for epoch in range(1, 9):
        set_now = rng.integers(0, 9, 5) * (rng.random(5) < 0.7)
        came = rng.integers(0, 9, 2) * (rng.random(2) < 0.7)
        marks, delivered = marks + set_now, delivered + came
        market.decide(report(market.plan, epoch, marks.tolist(), delivered.tolist()))
        prices = list(priced("ann").values()), list(priced("bob").values())[1:]
        for past, own, price in zip(recent, (set_now[:3], set_now[3:]), prices, strict=True):
            past.add(own, np.array(price, dtype=float))
        long, short = set_now[:3].tolist(), [0, *set_now[3:].tolist()]
        ways = {("ann", "long"): long, ("bob", "short"): short}
        for ((user, _), own), count in zip(ways.items(), came.tolist(), strict=True):
            names, price = [*PRICES][user == "bob" :], priced(user)
            beyond = dict(zip(PRICES, own, strict=True))
            if rule == "direct":
                owed.update({(user, name): beyond[name] * price[name] for name in names})
                continue
            owed[user, names[0]] += count * price[names[0]]
            for n, name in enumerate(names[1:], 1):
                if rule == "retail":
                    owed[names[0], name] += beyond[name] * price[name]
                if rule == "cascade":
                    further = sum(beyond[other] for other in names[n:])
                    owed[names[n - 1], name] += further * price[name]
        paid.update(bills(market))
        assert {pair: amount for pair, amount in owed.items() if amount} == paid
        for _ in range(int(rng.integers(0, 3))):
            name = str(rng.choice([*PRICES]))
            posted[name] = int(rng.choice([PRICES[name], 4, 0, 11]))
            market.domains.post([*PRICES].index(name), posted[name])
        ann, bob = list(priced("ann").values()), list(priced("bob").values())
        now = [ann[0], bob[1]]
        if rule == "direct":
            means = zip(recent, (ann, bob[1:]), now, strict=True)
            now = [past.mean(price, access) for past, price, access in means]
        assert market.row_price_micro().tolist() == pytest.approx(now, rel=1e-12)


def test_direct_knows_marks_only() -> None:
    """Links count marks set, not their bytes: a price per byte of marked packets is refused."""
    spec = MarketSpec(99, (AgentSpec("all", "connectivity-provider"),), "direct")
    with pytest.raises(InputError, match="found `direct` with a price per byte, expected"):
        Market(chain(), spec, per="byte")


def test_what_a_mark_costs_a_flow() -> None:
    """A mark costs the access carrier's price, or under `direct` the mean over carriers."""
    retail, direct = three("retail"), three("direct")
    assert retail.row_price_micro().tolist() == [10, 7]
    assert direct.row_price_micro().tolist() == [10, 7]  # nothing was marked yet
    marks = [*FIRST["long"], *FIRST["short"]]
    for market in (retail, direct):
        market.decide(report(market.plan, 0, [0] * 5, [0, 0]))
        market.decide(report(market.plan, 1, marks, [9, 7]))
    assert retail.row_price_micro().tolist() == [10, 7]
    expected = [(5 * 10 + 4 * 7 + 2 * 3) / 11, (6 * 7 + 1 * 3) / 7]
    assert direct.row_price_micro().tolist() == pytest.approx(expected, rel=1e-15)
    retail.domains.post(0, 12)
    assert retail.row_price_micro().tolist() == [12, 7]


@pytest.mark.parametrize(
    ("total", "weights", "parts"),
    [
        (7, [3], [7]),
        (7, [1, 1], [4, 3]),
        (7, [0, 0, 0], [3, 2, 2]),
        (10, [1, 0, 2], [3, 0, 7]),
        (1, [1, 1, 5], [0, 0, 1]),
        (0, [1, 2], [0, 0]),
        (3 * 10**10, [2 * 10**9, 10**9], [2 * 10**10, 10**10]),  # beyond int64 on the way
        (5, [2**62, 2**62, 2**62], [2, 2, 1]),
    ],
)
def test_marks_are_shared_out_whole(total: int, weights: list[int], parts: list[int]) -> None:
    """Shares are in proportion, by largest remainders. Ties go to the earlier row."""
    assert shared(total, np.array(weights)).tolist() == parts


def test_a_rule_of_ones_own(tmp_path) -> None:
    """A settlement can be a class by dotted path. A bad path is refused in one line."""
    spec = MarketSpec(5, (AgentSpec("isp", "connectivity-provider"),), "nowhere.rules:Mine")
    with pytest.raises(InputError, match="settlement 'nowhere.rules:Mine': tried"):
        Market(world.plan([world.source("s")]), spec)
    own = MarketSpec(5, spec.agents, "ecnomy.markets.economy.settlement:Peering")
    assert Market(world.plan([world.source("s")]), own).row_price_micro().tolist() == [5]


def test_columns_that_others_hold_cannot_be_written_to() -> None:
    """Book, aims and domains replace their columns, so views of earlier epochs stay the same."""
    made = Market(world.plan([world.source("one", count=2)]), MarketSpec(1000, ()))
    made.decide(world.report(made.plan, 0, 0))
    book, aims, domains = made._book, made.aims, made.domains
    for column in (
        book.fee_micro, book.charge_micro, book.bill_micro, aims.switched_on, aims.active,
        aims.weight, domains.price_micro,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
