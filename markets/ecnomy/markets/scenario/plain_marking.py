# SPDX-License-Identifier: Apache-2.0
"""Marking laws that a link may have and a class of a link as well: drop-tail, fixed, RED.

Defaults are those of the laws' headers (see ecnomy.markets.plan.law_table; a test compares).
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, Size, SizeReader, number_of
from ecnomy.markets.inputs.reading import Misfit

__all__ = ["DropTail", "Fixed", "PlainMarking", "Red"]

_Threshold = Annotated[Size, SizeReader()]
_Limit = Annotated[Size, SizeReader(unlimited="none")]
_MeanPacket = Annotated[
    int, Amount(what="a size", example="1000 bytes", units=("byte",), least=1, most=10**9)
]


class DropTail(msgspec.Struct, frozen=True, kw_only=True, tag="drop-tail", tag_field="law"):
    """No marks; a full buffer drops."""


class Fixed(msgspec.Struct, frozen=True, kw_only=True, tag="fixed", tag_field="law"):
    """Every packet is marked with one probability."""

    probability: Annotated[float, number_of("marking", "fixed", "probability")]


class Red(msgspec.Struct, frozen=True, kw_only=True, tag="red", tag_field="law"):
    """Random early detection; thresholds and limit are all in packets or all in bytes."""

    min_threshold: _Threshold
    max_threshold: _Threshold
    max_probability: Annotated[float, number_of("marking", "red", "max_probability")] = 0.1
    weight: Annotated[float, number_of("marking", "red", "weight")] = 0.002
    gentle: bool = True
    wait: bool = True
    count: bool = True
    mark_on_empty: bool = False
    idle_decay: bool = True
    above_max: Annotated[str, Choice(("mark", "drop"))] = "mark"
    mark_p: Annotated[float, number_of("marking", "red", "mark_p")] = 1.0
    byte_mark: bool = False
    mean_packet: _MeanPacket = 1000
    limit: _Limit = Size(-1, "packets")

    def __post_init__(self) -> None:
        unit = self.min_threshold.unit
        for key, size in (("max_threshold", self.max_threshold), ("limit", self.limit)):
            if size.value >= 0 and size.unit != unit:
                raise Misfit(key, f"{size.value} {size.unit}", f"{unit}, as min_threshold has")
        if self.max_threshold.value < self.min_threshold.value:
            found = f"{self.max_threshold.value} {unit}"
            least = f"{self.min_threshold.value} {unit}"
            raise Misfit("max_threshold", found, f"at least min_threshold, {least}")


PlainMarking = DropTail | Fixed | Red
