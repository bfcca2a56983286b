# SPDX-License-Identifier: Apache-2.0
"""Rate profiles on the running engine: pauses last as long in operational time as they were drawn.

Counts per step lie in 99 % intervals of the profile's rates. If a stream states exactly
when an event must happen, the engine has it at that picosecond.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import plans
import traffic_draws as draws
from drive import run
from ecnomy.markets.bridge.messages import Decide, flow_orders
from ecnomy.markets.plan import Law

PS = plans.PS
SEND = 0
STEPS = {0: 0.5, 4: 2.0, 10: 0.0, 13: 1.25}
PERIOD_S = 20.0
PROFILE = plans.profile(PERIOD_S, STEPS)
LENGTHS = {at: end - at for at, end in itertools.pairwise([*STEPS, PERIOD_S])}
WIRE = plans.duplex("wire", 0, 1, 1e9, 0.001)


def send(traffic, duration_s, *, transport=None, decide=None, profile=PROFILE, seed=1, **other):
    """The source `s` alone on a fast wire, traced."""
    udp = traffic.law in ("cbr", "poisson", "voip")
    transport = transport or (plans.udp() if udp else plans.tcp(initial_window=10.0))
    back = [] if udp else [1]
    source = plans.source("s", [0], back, transport, traffic, profile=profile, **other)
    plan = plans.plan(WIRE, [source], duration_s, seed=seed, trace=True)
    return run(plan, decide)


def data_times(outcome, flow=0):
    """The times in ps at which data packets of a flow left. SYNs have 40 bytes."""
    rows = outcome.table("trace")
    sent = (rows["event"] == SEND) & (rows["flow"] == flow) & (rows["bytes"] > 40)
    return rows["t_ps"][sent].tolist()


def step_of(t_ps):
    """The step a time lies in, by its begin in seconds."""
    phase = t_ps % round(PERIOD_S * PS)
    return max(at for at in STEPS if at * PS <= phase)


def worn_ps(first_ps, last_ps):
    """Operational time between two times, ps."""
    return (draws.operational_ps(PROFILE, last_ps) - draws.operational_ps(PROFILE, first_ps)) / 1e6


def wears_off(first_ps, last_ps, pause_ps):
    """Return whether a pause that began at first_ps ends at last_ps, to the picosecond."""
    begin = draws.operational_ps(PROFILE, first_ps)
    end, after = (draws.operational_ps(PROFILE, last_ps + d) for d in (0, 1))
    return end - begin <= pause_ps * 10**6 < after - begin


POISSON = Law("poisson", {"mean_interval_s": 0.01})


def test_poisson_counts_per_step() -> None:
    """Packets in a step are Poisson with mean rate x factor x time; none leaves at factor 0."""
    times = data_times(send(POISSON, 200))
    counts = {at: sum(step_of(t) == at for t in times) for at in STEPS}
    assert counts[10] == 0
    for at in (0, 4, 13):
        low, high = stats.poisson.interval(0.99, 10 * 100 * STEPS[at] * LENGTHS[at])
        assert low <= counts[at] <= high, (at, counts)


def test_every_poisson_gap_is_the_one_drawn() -> None:
    """Each packet leaves to the picosecond when the drawn gap is over in operational time."""
    times = data_times(send(POISSON, 60))
    drawn = (draws.exponential_ps(0.01, u) for u in draws.uniforms(1, "s", 0))
    assert len(times) > 5000
    for (before, after), gap in zip(itertools.pairwise([0, *times]), drawn, strict=False):
        assert wears_off(before, after, gap)


def test_constant_rate_follows_the_steps() -> None:
    """A packet leaves every 30 ms of operational time, even with a step in an interval."""
    times = data_times(send(Law("cbr", {"interval_s": 0.03, "random_phase": 0.0}), 60))
    assert times[0] == 0
    for before, after in itertools.pairwise(times):
        assert wears_off(before, after, round(0.03 * PS))
    # 30 ms do not divide the steps, so that some intervals cross one.
    crossing = [a for a, b in itertools.pairwise(times) if step_of(a) != step_of(b)]
    assert len(crossing) == 3 * 3 - 1


WEB = Law(
    "web",
    dict(reading_mean_s=1.0, size=0.0, size_mean_bytes=3000.0, size_min_bytes=1.0,
         size_max_bytes=5e6, size_shape=1.2, reading=0.0, patience_s=-1.0, lasting=0.0),
)  # fmt: skip


def test_web_requests_per_step() -> None:
    """Per step, requests minus f / mean x reading time is a martingale with that variance."""
    users, duration_s = 40, 100
    rows = send(WEB, duration_s, count=users).table("transfers")
    fetching = dict.fromkeys(STEPS, 0.0)
    for start, end in zip(rows["start_ps"].tolist(), rows["end_ps"].tolist(), strict=True):
        fetching[step_of(start)] += (end - start) / PS  # milliseconds: hardly any crosses a step
    requests = {at: sum(step_of(t) == at for t in rows["start_ps"].tolist()) for at in STEPS}
    assert requests[10] == 0
    z = stats.norm.ppf(0.995)
    for at in (0, 4, 13):
        reading_s = users * LENGTHS[at] * duration_s / PERIOD_S - fetching[at]
        due = STEPS[at] * reading_s
        assert abs(requests[at] - due) < z * np.sqrt(due), (at, requests[at], due)


def test_every_reading_time_is_the_one_drawn() -> None:
    """The drawn reading time passes in operational time between a file's end and the next."""
    rows = send(WEB, 60, count=3).table("transfers")
    for user in range(3):
        mine = rows["flow"] == user
        ends = [0, *rows["end_ps"][mine].tolist()]
        starts = rows["start_ps"][mine].tolist()
        assert len(starts) > 20
        for begin, start, u in zip(ends, starts, draws.uniforms(1, "s", user), strict=False):
            assert wears_off(begin, start, draws.exponential_ps(1.0, u))
        plain = send(WEB, 30, count=3, profile=plans.NO_PROFILE).table("transfers")
        took = (plain["end_ps"] - plain["start_ps"])[plain["flow"] == user]
        assert set((rows["end_ps"] - rows["start_ps"])[mine].tolist()) == set(took.tolist())


def test_on_off_pauses_are_stretched_and_files_are_not() -> None:
    """The first file waits for a factor above 0, and sizes are the same as without a profile."""
    law = Law("on-off", {"packets_mean": 20.0, "pause_mean_s": 0.5, "lasting": 0.0})
    night = plans.profile(PERIOD_S, {0: 0.0, 5: 1.0})
    rows = send(law, 60, profile=night).table("transfers")
    plain = send(law, 60, profile=plans.NO_PROFILE).table("transfers")
    assert rows["start_ps"][0] == 5 * PS and plain["start_ps"][0] == 0
    n = len(rows["bytes"])
    assert 40 < n < len(plain["bytes"]) and np.array_equal(rows["bytes"], plain["bytes"][:n])
    rest = [(r["start_ps"][1:] - r["end_ps"][:-1])[: n - 1] for r in (rows, plain)]
    worn = [
        (draws.operational_ps(night, b) - draws.operational_ps(night, a)) // 10**6
        for a, b in zip(rows["end_ps"][:-1].tolist(), rows["start_ps"][1:].tolist(), strict=True)
    ]
    assert np.array_equal(worn, rest[1]) and not np.array_equal(rest[0], rest[1])


def test_files_begin_in_operational_time() -> None:
    """Single files that are spread over a time begin in operational time."""
    law, users = Law("file", {"size_bytes": 2000.0}), 50
    rows = send(law, 60, count=users, start_s=2.0, spread_s=10.0).table("transfers")
    starts = dict(zip(rows["flow"].tolist(), rows["start_ps"].tolist(), strict=True))
    assert len(starts) == users
    for user, start in starts.items():
        wait = int(next(draws.uniforms(1, "s", user, "start")) * 10 * PS)
        assert wears_off(2 * PS, start, wait)


def capped(rate_bps, until_s=-1.0):
    return Law("rate-capped", {"rate_bps": float(rate_bps), "until_s": until_s})


@pytest.mark.parametrize("window", [plans.RENO, plans.wtp(1.0)], ids=["ack-clocked", "paced"])
def test_a_cap_is_rate_times_factor_step_by_step(window: Law) -> None:
    """The bits sent in a step are its cap times its length, within a packet at each end."""
    outcome = send(capped(1e6), 60, transport=plans.tcp(window))
    times = np.array(data_times(outcome))
    for begin, (at, factor) in itertools.product((20, 40), STEPS.items()):
        span = (begin + at) * PS, (begin + at + LENGTHS[at]) * PS
        packets = np.count_nonzero((span[0] <= times) & (times < span[1]))
        due = 1e6 * factor * LENGTHS[at] / 8000
        assert abs(packets - due) <= 1, (begin, at, packets, due)


def test_a_cap_takes_effect_in_the_middle_of_an_interval() -> None:
    """Packets are 5 s of operational time apart, which is longer than some of the steps."""
    times = data_times(send(capped(1600), 200))
    assert len(times) > 30
    for before, after in itertools.pairwise(times[1:]):
        assert wears_off(before, after, 5 * PS)


def test_a_market_cap_and_the_profile_bind_together() -> None:
    """The lower of the market's cap and rate x factor holds, step by step."""

    def decide(report):
        if report.epoch not in (20, 40):
            return Decide(report.epoch)
        cap = 0.6e6 if report.epoch == 20 else -1.0
        return Decide(report.epoch, flow_orders([0], rate_cap_bps=cap))

    times = np.array(data_times(send(capped(1e6), 60, decide=decide)))
    for begin, (at, factor) in itertools.product((20, 40), STEPS.items()):
        rate = min(1e6 * factor, 0.6e6 if begin == 20 else 1e9)
        span = (begin + at) * PS, (begin + at + LENGTHS[at]) * PS
        packets = np.count_nonzero((span[0] <= times) & (times < span[1]))
        assert abs(packets - rate * LENGTHS[at] / 8000) <= 2, (begin, at, packets)


def test_a_lifted_cap_has_no_profile() -> None:
    """From `until` on the source is greedy, through a factor of 0 too."""
    outcome = send(
        capped(1e5, until_s=11.0), 14, transport=plans.tcp(plans.wtp(1.0), max_window=50.0)
    )
    times = np.array(data_times(outcome))
    assert np.count_nonzero((times >= 10 * PS) & (times < 11 * PS)) == 0
    assert np.count_nonzero(times >= 11 * PS) > 5000


def test_greedy_members_take_turns() -> None:
    """Member i of 8 sends while (i + 1/2) / 8 < f / max f; the others are reported as off."""
    members = 8
    window = plans.tcp(plans.wtp(1.0), max_window=2.0)
    outcome = send(Law("greedy", {}), 40, count=members, transport=window)
    largest = max(STEPS.values())
    times = [np.array(data_times(outcome, flow)) for flow in range(members)]
    for begin, (at, factor) in itertools.product((0, 20), STEPS.items()):
        first, last = begin + at, begin + at + LENGTHS[at]
        on = [(i + 0.5) / members < factor / largest for i in range(members)]
        inside = next(r for r in outcome.reports if r.t_ps == (first + 1) * PS)
        assert inside.flows["active"].tolist() == on
        span = [(first * PS <= t) & (t < last * PS) for t in times]
        assert [bool(s.any()) for s in span] == on, (begin, at)
    sent = outcome.reports[-1].flows["sent"]
    assert np.array_equal(
        sent, outcome.reports[-1].flows["delivered"] + outcome.reports[-1].flows["in_flight"]
    )


ALL = (
    (POISSON, {}),
    (Law("cbr", {"interval_s": 0.02, "random_phase": 1.0}), {"count": 2}),
    (WEB, {"count": 4}),
    (Law("on-off", {"packets_mean": 30.0, "pause_mean_s": 0.5, "lasting": 0.0}), {"count": 2}),
    (Law("file", {"size_bytes": 2e5}), {"count": 4, "spread_s": 5.0}),
    (capped(2e6, 8.0), {"transport": plans.tcp(plans.wtp(1.0), max_window=50.0)}),
    (Law("greedy", {}), {"transport": plans.tcp(max_window=20.0), "count": 2}),
)


@pytest.mark.parametrize(("law", "other"), ALL, ids=[law.law for law, _ in ALL])
def test_a_factor_of_one_is_no_profile(law: Law, other: dict) -> None:
    """With a factor of 1 throughout, the same packets leave at the same times as without."""
    flat = plans.profile(3.0, {0: 1.0, 1: 1.0})
    with_it, without = (
        send(law, 12, profile=p, overhead_s=1e-5, **other).table("trace")
        for p in (flat, plans.NO_PROFILE)
    )
    assert len(without["t_ps"]) > 100
    assert all(with_it[k].tobytes() == without[k].tobytes() for k in without)
