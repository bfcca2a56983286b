# SPDX-License-Identifier: Apache-2.0
"""Traffic on the running engine against its own statistics, each inside a 99 % interval.

Bounds follow from the laws' moments: for a mean sigma / sqrt(n); for a coefficient of variation
the delta method; for Hill's estimator the gamma distribution; for the sum of a renewal process
until a time T the renewal-reward theorem with its constant term. Seeds are fixed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats

import plans
import traffic_draws as draws
from drive import run
from ecnomy.markets.plan import Law
from oracle_random import pareto_mean

PS = plans.PS
Z = float(stats.norm.ppf(0.995))
PAYLOAD = 960  # plans.tcp
WIRE = plans.duplex("wire", 0, 1, 1e9, 0.001)
BRANCHES = draws.BRANCHES
READING_S = sum(m * p for m, p in BRANCHES)


def files(law, users, duration_s, *, seed=1, wire=WIRE, **tcp):
    """The transfers of `users` equal sources `s`, by user and in order."""
    transport = plans.tcp(initial_window=10.0, **tcp)
    source = plans.source("s", [0], [1], transport, law, count=users)
    outcome = run(plans.plan(wire, [source], duration_s, seed=seed, epoch_s=duration_s))
    rows = outcome.table("transfers")
    order = np.lexsort((rows["number"], rows["flow"]))
    return outcome, {k: v[order] for k, v in rows.items()}


def web(*, size="fixed", mean=500.0, low=1.0, high=5e6, shape=1.2, patience_s=-1.0):
    """A web user with the reading times of andreassen2002."""
    kinds = ("fixed", "exponential", "pareto")
    params = dict(reading_mean_s=READING_S, size=kinds.index(size), size_mean_bytes=mean,
                  size_min_bytes=low, size_max_bytes=high, size_shape=shape, reading=1,
                  patience_s=patience_s, lasting=0.0)  # fmt: skip
    return Law("web", {k: float(v) for k, v in params.items()})


def pauses_s(rows, users, most):
    """The first `most` pauses of each user; fewer would leave out the long ones."""
    out = []
    for user in range(users):
        mine = rows["flow"] == user
        assert mine.sum() >= most, f"user {user} has {mine.sum()} files only"
        ends = np.concatenate([[0], rows["end_ps"][mine][: most - 1]])
        out.append((rows["start_ps"][mine][:most] - ends) / PS)
    return np.concatenate(out)


def moment(k):
    """E[X^k] of the hyper-exponential reading time."""
    return math.factorial(k) * sum(p * m**k for m, p in BRANCHES)


def cv_error(n):
    """The standard error of a sample's coefficient of variation, by the delta method."""
    m1, m2, m3, m4 = (moment(k) for k in (1, 2, 3, 4))
    cv = math.sqrt(m2 / m1**2 - 1)
    by_m1, by_m2 = -m2 / (m1**3 * cv), 1 / (2 * m1**2 * cv)
    variance = by_m1**2 * (m2 - m1**2) + by_m2**2 * (m4 - m2**2)
    variance += 2 * by_m1 * by_m2 * (m3 - m1 * m2)
    return math.sqrt(variance / n)


def test_web_reading_times_have_mean_42_8_s_and_variation_2_9() -> None:
    """Mean and coefficient of variation of 120,000 reading times: six runs of 500 users."""
    users, most, seeds = 500, 40, range(1, 7)
    runs = [pauses_s(files(web(), users, 14_000, seed=s)[1], users, most) for s in seeds]
    times, cv = np.concatenate(runs), math.sqrt(moment(2) / moment(1) ** 2 - 1)
    assert abs(READING_S - 42.8) < 0.05 and abs(cv - 2.9) < 0.005
    n = users * most * len(seeds)
    assert abs(times.mean() - READING_S) < Z * cv * READING_S / math.sqrt(n)
    assert abs(times.std() / times.mean() - cv) < Z * cv_error(n)


def test_web_reading_times_are_the_ones_drawn() -> None:
    """Every reading time of every user equals what its stream gives, to the picosecond."""
    users = 20
    _, rows = files(web(), users, 3000)
    for user in range(users):
        mine, us = rows["flow"] == user, draws.uniforms(1, "s", user)
        ends = [0, *rows["end_ps"][mine].tolist()]
        for start, end in zip(rows["start_ps"][mine].tolist(), ends, strict=False):
            assert start - end == draws.hyper_reading_ps(READING_S, us)
    assert len(rows["flow"]) > 1000


def test_web_file_sizes_have_their_mean_and_tail_index() -> None:
    """Pareto sizes have the mean of a truncated tail, and Hill's index of an unlimited tail."""
    low, shape = 2000.0, 1.2
    _, rows = files(web(size="pareto", low=low, high=1e6, shape=shape), 200, 4000)
    sizes = rows["bytes"].astype(float)
    mean = pareto_mean(low, 1e6, shape)
    deviation = math.sqrt(pareto_mean(low, 1e6, shape, 2) - mean**2)
    assert len(sizes) > 10_000
    assert abs(sizes.mean() - mean) < Z * deviation / math.sqrt(len(sizes))
    # Cut off at 10^10 bytes with probability 10^-8; users give up fetches after a second.
    _, rows = files(web(size="pareto", low=low, high=1e10, shape=shape, patience_s=1), 200, 4000)
    top = np.sort(rows["bytes"].astype(float))[::-1]
    for k in (500, 5000):
        hill = 1 / np.mean(np.log(top[:k] / top[k]))
        # k shape / hill is gamma distributed with k degrees, exactly for a Pareto tail.
        least, most = (k * shape / stats.gamma.ppf(q, k) for q in (0.995, 0.005))
        assert least < hill < most, (k, hill)


def test_web_offered_load_is_that_of_a_renewal_reward_process() -> None:
    """Files requested in T and their bytes are T / cycle per user, plus the start's term."""
    users, duration_s, mean = 300, 16_000, 4000.0
    outcome, rows = files(web(size="exponential", mean=mean), users, duration_s)
    cycle_s = READING_S + np.mean(rows["end_ps"] - rows["start_ps"]) / PS
    cv2 = moment(2) / READING_S**2 - 1
    count = users * (duration_s / cycle_s + (cv2 - 1) / 2)
    per_user = duration_s / cycle_s
    assert abs(len(rows["bytes"]) - count) < Z * math.sqrt(users * cv2 * per_user)
    load = rows["bytes"].sum() * 8 / duration_s
    variance = users * per_user * mean**2 * (1 + cv2)  # of a cycle's bytes less rate x its time
    assert abs(load - count * mean * 8 / duration_s) < Z * math.sqrt(variance) * 8 / duration_s
    flows = outcome.reports[-1].flows
    headers = np.sum(-(-rows["bytes"] // PAYLOAD)) * 40
    assert 0 <= flows["acked_bytes"].sum() - rows["bytes"].sum() - headers < 1e5


def test_on_off_files_and_pauses() -> None:
    """Files are geometric with mean 300 packets, pauses exponential with mean 1 s, all as drawn."""
    users, most, mean = 50, 80, 300.0
    law = Law("on-off", {"packets_mean": mean, "pause_mean_s": 1.0, "lasting": 0.0})
    _, rows = files(law, users, 160)
    pauses = pauses_s(rows, users, most).reshape(users, most)
    assert np.all(pauses[:, 0] == 0)
    n = users * (most - 1)
    assert abs(pauses[:, 1:].mean() - 1) < Z / math.sqrt(n)
    packets = np.concatenate([rows["bytes"][rows["flow"] == user][:most] for user in range(users)])
    assert np.all(packets % PAYLOAD == 0)
    packets = packets // PAYLOAD
    n, p = users * most, 1 / mean
    assert abs(packets.mean() - mean) < Z * mean * math.sqrt((1 - p) / n)
    # The fourth central moment of a geometric is (1 - p) (9 (1 - p) + p^2) / p^4.
    fourth, variance = (1 - p) * (9 * (1 - p) + p**2) / p**4, (1 - p) / p**2
    assert abs(packets.var() - variance) < Z * math.sqrt((fourth - variance**2) / n)


def sends(law, duration_s, seed=1, **other):
    """The times (ps) at which a datagram source's packets leave; the last report's counters."""
    source = plans.source("s", [0], [], plans.udp(), law, **other)
    outcome = run(plans.plan(WIRE, [source], duration_s, seed=seed, trace=True))
    rows = outcome.table("trace")
    return rows["t_ps"][rows["event"] == 0], outcome.reports[-1].flows


def test_poisson_packets_are_poisson() -> None:
    """The rate and the counts' index of dispersion are inside their intervals (chi square)."""
    times, _ = sends(Law("poisson", {"mean_interval_s": 0.01}), 400)
    low, high = stats.poisson.interval(0.99, 40_000)
    assert low <= len(times) <= high
    counts = np.bincount(times // (PS // 2), minlength=800)
    n = len(counts)
    dispersion = counts.var(ddof=1) / counts.mean()
    least, most = stats.chi2.ppf([0.005, 0.995], n - 1) / (n - 1)
    assert least < dispersion < most, dispersion
    oracle = itertools.takewhile(lambda t: t < 400 * PS, draws.poisson_times(1, "s", 0, 0.01))
    assert np.array_equal(times, list(oracle))


def test_constant_rate_is_exact() -> None:
    """Packets leave exactly at phase + k x interval; the phase is the drawn one."""
    times, flows = sends(Law("cbr", {"interval_s": 0.03, "random_phase": 1.0}), 60)
    gap = 3 * PS // 100
    phase = int(next(draws.uniforms(1, "s", 0)) * gap)
    assert np.array_equal(times, np.arange(phase, 60 * PS, gap))
    assert flows["sent_bytes"][0] == 1000 * len(times)


def test_impatience_gives_up_at_its_age() -> None:
    """Users give up exactly the fetches that exceed their patience, when it ends."""
    narrow = plans.duplex("narrow", 0, 1, 2e6, 0.01, buffer=20)
    law = web(size="pareto", low=100_000.0, high=5e6, patience_s=4.0)
    _, rows = files(law, 10, 3000, wire=narrow)
    took = rows["end_ps"] - rows["start_ps"]
    gone = rows["complete"] == 0
    assert gone.sum() > 20 and (~gone).sum() > 100
    assert np.all(took[gone] == 4 * PS) and np.all(took[~gone] < 4 * PS)
    # The next reading time begins there, whether the fetch was completed or not.
    for user in range(10):
        mine, us = rows["flow"] == user, draws.uniforms(1, "s", user)
        ends = [0, *rows["end_ps"][mine].tolist()]
        for start, end in zip(rows["start_ps"][mine].tolist(), ends, strict=False):
            assert start - end == draws.hyper_reading_ps(READING_S, us)
            next(us)
