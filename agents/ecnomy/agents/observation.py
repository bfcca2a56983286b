# SPDX-License-Identifier: Apache-2.0
"""Observations of agents: changes since the last decision, in columns by flow or link.

Times ending in `_ps` are int64 picoseconds, times ending in `_s` are seconds, and amounts with
`_micro` in the name are micro-units of money.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import Timed

__all__ = [
    "NO_OFFER",
    "FlowColumns",
    "FlowView",
    "LinkColumns",
    "MarkingLaw",
    "Observation",
    "Offer",
    "PriceObservation",
    "Truths",
    "column",
]

Truths = npt.NDArray[np.bool_]
NO_OFFER: Final = -1  # the flow is in no class


def column(value: float) -> Floats:
    """Return a number as a column of one row, which broadcasts with any column.

    With a Python number instead, NumPy takes three times as long for a column of one flow.
    """
    made = np.array([value], dtype=np.float64)
    made.setflags(write=False)
    return made


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service class on sale. Flows refer to it by its index in `Observation.offers`.

    Attributes:
        provider: the seller [name of an application provider].
        name: name of the class [text, as in the scenario].
        fee_micro_per_s: current fee of a flow in the class [micro-units of money / s].
        charge_micro_per_s: target cost of the marks of a flow in the class, -1 for the current fee
            [micro-units of money / s].
        customer_pays_marks: whether the flow's customer, not the provider, pays the carrier for
            marks [Boolean].
    """

    provider: str
    name: str
    fee_micro_per_s: int
    charge_micro_per_s: int = -1
    customer_pays_marks: bool = False

    @property
    def charging_rate_micro(self) -> int:
        """The current target cost of the marks of a flow in the class [micro-units / s]."""
        return self.fee_micro_per_s if self.charge_micro_per_s < 0 else self.charge_micro_per_s


class FlowColumns(msgspec.Struct, frozen=True, eq=False):
    """Flows during the time `dt_ps` since the observer's last decision, one value per flow.

    A row may represent many equal flows (`rows: together`). If so, rates and round-trip times are
    means over these flows, counts and charges are sums, and a decision applies to each flow.

    Attributes:
        flow: number of the flow [index in the run, as in the table `flows`].
        active: 1 while the flow may send, otherwise 0; for a row of many flows, the number of flows
            that may send [flows].
        goodput_bps: data acknowledged for the first time [bit/s of IP packets, with headers].
        delivered: packets that reached the receiver, including duplicates [packets].
        marks: delivered packets marked CE, which are charged [packets].
        charge_micro: the cost of these marks [micro-units of money].
        srtt_s: smoothed round-trip time now, 0 before the first sample [s].
        gain: gain of the window law, 0 if a mark rate cannot control the flow [per mark].
        offer: class of the flow, NO_OFFER outside classes [index into `Observation.offers`].
        limit_bps: largest rate of rate-capped traffic, otherwise infinite [bit/s of IP packets].
        price_micro: price of a mark for the flow [micro-units of money per mark], NaN by default.
        source: source of the flow [index into `Observation.sources`].
        member: number of the flow within its source [number from 0; 0 for a row of many flows].
        payload_bps: payload acknowledged for the first time, without headers [bit/s].
        switched_on: whether the agent lets the flow send [Boolean]; `active` also requires that the
            flow has started.
        files: files finished since the run began, excluding abandoned files [files].
        file_bytes: bytes requested since the run began, for traffic of files [bytes of payload].
        file_left: unacknowledged part of the current file [bytes of payload].
        rate_cap_bps: largest rate that the agent set, -1 for no limit [bit/s of IP packets].
        weight: weight of the window law, from the last decision or the transport; 0 if the law has
            no weight, or while the payment for marks controls the flow [unit of the law].
        choice: the customer's pick from the provider's menu of strategies; 0 if there is no menu
            [number from 0; provider's view only].
        bill_micro: the user's total payment for the flow: marks (if the user pays for them), class
            fees, and contracts on a meter [micro-units of money; by default the cost of the marks].
        standing_micro: the part of the bill charged by time, independent of traffic: class fees,
            flat tariffs, fees of two-part tariffs, contracts on the meter `time`, and charges by
            weight [micro-units of money].
        weight_micro: the part of `standing_micro` charged by weight: contracts on the meter
            `weight`, without their fees [micro-units of money].
        delivered_bytes: bytes that reached the receiver, including bytes not yet acknowledged
            [bytes of IP packets].
        posted_standing_micro: the current charges by time, which a flow pays while it is switched
            on, excluding charges by weight, custom tariffs and block tariffs [micro-units of money
            per second].
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
    limit_bps: Floats = np.zeros(0)  # if omitted, this and the following columns get default values
    price_micro: Floats = np.zeros(0)
    source: Integers = np.zeros(0, dtype=np.int64)
    member: Integers = np.zeros(0, dtype=np.int64)
    payload_bps: Floats = np.zeros(0)
    switched_on: Truths = np.zeros(0, dtype=np.bool_)
    files: Integers = np.zeros(0, dtype=np.int64)
    file_bytes: Integers = np.zeros(0, dtype=np.int64)
    file_left: Integers = np.zeros(0, dtype=np.int64)
    rate_cap_bps: Floats = np.zeros(0)
    weight: Floats = np.zeros(0)
    choice: Integers = np.zeros(0, dtype=np.int64)
    bill_micro: Integers = np.zeros(0, dtype=np.int64)
    standing_micro: Integers = np.zeros(0, dtype=np.int64)
    weight_micro: Integers = np.zeros(0, dtype=np.int64)
    delivered_bytes: Integers = np.zeros(0, dtype=np.int64)
    posted_standing_micro: Floats = np.zeros(0)

    def __post_init__(self) -> None:
        if len(self.bill_micro) != len(self.flow):
            msgspec.structs.force_setattr(self, "bill_micro", self.charge_micro)
        for name, value in _LEFT_OUT:
            if len(getattr(self, name)) != len(self.flow):
                msgspec.structs.force_setattr(self, name, np.full(len(self.flow), value))


_LEFT_OUT: Final = (
    *(("limit_bps", np.inf), ("price_micro", np.nan), ("payload_bps", np.nan)),
    *(("source", 0), ("member", 0), ("switched_on", True)),
    *(("files", 0), ("file_bytes", 0), ("file_left", 0), ("rate_cap_bps", -1.0), ("weight", 0.0)),
    *(("choice", 0), ("standing_micro", 0), ("weight_micro", 0), ("delivered_bytes", 0)),
    ("posted_standing_micro", 0.0),
)


class Observation(Timed, msgspec.Struct, frozen=True, eq=False):
    """The flows of a customer, price handler or application provider, as the agent observes them.

    Attributes:
        t_ps: time of the report of this decision [ps].
        dt_ps: time since the agent's last decision, which all changes cover [ps]; at the first
            decision, it and all changes are 0.
        price_micro: the current price of a mark, after carriers have posted their prices at this
            report [micro-units of money per mark]; the mean if the price differs between flows.
        offers: the classes on sale in this market [offers; a flow names one by its index].
        flows: the observed flows [columns, one value per flow].
        sources: names of the flows' sources [text].
        agent: money, random numbers and notes of the agent [AgentView, None if there is no market].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    offers: tuple[Offer, ...]
    flows: FlowColumns
    sources: tuple[str, ...] = ("",)
    agent: AgentView | None = None

    def views(self) -> Iterator[FlowView]:
        """Yield one view per flow, for `decide` of a strategy."""
        apart = ("price_micro", "source")
        names = [name for name in FlowColumns.__struct_fields__ if name not in apart]
        columns = [getattr(self.flows, name).tolist() for name in (*apart, *names)]
        for price, source, *row in zip(*columns, strict=True):
            own = self.price_micro if math.isnan(price) else int(price) if price % 1 == 0 else price
            of = self.sources[source]
            yield FlowView(*(self.t_ps, self.dt_ps, own, self.offers, *row, of, self.agent))


class FlowView(Timed, msgspec.Struct, frozen=True):
    """One flow of an observation, in Python numbers: the argument of a strategy's `decide`.

    If the view represents many equal flows (`rows: together`), rates and round-trip times are means
    over these flows, counts, charges and file bytes are sums, and a decision applies to each flow.

    Attributes:
        t_ps: time of the report of this decision [ps].
        dt_ps: time since the agent's last decision, which all changes cover [ps]; at the first
            decision, it and all changes are 0.
        price_micro: this flow's current price of a mark [micro-units of money per mark], an integer
            unless it is a mean over domains.
        offers: the classes on sale in this market [offers].
        flow: number of the flow [index in the run, as in the table `flows`].
        active: 1 while the flow may send, otherwise 0; for a row of many flows, the number of flows
            that may send [flows].
        goodput_bps: data acknowledged for the first time [bit/s of IP packets, with headers].
        delivered: packets that reached the receiver, including duplicates [packets].
        marks: delivered packets marked CE, which are charged [packets].
        charge_micro: the cost of these marks [micro-units of money].
        srtt_s: smoothed round-trip time now, 0 before the first sample [s].
        gain: gain of the window law, 0 if a mark rate cannot control the flow [per mark].
        offer: class of the flow, NO_OFFER (-1) outside classes [index into `offers`].
        limit_bps: largest rate of rate-capped traffic, otherwise infinite [bit/s of IP packets].
        member: number of the flow within its source [number from 0; 0 for a row of many flows].
        payload_bps: payload acknowledged for the first time, without headers [bit/s].
        switched_on: whether the agent lets the flow send [Boolean]; `active` also requires that the
            flow has started.
        files: files finished since the run began, excluding abandoned files [files].
        file_bytes: bytes requested since the run began, for traffic of files [bytes of payload].
        file_left: unacknowledged part of the current file [bytes of payload].
        rate_cap_bps: largest rate that the agent set, -1 for no limit [bit/s of IP packets].
        weight: weight of the window law, from the last decision or the transport; 0 if the law has
            no weight, or while the payment for marks controls the flow [unit of the law].
        choice: the customer's pick from the provider's menu of strategies; 0 if there is no menu
            [number from 0; provider's view only].
        bill_micro: the user's total payment for the flow: marks (if the user pays for them), class
            fees, and contracts on a meter [micro-units of money; by default the cost of the marks].
        standing_micro: the part of the bill charged by time, independent of traffic: class fees,
            flat tariffs, fees of two-part tariffs, contracts on the meter `time`, and charges by
            weight [micro-units of money].
        weight_micro: the part of `standing_micro` charged by weight: contracts on the meter
            `weight`, without their fees [micro-units of money].
        delivered_bytes: bytes that reached the receiver, including bytes not yet acknowledged
            [bytes of IP packets].
        posted_standing_micro: the current charges by time, which a flow pays while it is switched
            on, excluding charges by weight, custom tariffs and block tariffs [micro-units of money
            per second].
        source: name of the flow's source [text].
        agent: money, random numbers and notes of the agent [AgentView, None if there is no market].
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
    member: int = 0
    payload_bps: float = math.nan
    switched_on: bool = True
    files: int = 0
    file_bytes: int = 0
    file_left: int = 0
    rate_cap_bps: float = -1.0
    weight: float = 0.0
    choice: int = 0
    bill_micro: int = 0
    standing_micro: int = 0
    weight_micro: int = 0
    delivered_bytes: int = 0
    posted_standing_micro: float = 0.0
    source: str = ""
    agent: AgentView | None = None


class LinkColumns(msgspec.Struct, frozen=True, eq=False):
    """Links during `dt_ps` since the observer's last decision, one value per link and direction.

    Attributes:
        link: number of the link [index in the run, as in the table `links`].
        rate_bps: rate of the link [bit/s on the wire].
        arrivals: packets that arrived at the queue, including dropped ones [packets].
        marks: marks set at this link [packets].
        drops: packets lost at this link [packets].
        busy_ps: busy time of the transmitter [ps].
        queue_packets: packets waiting now, excluding the packet in service [packets].
        departed_bytes: bytes whose transmission has at least begun [bytes of IP packets].
    """

    link: Integers
    rate_bps: Integers
    arrivals: Integers
    marks: Integers
    drops: Integers
    busy_ps: Integers
    queue_packets: Integers
    departed_bytes: Integers = np.zeros(0, dtype=np.int64)


class MarkingLaw(msgspec.Struct, frozen=True):
    """The marking law of a link.

    Attributes:
        law: marking law [name, as under `marking` in the scenario].
        params: current parameters of the law [in the units of the law's header, as listed by
            `ecnomy-engine describe`; a choice by its number].
    """

    law: str
    params: Mapping[str, float]


class PriceObservation(Timed, msgspec.Struct, frozen=True, eq=False):
    """A connectivity provider's view before it posts a price.

    Attributes:
        t_ps: time of the report of this decision [ps].
        dt_ps: time since the provider's last decision, which all changes cover [ps]; 0 at the
            first decision.
        price_micro: the price in force until now [micro-units of money per mark].
        links: the links of the provider's domain [columns, one value per link and direction].
        agent: money, random numbers and notes of the provider [AgentView, None if there is no
            market].
        names: names of these links [text, as in the scenario; reverse links end in `.reverse`].
        laws: the marking laws of these links [MarkingLaw].
        responds_ps: time in which users respond to a price, estimated from their last decisions
            [ps]; 0 for strategies that do not wait (`waits`). It is the settling time of windows,
            plus the time of five decisions, plus the time until 95 % of users have decided.
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    links: LinkColumns
    agent: AgentView | None = None
    names: tuple[str, ...] = ()
    laws: tuple[MarkingLaw, ...] = ()
    responds_ps: int = 0

    @property
    def utilization(self) -> Floats:
        """The share of time for which each link was busy [0 to 1]; 0 at the first decision."""
        return self.links.busy_ps / max(self.dt_ps, 1)
