# SPDX-License-Identifier: Apache-2.0
"""Telephone users on the running engine: each call as drawn, rates and load inside 99 % intervals.

A user is a two-state Markov chain, idle at first: to a call at rate a = 1 / idle mean, back at rate
b = 1 / holding mean, so that with s = a + b

    P(in a call at t | in one at 0) = (a + b exp(-s t)) / s,  | idle at 0) = a (1 - exp(-s t)) / s.

The means and variances of calls begun and of time in calls until T are integrals of these;
users are independent, so that sums over 200 of them are normal.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import integrate, stats

import plans
import traffic_draws as draws
from drive import run

PS = plans.PS
Z = float(stats.norm.ppf(0.995))
IDLE_S, CALL_S = 1200.0, 180.0
WIRE = plans.duplex("wire", 0, 1, 1e9, 0.001)


def talk(users, duration_s, *, interval_s=0.1, seed=1, **other):
    """The reports and the calls table of telephone users `s`, by user and in order."""
    params = {"idle_mean_s": IDLE_S, "call_mean_s": CALL_S, "interval_s": interval_s}
    law = plans.voip(**(params | {"random_phase": 1.0}))
    source = plans.source("s", [0], [], plans.udp(200), law, count=users, **other)
    plan = plans.plan(WIRE, [source], duration_s, seed=seed, epoch_s=duration_s, calls=True)
    outcome = run(plan)
    rows = outcome.table("calls")
    order = np.lexsort((rows["start_ps"], rows["user"]))
    return outcome.reports[-1].flows, {k: v[order] for k, v in rows.items()}


def by_user(rows, users):
    """(start, end) of the calls of each user."""
    for user in range(users):
        mine = rows["user"] == user
        starts, ends = rows["start_ps"][mine].tolist(), rows["end_ps"][mine].tolist()
        yield user, list(zip(starts, ends, strict=True))


def test_every_call_is_the_one_drawn() -> None:
    """Start, end and number of packets of every call follow exactly from the user's stream."""
    users, duration_ps, gap = 30, 20_000 * PS, 2 * PS
    _, rows = talk(users, 20_000, interval_s=2.0)
    for user, calls in by_user(rows, users):
        now, drawn = 0, draws.calls(1, "s", user, IDLE_S, CALL_S, 2.0)
        sent = rows["sent"][rows["user"] == user].tolist()
        for (start, end), packets, (idle, holding, phase) in zip(calls, sent, drawn, strict=False):
            assert start == now + idle
            now = start + holding
            assert end == min(now, duration_ps)
            assert packets == max(0, -(-(end - start - phase) // gap))
        assert now + next(drawn)[0] >= duration_ps  # no call is missing
    assert len(rows["id"]) > 300 and sorted(rows["id"]) == list(range(len(rows["id"])))


def in_call(t_s, *, from_call):
    a, b = 1 / IDLE_S, 1 / CALL_S
    return (a + b * math.exp(-(a + b) * t_s) if from_call else a * -math.expm1(-(a + b) * t_s)) / (
        a + b
    )


def calls_by(t_s, *, from_call):
    """Calls begun by t, on average: the integral of a x P(idle)."""
    a, b = 1 / IDLE_S, 1 / CALL_S
    s = a + b
    gone = -math.expm1(-s * t_s) / s**2
    return a * (b * t_s / s + (a * gone if not from_call else -b * gone))


@cache
def calls_of_one(duration_s):
    """Mean and variance of the calls that a user begins: E[N (N - 1)] from pairs of calls."""
    mean = calls_by(duration_s, from_call=False)

    def pairs(t_s):
        idle = 1 - in_call(t_s, from_call=False)
        return idle / IDLE_S * calls_by(duration_s - t_s, from_call=True)

    twice = 2 * integrate.quad(pairs, 0, duration_s, limit=200)[0]
    return mean, twice + mean - mean**2


@cache
def talk_of_one(duration_s):
    """Mean and variance of the time a user spends in calls, in s and s^2."""
    mean = integrate.quad(lambda t: in_call(t, from_call=False), 0, duration_s, limit=200)[0]

    def later(t_s):
        """The integral over u of P(in a call at t + u | in one at t) from t to the end."""
        a, b, left = 1 / IDLE_S, 1 / CALL_S, duration_s - t_s
        return (a * left - b * math.expm1(-(a + b) * left) / (a + b)) / (a + b)

    square = integrate.quad(
        lambda t: in_call(t, from_call=False) * later(t), 0, duration_s, limit=200
    )[0]
    return mean, 2 * square - mean**2


def test_calls_per_hour_and_user() -> None:
    """Users make 2.6 calls per hour, minus the effect of the initial idle time."""
    users, duration_s = 200, 36_000
    _, rows = talk(users, duration_s, interval_s=60.0)
    mean, variance = calls_of_one(duration_s)
    assert abs(mean / 10 - 3600 / (IDLE_S + CALL_S)) < 0.03
    assert abs(len(rows["id"]) - users * mean) < Z * math.sqrt(users * variance)


def test_holding_times_are_exponential() -> None:
    """The first twelve calls of 200 users have mean 180 s and coefficient of variation 1."""
    users, most = 200, 12
    _, rows = talk(users, 60_000, interval_s=60.0)
    held = [np.diff(calls[:most]).ravel() / PS for _, calls in by_user(rows, users)]
    assert min(map(len, held)) == most
    times, n = np.concatenate(held), users * most
    assert abs(times.mean() - CALL_S) < Z * CALL_S / math.sqrt(n)
    # The delta method for an exponential: variance of the coefficient of variation 1 / n.
    assert abs(times.std() / times.mean() - 1) < Z / math.sqrt(n)


def test_offered_load_of_many_users() -> None:
    """Packets sent equal time in calls over the interval; bits equal packets x 1600."""
    users, duration_s, interval_s = 200, 36_000, 1.0
    flows, rows = talk(users, duration_s, interval_s=interval_s)
    mean, variance = talk_of_one(duration_s)
    talking_s = (rows["end_ps"] - rows["start_ps"]).sum() / PS
    assert abs(talking_s - users * mean) < Z * math.sqrt(users * variance)
    # With a random phase a call's packets are unbiased, with a variance of at most 1/4.
    spread = Z * math.sqrt(len(rows["id"]) / 4)
    assert abs(flows["sent"].sum() - talking_s / interval_s) < spread
    assert flows["sent_bytes"].sum() == 200 * flows["sent"].sum()
    # In the long run 0.130 of the users talk; the idle start costs each user a / s^2 of talk.
    share = CALL_S / (IDLE_S + CALL_S)
    missing_s = IDLE_S * share**2
    assert math.isclose(mean, share * duration_s - missing_s, rel_tol=1e-6)


STEPS = {0: 0.25, 8: 1.5, 12: 0.0, 14: 3.0}
DAY = plans.profile(24 * 3600, {hour * 3600: factor for hour, factor in STEPS.items()})


def step_of(t_ps):
    hour = t_ps / PS / 3600 % 24
    return max(at for at in STEPS if at <= hour)


def test_calls_follow_a_profile_over_the_day() -> None:
    """Per step, calls minus f / mean x idle time is a martingale with that product as variance."""
    users = 200
    _, rows = talk(users, 24 * 3600, interval_s=60.0, profile=DAY)
    begun, idle_s = dict.fromkeys(STEPS, 0), dict.fromkeys(STEPS, 0.0)
    edges = np.array([*STEPS, 24]) * 3600.0
    for _, calls in by_user(rows, users):
        ends = [0, *(end for _, end in calls)]
        starts = [*(start for start, _ in calls), 24 * 3600 * PS]
        for begin, end in zip(ends, starts, strict=True):
            inside = np.diff(np.clip(edges, begin / PS, end / PS))
            for at, part in zip(STEPS, inside, strict=True):
                idle_s[at] += part
    for start in rows["start_ps"].tolist():
        begun[step_of(start)] += 1
    assert begun[12] == 0
    for at in (0, 8, 14):
        due = STEPS[at] * idle_s[at] / IDLE_S
        assert abs(begun[at] - due) < Z * math.sqrt(due), (at, begun[at], due)


@pytest.mark.parametrize("user", [0, 1, 2])
def test_idle_times_wear_off_and_calls_keep_their_length(user: int) -> None:
    """An idle time lasts its drawn length in operational time. Holding times are as drawn."""
    _, rows = talk(3, 24 * 3600, interval_s=60.0, profile=DAY)
    calls = dict(by_user(rows, 3))[user]
    assert len(calls) > 20
    now, drawn = 0, draws.calls(1, "s", user, IDLE_S, CALL_S, 60.0)
    for (start, end), (idle, holding, _) in zip(calls, drawn, strict=False):
        begin = draws.operational_ps(DAY, now)
        upto = [draws.operational_ps(DAY, start + d) - begin for d in (0, 1)]
        assert upto[0] <= idle * 10**6 < upto[1]
        assert end == min(start + holding, 24 * 3600 * PS)
        now = end
