# SPDX-License-Identifier: Apache-2.0
"""Meters: what may be counted of a flow, and in which unit. How each is read is in metered.py."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["METERS", "Meter"]


class Meter(msgspec.Struct, frozen=True):
    """A meter; `unit` is one of prices.METER_UNITS."""

    name: str
    unit: str


METERS: Final[dict[str, Meter]] = {
    meter.name: meter
    for meter in (
        Meter("time", "ps"),  # that the flow is active, from its source's start to its stop
        Meter("bytes", "byte"),  # delivered, of IP packets
        Meter("packets", "packet"),  # delivered
        Meter("marks", "mark"),  # CE packets delivered
        Meter("marked-bytes", "byte"),  # of CE packets delivered: congestion volume (RFC 6789)
        Meter("marks-set", "mark"),  # in the seller's domain, on packets that arrive or not
        Meter("weight", "ps"),  # the same time, times the weight of its window law (aims.py)
        Meter("calls", "call"),  # let in
        Meter("transfers", "transfer"),  # files and pages that are complete
    )
}
