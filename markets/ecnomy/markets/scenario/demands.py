# SPDX-License-Identifier: Apache-2.0
"""The YAML under `demands:`, a demand matrix with one source per pair of nodes.

`Sending` holds the keys that a source and a demand matrix share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, Name, Names, Number, RateBps, TimePs
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.schema_rules import Rules, exactly_one
from ecnomy.markets.plan.structs import EACH, TOGETHER
from ecnomy.markets.scenario.profile import Profile
from ecnomy.markets.scenario.traffic import DATAGRAMS
from ecnomy.markets.scenario.transport import Transport, Udp

__all__ = ["AUTO", "NEVER", "Demands", "Scale", "Sending"]

NEVER: Final = -1
AUTO: Final = -1

_Count = Annotated[int, Number(what="a whole number", least=1, most=1_000_000, whole=True)]
_Stop = Annotated[
    int, Amount(what="a time", example="60 s", units=("ps",), words=(("never", NEVER),))
]
_Overhead = Annotated[
    int,
    Amount(
        what="a time",
        example="0.8 ms",
        units=("ps",),
        words=(
            ("auto", AUTO),
            ("none", 0),
        ),
    ),
]
_Ratio = Annotated[float, Number(what="a number", least=1e-6, most=1e6)]
_PerUnit = Annotated[
    float,
    Amount(
        what="a rate",
        example="100 bps",
        units=("bit/s",),
        whole=False,
        above=True,
        most=10**15,
    ),
]


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """The number of flows, the times at which they send, and their transport.

    Flow i starts at start + i * stagger + U * spread, with U uniform on [0, 1].

    Attributes:
        count: number of flows, which differ only in their start and random draws.
        start: start of the first flow.
        stagger: time from the start of one flow to that of the next.
        spread: largest random delay of a flow's start, in addition to `stagger`; delays are uniform
            from 0 to this value.
        stop: time from which the source starts no new transfers, calls or packets.
        profile: factors that scale the source's rate over time. Each factor holds until the next
            step, and the steps repeat every period. A larger factor shortens pauses and gaps
            between packets; at a factor of 0, nothing new begins. A rate-capped source sends at
            most rate x factor. Greedy flow i sends while (i + 1/2) / count is below factor /
            largest factor. For file sources, the profile stretches the delays after `start`
            (stagger, spread). It does not change holding times, file sizes or patience.
        rows: whether reports and tables have one row per flow, or one row with the sums over all
            flows. A row of sums has the name of the source. Class fees and decisions of agents
            still apply to each flow.
        transport: UDP, or TCP with a window law.
        send_overhead: largest random delay of each packet at the sender. With auto, it is the
            transmission time of a packet on the slowest link of the path.
    """

    count: _Count = 1
    start: TimePs = 0
    stagger: TimePs = 0
    spread: TimePs = 0
    stop: _Stop = NEVER
    profile: Profile | None = None
    rows: Annotated[str, Choice((EACH, TOGETHER))] = EACH
    transport: Transport
    send_overhead: _Overhead = AUTO

    @staticmethod
    def expected_beside(values: Mapping[str, Any]) -> dict[str, str]:
        """Return the expected forms of missing keys, which depend on the values of other keys."""
        datagrams = isinstance(values.get("traffic"), DATAGRAMS)
        return {"transport": "a mapping such as {law: udp}"} if datagrams else {}

    @property
    def packet_bytes(self) -> int:
        """Return the size of a full data packet in IP bytes."""
        transport = self.transport
        if isinstance(transport, Udp):
            return transport.payload + transport.header
        return transport.mss + transport.header


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """The rate that one unit of the matrix stands for. Set exactly one of the three keys.

    Attributes:
        busiest_link: offered load of the busiest link, framing included, relative to its rate, if
            each demand takes its first shortest path.
        total: sum of all demands, in bit/s of IP packets.
        unit: rate that one unit of the matrix stands for, in bit/s of IP packets.
    """

    busiest_link: _Ratio | None = None
    total: RateBps | None = None
    unit: _PerUnit | None = None
    schema_rules: ClassVar[Rules] = (exactly_one("busiest_link", "total", "unit"),)

    def __post_init__(self) -> None:
        keys = ("busiest_link", "total", "unit")
        given = [key for key in keys if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(repr(key) for key in given) or "no key"
            raise Misfit(given[1] if given else keys[0], found, f"one of {', '.join(keys)}")


class Demands(Sending, frozen=True, kw_only=True):
    """A source `<name>-<from>-<to>` for each pair of nodes, limited to the demand of the pair.

    With `count` > 1, the flows of a pair share its demand equally. A pair has no source if the rate
    of each flow rounds to 0 bit/s.

    Attributes:
        name: first part of the names of the sources, `<name>-<from>-<to>`.
        matrix: the topology's measured demands, or the same demand for each pair of nodes. Agents
            refer to all sources of a matrix by its name (`sources: demand`). A second matrix with a
            later `start` adds a step to the load.
        scale: rate that one unit of the matrix stands for, given by one of three keys.
        senders: nodes that may send; by default all.
        receivers: nodes that may receive; by default all.
        traffic: kind of traffic: cbr (the default) or poisson over UDP, and rate-capped over TCP.
    """

    name: Name
    matrix: Annotated[str, Choice(("topology", "uniform"))] = "topology"
    scale: Scale
    senders: Names = msgspec.field(name="from", default=())
    receivers: Names = msgspec.field(name="to", default=())
    traffic: Annotated[str | None, Choice(("rate-capped", "cbr", "poisson"))] = None

    def __post_init__(self) -> None:
        udp = isinstance(self.transport, Udp)
        if self.traffic is None:
            msgspec.structs.force_setattr(self, "traffic", "cbr" if udp else "rate-capped")
        if udp == (self.traffic == "rate-capped"):
            law = self.transport.__struct_config__.tag
            wanted = "cbr or poisson" if udp else "rate-capped"
            raise Misfit("traffic", f"{self.traffic} traffic over {law}", wanted)
