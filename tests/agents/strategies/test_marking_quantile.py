# SPDX-License-Identifier: Apache-2.0
"""Admission by the marking rate of test streams, against sums and quantiles done by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import optimize

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.estimators import ESTIMATORS, BetaBinomial, Samples
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.marking_quantile import MarkingQuantile
from gsp_world import TARIFF, World
from gsp_world import observation as gsp_observation
from tiers import full

PS = 10**12
CALL = Call(0, 0)


def observation(t_s: float, dt_s: float, sent: int, marks: int) -> StreamObservation:
    """Two streams with these packets in all."""
    none = np.zeros(2, dtype=np.int64)
    half = np.array([sent // 2, sent - sent // 2])
    marked = np.array([marks, 0])
    return StreamObservation(
        round(t_s * PS), round(dt_s * PS), 1000, half, half, marked, none, none
    )


def test_window_and_samples_are_those_of_a_plain_list() -> None:
    """M covers the last T, samples cover adjoining T, and the threshold is their quantile."""
    draw = random.Random(3)
    strategy = MarkingQuantile(quantile=0.8, sample=10.0, learning=4)
    history: list[tuple[int, int]] = []
    samples: list[float] = []
    strategy.watch(observation(0, 0, 0, 0))
    assert strategy.marking_rate == 0 and strategy.admit(CALL)
    blocked = 0
    for second in range(1, 301):
        sent = draw.randint(30, 60)
        marks = draw.randint(0, 6) if second % 50 > 10 else draw.randint(0, 30)
        history.append((sent, marks))
        strategy.watch(observation(second, 1, sent, marks))
        last = history[-10:]
        m = sum(k for _, k in last) / sum(n for n, _ in last)
        assert strategy.marking_rate == pytest.approx(m, rel=1e-12)
        if second % 10 == 0:
            samples.append(m)
        if len(samples) < 4:
            assert strategy.threshold == math.inf and strategy.admit(CALL)
            continue
        gaps = len(samples) + 1  # gaps for the next sample, at most a fifth of them above
        least = min(s for s in samples if gaps - sum(o <= s for o in samples) <= 0.2 * gaps + 1e-9)
        assert strategy.threshold == pytest.approx(least, rel=1e-12)
        assert strategy.admit(CALL) == (m <= least + 1e-15)
        blocked += m > least
    assert blocked > 5
    assert set(strategy.readings) == {"marking_rate", "blocking_threshold"}


@full
def test_in_a_steady_network_the_share_promised_is_blocked() -> None:
    """Independent samples: a share 1 - quantile of the time is above the threshold (99 %)."""
    draw = random.Random(5)
    strategy = MarkingQuantile(quantile=0.9, sample=1.0, learning=50)
    refused = requests = 0
    for second in range(4000):
        marks = sum(draw.random() < 0.1 for _ in range(100))
        strategy.watch(observation(second, 1, 100, marks))
        if second >= 1000:
            requests += 1
            refused += not strategy.admit(CALL)
    # Ties: marks are whole numbers, so that less than a tenth is above the quantile.
    exact = 1 - sum(math.comb(100, k) * 0.1**k * 0.9 ** (100 - k) for k in range(15))
    assert abs(refused / requests - exact) < 2.576 * math.sqrt(exact / requests)
    assert refused / requests <= 0.1


def test_silent_streams_block_nobody() -> None:
    """Nothing is learnt from test streams that send nothing."""
    strategy = MarkingQuantile(sample=2.0, learning=1)
    for second in range(20):
        strategy.watch(observation(second, 1, 0, 0))
        assert strategy.admit(CALL) and strategy.threshold == math.inf


@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("quantile", {"quantile": 0.0}),
        ("quantile", {"quantile": 1.1}),
        ("sample", {"sample": 0.0}),
        ("learning", {"learning": 0}),
        ("estimator", {"estimator": "guess"}),
        ("margin", {"margin": math.nan}),
        ("reprice", {"reprice": -1.0}),
    ],
)
def test_senseless_parameters_are_refused(key: str, params: dict) -> None:
    """A share outside (0, 1], a time of 0 and learning without a sample are refused."""
    with pytest.raises(Refused) as refusal:
        MarkingQuantile(**params)
    assert refusal.value.key == key


@pytest.mark.parametrize("kind", sorted(ESTIMATORS))
def test_the_threshold_is_the_estimators(kind: str) -> None:
    """Without a quantile, the estimator finds the threshold by the tariff's blocking rate."""
    draw = random.Random(7)
    tariff = msgspec.structs.replace(TARIFF, max_blocking_rate=0.25)
    strategy = MarkingQuantile(sample=10.0, learning=3, estimator=kind)
    kept, compared = [(0, 0)], 0
    for second in range(1, 301):
        sent, marks = draw.randint(30, 60), draw.randint(0, 12)
        kept.append((sent, marks))
        strategy.watch(gsp_observation(second, 1.0, (sent, marks, 0), tariff=tariff))
        blocks = [kept[i : i + 10] for i in range(1, len(kept) - 9, 10)]
        packets = [sum(n for n, _ in block) for block in blocks]
        hits = [sum(k for _, k in block) for block in blocks]
        if len(blocks) < 3:
            assert strategy.threshold == math.inf
            continue
        expected = ESTIMATORS[kind].of(Samples.of(hits, packets)).threshold(0.25)
        assert strategy.threshold == expected
        compared += 1
        now = kept[-10:]
        m = sum(k for _, k in now) / sum(n for n, _ in now)
        assert strategy.admit(CALL) == (m <= expected)
    assert compared > 200


def test_a_given_quantile_comes_before_the_tariffs() -> None:
    """A given 0.5 overrides the tariff's promise; without either, the quantile is 0.9."""
    rates = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    for quantile, promised, expected in (
        (0.5, 0.1, 0.06),  # 5 of the 11 gaps of ten samples are above the sixth
        (None, 0.3, 0.08),
        (None, 0.0, math.inf),
        (None, -1.0, 0.1),
    ):
        strategy = MarkingQuantile(quantile, sample=1.0, learning=10)
        tariff = msgspec.structs.replace(TARIFF, max_blocking_rate=promised)
        for second, marks in enumerate(rates, 1):
            strategy.watch(gsp_observation(second, 1.0, (100, marks, 0), tariff=tariff))
        assert strategy.threshold == expected


def steady(second: int) -> tuple[float, float]:
    """A network with constant shares of marked and late packets."""
    return 0.2 + 0.02 * math.sin(second / 50), 0.03


@pytest.mark.parametrize(
    "kind",
    ["beta-binomial", pytest.param("beta", marks=full), pytest.param("empirical", marks=full)],
)
def test_posted_prices_are_those_of_a_plain_recount(kind: str) -> None:
    """V is P + R_e p + mu + h, with estimates of test streams, corrected by its own calls."""
    sample, memory = 20, 100 * 20
    strategy = MarkingQuantile(
        quantile=0.9, sample=sample, learning=5, estimator=kind, margin=0.02, reprice=500.0
    )
    tariff = CallTariff(100_000, 1, 0.05, 80_000, price_micro_per_min=3000)
    world = World(strategy, steady, tariff=tariff, dearer=1.4)
    state: dict[str, Any] = {"now": (0.0, 0.0), "factor": 1.0, "shift": 0.0, "laws": None}
    calls: list[tuple[int, float, int, float, bool]] = []
    watch = strategy.watch

    def watched(view: StreamObservation) -> None:
        watch(view)
        second = world.second
        calls.extend(ended_calls(world, state["laws"]))
        if not second or second % sample:
            return
        rows = [world.reports[1 + i : 1 + i + sample] for i in range(0, second, sample)]
        n, k, bad = (np.array([sum(r[c] for r in row) for row in rows]) for c in (0, 1, 2))
        fit = ESTIMATORS[kind].of(Samples.of(k, n))
        beta = fit.threshold(0.1 if len(rows) >= 5 else 0.0)
        kept = k / n <= beta
        packets = round(np.mean([c.sent for c in world.ended] or [0]))
        judged = ESTIMATORS[kind].of(Samples.of(bad[kept], n[kept]))
        state["now"] = fit.mean_below(beta), judged.broken(0.05, packets)
        state["laws"] = [BetaBinomial.of(Samples.of(hits, n)).rate for hits in (k, bad)]
        recent = [call for call in calls if call[0] > (second - memory) * PS]
        state["factor"], state["shift"] = corrections(recent)

    strategy.watch = watched  # type: ignore[method-assign]
    post, posted = strategy.post_call_price, []

    def post_call_price(view: StreamObservation) -> int | None:
        answer = post(view)
        if answer is not None:
            posted.append((answer, by_hand(world, state, memory)))
        return answer

    strategy.post_call_price = post_call_price  # type: ignore[method-assign]
    world.run(3100)
    assert len(posted) == 6 and len(world.posted) == 6
    for answer, value in posted:
        assert answer == pytest.approx(value, abs=1.001)


def by_hand(world: World, state: dict[str, Any], memory: int) -> float:
    """V, micro-units: P of 20,000, R_e of 80,000, 3,000 a minute, marks at 1,000."""
    rate, broken = state["now"]
    odds = min(max(broken, 1e-4), 1 - 1e-4)
    chance = 1 / (1 + math.exp(-state["shift"]) * (1 - odds) / odds)
    minutes = np.mean([c.end_ps - c.start_ps for c in world.ended]) / PS / 60
    cost = 1000 * np.mean([c.sent for c in world.ended]) * rate * state["factor"]
    first = world.second - memory  # renewed every sample, so of whole samples
    probes = 1000 * sum(marks for _, marks, _ in world.reports[max(first + 1, 0) :])
    sold = sum(a for t, _, a in world.answers if t >= max(first, 0) * PS)
    return float(20_000 - 3000 * minutes + 80_000 * chance + cost + probes / sold)


def ended_calls(world: World, laws: Any) -> list[tuple[int, float, int, float, bool]]:
    """Calls that ended in this second: expected and actual marks, risk and fact of a breach."""
    rows = []
    for call in world.reported[world.second] if laws else []:
        first, last = call.start_ps // PS + 1, min(-(-call.end_ps // PS), world.second)
        counts = zip(*world.reports[first : last + 1], strict=True)
        sent, marks, bad = (sum(column) for column in counts)
        hoped = call.sent * laws[0].after(marks, sent).mean
        chance = laws[1].exceeds_with(bad, sent, 0.05, call.sent)
        rows.append((call.end_ps, hoped, call.marks, chance, call.reimbursed))
    return rows


def corrections(calls: list[tuple[int, float, int, float, bool]]) -> tuple[float, float]:
    """The factor of marks and the shift of odds, by Brent's method."""
    _, hoped, marks, q, broken = zip(*calls, strict=True) if calls else ([],) * 5
    q = np.clip(q, 1e-4, 1 - 1e-4)
    factor = optimize.brentq(
        lambda x: sum(marks) - sum(hoped) * math.exp(x) - x / math.log(2) ** 2, -20, 20
    )
    shift = optimize.brentq(
        lambda x: sum(broken) - float((1 / (1 + np.exp(-x) * (1 - q) / q)).sum()) - x / 4, -25, 25
    )
    return math.exp(factor), shift


def test_without_reprice_no_price_is_posted() -> None:
    """Without `reprice`, the default, no price is posted and no data of calls are kept."""
    strategy = MarkingQuantile(sample=20.0, learning=2)
    world = World(strategy, steady)
    world.run(400)
    assert not world.posted and not strategy._bills.ended and not strategy._bills.call_requests


def test_a_promise_is_broken_above_the_share_only() -> None:
    """One bad packet of 100 keeps a promise of 1 %, two break it; no packets keep any promise."""
    tariff = CallTariff(1, 1, 0.01, 1)
    assert not tariff.broken(100, 1) and tariff.broken(100, 2)
    assert tariff.broken(99, 1) and not tariff.broken(0, 0)
    assert CallTariff(1, 1, 0.0, 1).broken(10**6, 1)
