# SPDX-License-Identifier: Apache-2.0
"""The YAML under `traffic:`, which describes the data of a source and their timing.

The keys of datagram laws without a struct in this module come from the table of laws
(ecnomy.markets.plan.law_table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Union

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Amount, Choice, Number, RateBps, quantity_schema
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.schema_rules import Rules, exactly_one
from ecnomy.markets.inputs.yamlfile import Node
from ecnomy.markets.plan.law_table import LawEntry, law_table
from ecnomy.markets.plan.truncated_pareto import mean as pareto_mean
from ecnomy.markets.scenario.law_forms import (
    Field,
    check_order,
    default_of,
    kind_of,
    law_struct,
)
from ecnomy.markets.scenario.law_numbers import number_of
from ecnomy.markets.scenario.size_list import SizeRow, SizesReader

__all__ = [
    "DATAGRAMS",
    "FILES",
    "Cbr",
    "File",
    "Frames",
    "Greedy",
    "OnOff",
    "PacketRate",
    "Page",
    "Poisson",
    "RateCapped",
    "Sessions",
    "Speech",
    "TimedPackets",
    "Traffic",
    "Video",
    "Voip",
    "Web",
]

_FOR_EVER = -1
_Until = Annotated[
    int, Amount(what="a time", example="60 s", units=("ps",), words=(("never", _FOR_EVER),))
]
_Gap = Annotated[int, Amount(what="a time", example="20 ms", units=("ps",), least=1000)]
_Reading = Annotated[int, Amount(what="a time", example="5 s", units=("ps",), least=1000)]
_Mean = Annotated[
    int, Amount(what="a time", example="180 s", units=("ps",), least=10**6, most=2 * 10**17)
]
_Patience = Annotated[
    int,
    Amount(
        what="a time",
        example="30 s",
        units=("ps",),
        least=1000,
        most=2 * 10**17,
        words=(("unlimited", _FOR_EVER),),
    ),
]
# Each file has a new connection, or all share one that restarts its window after a silence.
_Connection = Annotated[str, Choice(("new", "lasting"))]
_WholeSize = Annotated[
    int, Amount(what="a size", example="1 MB", units=("byte",), least=1, most=10**15)
]
_FileSize = Annotated[
    float,
    Amount(what="a size", example="50 kB", units=("byte",), whole=False, least=1, most=10**12),
]


_Spurt = Annotated[
    int, Amount(what="a time", example="1 s", units=("ps",), least=10**9, most=2 * 10**17)
]
_Longest = Annotated[
    int,
    Amount(
        what="a time",
        example="3 min",
        units=("ps",),
        least=1000,
        words=(("unlimited", _FOR_EVER),),
    ),
]
_Phase = Annotated[str, Choice(("independent", "tick"))]


class PacketRate(msgspec.Struct, frozen=True):
    """The rate of a source, in packets/s or in bit/s of IP packets."""

    value: float
    unit: str  # "packets/s" or "bps"


class _PacketRateReader(msgspec.Struct, frozen=True):
    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a rate above 0 such as 200 packets/s or 2 Mbps"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return quantity_schema(("packet/s", "bit/s"), above=True)

    def read(self, node: Node, path: str) -> PacketRate:
        """See Reader."""
        packets = isinstance(node.value, str) and "packet" in node.value
        unit = "packets/s" if packets else "bps"
        example = "200 packets/s" if packets else "2 Mbps"
        amount = Amount(
            what="a rate", example=example, units=(unit,), whole=False, above=True, most=10**15
        )
        return PacketRate(amount.read(node, path), unit)

    def write(self, value: PacketRate) -> str:
        """See Reader."""
        return f"{value.value!r} {value.unit}"


class Greedy(msgspec.Struct, frozen=True, kw_only=True, tag="greedy", tag_field="kind"):
    """Always has data, and sends as fast as the transport allows."""


class RateCapped(msgspec.Struct, frozen=True, kw_only=True, tag="rate-capped", tag_field="kind"):
    """Always has data, and sends at most `rate` bit/s of IP packets; `until` ends this limit."""

    rate: RateBps
    until: _Until = _FOR_EVER


class Cbr(msgspec.Struct, frozen=True, kw_only=True, tag="cbr", tag_field="kind"):
    """Sends packets at a constant `interval` or `rate`. Set exactly one of them.

    Attributes:
        rate: bits per second of IP packets, instead of `interval`.
        phase: whether the first packet leaves after a random part of the interval (independent) or
            immediately (tick).
    """

    rate: RateBps | None = None
    interval: _Gap | None = None
    phase: _Phase = "independent"
    schema_rules: ClassVar[Rules] = (exactly_one("rate", "interval"),)

    def __post_init__(self) -> None:
        if self.rate is None and self.interval is None:
            raise Misfit("rate", "neither 'rate' nor 'interval'", "one of them")
        if self.rate is not None and self.interval is not None:
            raise Misfit("interval", "both 'rate' and 'interval'", "one of them")


class Poisson(msgspec.Struct, frozen=True, kw_only=True, tag="poisson", tag_field="kind"):
    """Sends packets with exponential gaps.

    Attributes:
        rate: mean rate, in packets per second or in bits per second of IP packets.
    """

    rate: Annotated[PacketRate, _PacketRateReader()]


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """Silence suppression, with exponential talk spurts and silences (defaults of ITU-T P.59)."""

    talk: _Spurt = 1_004_000_000_000
    silence: _Spurt = 1_587_000_000_000


_IDLE: Final = 1_200_000_000_000_000  # andreassen2002 section 2.2.1


class Voip(msgspec.Struct, frozen=True, kw_only=True, tag="voip", tag_field="kind"):
    """A telephone user over UDP, who alternates between idle times and calls.

    Note:
        With and without `speech`, calls and the times at which packets are due are the same. A call
        that `longest` cuts off draws the same random numbers as without `longest`.

    Attributes:
        interarrival: mean time between calls if they form a Poisson process, as from an unlimited
            population. The `count` flows of the source then act as lines, and a call that finds no
            free line is lost. By default, each flow makes a call after its idle time.
        phase: whether a call's first packet leaves after a random part of the interval
            (independent) or immediately (tick).
        longest: time after which a call is cut off.
        speech: talk spurts and silences; no packet is sent during a silence. By default packets
            are sent throughout the call.
    """

    idle: _Mean = _IDLE
    interarrival: _Mean | None = None
    call: _Mean = 180_000_000_000_000
    interval: _Gap = 100_000_000_000
    phase: _Phase = "independent"
    longest: _Longest = _FOR_EVER
    speech: Speech | None = None

    def __post_init__(self) -> None:
        if self.interarrival is not None and self.idle != _IDLE:
            raise Misfit("interarrival", "both 'idle' and 'interarrival'", "one of them")


class Frames(msgspec.Struct, frozen=True, kw_only=True):
    """The lognormal sizes of video frames of one type.

    Attributes:
        mean: mean size of a frame.
        variation: coefficient of variation of the sizes.
    """

    mean: Annotated[
        float,
        Amount(what="a size", example="15 kB", units=("byte",), whole=False, least=1, most=10**8),
    ]
    variation: Annotated[float, number_of("traffic", "video", "i_variation")] = 0.0


class Video(msgspec.Struct, frozen=True, kw_only=True, tag="video", tag_field="kind"):
    """Sends a frame every `interval`, in groups that begin with an I frame.

    Note:
        The law is in omnet/laws/traffic/video.h. Its defaults are round numbers that give 1 Mbps.
        Frames leave in display order, and their sizes are independent. A frame is split into
        packets of the transport's `payload`; its last packet may be shorter.

    Attributes:
        i: sizes of I frames; each group begins with one.
        p: sizes of P frames.
        b: sizes of B frames.
        packets: whether the packets of a frame leave together or spread over the interval.
        phase: whether the first frame leaves after a random part of a group (independent) or
            immediately (tick).
    """

    interval: Annotated[
        int, Amount(what="a time", example="40 ms", units=("ps",), least=10**6, most=10**15)
    ] = 40_000_000_000
    group: Annotated[int, Number(what="frames", least=1, most=10**6, whole=True)] = 12
    anchors: Annotated[int, Number(what="frames", least=1, most=10**6, whole=True)] = 3
    i: Frames = Frames(mean=15_000.0, variation=0.25)
    p: Frames = Frames(mean=7_000.0, variation=0.5)
    b: Frames = Frames(mean=3_000.0, variation=0.4)
    packets: Annotated[str, Choice(("together", "spread"))] = "together"
    phase: _Phase = "independent"


class File(msgspec.Struct, frozen=True, kw_only=True, tag="file", tag_field="kind"):
    """One file of a given size, sent once."""

    size: _WholeSize


class OnOff(msgspec.Struct, frozen=True, kw_only=True, tag="on-off", tag_field="kind"):
    """Sends files of a geometric number of packets, with exponential pauses between them.

    Attributes:
        connection: whether each file has a new connection, or all share one, whose window restarts
            after a silence.
    """

    packets: Annotated[
        float,
        Amount(
            what="a number of packets",
            example="300 packets",
            units=("packet",),
            whole=False,
            least=1,
            most=10**9,
            plain=True,
        ),
    ] = 300.0
    pause: _Mean = 1_000_000_000_000
    connection: _Connection = "new"


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions of a web user, each an idle time followed by a geometric number of pages."""

    idle: _Mean = 1_800_000_000_000_000
    pages: Annotated[float, number_of("part", "sessions", "pages_mean")]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The rest of a page after its file: a parsing time, then a geometric number of objects.

    Attributes:
        mean: mean size of the objects.
    """

    objects: Annotated[float, number_of("part", "page", "objects_mean")]
    parse: Annotated[
        int, Amount(what="a time", example="0.1 s", units=("ps",), most=2 * 10**17)
    ] = 100_000_000_000
    size: Annotated[str, Choice(("fixed", "exponential", "pareto"))] = "exponential"
    mean: _FileSize = 8_000.0
    shape: Annotated[float, number_of("part", "page", "size_shape")] = 1.2
    max: _FileSize = 5_000_000.0

    def __post_init__(self) -> None:
        _check_mean(self.size, self.mean, self.max, self.shape)


class Web(msgspec.Struct, frozen=True, kw_only=True, tag="web", tag_field="kind"):
    """A user who alternately reads and fetches a file.

    Attributes:
        mean: mean size of the files.
        connection: whether each file has a new connection, or all share one, whose window restarts
            after a silence.
        sizes: file sizes to draw from, with weights, or the name of a file with sizes; needs size:
            list. A file with sizes has one per line, in bytes or with a unit. A weight may follow
            after a comma (by default 1), and `#` begins a comment. A list has up to 10,000 sizes.
            The file lies beside the scenario, also with `--set` and in sweeps. Workers on other
            machines need a copy.
        sessions: idle times between sessions of several pages; by default the user reads and
            fetches without idle times. A user begins idle, fetches the first page right after the
            idle time, and reads after each page. Because all users begin idle, use a warm-up of
            several idle times. andreassen2002, Figure 3, uses idle 30 min and `reading: 42.8 s,
            reading_times: hyper-exponential`.
        page: embedded objects, which make each file a page. After an exponential parsing time, the
            objects are fetched one after another. Their number is geometric and may be 0. A fetch
            that takes longer than `patience` is abandoned with the rest of its page.
    """

    reading: _Reading = 5_000_000_000_000
    size: Annotated[str, Choice(("fixed", "exponential", "pareto", "list"))] = "pareto"
    mean: _FileSize = 50_000.0
    shape: Annotated[float, number_of("traffic", "web", "size_shape")] = 1.2
    max: _FileSize = 5_000_000.0
    reading_times: Annotated[str, Choice(("exponential", "hyper-exponential"))] = "exponential"
    patience: _Patience = _FOR_EVER
    connection: _Connection = "new"
    sizes: Annotated[tuple[SizeRow, ...], SizesReader()] | None = None
    sessions: Sessions | None = None
    page: Page | None = None

    def __post_init__(self) -> None:
        if self.size == "list" and self.sizes is None:
            raise Misfit("sizes", "size: list without 'sizes'", SizesReader().expected)
        if self.size != "list" and self.sizes is not None:
            raise Misfit("size", f"{self.size} together with 'sizes'", "size: list")
        _check_mean(self.size, self.mean, self.max, self.shape)


def _check_mean(size: str, mean: float, most: float, shape: float) -> None:
    if size == "pareto" and mean >= most:
        raise Misfit("mean", f"{mean:g} bytes", f"less than max, {most:g} bytes")
    least = pareto_mean(1.0, most, shape) if size == "pareto" else 1.0
    if mean < least:
        expected = f"at least {least:g} bytes, because files have at least 1 byte"
        raise Misfit("mean", f"{mean:g} bytes", expected)


class TimedPackets(msgspec.Struct, frozen=True, kw_only=True):
    """A datagram law as written in YAML, with its keys as fields."""

    def __post_init__(self) -> None:
        entry = law_table()["traffic"][self.law]
        for more, less in entry.at_least:
            check_order(self, entry.named(more), entry.named(less))

    @property
    def law(self) -> str:
        """Return the name of the law."""
        return str(self.__struct_config__.tag)

    def values(self) -> dict[str, float | str]:
        """Return the parameters of the law by their names in the table of laws."""
        params: dict[str, float | str] = {}
        for parameter in law_table()["traffic"][self.law].parameters:
            value = getattr(self, parameter.key)
            params[parameter.name] = value / PS_PER_S if parameter.unit == "s" else value
        return params


def timed_packets_form(law: str, entry: LawEntry) -> type[TimedPackets]:
    """Return the YAML struct of a law in the table."""
    fields: list[Field] = []
    for parameter in entry.parameters:
        key, kind = parameter.key, kind_of("traffic", law, parameter)
        default = default_of(parameter)
        fields.append((key, kind) if default is None else (key, kind, default))
    return law_struct(law, entry.about, fields, base=TimedPackets, tag_field="kind")  # type: ignore[no-any-return]


_KNOWN: Final = (Greedy, RateCapped, Cbr, Poisson, Voip, Video, Web, File, OnOff)
_FORMS: Final = {
    law: timed_packets_form(law, entry)
    for law, entry in law_table()["traffic"].items()
    if entry.traits["timed_packets"]
    and law not in {known.__struct_config__.tag for known in _KNOWN}
}
globals().update({form.__name__: form for form in _FORMS.values()})  # pickle looks for them here

if TYPE_CHECKING:
    Traffic = Greedy | RateCapped | Cbr | Poisson | Voip | Video | Web | File | OnOff | TimedPackets
else:
    Traffic = Union[(*_KNOWN, *_FORMS.values())]
DATAGRAMS: Final = (Cbr, Poisson, Voip, Video, TimedPackets)  # these need UDP; all others need TCP
FILES: Final = (Web, File, OnOff)
