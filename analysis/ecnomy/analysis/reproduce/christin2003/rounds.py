# SPDX-License-Identifier: Apache-2.0
"""Rounds of a TCP flow, as its sender knows them and as section 2.1's router estimates them.

A sender's round begins with a packet and ends when that packet is acknowledged. The router sees
only arrivals. Its first estimate R of the round-trip time is T2 - T1. A new round begins where

    T_i - T_(i-1) > R / K  (Eq. 4),   or   W + 1 > (W of the round before) + 1  (the safeguard);
    R <- alpha R + (1 - alpha) (T_i - s),   s <- T_i,   W <- 1,   else W <- W + 1.

This module works on a packet trace and is independent of the marking law's code.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import Truths
from ecnomy.analysis.reproduce.christin2003.traces import FlowTrace

__all__ = ["RouterRounds", "SenderRounds", "round_trips", "router_rounds", "sender_rounds"]


class SenderRounds(msgspec.Struct, frozen=True):
    """The rounds of a sender: their beginning, packets sent, and whether any were retransmitted."""

    start_ps: Integers
    window: Integers
    repairs: Truths


class RouterRounds(msgspec.Struct, frozen=True):
    """Rounds as a router recognizes them, from the second round on.

    Attributes:
        start_ps: start of each round [ps].
        first: index of the first packet of each round among the arrivals.
        window: number of packets in each round.
        rtt_ps: estimate of the round-trip time from the start of each round on [ps].
        gap_ps: silence before each round [ps].
        forced: whether the safeguard started the round.
    """

    start_ps: Integers
    first: Integers
    window: Integers
    rtt_ps: Floats
    gap_ps: Integers
    forced: Truths


def sender_rounds(flow: FlowTrace) -> SenderRounds:
    """Return the rounds of a sender, except the last round, whose end is not in the trace."""
    highest = np.maximum.accumulate(flow.acked_seq) if len(flow.acked_seq) else flow.acked_seq
    begun, windows, repairs = [], [], []
    newest = np.maximum.accumulate(flow.sent_seq)
    again = np.concatenate([[False], flow.sent_seq[1:] <= newest[:-1]])
    at = 0
    while at < len(flow.sent_ps):
        acked = max(
            int(np.searchsorted(flow.acked_ps, flow.sent_ps[at], "right")),
            int(np.searchsorted(highest, flow.sent_seq[at], "right")),
        )
        if acked >= len(flow.acked_ps):
            break
        following = int(np.searchsorted(flow.sent_ps, flow.acked_ps[acked], "left"))
        following = max(following, at + 1)
        begun.append(flow.sent_ps[at])
        windows.append(following - at)
        repairs.append(bool(again[at:following].any()))
        at = following
    return SenderRounds(
        np.array(begun, dtype=np.int64), np.array(windows, dtype=np.int64), np.array(repairs, bool)
    )


def round_trips(flow: FlowTrace) -> Floats:
    """Return the round-trip time [ps] of the packet of each arrival at the bottleneck.

    The time runs from the sending of the packet to the first ACK that covers it. It is NaN for
    packets that were sent more than once or not acknowledged.
    """
    trips = np.full(len(flow.arrived_ps), np.nan)
    if not len(flow.acked_ps):
        return trips
    highest = np.maximum.accumulate(flow.acked_seq)
    sent: dict[int, list[int]] = {}
    for t, seq in zip(flow.sent_ps.tolist(), flow.sent_seq.tolist(), strict=True):
        sent.setdefault(seq, []).append(t)
    covered = np.searchsorted(highest, flow.arrived_seq, "right")
    for index, (t, seq) in enumerate(
        zip(flow.arrived_ps.tolist(), flow.arrived_seq.tolist(), strict=True)
    ):
        times = [at for at in sent.get(seq, []) if at <= t]
        if len(sent.get(seq, [])) == 1 and times and covered[index] < len(highest):
            trips[index] = flow.acked_ps[covered[index]] - times[0]
    return trips


def router_rounds(arrived_ps: Integers, k: float, alpha: float) -> RouterRounds:
    """Return the rounds that a router recognizes by Eq. 4 and the safeguard.

    Args:
        arrived_ps: arrival times of one flow [ps].
        k: parameter K of Eq. 4.
        alpha: memory of the estimate.
    """
    times = arrived_ps.tolist()
    rows: list[tuple[int, int, float, int, bool]] = []
    windows: list[int] = []
    rtt, start, window, previous = 0.0, 0, 0, 0
    for index, now in enumerate(times[1:], start=1):
        gap = now - times[index - 1]
        silent = gap > rtt / k
        if window and not silent and (previous == 0 or window <= previous):
            window += 1
            continue
        if window:
            rtt = alpha * rtt + (1 - alpha) * (now - start)
            windows.append(window)
            previous = window
        else:
            rtt, silent = float(gap), True
        rows.append((now, index, rtt, gap, not silent))
        start, window = now, 1
    windows += [window] if rows else []
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), (), ()]
    return RouterRounds(
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(windows, dtype=np.int64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.int64),
        np.array(columns[4], dtype=bool),
    )
