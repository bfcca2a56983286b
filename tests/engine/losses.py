# SPDX-License-Identifier: Apache-2.0
"""Chosen losses on the engine, and its sender's actions at each ACK, read from the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law, Tcp, Udp
from sack_oracle import Blocks, Receiver

PS = plans.PS
MS = 10**9  # ps; a packet's time on the feeding link
SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
RTT_S = 0.1
FEED, LOSSY, BACK = range(3)


def dropping(
    due_ms: Sequence[int], transport: Tcp | Udp, duration_s: float, traffic: Law | None = None
) -> EngineOutput:
    """One flow that sends a packet per millisecond. Packets of these milliseconds are lost.

    Nothing is ECT, so the second link drops what its law marks; its probability is 1 for that
    millisecond. The connection opens after 100.084 ms: segment n of the first window leaves
    the feeding link n + 1 ms later.
    """
    due = {ms * MS for ms in due_ms}

    def decide(report: Report) -> Decide:
        value = report.t_ps in due
        if not value and report.t_ps - MS not in due:
            return Decide(report.epoch)
        rows = {
            "link": np.array([LOSSY]),
            "param": np.array([0]),
            "value": np.array([float(value)]),
        }
        return Decide(report.epoch, {}, rows)

    path = [
        plans.link("feed", 0, 1, 8e6, 0.0),
        plans.link("there", 1, 2, 8e7, RTT_S / 2, marking=plans.fixed(0.0)),
        plans.link("back", 2, 0, 8e6, RTT_S / 2),
    ]
    flow = plans.source("f", [FEED, LOSSY], [BACK], transport, traffic)
    return run(plans.plan(path, [flow], duration_s, epoch_s=0.001, trace=True), decide)


def first_window(numbers: Sequence[int]) -> list[int]:
    """The times at which the first transmissions of these segments leave the feeding link."""
    return [101 + n for n in numbers]


Sent = tuple[int, tuple[int, Blocks] | None, list[int]]  # time, ACK (None: the timer), segments


def sends(outcome: EngineOutput) -> list[Sent]:
    """Each ACK (None: the timer) with its contents, and the segments sent at it.

    An ACK's contents are those of the oracle's receiver when the acknowledged data arrives. Its
    number must agree with the engine's, and its length with its blocks.
    """
    receiver, acks, bursts = Receiver(), list[tuple[int, Blocks]](), list[Sent]()
    transport = outcome.plan.sources[0].transport
    assert isinstance(transport, Tcp)
    table = outcome.table("trace")
    names = ("t_ps", "event", "link", "seq", "bytes")
    for t_ps, event, link, seq, size in zip(*(table[n].tolist() for n in names), strict=True):
        if event == DELIVER:
            acks.append(receiver.arrive(seq))
        elif event == DROP and link == BACK and acks:
            acks.pop()
        elif event == ACK and not bursts:
            bursts.append((t_ps, (0, []), []))  # of the SYN
        elif event == ACK:
            upto, blocks = acks.pop(0)
            option = 4 + 8 * len(blocks) if blocks and transport.sack else 0
            assert (upto, 40 + option) == (seq, size)
            bursts.append((t_ps, (upto, blocks), []))
        elif event == SEND and bursts:
            if bursts[-1][0] != t_ps:
                bursts.append((t_ps, None, []))
            bursts[-1][2].append(seq)
    return bursts


def repeats(outcome: EngineOutput) -> Counter[int]:
    """How often each segment was resent."""
    table = outcome.table("trace")
    data = (table["event"] == SEND) & (table["bytes"] > 40)
    return Counter(table["seq"][data].tolist()) - Counter(set(table["seq"][data].tolist()))


LOSSES = {
    "one": [10],
    "first": [0],
    "two": [10, 20],
    "two together": [10, 11],
    "every third": list(range(1, 36, 3)),
    "most": list(range(3, 33)),
    "half of the window": list(range(0, 40, 2)),
}
