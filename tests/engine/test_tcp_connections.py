# SPDX-License-Identifier: Apache-2.0
"""A new connection of a flow starts fresh, whatever happened to the previous one."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import run
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law, Tcp

PS = plans.PS
SEND = 0
BAD_S = 4  # until then many packets are lost or marked
FILES = dict(
    size=0.0, reading_mean_s=0.8, reading_spread=4.0, size_mean_bytes=100e3, size_min_bytes=1.0,
    size_max_bytes=1e6, size_shape=1.2, reading=0.0, patience_s=1.0, lasting=0.0,
)  # fmt: skip
NEWRENO = Law("newreno", plans.RENO.params)
KINDS = {
    "newreno": plans.tcp(NEWRENO, echo="off"),
    "sack": plans.tcp(NEWRENO, echo="off", sack=True, delayed_acks=2),
    "ecn": plans.tcp(NEWRENO, sack=True),
    "reno": plans.tcp(plans.RENO),
    "cubic": plans.tcp(plans.cubic(hystart=1), sack=True),
    "accecn": plans.tcp(plans.dctcp(), echo="accecn", sack=True),
    "prague": plans.tcp(plans.prague()),
    "scream": plans.tcp(plans.scream(), initial_window=20.0),
    "dctcp": plans.tcp(plans.dctcp(), delayed_acks=2),
}


def connections(transport: Tcp, probability: float, seed: int) -> list[list[tuple[int, int]]]:
    """The packets and times of each connection, for files of 100 kB and a patience of a second.

    Times since its SYN, and sizes. The law of the only link has this probability until BAD_S. Only
    files that begin later count, from the second on only if the link was silent before.
    """
    links = plans.duplex("l", 0, 1, 1e8, 0.02, marking=plans.fixed(probability))
    flow = plans.source("f", [0], [1], transport, Law("web", FILES))

    def decide(report: Report) -> Decide:
        rows = {"link": np.array([0]), "param": np.array([0]), "value": np.array([0.0])}
        return Decide(report.epoch, {}, rows if report.epoch == BAD_S else {})

    outcome = run(plans.plan(links, [flow], BAD_S + 5, seed=seed, trace=True), decide)
    trace, files = outcome.table("trace"), outcome.table("transfers")
    sent = trace["event"] == SEND
    times, sizes = trace["t_ps"][sent], trace["bytes"][sent]
    traces, free_at = [], 0
    for start, end in zip(files["start_ps"].tolist(), files["end_ps"].tolist(), strict=True):
        if start > BAD_S * PS and start - free_at > PS // 10:
            mine = (times >= start) & (times <= end)
            traces.append(
                list(zip((times[mine] - start).tolist(), sizes[mine].tolist(), strict=True))
            )
        free_at = end
    return traces


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_after_a_bad_one_is_as_the_first(kind: str) -> None:
    """The flow sends the same packets at the same times as one that has never lost a packet."""
    clean = connections(KINDS[kind], 0.0, 1)
    assert len(clean) > 2 and len(clean[0]) == 106 and all(one == clean[0] for one in clean)
    for seed in range(12):
        for one in connections(KINDS[kind], 0.4, seed):
            assert one == clean[0], seed


def test_only_open_connections_have_a_window() -> None:
    """With a window of four packets, its integral is four times the time in which files were open.

    The time between two files of a user adds nothing to the integral.
    """
    transport = plans.tcp(
        NEWRENO, echo="off", slow_start=False, initial_window=4.0, min_window=4.0, max_window=4.0
    )
    links = plans.duplex("l", 0, 1, 1e8, 0.02)
    flow = plans.source("f", [0], [1], transport, Law("web", FILES | {"size_mean_bytes": 2e4}))
    outcome = run(plans.plan(links, [flow], 30, seed=2))
    files, last = outcome.table("transfers"), outcome.reports[-1].flows
    assert len(files["start_ps"]) > 10 and last["file_left"][0] == 0
    open_s = (files["end_ps"] - files["start_ps"]).sum() / PS
    assert 1 < open_s < 20
    assert last["cwnd_integral"][0] == pytest.approx(4 * open_s, rel=1e-9)


def test_hystart_ends_the_first_slow_start_of_cubic() -> None:
    """With HyStart++ the queue stays short. Without it the window doubles into a huge buffer."""
    longest = {}
    for hystart in (0, 1):
        links = plans.duplex("l", 0, 1, 1e7, 0.02)
        flow = plans.source("f", [0], [1], plans.tcp(plans.cubic(hystart=hystart), echo="off"))
        outcome = run(plans.plan(links, [flow], 2))
        longest[hystart] = int(outcome.reports[-1].links["queue_max"][0])
    assert longest[0] > 1000 and longest[1] < longest[0] / 4, longest
