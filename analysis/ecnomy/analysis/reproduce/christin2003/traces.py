# SPDX-License-Identifier: Apache-2.0
"""Splits a run's packet trace: events at the bottleneck, and packets and ACKs of each flow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers

__all__ = ["DROP", "ENQUEUE", "MARK", "Bottleneck", "FlowTrace", "bottleneck_of", "flows_of"]

SEND: Final = 0
ENQUEUE: Final = 1
MARK: Final = 2
DROP: Final = 3
ACK: Final = 5
_LINK: Final = "bottleneck"
_ACK_BYTES: Final = 40  # length of a SYN or an ACK


class Bottleneck(msgspec.Struct, frozen=True):
    """The events at the bottleneck, in order; `event` is ENQUEUE, MARK or DROP.

    Attributes:
        rate_bps, buffer_bytes: rate and buffer of the link.
        measured_ps: start of the measured window.
    """

    t_ps: Integers
    event: Integers
    flow: Integers
    seq: Integers
    bytes: Integers
    rate_bps: int
    buffer_bytes: float
    measured_ps: int


class FlowTrace(msgspec.Struct, frozen=True):
    """The trace of one flow: data sent, cumulative ACKs received by the sender, arrivals and marks.

    `arrived_ps` are the times of arrivals at the bottleneck, including those of the SYN and of lost
    packets. `arrived_seq` are their sequence numbers.
    """

    sent_ps: Integers
    sent_seq: Integers
    acked_ps: Integers
    acked_seq: Integers
    arrived_ps: Integers
    arrived_seq: Integers
    marked_ps: Integers


def bottleneck_of(results: Path) -> Bottleneck:
    """Return the events at the bottleneck in a run's trace."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    index, link = next((i, x) for i, x in enumerate(run.plan.links) if x.name == _LINK)
    trace: Any = run.table("trace")
    own = trace[(trace["link"] == index) & trace["event"].isin([ENQUEUE, MARK, DROP])]
    column = {n: own[n].to_numpy(dtype=np.int64) for n in ("t_ps", "event", "flow", "seq", "bytes")}
    return Bottleneck(
        t_ps=column["t_ps"],
        event=column["event"],
        flow=column["flow"],
        seq=column["seq"],
        bytes=column["bytes"],
        rate_bps=link.rate_bps,
        buffer_bytes=float(link.buffer_bytes),
        measured_ps=run.measured.from_ps,
    )


def flows_of(results: Path) -> Iterator[FlowTrace]:
    """Yield the trace of every flow that sent data."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    index = next(i for i, link in enumerate(run.plan.links) if link.name == _LINK)
    trace: Any = run.table("trace")
    for _, own in trace.groupby("flow"):
        data = own["bytes"] > _ACK_BYTES
        here = (own["link"] == index) & own["event"].isin([ENQUEUE, DROP])
        sent, acked, arrived = (
            own[(own["event"] == SEND) & data],
            own[own["event"] == ACK],
            own[here],
        )
        marks = own[(own["event"] == MARK) & (own["link"] == index)]
        if len(sent):
            yield FlowTrace(
                *_columns(sent), *_columns(acked), *_columns(arrived), marked_ps=_columns(marks)[0]
            )


def _columns(rows: Any) -> tuple[Integers, Integers]:
    return rows["t_ps"].to_numpy(dtype=np.int64), rows["seq"].to_numpy(dtype=np.int64)
