# SPDX-License-Identifier: Apache-2.0
"""A run's packet trace, by flow: what its sender, its receiver's ACKs and the bottleneck saw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = ["DROP", "ENQUEUE", "MARK", "Bottleneck", "FlowTrace", "bottleneck_of", "flows_of"]

SEND: Final = 0
ENQUEUE: Final = 1
MARK: Final = 2
DROP: Final = 3
ACK: Final = 5
_LINK: Final = "bottleneck"
_ACK_BYTES: Final = 40  # a SYN or an ACK

Times = npt.NDArray[np.int64]


class Bottleneck(msgspec.Struct, frozen=True):
    """What happened at the bottleneck, in order; `event` is ENQUEUE, MARK or DROP.

    Attributes:
        rate_bps, buffer_bytes: of the link.
        measured_ps: the beginning of the measured window.
    """

    t_ps: Times
    event: Times
    flow: Times
    seq: Times
    bytes: Times
    rate_bps: int
    buffer_bytes: float
    measured_ps: int


class FlowTrace(msgspec.Struct, frozen=True):
    """One flow: data as it was sent, cumulative ACKs as they came back, arrivals and marks.

    `arrived_ps` are arrivals at the bottleneck, SYN included and lost ones too; `arrived_seq` goes
    with it.
    """

    sent_ps: Times
    sent_seq: Times
    acked_ps: Times
    acked_seq: Times
    arrived_ps: Times
    arrived_seq: Times
    marked_ps: Times


def bottleneck_of(results: Path) -> Bottleneck:
    """The bottleneck's part of a run's trace."""
    from ecnomy.analysis.results import open_run

    run = open_run(results)
    index, link = next((i, x) for i, x in enumerate(run.plan.links) if x.name == _LINK)
    trace: Any = run.table("trace")
    own = trace[(trace["link"] == index) & trace["event"].isin([ENQUEUE, MARK, DROP])]
    columns = [own[n].to_numpy(dtype=np.int64) for n in ("t_ps", "event", "flow", "seq", "bytes")]
    return Bottleneck(
        *columns,
        rate_bps=link.rate_bps,
        buffer_bytes=float(link.buffer_bytes),
        measured_ps=run.measured.from_ps,
    )


def flows_of(results: Path) -> Iterator[FlowTrace]:
    """Every flow of a run's trace, those that sent data."""
    from ecnomy.analysis.results import open_run

    run = open_run(results)
    index = next(i for i, link in enumerate(run.plan.links) if link.name == _LINK)
    trace: Any = run.table("trace")
    for _, own in trace.groupby("flow"):
        data = own["bytes"] > _ACK_BYTES
        here = (own["link"] == index) & own["event"].isin([ENQUEUE, DROP])
        parts = (
            own[(own["event"] == SEND) & data],
            own[own["event"] == ACK],
            own[here],
        )
        columns = [p[n].to_numpy(dtype=np.int64) for p in parts for n in ("t_ps", "seq")]
        marks = own[(own["event"] == MARK) & (own["link"] == index)]
        if len(columns[0]):
            yield FlowTrace(*columns, marks["t_ps"].to_numpy(dtype=np.int64))
