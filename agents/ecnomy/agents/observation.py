# SPDX-License-Identifier: Apache-2.0
"""What agents see: the change since their last decision, as columns with one row per flow or link.

Times are int64 picoseconds, money is integer micro-units. Every field has its unit in brackets.
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
    """A service class somebody sells; flows name it by its index in `Observation.offers`.

    Attributes:
        provider: who sells it [name of an application provider].
        name: of the class [text, as in the scenario].
        fee_micro_per_s: what a flow in it pays [micro-units of money / s].
    """

    provider: str
    name: str
    fee_micro_per_s: int


class FlowColumns(msgspec.Struct, frozen=True, eq=False):
    """Flows over the `dt_ps` since the observer's last decision, one value a flow.

    A row may stand for many flows alike (`rows: together`): its rates and round-trip time are their
    means, its counts and charge their sums, and what is decided for it holds for each of them.

    Attributes:
        flow: which flow [index in the run, as in the table `flows`].
        active: 1 while the flow may send, else 0 [flows; of a row of many: how many may].
        goodput_bps: acknowledged for the first time [bit/s of IP packets, headers included].
        delivered: reached the receiver, duplicates included [packets].
        marks: CE packets among `delivered`: what is charged [packets].
        charge_micro: what these marks cost [micro-units of money].
        srtt_s: smoothed round-trip time now, 0 before the first sample [s].
        gain: of the window law, 0 for a flow that no mark rate can steer [per mark].
        offer: the class held, NO_OFFER for none [index into `Observation.offers`].
        limit_bps: what its traffic asks for at most, infinite for greedy traffic [bit/s of IP
            packets].
        price_micro: what a mark costs it [micro-units of money per mark], NaN where left out.
    """

    flow: Integers
    active: Integers
    goodput_bps: Floats
    delivered: Integers
    marks: Integers
    charge_micro: Integers
    srtt_s: Floats
    gain: Floats
    offer: Integers
    limit_bps: Floats = np.zeros(0)  # filled up where it is left out
    price_micro: Floats = np.zeros(0)  # likewise

    def __post_init__(self) -> None:
        for name, value in (("limit_bps", np.inf), ("price_micro", np.nan)):
            if len(getattr(self, name)) != len(self.flow):
                msgspec.structs.force_setattr(self, name, np.full(len(self.flow), value))


class Observation(msgspec.Struct, frozen=True, eq=False):
    """What a customer, a price handler or an application provider sees of its flows.

    Attributes:
        t_ps: time of the report it decides at [ps].
        dt_ps: since it last decided, which all changes are over [ps]; 0 at its first decision,
            when all changes are 0.
        price_micro: what a mark costs now [micro-units of money per mark], the mean where flows'
            prices differ; at this report the carriers have posted theirs already.
        offers: the classes on sale in this market [offers; a flow names one by its index].
        flows: its flows [columns, one value a flow].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
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
    """One flow of an observation, in Python's own numbers; what `decide` of a strategy is given.

    Attributes:
        t_ps: time of the report it is decided at [ps].
        dt_ps: since the last decision, which all changes are over [ps]; 0 at the first one, when
            all changes are 0.
        price_micro: what a mark costs this flow now [micro-units of money per mark], whole unless
            it is a mean over domains.
        offers: the classes on sale in this market [offers].
        flow: which flow [index in the run, as in the table `flows`].
        active: 1 while the flow may send, else 0 [flows; of a row of many: how many may].
        goodput_bps: acknowledged for the first time [bit/s of IP packets, headers included].
        delivered: reached the receiver, duplicates included [packets].
        marks: CE packets among `delivered`: what is charged [packets].
        charge_micro: what these marks cost [micro-units of money].
        srtt_s: smoothed round-trip time now, 0 before the first sample [s].
        gain: of the window law, 0 for a flow that no mark rate can steer [per mark].
        offer: the class held, NO_OFFER (-1) for none [index into `offers`].
        limit_bps: what its traffic asks for at most, infinite for greedy traffic [bit/s of IP
            packets].
    """

    t_ps: int
    dt_ps: int
    price_micro: float
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
    """Links over the `dt_ps` since the observer's last decision, one value a link and direction.

    Attributes:
        link: which link [index in the run, as in the table `links`].
        rate_bps: its rate [bit/s on the wire].
        arrivals: came to its queue, those dropped included [packets].
        marks: set at this link [packets].
        drops: lost at this link [packets].
        busy_ps: its transmitter was busy [ps].
        queue_packets: waiting now, without the one in service [packets].
    """

    link: Integers
    rate_bps: Integers
    arrivals: Integers
    marks: Integers
    drops: Integers
    busy_ps: Integers
    queue_packets: Integers


class PriceObservation(msgspec.Struct, frozen=True, eq=False):
    """What a connectivity provider sees before it posts the price of the time to come.

    Attributes:
        t_ps: time of the report it decides at [ps].
        dt_ps: since it last decided, which all changes are over [ps]; 0 at its first decision.
        price_micro: the price in force until now [micro-units of money per mark].
        links: all links [columns, one value a link and direction].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    links: LinkColumns
