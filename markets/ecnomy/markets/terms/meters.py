# SPDX-License-Identifier: Apache-2.0
"""Meters: countable quantities of a flow, and their units. metered.py reads them."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["METERS", "Meter"]


class Meter(msgspec.Struct, frozen=True):
    """A meter; `unit` is one of unit_price.METER_UNITS."""

    name: str
    unit: str


METERS: Final[dict[str, Meter]] = {
    meter.name: meter
    for meter in (
        Meter("time", "ps"),  # active time of the flow, from its source's start to its stop
        Meter("bytes", "byte"),  # delivered, of IP packets
        Meter("packets", "packet"),  # delivered
        Meter("marks", "mark"),  # CE packets delivered
        Meter("marked-bytes", "byte"),  # of CE packets delivered: congestion volume (RFC 6789)
        Meter("marks-set", "mark"),  # in the seller's domain, on packets that arrive or are lost
        Meter("weight", "ps"),  # active time, times the weight of its window law (aims.py)
        Meter("calls", "call"),  # admitted
        Meter("transfers", "transfer"),  # complete files and pages
    )
}
