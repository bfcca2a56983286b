# SPDX-License-Identifier: Apache-2.0
"""`all-or-nothing` and `average-rate` on scripted views, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import FlowView
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.all_or_nothing import AllOrNothing
from ecnomy.agents.strategies.average_rate import AverageRate
from flow_world import noting, observation

MBPS = 1e6


def view(t_s: float, dt_s: float, mbps: float, marks: int = 5, **more: object) -> FlowView:
    """One flow at a rate."""
    rate = mbps * MBPS
    flows = observation(t_s, dt_s, goodput_bps=rate, marks=marks, agent=noting(int(t_s)), **more)
    return next(flows.views())


def test_all_is_a_cap_and_a_threshold() -> None:
    """Cap and threshold hold from the start, while the rate is reached or no packet is marked."""
    buyer = AllOrNothing(threshold=2.0, rate=MBPS)
    for said in (view(0, 0, 0), view(5, 5, 0.2), view(10, 5, 0.95), view(15, 5, 0.3, marks=0)):
        decision = buyer.decide(said)
        assert decision.active and decision.rate_cap_bps == MBPS
        assert decision.willingness_micro_per_s == 2e6


def test_nothing_until_a_drawn_time_later() -> None:
    """Below 0.9 x0 with marks, a flow is off for [retry / 2, 3 retry / 2], then twice as long."""
    buyer, t = AllOrNothing(threshold=2.0, rate=MBPS, retry=20.0), 0.0
    buyer.decide(view(0, 0, 0))
    waits = []
    for _ in range(6):
        t += 1
        assert buyer.decide(view(t, 1, 0.5)).active  # the trial
        t += 1
        assert not buyer.decide(view(t, 1, 0.5)).active
        off = t
        while not buyer.decide(view(t, 1, 0.0, marks=0, active=0)).active:
            t += 1
        waits.append(t - off)
    factor = np.array(waits) / (20 * np.array([1, 2, 4, 8, 8, 8]))
    assert ((factor >= 0.5) & (factor <= 1.6)).all()
    assert len(set(np.round(factor, 3))) > 1
    buyer.decide(view(t + 1, 1, 1.0))
    assert buyer.decide(view(t + 2, 1, 1.0)).active  # had again
    assert buyer.decide(view(t + 3, 1, 0.5)).active
    buyer._on, buyer._again_s = False, t + 30
    assert buyer.decide(view(t + 3 + 30, 30, 0.0, active=0)).active


def test_who_had_x0_leaves_at_the_third_slow_decision_or_later() -> None:
    """From the third slow decision in a row on, half leave at each."""
    left = []
    for number in range(400):
        buyer = AllOrNothing(threshold=2.0, rate=MBPS, retry=1000.0)
        rates = [1.0, 1.0, 1.0, 0.5, 0.5, 0.95, *[0.5] * 40]
        on = [buyer.decide(view(number + k, k, x)).active for k, x in enumerate(rates)]
        left.append(on.index(False) - rates.index(0.95))
    share = [np.mean(np.array(left) == place) for place in range(5)]
    assert share[:3] == [0, 0, 0]
    assert share[3] == pytest.approx(1 / 2, abs=0.08) and share[4] == pytest.approx(1 / 4, abs=0.07)


def test_what_is_owed_by_hand() -> None:
    """D grows by the shortfall, is at most x0 L, and raises the cap by D / L."""
    buyer = AverageRate(threshold=2.0, rate=MBPS, over=5.0, peak=1.5)
    assert buyer.decide(view(0, 0, 0)).rate_cap_bps == MBPS
    owed = 0.0
    rates = (0.6, 0.6, 1.1, *[0.0] * 6, 1.5, 3.0, 9.0, 9.0, 0.0, 0.0)
    for step, mbps in enumerate(rates):
        owed = min(max(owed + (1 - mbps), -5.0), 5.0)
        cap = buyer.decide(view(step + 1, 1, mbps)).rate_cap_bps / MBPS
        assert cap == pytest.approx(max(min(1 + owed / 5, 1.5), 0.0))
    assert cap == pytest.approx(0.4)  # D is -5 at least, and two seconds later -3


def test_the_mean_is_x0_whatever_dips_there_are() -> None:
    """If the rate follows its cap except in dips, the flow sends x0 t + D(0) - D(t)."""
    buyer, random = AverageRate(threshold=1.0, rate=MBPS, over=5.0), np.random.default_rng(4)
    cap = buyer.decide(view(0, 0, 0)).rate_cap_bps / MBPS
    sent = []
    for step in range(400):
        sent.append(cap * (0.5 if random.random() < 0.3 else 1.0))
        cap = buyer.decide(view(0.5 * (step + 1), 0.5, sent[-1])).rate_cap_bps / MBPS
    assert np.mean(sent) == pytest.approx(1.0, abs=5 / 200)
    assert np.mean(np.minimum(sent, 1.0)) < 0.93  # what a cap at x0 would have had


def test_a_flow_with_nothing_to_send_is_owed_nothing() -> None:
    """A flow below its cap without a mark, or switched off, gains no deficit."""
    buyer = AverageRate(threshold=1.0, rate=MBPS)
    for said in (view(1, 1, 0.1, marks=0), view(2, 1, 0.0, marks=3, active=0)):
        assert buyer.decide(said).rate_cap_bps == MBPS


@pytest.mark.parametrize("kind", [AllOrNothing, AverageRate])
def test_the_rate_is_the_traffics_own_by_default(kind: type) -> None:
    """A greedy flow has no such rate and is refused."""
    assert kind(threshold=1.0).needs_rate == "rate" and not kind(threshold=1.0, rate=1.0).needs_rate
    own = kind(threshold=1.0).decide(view(0, 0, 0, limit_bps=3 * MBPS))
    assert own.rate_cap_bps == 3 * MBPS
    with pytest.raises(StrategyError, match="missing 'rate' for a flow"):
        kind(threshold=1.0).decide(view(0, 0, 0))


@pytest.mark.parametrize(
    ("kind", "params", "key"),
    [
        (AllOrNothing, {"threshold": 0.0}, "threshold"),
        (AllOrNothing, {"threshold": 1.0, "rate": -1.0}, "rate"),
        (AllOrNothing, {"threshold": 1.0, "retry": 0.0}, "retry"),
        (AllOrNothing, {"threshold": 1.0, "satisfied": 1.0}, "satisfied"),
        (AverageRate, {"threshold": 0.0}, "threshold"),
        (AverageRate, {"threshold": 1.0, "over": 0.0}, "over"),
        (AverageRate, {"threshold": 1.0, "peak": 1.0}, "peak"),
    ],
)
def test_what_cannot_be_is_refused(kind: type, params: dict[str, float], key: str) -> None:
    """The error names the key."""
    with pytest.raises(Refused) as caught:
        kind(**params)
    assert caught.value.key == key


@pytest.mark.parametrize(("over", "peak"), [(3.0, 4.0), (12.5, 1.2)])
def test_the_cap_is_that_of_a_plain_recount(over: float, peak: float) -> None:
    """Deficits count only under congestion, excesses above x0 always; 300 random intervals."""
    rng = np.random.Generator(np.random.Philox(11))
    buyer, owed, cap = AverageRate(threshold=0.5, rate=MBPS, over=over, peak=peak), 0.0, np.inf
    caps = set()
    for step in range(300):
        mbps = rng.uniform(0.2, 1.0) if step // 75 % 2 else rng.uniform(0.8, 2.4)
        marks, dt_s = int(rng.integers(0, 2)), float(rng.choice([0.5, 2.0]))
        on, heard = int(rng.random() < 0.95), rng.random() < 0.95
        said = view(step, dt_s, mbps, marks, active=on, srtt_s=0.1 if heard else 0.0)
        congested = marks or mbps >= 0.9 * min(cap, 1.0)
        if on and heard and (congested or mbps > 1):
            owed = float(np.clip(owed + (1 - mbps) * dt_s, -over, over))
        cap = min(1 + owed / over, peak)
        decision = buyer.decide(said)
        assert decision.rate_cap_bps == pytest.approx(max(cap, 0.0) * MBPS, abs=1e-6)
        assert decision.willingness_micro_per_s == 5e5
        caps.add(round(cap, 6))
    assert min(caps) == 0
    assert 1.1 < max(caps) <= peak
