# SPDX-License-Identifier: Apache-2.0
"""Observations of agents: changes since their last decision, as columns with one row per flow or
link.

Times are int64 picoseconds (`t_s` and `dt_s` are seconds), money is integer micro-units. Every
field has its unit in brackets.
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
    """A number as a column of one row, which goes with any column.

    numpy takes three times as long for a column of one flow and a Python number.
    """
    made = np.array([value], dtype=np.float64)
    made.setflags(write=False)
    return made


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A service class somebody sells; flows name it by its index in `Observation.offers`.

    Attributes:
        provider: who sells it [name of an application provider].
        name: of the class [text, as in the scenario].
        fee_micro_per_s: what a flow in it pays the provider now [micro-units of money / s].
        charge_micro_per_s: what the marks of a flow in it should cost, -1 where that is the fee of
            the time [micro-units of money / s].
        customer_pays_marks: whether the flow's customer pays the carrier for them, in place of the
            provider [truth value].
    """

    provider: str
    name: str
    fee_micro_per_s: int
    charge_micro_per_s: int = -1
    customer_pays_marks: bool = False

    @property
    def charging_rate_micro(self) -> int:
        """What the marks of a flow in it should cost now [micro-units of money / s]."""
        return self.fee_micro_per_s if self.charge_micro_per_s < 0 else self.charge_micro_per_s


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
        price_micro: what a mark costs it [micro-units of money per mark], NaN if left out.
        source: whose flow it is [index into `Observation.sources`].
        member: which of its source's flows [number from 0; of a row of many 0].
        payload_bps: acknowledged for the first time, headers left out [bit/s].
        switched_on: whether its agent lets it send [truth value]; `active` also needs it to have
            started.
        files: finished since the run began [files; those given up not counted].
        file_bytes: asked for since the run began, by traffic of files [bytes of payload].
        file_left: of the present file, not yet acknowledged [bytes of payload].
        rate_cap_bps: its largest rate as last decided, -1 for none [bit/s of IP packets].
        weight: of its window law, as last decided, else as in its transport; 0 where there is none,
            and while what is paid for marks steers the flow [unit of the law].
        choice: of its provider's menu of strategies, as its customer picked it; 0 where there is
            none [number from 0; provider's view only].
        bill_micro: what its user paid for it in all: marks where it pays them, class fees, and
            contracts on a meter [micro-units of money; left out: what its marks cost].
        standing_micro: the part of the bill that goes by time, however much is sent: class fees,
            flat tariffs, fees of two-part tariffs, weight [micro-units of money].
        weight_micro: the part of the standing one that goes by weight: contracts on the meter
            `weight`, without their fees [micro-units of money].
        delivered_bytes: arrived [bytes of IP packets]; acknowledgements may tell of it later.
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
    price_micro: Floats = np.zeros(0)  # likewise, and those below
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
)


class Observation(Timed, msgspec.Struct, frozen=True, eq=False):
    """The view of a customer, price handler or application provider of its flows.

    Attributes:
        t_ps: time of the report it decides at [ps].
        dt_ps: since it last decided, which all changes are over [ps]; 0 at its first decision,
            when all changes are 0.
        price_micro: what a mark costs now [micro-units of money per mark], the mean where flows'
            prices differ; at this report the carriers have posted theirs already.
        offers: the classes on sale in this market [offers; a flow names one by its index].
        flows: its flows [columns, one value a flow].
        sources: names of the sources that flows are of [text].
        agent: its money, random numbers and notes [AgentView, None if nobody runs a market].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    offers: tuple[Offer, ...]
    flows: FlowColumns
    sources: tuple[str, ...] = ("",)
    agent: AgentView | None = None

    def views(self) -> Iterator[FlowView]:
        """The same, one flow at a time, as `Strategy.decide` takes it."""
        apart = ("price_micro", "source")
        names = [name for name in FlowColumns.__struct_fields__ if name not in apart]
        columns = [getattr(self.flows, name).tolist() for name in (*apart, *names)]
        for price, source, *row in zip(*columns, strict=True):
            own = self.price_micro if math.isnan(price) else int(price) if price % 1 == 0 else price
            of = self.sources[source]
            yield FlowView(*(self.t_ps, self.dt_ps, own, self.offers, *row, of, self.agent))


class FlowView(Timed, msgspec.Struct, frozen=True):
    """One flow of an observation, in Python's own numbers; what `decide` of a strategy is given.

    Of a row of many flows (`rows: together`) rates and times are their means, counts, charge and
    file bytes their sums; what is decided holds for each of them.

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
        member: which of its source's flows [number from 0; of a row of many 0].
        payload_bps: acknowledged for the first time, headers left out [bit/s].
        switched_on: whether its agent lets it send [truth value]; `active` also needs it to have
            started.
        files: finished since the run began [files; those given up not counted].
        file_bytes: asked for since the run began, by traffic of files [bytes of payload].
        file_left: of the present file, not yet acknowledged [bytes of payload].
        rate_cap_bps: its largest rate as last decided, -1 for none [bit/s of IP packets].
        weight: of its window law, as last decided, else as in its transport; 0 where there is none,
            and while what is paid for marks steers the flow [unit of the law].
        choice: of its provider's menu of strategies, as its customer picked it; 0 where there is
            none [number from 0; provider's view only].
        bill_micro: what its user paid for it in all: marks where it pays them, class fees, and
            contracts on a meter [micro-units of money; left out: what its marks cost].
        standing_micro: the part of the bill that goes by time, however much is sent: class fees,
            flat tariffs, fees of two-part tariffs, weight [micro-units of money].
        weight_micro: the part of the standing one that goes by weight: contracts on the meter
            `weight`, without their fees [micro-units of money].
        delivered_bytes: arrived [bytes of IP packets]; acknowledgements may tell of it later.
        source: name of its source [text].
        agent: its agent's money, random numbers and notes [AgentView, None if nobody runs a
            market].
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
    source: str = ""
    agent: AgentView | None = None


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
        departed_bytes: were sent on, or began to be [bytes of IP packets].
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
    """How a link marks.

    Attributes:
        law: which law [name, as under `marking` in the scenario].
        params: its parameters as they are now [in the units of the law's header, as
            `ecnomy-engine describe` lists them; a choice by its number].
    """

    law: str
    params: Mapping[str, float]


class PriceObservation(Timed, msgspec.Struct, frozen=True, eq=False):
    """A connectivity provider's view before it posts a price.

    Attributes:
        t_ps: time of the report it decides at [ps].
        dt_ps: since it last decided, which all changes are over [ps]; 0 at its first decision.
        price_micro: the price in force until now [micro-units of money per mark].
        links: the links of its domain [columns, one value a link and direction].
        agent: its money, random numbers and notes [AgentView, None if nobody runs a market].
        names: of these links [text, as in the scenario; the way back ends in `.reverse`].
        laws: how these links mark [MarkingLaw].
        responds_ps: how long users take to respond to a price, as far as their last decisions tell:
            their windows to settle, five decisions, and as many as it takes until 95 % have looked
            [ps]; for strategies that say that they wait (`waits`), else 0.
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
        """For which part of the time each link was busy [0 to 1]; 0 at the first decision."""
        return self.links.busy_ps / max(self.dt_ps, 1)
