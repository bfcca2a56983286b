# SPDX-License-Identifier: Apache-2.0
"""What agents see: the change since their last decision, as columns with one row per flow or link.

Times are int64 picoseconds, money is integer micro-units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = [
    "NO_OFFER",
    "Floats",
    "FlowColumns",
    "FlowView",
    "Integers",
    "LinkColumns",
    "Observation",
    "Offer",
    "PriceObservation",
    "column",
]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NO_OFFER: Final = -1  # the flow is in no class


def column(value: float) -> Floats:
    """A number as a column of one row, which goes with any column.

    numpy takes three times as long for a column of one flow and a Python number.
    """
    made = np.array([value], dtype=np.float64)
    made.setflags(write=False)
    return made


class Offer(msgspec.Struct, frozen=True):
    """A service class somebody sells; flows name it by its index in `Observation.offers`."""

    provider: str
    name: str
    fee_micro_per_s: int


class FlowColumns(msgspec.Struct, frozen=True, eq=False):
    """Flows over the `dt_ps` since the observer's last decision.

    A row may stand for many flows alike (`rows: together`): its rates and round-trip time are their
    means, its counts and charge their sums, and what is decided for it holds for each of them.
    """

    flow: Integers  # index in the run
    active: Integers  # 1 while the flow may send; how many may, of many
    goodput_bps: Floats  # IP bits/s acknowledged for the first time
    delivered: Integers  # packets delivered
    marks: Integers  # CE packets delivered: what is charged
    charge_micro: Integers  # what these marks cost
    srtt_s: Floats  # smoothed round-trip time now, 0 before the first sample
    gain: Floats  # gain of a flow that a mark rate can steer, 0 for all others
    offer: Integers  # the class held, NO_OFFER for none
    limit_bps: Floats = np.zeros(0)  # what its traffic asks for at most, infinite when left out
    price_micro: Floats = np.zeros(0)  # what a mark costs it, NaN when left out

    def __post_init__(self) -> None:
        for name, value in (("limit_bps", np.inf), ("price_micro", np.nan)):
            if len(getattr(self, name)) != len(self.flow):
                msgspec.structs.force_setattr(self, name, np.full(len(self.flow), value))


class Observation(msgspec.Struct, frozen=True, eq=False):
    """What a customer or an application provider sees of its flows."""

    t_ps: int
    dt_ps: int  # 0 at the first decision, when all changes are 0
    price_micro: int  # per mark, in force until now; the mean where flows' prices differ
    offers: tuple[Offer, ...]
    flows: FlowColumns

    def views(self) -> Iterator[FlowView]:
        """The same, one flow at a time, as `Strategy.decide` takes it."""
        names = [name for name in FlowColumns.__struct_fields__ if name != "price_micro"]
        columns = [getattr(self.flows, name).tolist() for name in names]
        for price, *row in zip(self.flows.price_micro.tolist(), *columns, strict=True):
            own = self.price_micro if math.isnan(price) else int(price) if price % 1 == 0 else price
            yield FlowView(self.t_ps, self.dt_ps, own, self.offers, *row)


class FlowView(msgspec.Struct, frozen=True):
    """One flow of an observation; the fields mean what they mean there."""

    t_ps: int
    dt_ps: int
    price_micro: float  # what a mark costs this flow, whole unless a mean over domains
    offers: tuple[Offer, ...]
    flow: int
    active: int
    goodput_bps: float
    delivered: int
    marks: int
    charge_micro: int
    srtt_s: float
    gain: float
    offer: int
    limit_bps: float = np.inf


class LinkColumns(msgspec.Struct, frozen=True, eq=False):
    """Links over the `dt_ps` since the observer's last decision."""

    link: Integers
    rate_bps: Integers
    arrivals: Integers
    marks: Integers
    drops: Integers
    busy_ps: Integers
    queue_packets: Integers  # waiting now


class PriceObservation(msgspec.Struct, frozen=True, eq=False):
    """What a connectivity provider sees before it posts the price of the time to come."""

    t_ps: int
    dt_ps: int
    price_micro: int
    links: LinkColumns
