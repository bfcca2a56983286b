# SPDX-License-Identifier: Apache-2.0
"""Marking laws that steer a price, a probability or a capacity (the others stand in network.py).

Defaults are those of the laws' headers (see ecnomy.markets.plan.law_table; a test compares).
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.markets.inputs.amounts import (
    Amount,
    Choice,
    Number,
    Size,
    SizeReader,
    number_of,
    time_of,
)
from ecnomy.markets.inputs.reading import Misfit

__all__ = [
    "PC1_SHARE",
    "AdaptiveVirtualQueue",
    "FlowProjection",
    "FlowProjectionHeuristic",
    "Pi",
    "Rem",
]

PC1_SHARE: Final = 0.85  # of the capacity, athuraliya2000 section IV-A

_Interval = Annotated[int, time_of("marking", "rem", "interval_s", "2 ms")]
_MeanPacket = Annotated[
    int, Amount(what="a size", example="1000 bytes", units=("byte",), least=1, most=10**9)
]
_Least = Annotated[int, Amount(what="a size", example="25 kB", units=("byte",), most=10**15)]
_Packets = Annotated[
    float,
    Amount(what="a size", example="20 packets", units=("packet",), whole=False, most=10**12),
]


class Rem(msgspec.Struct, frozen=True, kw_only=True, tag="rem", tag_field="law"):
    """Random exponential marking: the price follows backlog and excess load.

    `capacity_share` None is 0.85 with pc1 and 1 otherwise. AUTO_NUMBER of phi, gamma and alpha is
    worked out when the plan is made (see ecnomy.markets.plan.rem_steps).
    """

    price: Annotated[str, Choice(("pc1", "pc2", "pc3"))] = "pc3"
    phi: Annotated[float, number_of("marking", "rem", "phi", auto=True)] = 1.001
    gamma: Annotated[float, number_of("marking", "rem", "gamma", auto=True)] = 0.005
    alpha: Annotated[float, number_of("marking", "rem", "alpha", auto=True)] = 0.1
    target_backlog: _Packets = 0.0
    capacity_share: Annotated[float | None, number_of("marking", "rem", "capacity_share")] = None
    interval: _Interval = 2_000_000_000
    input_weight: Annotated[float, number_of("marking", "rem", "input_weight")] = 0.1
    backlog_weight: Annotated[float, number_of("marking", "rem", "backlog_weight")] = 1.0
    mark_at: Annotated[str, Choice(("departure", "arrival"))] = "departure"
    unit: Annotated[str, Choice(("packets", "bytes"))] = "bytes"
    mean_packet: _MeanPacket = 1000


class Pi(msgspec.Struct, frozen=True, kw_only=True, tag="pi", tag_field="law"):
    """A proportional-integral controller holds the queue at its reference; a, b are per packet."""

    reference: Annotated[Size, SizeReader()]
    a: Annotated[float, number_of("marking", "pi", "a")]
    b: Annotated[float, number_of("marking", "pi", "b")]
    interval: _Interval = 6_250_000_000
    mean_packet: _MeanPacket = 1000

    def __post_init__(self) -> None:
        if self.a < self.b:
            raise Misfit("a", f"{self.a:g}", f"at least b, {self.b:g}")


class AdaptiveVirtualQueue(
    msgspec.Struct, frozen=True, kw_only=True, tag="adaptive-virtual-queue", tag_field="law"
):
    """Marks what overflows a virtual queue, whose capacity moves until the load is as wanted."""

    utilization: Annotated[float, number_of("marking", "adaptive-virtual-queue", "utilization")] = (
        0.98
    )
    alpha: Annotated[float, number_of("marking", "adaptive-virtual-queue", "alpha")] = 0.15
    buffer: Annotated[Size | None, SizeReader(least=1)] = None  # None: the link's own
    mean_packet: _MeanPacket = 1000


class FlowProjection(
    msgspec.Struct, frozen=True, kw_only=True, tag="flow-projection", tag_field="law"
):
    """Marks flows whose projected next rounds would overflow the buffer (christin2003)."""

    buffer: Annotated[Size | None, SizeReader(least=1)] = None  # None: the link's own
    mean_packet: _MeanPacket = 1000
    gap_divisor: Annotated[float, number_of("marking", "flow-projection", "gap_divisor")] = 10.0
    rtt_memory: Annotated[float, number_of("marking", "flow-projection", "rtt_memory")] = 0.9
    forget_rtts: Annotated[float, number_of("marking", "flow-projection", "forget_rtts")] = 4.0
    estimator: Annotated[str, Choice(("rounds", "screened"))] = "rounds"


class FlowProjectionHeuristic(
    FlowProjection, frozen=True, kw_only=True, tag="flow-projection-heuristic", tag_field="law"
):
    """The same for the flows that a multistage filter lets pass, with their mean window."""

    interval: _Interval = 10**12
    least: _Least = 25_000
    filter: Annotated[str, Choice(("serial", "parallel"))] = "serial"
    stages: Annotated[int, Number(what="a number", least=1, most=16, whole=True)] = 3
    buckets: Annotated[int, Number(what="a number", least=1, most=65536, whole=True)] = 8
