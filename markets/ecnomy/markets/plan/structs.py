# SPDX-License-Identifier: Apache-2.0
"""The Plan: the resolved input of an engine.

A plan is written as canonical JSON (keys sorted, no spaces, UTF-8). Units are fixed, and most names
contain them: ps (picoseconds), bps (bit/s), bytes, packets. Sizes are those of IP packets; links
add framing. Engines have no defaults, so every key is present, except `marking` of a scheduler and
`reordering` and `delay_profile` of a link. Times are int64. A size or limit of -1 means "none".

The parameters of a law map names to numbers (float64) in the units of the law's C++ header. Flags
are 0 or 1. Choices are indices into the law's list of choices (see `ecnomy-engine describe`).
"""

from __future__ import annotations

import hashlib
import math
from typing import Final

import msgspec

from ecnomy.markets.plan.law_table import weights, with_trait

__all__ = [
    "NO_PROFILE",
    "NO_SIZES",
    "PLAN_VERSION",
    "Calls",
    "Histogram",
    "Law",
    "Link",
    "Plan",
    "PlanRecord",
    "Profile",
    "ProfileStep",
    "Scheduler",
    "Sizes",
    "Source",
    "Start",
    "Tcp",
    "Udp",
]

PLAN_VERSION: Final = 1
NONE: Final = -1
EACH: Final = "each"
TOGETHER: Final = "together"


class Law(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A law by name, with all parameters in the units of its C++ header."""

    law: str
    params: dict[str, float]


class Scheduler(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Classes that share a link's transmitter (omnet/laws/scheduling)."""

    law: Law
    classes: list[Law]  # the guarantees of each class
    names: list[str]
    marking: list[Law] = []  # the law of each class; only under deficit-round-robin


class Reordering(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Packets that a wire delivers late, so that later packets overtake them."""

    probability: float  # that a packet that is not lost is late
    delay_ps: int  # of a late packet, in addition to the link's delay
    stream: str  # name of the keyed random stream of late packets


class DelayStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step: from at_ps within a period on, the wire adds delay_ps to the link's delay."""

    at_ps: int  # ascending, the first one 0
    delay_ps: int


class DelayProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The change of a wire's delay (omnet/laws/wire.h). Periods begin at time 0."""

    period_ps: int
    steps: list[DelayStep]

    @property
    def largest_ps(self) -> int:
        """Return the largest additional delay."""
        return max(step.delay_ps for step in self.steps)


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One direction of a link, or a half-duplex link: a queue, a transmitter and a delay."""

    name: str
    source: int  # index of the node at its start
    target: int  # index of the node at its end
    rate_bps: int
    delay_ps: int
    buffer_packets: int  # waiting packets, without the packet in service; -1 none
    buffer_bytes: int  # waiting bytes on this wire, with framing; -1 none
    framing_bytes: int  # added to every packet on this wire
    not_ect: str  # "pass" or "drop": treatment of a not-ECT packet where the law would mark
    marking: Law
    stream: str  # name of the keyed random stream of the marking law
    scheduler: Scheduler | None = None  # None: one FIFO queue
    loss: float = 0.0  # probability that the wire loses a packet, at its far end; below 1
    loss_stream: str = ""  # name of the keyed random stream for these losses
    half_duplex: bool = False  # both ways share queue and transmitter
    reordering: Reordering | msgspec.UnsetType = msgspec.UNSET  # unset: the wire keeps the order
    delay_profile: DelayProfile | msgspec.UnsetType = msgspec.UNSET  # unset: a constant delay


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The start of flow i is at_ps + i * stagger_ps + U * spread_ps, with a random U in [0, 1]."""

    at_ps: int
    stagger_ps: int
    spread_ps: int


class ProfileStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step: from at_ps within a period on, the rate is multiplied by factor_ppm / 10^6."""

    at_ps: int  # ascending, the first one 0
    factor_ppm: int


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors on a rate, by time (omnet/laws/traffic/profile.h). Periods begin at time 0."""

    period_ps: int  # -1: no profile
    steps: list[ProfileStep]

    @property
    def largest(self) -> float:
        """Return the largest factor, or 1 without a profile."""
        return max((step.factor_ppm for step in self.steps), default=10**6) / 10**6


NO_PROFILE: Final = Profile(period_ps=NONE, steps=[])


class Sizes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File sizes, each drawn in proportion to its weight (omnet/laws/traffic/sizes.h)."""

    bytes: list[int]  # 1 to 10^12 each; [] without a list
    weights: list[float]  # one per size, above 0


NO_SIZES: Final = Sizes(bytes=[], weights=[])


class Tcp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tcp", tag_field="kind"):
    """A TCP transport. `window` is the window law, such as wtp or reno."""

    window: Law
    mss_bytes: int  # payload of a full segment
    header_bytes: int  # IP and TCP headers of a data segment
    ack_bytes: int  # length of a pure ACK, SYN or SYN-ACK
    send: str  # "paced" or "ack-clocked"
    echo: str  # "accurate" (a count of marks), "accecn" (by 3 bits), "rfc3168" (latched) or "off"
    ect: str  # ECT packets unless echo is "off": "data", or "all" (SYN, resent data and ACKs too)
    sack: bool  # RFC 2018 and RFC 6675
    delayed_acks: int  # packets per ACK
    delayed_ack_ps: int  # longest wait of an ACK
    receiver_window: int  # packets beyond the cumulative ACK; -1 none
    slow_start: bool
    initial_window: float  # packets
    min_window: float  # packets; lower bound after every decrease
    max_window: float  # packets
    min_rto_ps: int
    max_rto_ps: int
    initial_rto_ps: int
    initial_mark_rate: float  # target marks/s at the start; -1: the law's own weight per RTT
    reference_rtt_ps: int  # RTT at which weight and gain apply unscaled; -1: any RTT
    rtt: str  # RTT for pacing and weights: "smoothed" (RFC 6298), or "mean" over 2 s to 4 s
    reduce_from: str  # halved by an echo: "window", "flight" or "pipe" (also halved by a loss)
    repair: bool  # whether losses are repaired; if not, an ACK skips them and the window stays
    codepoint: str = "ect-0"  # codepoint of ECT packets: "ect-0", or "ect-1" (L4S, RFC 9331)

    @property
    def counts_marks(self) -> bool:
        """Return whether ACKs count marks; if not, they report at most one mark per round trip."""
        return self.echo in ("accurate", "accecn")


class Udp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="udp", tag_field="kind"):
    """Unreliable datagrams of one size."""

    payload_bytes: int
    header_bytes: int
    ect: bool
    codepoint: str = "ect-0"  # codepoint of ECT packets: "ect-0", or "ect-1" (L4S, RFC 9331)


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of the calls of a telephone source (voip). Other sources have no calls."""

    ask: bool  # whether each call requests admission from the market (`request`)
    max_delay_ps: int  # delay beyond which a packet of a call counts as late; -1 none
    longest_ps: int = NONE  # time after which a call is cut off; -1 none


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`count` flows that differ only in start time and random draws.

    The random streams of flow i are `source/<name>/<i>/start`, `.../traffic`, `.../overhead`,
    `.../speech` (talk spurts and silences) and `.../rtt` (of errors in RTTs). Reports, decisions
    and tables have a row per flow, named `name.i`, or one row for all flows, named `name`. Rows are
    numbered across all sources, in order.
    """

    name: str
    count: int
    path: list[int]  # link indices from sender to receiver
    ack_path: list[int]  # link indices, receiver to sender ([] for udp)
    start: Start
    stop_ps: int  # time from which nothing new is sent; -1: never
    traffic: Law
    transport: Tcp | Udp
    send_overhead_ps: int  # each packet leaves U times this later, in order; 0 none
    calls: Calls = Calls(ask=False, max_delay_ps=NONE)
    profile: Profile = NO_PROFILE
    classes: list[int] = []  # on each link of its path, -1 without a scheduler; []: all -1
    ack_classes: list[int] = []
    rows: str = EACH  # or "together": one row with the sums over all flows (PROTOCOL.md)
    parts: list[Law] = []  # parts of its traffic: sessions and page of web, speech of voip
    sizes: Sizes = NO_SIZES  # file sizes if a web user's `size` is list

    @property
    def row_count(self) -> int:
        """Return the number of rows that the source has in reports, decisions and tables."""
        return 1 if self.rows == TOGETHER else self.count

    @property
    def row_flows(self) -> int:
        """Return the number of flows in each row of the source."""
        return self.count // self.row_count

    @property
    def most_bps(self) -> float:
        """Return the largest rate of a flow's traffic [IP bit/s]; infinite unless rate-capped."""
        return float(self.traffic.params.get("rate_bps", math.inf)) * self.profile.largest

    @property
    def packet_bytes(self) -> int:
        """Return the size of a full data packet [bytes of an IP packet]."""
        transport = self.transport
        payload = transport.mss_bytes if isinstance(transport, Tcp) else transport.payload_bytes
        return payload + transport.header_bytes

    @property
    def weighted(self) -> bool:
        """Return whether the window law has a weight, so that a market can set a mark rate."""
        return isinstance(self.transport, Tcp) and self.transport.window.law in with_trait(
            "window", "weighted"
        )

    @property
    def codepoint(self) -> str:
        """Return the ECN field of unmarked data packets: not-ect, ect-0 or ect-1."""
        transport = self.transport
        ect = transport.ect if isinstance(transport, Udp) else transport.echo != "off"
        return transport.codepoint if ect else "not-ect"

    @property
    def l4s(self) -> bool:
        """Return whether the source's ECT data packets, if any, are ECT(1)."""
        return self.transport.codepoint == "ect-1"

    @property
    def halved(self) -> bool:
        """Return whether the source buys marks while losses halve its window (WTP with repair)."""
        tcp = self.transport
        by_marks = with_trait("window", "steps", "per-mark")
        return isinstance(tcp, Tcp) and tcp.window.law in by_marks and tcp.repair

    @property
    def own_weight(self) -> float:
        """Return the window law's weight in the plan, or 0 with a mark rate or without a weight."""
        if not isinstance(self.transport, Tcp) or self.transport.initial_mark_rate >= 0:
            return 0.0
        params = self.transport.window.params
        names = self._chosen_weight[0]
        return float(math.prod(params[name] for name in names)) if names else 0.0

    @property
    def least_weight(self) -> float:
        """Return the smallest weight that an agent may choose; infinite without a weight."""
        return self._chosen_weight[1]

    @property
    def _chosen_weight(self) -> tuple[tuple[str, ...], float]:
        law = self.transport.window.law if isinstance(self.transport, Tcp) else ""
        return weights().get(law, ((), math.inf))


class Histogram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A histogram over [warm-up, end]. Bin k is [k width, (k + 1) width); the last has no end."""

    of: str  # "delay" (one-way, of delivered packets) or "queue" (that arrivals find)
    width: int  # width of a bin: ps of delay, packets of queue
    bins: int


class PlanRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Records in addition to the reports."""

    series: list[str]  # any of: cwnd, rtt, rate, queue, marking_probability
    every_ps: int  # sampling period of the series; -1 none
    delay_thresholds_ps: list[int]  # one-way delay thresholds of the `late` counters
    trace: bool  # one row per packet event
    transfers: bool  # one row per finished transfer
    calls: bool = False  # one row per call of a telephone source
    histograms: list[Histogram] = []  # at most one of each kind
    counts: list[str] = []  # of links: arrivals, marks, drops; of sources: sent, delivered, ce
    counts_every_ps: int = NONE  # bin of time of the counts; -1 none
    classes_every_ps: int = NONE  # bin of time of the classes' rows; -1 none


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The complete input of an engine for one run."""

    plan: int
    title: str
    seed: int  # uint64
    duration_ps: int
    warmup_ps: int
    epoch_ps: int
    nodes: list[str]
    links: list[Link]
    sources: list[Source]
    record: PlanRecord
    digest: str = ""  # sha256 of the canonical JSON with digest = ""

    @property
    def row_count(self) -> int:
        """Return the number of rows of flows in reports, decisions and tables."""
        return sum(source.row_count for source in self.sources)

    def row_sources(self) -> list[Source]:
        """Return the source of each row of flows, in row order."""
        return [source for source in self.sources for _ in range(source.row_count)]

    def flow_names(self) -> list[str]:
        """Return the names of the rows of flows, in order."""
        return [
            source.name if source.rows == TOGETHER else f"{source.name}.{i}"
            for source in self.sources
            for i in range(source.row_count)
        ]

    def sealed(self) -> Plan:
        """Return the plan with its digest filled in."""
        bare = msgspec.structs.replace(self, digest="")
        digest = hashlib.sha256(bare.to_json()).hexdigest()
        return msgspec.structs.replace(bare, digest=digest)

    def to_json(self) -> bytes:
        """Return the plan as canonical JSON."""
        return msgspec.json.encode(self, order="sorted")
