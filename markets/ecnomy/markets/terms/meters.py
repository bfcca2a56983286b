# SPDX-License-Identifier: Apache-2.0
"""Meters: quantities of a flow that can be counted, and their units. metered.py reads them."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["METERS", "Meter"]


class Meter(msgspec.Struct, frozen=True):
    """A meter that contracts may use.

    Attributes:
        name: name in YAML.
        unit: one of unit_price.METER_UNITS.
        of_marks: whether the meter counts marks or bytes of marked packets. If so, a posted price
            depends on the codepoint of the marked packets.
    """

    name: str
    unit: str
    of_marks: bool = False


METERS: Final[dict[str, Meter]] = {
    meter.name: meter
    for meter in (
        Meter("time", "ps"),  # active time of the flow, from its source's start to its stop
        Meter("bytes", "byte"),  # bytes of IP packets delivered
        Meter("packets", "packet"),  # packets delivered
        Meter("marks", "mark", of_marks=True),  # CE packets delivered
        # Bytes of CE packets delivered: congestion volume (RFC 6789).
        Meter("marked-bytes", "byte", of_marks=True),
        # Marks set in the seller's domain, on packets that arrive or are lost.
        Meter("marks-set", "mark", of_marks=True),
        Meter("weight", "ps"),  # active time x weight of the window law (willingness.py)
        Meter("calls", "call"),  # calls admitted
        Meter("transfers", "transfer"),  # complete files and pages
    )
}
