# SPDX-License-Identifier: Apache-2.0
"""A scenario file as a whole, and what users write under `sources:`, `market:` and `record:`."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.markets.inputs.amounts import (
    TIME,
    Amount,
    Choice,
    Fee,
    Name,
    Names,
    Number,
    PricePerMark,
    TimePs,
)
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.scenario.marketspec import StrategySpec
from ecnomy.markets.scenario.network import Network
from ecnomy.markets.scenario.strategy import StrategyReader
from ecnomy.markets.scenario.traffic import DATAGRAMS, Greedy, Traffic
from ecnomy.markets.scenario.transport import Transport, Udp

__all__ = ["AUTO", "NEVER", "AgentEntry", "ClassEntry", "Document", "Market", "Record", "Source"]

NEVER: Final = -1
AUTO: Final = -1
SECOND_PS: Final = 10**12
ROLES: Final = ("connectivity-provider", "application-provider", "customer")
SERIES: Final = ("cwnd", "rtt", "rate", "queue", "marking_probability")

_Period = Annotated[int, Amount(what="a time", example="1 s", units=("ps",), above=True)]
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
_Count = Annotated[int, Number(what="a whole number", least=1, most=1_000_000, whole=True)]
_Seed = Annotated[int, Number(what="a whole number", least=0, most=2**64 - 1, whole=True)]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """`count` flows alike. `send_overhead` of -1 is one packet's time on the slowest link."""

    name: Name
    count: _Count = 1
    sender: Name = msgspec.field(name="from")
    receiver: Name = msgspec.field(name="to")
    start: TimePs = 0
    stagger: TimePs = 0
    spread: TimePs = 0
    stop: _Stop = NEVER
    traffic: Traffic = Greedy()
    transport: Transport
    send_overhead: _Overhead = AUTO

    def __post_init__(self) -> None:
        if self.sender == self.receiver:
            raise Misfit("to", repr(self.receiver), "a node other than the one it sends from")
        datagrams = isinstance(self.traffic, DATAGRAMS)
        kind = self.traffic.__struct_config__.tag
        if datagrams and not isinstance(self.transport, Udp):
            law = self.transport.__struct_config__.tag
            raise Misfit("transport.law", f"{law} with {kind} traffic", "udp")
        if isinstance(self.transport, Udp) and not datagrams:
            raise Misfit("traffic.kind", f"{kind} traffic over udp", "cbr or poisson")
        if self.start + self.count * self.stagger + self.spread > 2**62:
            raise Misfit("stagger", "a last start beyond the range of time", "a smaller one")


class ClassEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A class: a fee per flow and second, and whose flows begin in it."""

    fee: Fee
    sources: Names = ()


class AgentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the market."""

    name: Name
    role: Annotated[str, Choice(ROLES)]
    classes: dict[str, ClassEntry] = {}
    sources: Names = ()
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None
    decision_interval: _Period | None = None

    def __post_init__(self) -> None:
        if self.classes and self.role != "application-provider":
            raise Misfit(
                "classes", f"classes of a {self.role}", "none but an application-provider's"
            )
        if self.sources and self.role != "customer":
            raise Misfit("sources", f"sources of a {self.role}", "none but a customer's")
        if self.role == "application-provider" and not self.classes:
            raise Misfit("classes", "no classes", "at least one class with a fee")
        if self.role == "customer" and not self.sources:
            raise Misfit("sources", "no sources", "the sources whose flows are the customer's")


class Market(msgspec.Struct, frozen=True, kw_only=True):
    """The market: how often it meets, what a mark costs, who is there."""

    epoch: _Period = SECOND_PS
    price_per_mark: PricePerMark
    agents: tuple[AgentEntry, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What to record beside the tables that every run has."""

    series: tuple[Annotated[str, Choice(SERIES)], ...] = ()
    every: _Period = SECOND_PS // 10
    delay_thresholds: tuple[Annotated[int, TIME], ...] = ()
    trace: bool = False
    transfers: bool = True

    def __post_init__(self) -> None:
        if len(set(self.series)) < len(self.series):
            raise Misfit("series", "a series twice", "each series once")


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario file, every default filled in."""

    version: Annotated[int, Number(what="a version", least=1, most=1, whole=True)]
    title: str = ""
    duration: _Period
    warmup: TimePs = 0
    seed: _Seed = 1
    network: Network
    sources: tuple[Source, ...]
    market: Market | None = None
    record: Record = Record()

    def __post_init__(self) -> None:
        if self.warmup >= self.duration:
            raise Misfit("warmup", "a warm-up as long as the run", "less than duration")
        if not self.sources:
            raise Misfit("sources", "an empty list", "at least one source")

    @property
    def epoch_ps(self) -> int:
        """Time between two meetings of the market; an engine reports so often without one too."""
        return self.market.epoch if self.market else SECOND_PS
