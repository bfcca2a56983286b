# SPDX-License-Identifier: Apache-2.0
"""`expected-profit`, step by step against a plain recomputation, and in networks that change."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import optimize, stats

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.expected_profit import ExpectedProfit
from gsp_world import PS, TARIFF, World, observation
from tiers import full, in_full

SAMPLE, LEARNING, MEMORY = 20, 4, 12


def swings(second: int) -> tuple[float, float]:
    """Quiet and busy quarters of an hour, and a slow swing within them."""
    busy = (second // 200) % 3 == 1
    tide = 1 + 0.4 * math.sin(second / 37)
    return ((0.5, 0.03) if busy else (0.15, 0.004))[0] * tide, (0.02 if busy else 0.004) * tide


class Recount:
    """The strategy's expected state, from the plain lists of a world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def samples(self) -> list[tuple[int, int, int]]:
        """Packets, marks and bad packets of adjoining twenty seconds, the last MEMORY of them."""
        rows = self.world.reports[1 : self.world.second + 1]
        whole = len(rows) // SAMPLE
        blocks = [rows[SAMPLE * i : SAMPLE * (i + 1)] for i in range(whole)]
        return [tuple(sum(column) for column in zip(*b, strict=True)) for b in blocks][-MEMORY:]

    def now(self, what: int) -> float:
        """The rate of marks (1) or bad packets (2) over the last twenty seconds."""
        rows = self.world.reports[max(1, self.world.second + 1 - SAMPLE) : self.world.second + 1]
        return sum(r[what] for r in rows) / max(sum(r[0] for r in rows), 1)

    def follows(self, what: int) -> float:
        rates = [s[what] / s[0] for s in self.samples()]
        return max(float(np.corrcoef(rates[:-1], rates[1:])[0, 1]), 0.0)

    def mean(self, what: int) -> float:
        rows = self.samples()
        return (sum(s[what] for s in rows) + 0.5) / (sum(s[0] for s in rows) + 1)

    def ahead(self, what: int, now: float) -> float:
        mean, rates = self.mean(what), [s[what] / s[0] for s in self.samples()]
        usual = sorted((min(rates), now, max(rates)))[1]
        return mean + self.follows(what) * (usual - mean) + (now - usual)

    def law(self, what: int) -> tuple[float, float]:
        """Mean and a + b by an analysis of variance written out."""
        rows = self.samples()
        n, r = [s[0] for s in rows], [s[what] / s[0] for s in rows]
        count, total = len(rows), sum(n)
        pooled = sum(s[what] for s in rows) / total
        between = sum(a * (b - pooled) ** 2 for a, b in zip(n, r, strict=True)) / (count - 1)
        within = sum(a * b * (1 - b) for a, b in zip(n, r, strict=True)) / (total - count)
        length = (total - sum(a * a for a in n) / total) / (count - 1)
        rho = (between - within) / (between + (length - 1) * within)
        return self.mean(what), 1 / rho - 1 if rho > 0 else math.inf

    def broken(self, packets: int) -> float:
        """The next samples, with more weight for those that follow samples like the current one."""
        rows = self.samples()
        logs = [math.log((s[2] + 0.5) / (s[0] + 1)) for s in rows]
        alike = max(float(np.corrcoef(logs[:-1], logs[1:])[0, 1]), 0.0)
        window = self.world.reports[max(1, self.world.second + 1 - SAMPLE) : self.world.second + 1]
        sent, bad = sum(r[0] for r in window), sum(r[2] for r in window)
        now = math.log((bad + 0.5) / (sent + 1))
        wide = (1 / alike**2 - 1) * np.var(logs, ddof=1) if alike else math.inf
        near = [math.exp(-((now - log) ** 2) / 2 / wide) for log in logs[:-1]]
        limit, law = self.world.tariff.max_delay_rate, self.law(2)
        if bad / sent > max(s[2] / s[0] for s in rows):
            return breaks(bad, sent, limit, packets, law)
        chances = [breaks(s[2], s[0], limit, packets, law) for s in rows[1:]]
        return sum(w * p for w, p in zip(near, chances, strict=True)) / sum(near)

    def packets(self) -> float:
        return sum(c.sent for c in self.world.ended) / max(len(self.world.ended), 1)


def breaks(bad: int, sent: int, limit: float, packets: int, law: tuple[float, float]) -> float:
    """The chance that a connection at this sample's rate has too many bad packets, by scipy."""
    if packets <= sent:
        return float(stats.hypergeom.sf(math.floor(limit * packets), sent, bad, packets))
    mean, size = law
    most = math.floor(limit * packets) - bad
    if math.isinf(size):
        return float(stats.binom.sf(most, packets - sent, mean))
    a, b = mean * size + bad, (1 - mean) * size + sent - bad
    return float(stats.betabinom.sf(most, packets - sent, a, b))


class Corrections:
    """Marks and broken promises of calls, relative to those of the test streams meanwhile."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, float, int, float, bool]] = []
        self.factor, self.shift = 1.0, 0.0
        self.laws: list[tuple[float, float]] = []

    def ended(self, world: World) -> None:
        """Add the calls reported in this second, judged by earlier data only."""
        for call in world.reported[world.second]:
            if not self.laws:
                continue
            first, last = call.start_ps // PS + 1, -(-call.end_ps // PS)
            seconds = world.reports[first : min(last, world.second) + 1]
            sent, marks, bad = (sum(column) for column in zip(*seconds, strict=True))
            mean, size = self.laws[0]
            rate = mean if math.isinf(size) else (mean * size + marks) / (size + sent)
            odds = breaks(bad, sent, world.tariff.max_delay_rate, call.sent, self.laws[1])
            self.rows.append((call.end_ps, call.sent * rate, call.marks, odds, call.reimbursed))

    def renew(self, at: int) -> None:
        """Renew the corrections at the end of a sample, from calls of the last MEMORY samples."""
        rows = [row for row in self.rows if row[0] > (at - MEMORY * SAMPLE) * PS]
        hoped, marks = sum(row[1] for row in rows), sum(row[2] for row in rows)
        broken = sum(row[4] for row in rows)
        q = np.clip([row[3] for row in rows], 1e-4, 1 - 1e-4)
        self.factor = math.exp(
            optimize.brentq(lambda x: marks - hoped * math.exp(x) - x / math.log(2) ** 2, -20, 20)
        )
        self.shift = optimize.brentq(
            lambda x: broken - float((1 / (1 + np.exp(-x) * (1 - q) / q)).sum()) - x / 4, -25, 25
        )


@pytest.mark.parametrize("per_minute", [pytest.param(0, marks=full), 90_000])
def test_every_answer_is_that_of_a_plain_recount(per_minute: int) -> None:
    """All forecasts, chances, corrections and answers equal those written out by hand."""
    tariff = msgspec.structs.replace(TARIFF, price_micro_per_min=per_minute, price_micro=60_000)
    strategy = ExpectedProfit(margin=0.001, sample=SAMPLE, learning=LEARNING, memory=MEMORY)
    world = World(strategy, swings, dearer=1.5, worse=2.0, tariff=tariff)
    recount, own = Recount(world), Corrections()
    packets = 0
    answers: list[bool] = []
    before, watch = strategy.admit, strategy.watch

    def admit(call: Call) -> bool:
        answer = before(call)
        if len(recount.samples()) < LEARNING or len(world.ended) < LEARNING:
            assert answer
            return answer
        rate, broken = recount.ahead(1, recount.now(1)), recount.broken(packets)
        odds = min(max(broken, 1e-4), 1 - 1e-4)
        chance = 1 / (1 + math.exp(-own.shift) * (1 - odds) / odds)
        minutes = sum(c.end_ps - c.start_ps for c in world.ended) / len(world.ended) / PS / 60
        profit = tariff.price_micro + per_minute * minutes - tariff.reimbursement_micro * chance
        profit -= 1000 * packets * rate * own.factor
        assert strategy.readings["expected_profit"] == pytest.approx(profit, rel=1e-6, abs=1e-2)
        assert answer == (profit >= 1000)
        answers.append(answer)
        return answer

    def watched(view: Any) -> None:
        nonlocal packets
        watch(view)
        own.ended(world)
        if world.second and world.second % SAMPLE == 0:
            own.renew(world.second)
            packets = round(recount.packets())
            if len(recount.samples()) > 1:
                own.laws = [recount.law(1), recount.law(2)]
            else:
                own.laws = [(recount.mean(1), math.inf), (recount.mean(2), math.inf)]

    strategy.admit, strategy.watch = admit, watched  # type: ignore[method-assign]
    seconds = 2500 if in_full() else 1500
    world.run(seconds)
    assert len(answers) > 0.24 * seconds and 0.016 * seconds < sum(answers) < 0.95 * len(answers)
    if per_minute:  # else only few calls were let in of late
        assert own.factor == pytest.approx(1.5, rel=0.15)


def test_it_lets_in_before_it_has_learnt() -> None:
    """At a price of 0, with very expensive marks, the first calls are still admitted."""
    free = CallTariff(0, 1, 0.01, 0)
    strategy = ExpectedProfit(sample=10.0, learning=3)
    assert strategy.admit(Call(0, 0, free, 1e12))
    world = World(strategy, lambda second: (0.5, 0.1), tariff=free, price_micro=10**9)
    world.run(29)
    assert all(answer for *_, answer in world.answers) and not strategy.learnt
    world.run(300)
    assert strategy.learnt and not any(answer for t_ps, _, answer in world.answers[60:])


def test_a_rush_like_none_before_is_no_chance() -> None:
    """Four times the marks after steady samples are not attributed to chance."""
    strategy = ExpectedProfit(sample=10.0, learning=5)
    tariff = msgspec.structs.replace(TARIFF, price_micro=90_000)
    world = World(
        strategy, lambda second: (0.2, 0.0) if second < 200 else (0.9, 0.0), tariff=tariff
    )
    world.run(212)
    late = [answer for t_ps, _, answer in world.answers if t_ps >= 206 * PS]
    soon = [answer for t_ps, _, answer in world.answers if t_ps < 200 * PS]
    assert all(soon) and late and not any(late)


def test_it_comes_back() -> None:
    """While the network is expensive for ten minutes, sales stop, and then start again."""

    def levels(second: int) -> tuple[float, float]:
        return (0.9, 0.2) if 600 <= second < 1200 else (0.1, 0.0)

    world = World(ExpectedProfit(sample=20.0, learning=5, memory=60), levels)
    world.run(2400)

    def share(first: int, last: int) -> float:
        rows = [a for t_ps, _, a in world.answers if first * PS <= t_ps < last * PS]
        return sum(rows) / len(rows)

    assert share(100, 600) == 1.0
    assert share(700, 1200) < 0.1
    assert share(1300, 2400) > 0.9


def test_bad_calls_are_forgotten() -> None:
    """Calls break promises unnoticed by test streams: they are blocked for a while, then tried."""

    def levels(second: int) -> tuple[float, float]:
        return 0.01, 0.0

    tariff = msgspec.structs.replace(TARIFF, price_micro=30_000)
    strategy = ExpectedProfit(sample=20.0, learning=5, memory=10)
    world = World(strategy, levels, tariff=tariff)
    world.run(200)
    bad = [observation(200 + i, 1.0, (40, 0, 0)) for i in range(1)]
    strategy.watch(bad[0])
    for flow in range(60):  # sixty calls, all of which break
        assert strategy.admit(Call(200 * PS + flow, 500 + flow, tariff, 1000.0))
    strategy.watch(observation(240, 40.0, (1600, 16, 0), _broken(60), tariff))
    assert not strategy.admit(Call(240 * PS, 1, tariff, 1000.0))
    back = next(
        second
        for second in range(260, 2000, 20)
        if strategy.watch(observation(second, 20.0, (800, 8, 0), [], tariff)) is None
        and strategy.admit(Call(second * PS, 1, tariff, 1000.0))
    )
    assert 300 < back <= 240 + 10 * 20 + 20


def _broken(count: int) -> list[Any]:
    from gsp_world import Ended

    return [Ended(500 + i, 200 * PS + i, 230 * PS, 300, 3, True, 0.0) for i in range(count)]


@full
def test_it_does_better_than_letting_everybody_in_where_that_loses() -> None:
    """At a price between quiet and busy costs, the strategy sells in quiet times and profits."""

    class All(ExpectedProfit):
        def admit(self, call: Call) -> bool:
            super().admit(call)
            return True

    tariff = msgspec.structs.replace(TARIFF, price_micro=60_000)
    earned = {}
    for kind in (ExpectedProfit, All):
        world = World(kind(sample=20.0, learning=5), swings, seed=3, tariff=tariff)
        world.run(2500)
        earned[kind] = world.profit_micro(since=200)
    assert earned[ExpectedProfit] > 0 > earned[All]


def test_nothing_of_calls_under_way_is_known() -> None:
    """Marks of calls count only when they end: until then, two futures get the same answers."""
    answers = []
    for dearer in (1.0, 8.0):
        strategy = ExpectedProfit(sample=10.0, learning=2)
        world = World(strategy, lambda second: (0.05, 0.0), dearer=dearer)
        world.run(60)
        answers.append([a for *_, a in world.answers])
        readings = strategy.readings["expected_profit"]
        answers.append([readings > 0])
    assert answers[0] == answers[2]


@pytest.mark.parametrize("forgone", [pytest.param(False, marks=full), True])
def test_posted_prices_earn_the_margin(forgone: bool) -> None:
    """Steady networks: after the first price, calls leave the margin within three standard errors.

    Test streams included; `margin` is the mean, so that no call is refused for being below it.
    """
    margin, every = 0.02, 600
    price = 100_000
    tariff = CallTariff(price, 1, 0.05, price if forgone else 80_000, money_back=forgone)
    strategy = ExpectedProfit(margin=margin, sample=20.0, learning=10, memory=500, reprice=every)
    world = World(strategy, lambda second: (0.2, 0.03), tariff=tariff, dearer=1.3)
    if forgone:
        post = strategy.post_call_price

        def both(view: Any) -> int | None:
            posted = post(view)
            if posted is not None:  # the tariff reimburses its price
                world.tariff = msgspec.structs.replace(world.tariff, reimbursement_micro=posted)
            return posted

        strategy.post_call_price = both  # type: ignore[method-assign]
    seconds, learnt = (8_000, 2400) if in_full() else (5_000, 1800)
    world.run(seconds)
    assert [t for t, _ in world.posted] == list(range(every, seconds, every))
    late = [c for c in world.ended if c.start_ps >= learnt * PS]
    probes = sum(marks for _, marks, _ in world.reports[learnt:]) * 1000
    profits = np.array([c.profit_micro for c in late]) - probes / len(late)
    assert all(answer for *_, answer in world.answers)
    error = profits.std() / math.sqrt(len(profits))
    assert abs(profits.mean() - margin * 1e6) < 3 * math.sqrt(2) * error


def test_a_price_leaves_out_what_costs_more_than_it() -> None:
    """With 40 expensive samples of 100, V follows from the other 60, by the docstring's steps."""
    strategy = ExpectedProfit(margin=0.01, sample=1.0, learning=3, memory=100, reprice=100.0)
    strategy.watch(observation(0, 0, (0, 0, 0)))
    calls = []
    for second in range(1, 101):
        marks = 900 if second > 60 else 10
        strategy.watch(observation(second, 1.0, (1000, marks, 0), calls, price_micro=1000))
        strategy.admit(Call(second * PS, second, TARIFF, 1000.0))
        calls = [_call(second)]
    view = observation(100, 0.0, (0, 0, 0), price_micro=1000)
    posted = strategy.post_call_price(view)
    assert posted is not None
    rates = [(900 if s > 60 else 10) / 1000 for s in range(1, 101)]
    mean = (sum(rates) * 1000 + 0.5) / (100 * 1000 + 1)
    follows = float(np.corrcoef(rates[:-1], rates[1:])[0, 1])
    never = float(stats.binom(4000, 0.5 / 100_001).sf(50))  # of 5,000 packets 1,000 are not bad
    factor, chance = strategy._bills.marks_factor, strategy._bills.chance(never)
    costs = [1000 * 5000 * factor * (mean + follows * (rate - mean)) for rate in rates]
    probing = sum(rates) * 1000 * 1000
    kept, price = costs, 0.0
    while True:
        share = probing / (100 * len(kept) / 100)
        price = 10_000 + sum(kept) / len(kept) + TARIFF.reimbursement_micro * chance + share
        stay = [c for c in kept if c + TARIFF.reimbursement_micro * chance <= price]
        if len(stay) == len(kept):
            break
        kept = stay
    assert len(kept) == 60
    assert posted == pytest.approx(price, abs=1.001)


def _call(second: int) -> Any:
    from gsp_world import Ended

    return Ended(second, second * PS, (second + 1) * PS, 5000, 500, False, 0.0)


@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("margin", {"margin": math.inf}),
        ("sample", {"sample": 0.0}),
        ("learning", {"learning": 0}),
        ("memory", {"memory": 5}),
        ("reprice", {"reprice": -1.0}),
    ],
)
def test_senseless_parameters_are_refused(key: str, params: dict[str, Any]) -> None:
    """Values that are not amounts or times, and a memory shorter than the learning time."""
    with pytest.raises(Refused) as refusal:
        ExpectedProfit(**params)
    assert refusal.value.key == key
