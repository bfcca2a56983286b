# SPDX-License-Identifier: Apache-2.0
"""What users write under `traffic:`: what a source has to send, and when."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, RateBps, number_of
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node
from ecnomy.markets.plan.truncated_pareto import mean as pareto_mean

__all__ = [
    "DATAGRAMS",
    "FILES",
    "Cbr",
    "File",
    "Greedy",
    "OnOff",
    "PacketRate",
    "Poisson",
    "RateCapped",
    "Traffic",
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
# Each file over a connection of its own, or all over one that restarts its window after a silence.
_Connection = Annotated[str, Choice(("new", "lasting"))]
_WholeSize = Annotated[
    int, Amount(what="a size", example="1 MB", units=("byte",), least=1, most=10**15)
]
_FileSize = Annotated[
    float,
    Amount(what="a size", example="50 kB", units=("byte",), whole=False, least=1, most=10**12),
]


class PacketRate(msgspec.Struct, frozen=True):
    """Packets per second of a source, given as such or as bit/s (of IP packets)."""

    value: float
    unit: str  # "packets/s" or "bps"


class _PacketRateReader(msgspec.Struct, frozen=True):
    @property
    def expected(self) -> str:
        """The form."""
        return "a rate above 0 such as 200 packets/s or 2 Mbps"

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
    """Always has data."""


class RateCapped(msgspec.Struct, frozen=True, kw_only=True, tag="rate-capped", tag_field="kind"):
    """Always has data, sent at most at `rate` (of IP bits) until `until`."""

    rate: RateBps
    until: _Until = _FOR_EVER


class Cbr(msgspec.Struct, frozen=True, kw_only=True, tag="cbr", tag_field="kind"):
    """A packet every `interval`, or as many as make up `rate` (of IP bits)."""

    rate: RateBps | None = None
    interval: _Gap | None = None
    phase: Annotated[str, Choice(("independent", "tick"))] = "independent"

    def __post_init__(self) -> None:
        if self.rate is None and self.interval is None:
            raise Misfit("rate", "neither 'rate' nor 'interval'", "one of them")
        if self.rate is not None and self.interval is not None:
            raise Misfit("interval", "both 'rate' and 'interval'", "one of them")


class Poisson(msgspec.Struct, frozen=True, kw_only=True, tag="poisson", tag_field="kind"):
    """Packets at exponential gaps."""

    rate: Annotated[PacketRate, _PacketRateReader()]


class Voip(msgspec.Struct, frozen=True, kw_only=True, tag="voip", tag_field="kind"):
    """A telephone user: idle, then in a call with a packet every `interval`, and so on."""

    idle: _Mean = 1_200_000_000_000_000
    call: _Mean = 180_000_000_000_000
    interval: _Gap = 100_000_000_000
    phase: Annotated[str, Choice(("independent", "tick"))] = "independent"


class File(msgspec.Struct, frozen=True, kw_only=True, tag="file", tag_field="kind"):
    """One file of a given size, sent once."""

    size: _WholeSize


class OnOff(msgspec.Struct, frozen=True, kw_only=True, tag="on-off", tag_field="kind"):
    """Files of a geometric number of packets with exponential pauses between them."""

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


class Web(msgspec.Struct, frozen=True, kw_only=True, tag="web", tag_field="kind"):
    """A person who reads, then fetches a file, and so on. `mean` is the mean file size drawn."""

    reading: _Reading = 5_000_000_000_000
    size: Annotated[str, Choice(("fixed", "exponential", "pareto"))] = "pareto"
    mean: _FileSize = 50_000.0
    shape: Annotated[float, number_of("traffic", "web", "size_shape")] = 1.2
    max: _FileSize = 5_000_000.0
    reading_times: Annotated[str, Choice(("exponential", "hyper-exponential"))] = "exponential"
    patience: _Patience = _FOR_EVER
    connection: _Connection = "new"

    def __post_init__(self) -> None:
        if self.size == "pareto" and self.mean >= self.max:
            raise Misfit("mean", f"{self.mean:g} bytes", f"less than max, {self.max:g} bytes")
        least = pareto_mean(1.0, self.max, self.shape) if self.size == "pareto" else 1.0
        if self.mean < least:
            expected = f"at least {least:g} bytes, as files have at least 1 byte"
            raise Misfit("mean", f"{self.mean:g} bytes", expected)


Traffic = Greedy | RateCapped | Cbr | Poisson | Voip | Web | File | OnOff
DATAGRAMS: Final = (Cbr, Poisson, Voip)  # what goes with udp; all else needs tcp
FILES: Final = (Web, File, OnOff)
