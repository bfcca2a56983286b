# SPDX-License-Identifier: Apache-2.0
"""The call desk: offers to sellers, prices of calls, claims of broken promises, and notices."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

from ecnomy.agents.call_tariff import BOTH, PROVIDER_SEES, SUBSCRIBER_SEES, CallTariff, Hours
from ecnomy.agents.calls import BEST_EFFORT, Call, CallAsk, EndedCalls
from ecnomy.agents.errors import LedgerError, StrategyError
from ecnomy.markets.economy.call_desk import CallDesk
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.terms.ledger_kinds import CALL, REIMBURSEMENT
from ecnomy.markets.terms.money import LARGEST_MICRO

BASE, NOON = 100, 300  # micro-units
TARIFF = CallTariff(BASE, 0, 1.0, 0, hours=(Hours(10, 20, NOON),), day_ps=40)
PS: Final = 10**12
RECORD: Final = "id flow start_ps end_ps complete sent late lost ce accepted".split()


class Desk:
    """A desk of two providers and four flows; a test scripts its sellers and its buyer."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.of = {name: self.ledger.open(name) for name in ("alpha", "beta")}
        users = np.array([self.ledger.open(f"user {flow}") for flow in range(4)])
        self.carried: list[tuple[int, int]] = []
        self.users: list[int] = users.tolist()
        parties: Any = SimpleNamespace(
            first_offer=np.zeros(4),
            users=users,
            account=self.of.__getitem__,
            carried=lambda *each: self.carried.append(each),
        )
        self.desk = CallDesk(parties, self.ledger)
        self.calls: list[tuple[str, Call]] = []
        self.asks: list[CallAsk] = []
        self.heard: list[EndedCalls] = []
        self.refuses: set[str] = set()
        self.wanted = [0, BEST_EFFORT]
        self.claim = False
        self.ids = 0

    def seller(self, name: str) -> Any:
        """A seller that refuses while its name is in `refuses`."""

        def admit(call: Call) -> bool:
            self.calls.append((name, call))
            return name not in self.refuses

        return SimpleNamespace(admit=admit)

    def buy(self, *rows: int) -> None:
        """A buyer for these flows; the test sets its order of sellers and its claims."""

        def order(ask: CallAsk) -> list[int]:
            self.asks.append(ask)
            return self.wanted

        buyer: Any = SimpleNamespace(
            order=order, claims=lambda _: self.claim, hear=self.heard.append
        )
        self.desk.buy(buyer, np.array(rows))

    def request(self, flow: int, t_ps: int = 0, kind: str = CALL) -> bool:
        """Whether a call of this flow is admitted; its price of a mark is 10 + flow."""
        self.ids += 1
        request: Any = SimpleNamespace(id=self.ids, flow=flow, t_ps=t_ps, kind=kind)
        return self.desk.admit(request, lambda: np.arange(10.0, 14.0))

    def judge(self, *rows: tuple[int, ...]) -> dict[str, list[int]]:
        """The added columns of records with the columns RECORD."""
        columns = np.array(rows, dtype=np.int64).T
        judged = self.desk.judge(dict(zip(RECORD, columns, strict=True)))
        return {name: column.tolist() for name, column in judged.items() if name not in RECORD}

    def posted(self, t_ps: int = 0) -> list[tuple[int, ...]]:
        """Rows of the ledger: whether it is a refund, time, debit, credit, amount, flow."""
        self.desk.book(t_ps)
        rows = []
        for one in self.ledger.take():
            assert one.kind in (CALL, REIMBURSEMENT)
            columns = (one.t_ps, one.debit, one.credit, one.amount_micro, one.flow)
            whole = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
            rows += [(int(one.kind == REIMBURSEMENT), *row) for row in whole]
        return rows


def test_a_posted_price_replaces_the_prices_by_the_hour() -> None:
    """A posted price also replaces the price outside the hours, and holds at all times."""
    seller: Any = None
    parties: Any = SimpleNamespace(first_offer=np.zeros(1), account=lambda _: 0)
    for price in (BASE, 200):
        desk = CallDesk(parties, Ledger())
        line = desk.open("gsp", seller, TARIFF, np.array([0]))
        assert [desk.tariff(line, t).price_micro for t in (5, 15, 55)] == [BASE, NOON, NOON]
        assert desk.post(line, price)
        assert [desk.tariff(line, t).price_micro for t in (5, 15, 55)] == [price] * 3
        assert not desk.post(line, price)
        for after in (price + 1, price):
            assert desk.post(line, after)
            assert desk.tariff(line, 15) == CallTariff(after, 0, 1.0, 0, day_ps=40)


def test_the_clock_of_a_tariff_begins_at_its_offset() -> None:
    """The periods 10 to 20 and 30 to 40 of a day of 50 hold if the clock starts at 13."""
    hours = (Hours(10, 20, NOON), Hours(30, 40, 7))
    tariff = CallTariff(BASE, 0, 1.0, 0, hours=hours, day_ps=50, offset_ps=13)
    prices = {0: NOON, 6: NOON, 7: BASE, 16: BASE, 17: 7, 26: 7, 27: BASE, 46: BASE, 47: NOON}
    for t_ps, price in prices.items():
        assert tariff.at(t_ps).price_micro == tariff.at(t_ps + 3 * 50).price_micro == price


@pytest.mark.parametrize(
    ("peak", "mean", "packets"), [(-1, -1, 0), (40.5, -1, 142), (40.5, 9.1, 32), (40.5, 0, 0)]
)
def test_a_call_is_expected_to_send_at_its_mean_rate_or_else_its_peak(
    peak: float, mean: float, packets: int
) -> None:
    """The estimate for 3.5 s has a whole number of packets, whose price adds to the time's."""
    tariff = CallTariff(
        5, 0, 1.0, 0, price_micro_per_min=30, price_micro_per_mega=7, peak_pps=peak, mean_pps=mean
    )
    assert tariff.usual_packets(35 * PS // 10) == packets
    assert tariff.expected_use_micro(1.5, 2e5) == pytest.approx(30 * 1.5 + 7 / 5)


@pytest.mark.parametrize(("money_back", "refund"), [(False, 30), (True, 80)])
def test_a_refund_of_the_price_follows_a_posted_price(money_back: bool, refund: int) -> None:
    """A refund of the price follows a posted price, and a fixed sum does not."""
    market = Desk()
    tariff = CallTariff(BASE, 0, 0.0, 30, money_back=money_back)
    line = market.desk.open("beta", market.seller("beta"), tariff, np.array([0]))
    assert market.desk.post(line, 80)
    assert market.desk.tariff(line, 0).reimbursement_micro == refund


def test_the_cheapest_decides_first_and_the_next_if_it_refuses() -> None:
    """The cheapest seller of the hour comes first. A call refused by all is blocked."""
    market = Desk()
    dear, cheap = CallTariff(70, 0, 1.0, 0), TARIFF
    market.desk.open("alpha", market.seller("other"), dear, np.array([2]))
    market.desk.open("alpha", market.seller("alpha"), CallTariff(200, 0, 1.0, 0), np.array([0, 1]))
    market.desk.open("beta", market.seller("beta"), cheap, np.array([1, 0]))
    expected = []
    for t_ps, refuses, sellers, admitted in (
        (5, "", "beta", True),
        (15, "", "alpha", True),
        (15, "alpha", "alpha beta", True),
        (20, "beta", "beta alpha", True),
        (30, "alpha beta", "beta alpha", False),
        (50, "alpha", "alpha beta", True),
    ):
        market.refuses, market.calls = set(refuses.split()), []
        assert market.request(1, t_ps) == admitted
        assert [name for name, _ in market.calls] == sellers.split()
        assert {call.mark_price for _, call in market.calls} == {11.0}
        assert {(call.t_ps, call.flow) for _, call in market.calls} == {(t_ps, 1)}
        lines = {"alpha": 1, "beta": 2}
        refused = sum(1 << lines[name] for name in sellers.split() if name in market.refuses)
        sold = lines[sellers.split()[-1]] if admitted else BEST_EFFORT
        expected.append((sold, refused))
    assert not market.request(3)
    assert not market.request(1, kind="class")
    assert [account for _, account in market.carried] == [
        market.of[name] for name in ("beta", "alpha", "beta", "alpha", "beta")
    ]
    rows = [(number, 1, 0, 1, 1, 5, 0, 0, 0, 1) for number in range(1, 9)]
    judged = market.judge(*rows)
    decisions = list(zip(judged["tariff"], judged["refused_by"], strict=True))
    assert decisions == [*expected, (BEST_EFFORT, 0), (BEST_EFFORT, 0)]
    prices = {1: 200, 2: None, BEST_EFFORT: 0}
    hours = [100, 300, 300, 100, 100, 300, 0, 0]
    wanted = [
        hours[k] if prices[line] is None else prices[line] for k, (line, _) in enumerate(decisions)
    ]
    assert judged["charge_micro"] == wanted


def test_calls_under_way_count_by_seller_and_trunk() -> None:
    """Tariffs of one trunk count together; other trunks and sellers count separately."""
    market = Desk()
    for flow, (who, trunk) in enumerate(
        (("alpha", ""), ("alpha", ""), ("alpha", "1"), ("beta", ""))
    ):
        market.desk.open(who, market.seller(who), TARIFF, np.array([flow]), trunk)
    for flow, before in ((0, 0), (1, 1), (2, 0), (3, 0), (1, 2), (3, 1)):
        assert market.request(flow)
        assert market.calls[-1][1].under_way == before
    market.refuses = {"beta"}
    assert not market.request(3)
    ended = ((1, 0, 1), (2, 1, 1), (4, 3, 0), (7, 3, 0))  # the last one did not begin
    market.judge(*((n, flow, 0, 1, done, 5, 0, 0, 0, n < 7) for n, flow, done in ended))
    market.refuses = set()
    for flow, before in ((0, 1), (2, 1), (3, 1)):
        assert market.request(flow)
        assert market.calls[-1][1].under_way == before
    assert [len(market.desk.ended(line)) for line in range(4)] == [1, 1, 0, 0]  # to their ends


def test_marks_are_the_sellers_where_callers_choose() -> None:
    """With a single seller and no buyer, the caller keeps its marks."""
    market = Desk()
    for who, rows in (("alpha", [0, 1, 2]), ("beta", [1])):
        market.desk.open(who, market.seller(who), TARIFF, np.array(rows))
    market.buy(2)
    market.buy(3)
    for flow in (0, 1, 2):
        assert market.request(flow)
    assert market.carried == [(1, market.of["alpha"]), (2, market.of["alpha"])]


@pytest.mark.parametrize("seed", range(4))
def test_charges_and_refunds_are_those_of_a_plain_recount(seed: int) -> None:
    """Charges and refunds, at the prices of the request, agree with plain sums and the balances."""
    rng, market = np.random.Generator(np.random.Philox(seed)), Desk()
    tariffs = []
    for flow, who in enumerate(("alpha", "beta", "alpha", "beta")):
        price, back, minute, mega = (int(value) for value in rng.integers(0, 10**7, 4))
        minute, mega = (minute, mega) if flow else (0, 0)
        share = float(rng.choice([0.0, 0.01, 0.25]))
        more = {"price_micro_per_min": minute, "price_micro_per_mega": mega}
        tariffs.append(CallTariff(price, 0, share, back, money_back=flow == 3, **more))
        market.desk.open(who, market.seller(who), tariffs[-1], np.array([flow]))
    rows, expected, charges, refunds = [], [], [], []
    for number in range(1, 31):
        flow, start = int(rng.integers(4)), int(rng.integers(0, 100)) * PS
        end = start + int(rng.integers(1, 300 * PS))
        sent, complete = int(rng.integers(0, 5000)), int(rng.random() < 0.8)
        late, lost = (int(value) for value in rng.integers(0, 1 + sent // 50, 2))
        assert market.request(flow, start)
        tariff, user, seller = (
            tariffs[flow],
            market.users[flow],
            market.of[("alpha", "beta")[flow % 2]],
        )
        use = Fraction(tariff.price_micro_per_min * (end - start), 60 * PS)
        use_micro = int(use + Fraction(tariff.price_micro_per_mega * sent, 10**6))
        charge = tariff.price_micro + use_micro
        broken = complete and late + lost > tariff.max_delay_rate * sent
        back = (charge if flow == 3 else tariff.reimbursement_micro) if broken else 0
        expected.append((0, start, user, seller, tariff.price_micro, flow))
        expected += [(0, end, user, seller, use_micro, flow)] if use_micro else []
        expected += [(1, end, seller, user, back, flow)] if broken else []
        charges.append(charge)
        refunds.append(back)
        rows.append((number, flow, start, end, complete, sent, late, lost, 0, 1))
    judged = market.judge(*rows)
    assert judged["charge_micro"] == charges
    assert judged["reimbursement_micro"] == refunds
    assert market.posted() == sorted(expected)
    assert market.posted() == []  # once each
    for flow, user in enumerate(market.users):
        own = [b - c for row, b, c in zip(rows, refunds, charges, strict=True) if row[1] == flow]
        assert market.ledger.balances_micro[user] == sum(own)


@pytest.mark.parametrize("bought", [False, True])
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("claimed", [False, True])
@pytest.mark.parametrize("seen_by", [PROVIDER_SEES, SUBSCRIBER_SEES, BOTH])
def test_a_refund_needs_the_report_that_the_tariff_names(
    seen_by: str, claimed: bool, broken: bool, bought: bool
) -> None:
    """The provider, the subscriber or both report; without a buyer, the true value counts."""
    market = Desk()
    tariff = CallTariff(50, 0, 0.1, 1, quality_seen_by=seen_by)
    market.desk.open("beta", market.seller("beta"), tariff, np.array([0, 2]))
    if bought:
        market.buy(2)
    market.claim = claimed
    assert market.request(2)
    bad = 11 if broken else 10
    judged = market.judge((1, 2, 3, 8, 1, 100, 4, bad - 4, 7, 1))
    word = {PROVIDER_SEES: broken, SUBSCRIBER_SEES: claimed, BOTH: broken and claimed}
    refund = 1 if (word[seen_by] if bought else broken) else 0
    assert judged["reimbursement_micro"] == [refund]
    ended = market.desk.ended(0)
    columns = [getattr(ended, name).tolist() for name in EndedCalls.__struct_fields__]
    known = -1 if seen_by == SUBSCRIBER_SEES else bad
    assert columns == [[v] for v in (2, 0, 3, 8, 100, 7, known, refund > 0, 50, refund)]
    assert len(market.desk.ended(0)) == 0  # told once
    market.desk.spread()
    market.desk.spread()
    assert [len(ended) for ended in market.heard] == ([1, 0] if bought else [])
    if bought:
        assert market.heard[0].bad.tolist() == [bad]
        assert market.heard[0].reimbursed.tolist() == [refund > 0]


def test_a_buyer_may_prefer_best_effort() -> None:
    """The subscriber then pays for the marks, and only it gets the notice of the call."""
    market = Desk()
    market.desk.open("beta", market.seller("beta"), TARIFF, np.array([1]))
    market.desk.open("alpha", market.seller("alpha"), TARIFF, np.array([1]))
    market.buy(1)
    market.refuses, market.wanted = {"alpha"}, [1, BEST_EFFORT]
    assert market.request(1, 12)
    assert [(o.provider, o.number, o.tariff.price_micro) for o in market.asks[0].offers] == [
        ("beta", 0, NOON),
        ("alpha", 1, NOON),
    ]
    assert (market.asks[0].t_ps, market.asks[0].flow, market.asks[0].mark_price) == (12, 1, 11.0)
    assert market.carried == [(1, market.users[1])]
    market.wanted = [0]
    assert market.request(1, 12)
    assert market.carried[1:] == [(1, market.of["beta"])]
    market.wanted = [1]
    assert not market.request(1, 12)
    judged = market.judge(*((n, 1, 0, 9, int(n < 3), 8, 1, 2, 5, int(n < 3)) for n in (1, 2, 3)))
    assert judged == {
        "charge_micro": [0, NOON, 0],
        "refused_by": [2, 0, 2],
        "reimbursement_micro": [0, 0, 0],
        "tariff": [BEST_EFFORT, 0, BEST_EFFORT],
    }
    market.desk.spread()
    assert market.heard[0].tariff.tolist() == [BEST_EFFORT, 0]
    assert len(market.desk.ended(0)) == 1
    assert len(market.desk.ended(1)) == 0


def test_a_call_that_costs_too_much_for_the_ledger_is_refused() -> None:
    """The call is refused at its end, from 2^62 micro-units on."""
    for over in (0, 1):
        market = Desk()
        tariff = CallTariff(LARGEST_MICRO - 11 + over, 0, 1.0, 0, price_micro_per_min=10)
        market.desk.open("beta", market.seller("beta"), tariff, np.array([0]))
        assert market.request(0)
        record = (1, 0, 0, 60 * PS, 1, 5, 0, 0, 0, 1)
        if over:
            with pytest.raises(LedgerError, match="a call of flow 0"):
                market.judge(record)
        else:
            assert market.judge(record)["charge_micro"] == [LARGEST_MICRO - 1]


def test_each_tariff_has_a_bit() -> None:
    """62 tariffs are accepted; one more is refused."""
    market = Desk()
    for line in range(62):
        assert market.desk.open("beta", market.seller("beta"), TARIFF, np.array([0])) == line
    with pytest.raises(StrategyError, match="at most 62 tariffs"):
        market.desk.open("beta", market.seller("beta"), TARIFF, np.array([0]))
