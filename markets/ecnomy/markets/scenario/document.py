# SPDX-License-Identifier: Apache-2.0
"""A scenario file as a whole, and what users write under `sources:`, `market:`, `record:`."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.agents.roles.find import CARRIES_FILES, ROLES, Preset, preset_of, with_article
from ecnomy.agents.spec import (
    CUSTOMER_PAYS,
    PROVIDER_PAYS,
    CallLine,
    ElasticLine,
    RoleSpec,
    StrategySpec,
)
from ecnomy.markets.economy.kinds import KINDS
from ecnomy.markets.economy.meters import METERS
from ecnomy.markets.economy.prices import TimePrice
from ecnomy.markets.economy.tariffs import Tariff
from ecnomy.markets.inputs.amounts import (
    TIME,
    Amount,
    Choice,
    Fee,
    Name,
    Names,
    NamesReader,
    Number,
    Patterns,
    PricePerMark,
    TimePs,
    Word,
)
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.scenario.call_tariff import CallTariffEntry, CallTariffRow, ElasticRow
from ecnomy.markets.scenario.counting import Classes, Counts, Histograms
from ecnomy.markets.scenario.demands import AUTO, NEVER, Demands, Sending
from ecnomy.markets.scenario.network import REVERSE, Network
from ecnomy.markets.scenario.role import RoleReader
from ecnomy.markets.scenario.scheduling import ClassName
from ecnomy.markets.scenario.strategy import StrategyReader
from ecnomy.markets.scenario.tariffs import TariffReader, check_fits
from ecnomy.markets.scenario.traffic import DATAGRAMS, Greedy, Traffic
from ecnomy.markets.scenario.transport import Udp

__all__ = ["AUTO", "NEVER", "AgentEntry", "ClassEntry", "Document", "Market", "Record", "Source"]

SECOND_PS: Final = 10**12
SERIES: Final = ("cwnd", "rtt", "rate", "queue", "marking_probability")
RULES: Final = ("retail", "cascade", "direct", "peering")  # economy/settlement.py; a test compares
TAKEN: Final = (  # keys that only some roles take
    *("classes", "marks_paid_by", "sources", "tariff", "tariffs", "test_streams"),
    *("links", "nodes", "price_per_mark", "fixed_costs", "elastic", "integrated_with"),
)

_Payer = Annotated[str, Choice((PROVIDER_PAYS, CUSTOMER_PAYS))]
_Settlement = Annotated[str, Choice(tuple(RULES), own="a rule")]
_Period = Annotated[int, Amount(what="a time", example="1 s", units=("ps",), above=True)]
_Members = Annotated[int, Number(what="a number of flows", least=0, most=10**9, whole=True)]
_Seed = Annotated[int, Number(what="a whole number", least=0, most=2**64 - 1, whole=True)]


class _LinkOnPath(Word, frozen=True):
    """The name of a link; which of its directions a path takes follows from the path."""

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and node.value.endswith(REVERSE):
            name = node.value.removesuffix(REVERSE)
            expected = f"{name!r}: a path takes each link in the direction that leads on"
            raise node.place.error(path, show(node), expected)
        return super().read(node, path)


class Source(Sending, frozen=True, kw_only=True):
    """`count` flows alike. Sources of one `group` are shown as one where there are many.

    `path` names the links they take; without it routing finds them. `class` is theirs on links with
    a scheduler; None is the last one there.
    """

    name: Name
    sender: Name = msgspec.field(name="from")
    receiver: Name = msgspec.field(name="to")
    path: Annotated[tuple[str, ...], NamesReader(_LinkOnPath())] = ()
    traffic: Traffic = Greedy()
    group: Name | None = None
    service_class: ClassName | None = msgspec.field(name="class", default=None)

    def __post_init__(self) -> None:
        if self.sender == self.receiver:
            raise Misfit("to", repr(self.receiver), "a node other than the one it sends from")
        datagrams = isinstance(self.traffic, DATAGRAMS)
        kind = self.traffic.__struct_config__.tag
        if datagrams and not isinstance(self.transport, Udp):
            law = self.transport.__struct_config__.tag
            raise Misfit("transport.law", f"{law} with {kind} traffic", "udp")
        if isinstance(self.transport, Udp) and not datagrams:
            raise Misfit("traffic.kind", f"{kind} traffic over udp", "cbr, poisson, voip or video")
        if self.start + self.count * self.stagger + self.spread > 2**62:
            raise Misfit("stagger", "a last start beyond the range of time", "a smaller one")


class ClassEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A service class: a fee per flow and second, and whose flows begin in it.

    `charge` is what marks of a flow in it are to cost, by default its fee of the time. Customers
    are let in up to so many `members`, and while its marks cost `most_cost` at most with one more.
    """

    fee: Fee
    charge: Fee | None = None
    members: _Members | None = None
    most_cost: Fee | None = None
    sources: Names = ()


class ContractEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent sells to the users of these sources: what is counted, and at what tariff."""

    name: Name | None = None  # its kind in the ledger; None: the meter's
    meter: Annotated[str, Choice(tuple(METERS))]
    tariff: Annotated[Tariff, TariffReader()]
    sources: Names

    def __post_init__(self) -> None:
        check_fits(self.tariff, METERS[self.meter])
        if self.name in KINDS:
            raise Misfit("name", repr(self.name), "a name that no other kind of money has")


class AgentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the market; what its entry may hold its role says (ecnomy.agents.roles)."""

    name: Name
    role_spec: Annotated[RoleSpec, RoleReader()] = msgspec.field(name="role")
    classes: dict[str, ClassEntry] = {}
    marks_paid_by: _Payer | None = None  # of flows in its classes
    sources: Names = ()
    test_streams: Names = ()
    tariff: CallTariffEntry | None = None  # of the calls of `sources`
    tariffs: dict[str, CallTariffRow] | None = None  # or a table of them
    elastic: dict[str, ElasticRow] | None = None  # of files and pages
    integrated_with: Name | None = None  # a carrier that it is one firm with
    fixed_costs: TimePrice | None = None
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None
    decision_interval: _Period | None = None
    links: Patterns | None = None
    nodes: Patterns | None = None
    price_per_mark: PricePerMark | None = None
    contracts: tuple[ContractEntry, ...] | None = None

    def __post_init__(self) -> None:
        preset = preset_of(self.role)
        for key in TAKEN:
            given = getattr(self, key)
            if given and key not in preset.takes:
                owners = [with_article(w) + "'s" for w, p in ROLES.items() if key in p.takes]
                listed = " or ".join(filter(None, (", ".join(owners[:-1]), owners[-1])))
                expected = f"none but {listed}"
                raise Misfit(key, f"{key} of {with_article(self.role)}", expected)
        for key, expected in preset.needs.items():
            if not (getattr(self, key) or self.tariffs or self.elastic):
                raise Misfit(key, f"no {key}", expected)
        if self.tariffs and self.tariff:
            raise Misfit("tariffs", "'tariffs' beside 'tariff'", "one of them")
        if self.tariffs and self.sources:
            raise Misfit("sources", "'sources' beside 'tariffs'", "sources in each of its rows")
        self._check_strategy(preset)

    def files(self) -> tuple[ElasticLine, ...]:
        """Its table of elastic types; () of one who sells no files."""
        return tuple(row.line(name) for name, row in (self.elastic or {}).items())

    def lines(self) -> tuple[CallLine, ...]:
        """Its tariff table; () of one who sells no calls."""
        if self.tariff is not None:
            return (CallLine(self.tariff.tariff(), self.sources),)
        return tuple(row.line(name) for name, row in (self.tariffs or {}).items())

    @property
    def role(self) -> str:
        """Its role, as the entry has it."""
        return self.role_spec.word

    @staticmethod
    def _check_kind(strategy: StrategySpec | None, path: str, role: str) -> None:
        """Refuses a strategy that is not for a role."""
        from ecnomy.agents.strategies import wanted_instead  # numpy, which most checks do without

        if strategy is not None and (wanted := wanted_instead(strategy.kind, role)):
            raise Misfit(path, f"{strategy.kind!r} of {with_article(role)}", wanted)

    def _check_strategy(self, preset: Preset) -> None:
        for name, row in (self.tariffs or {}).items():
            self._check_kind(row.strategy, f"tariffs.{name}.strategy.kind", self.role)
        for name, files in (self.elastic or {}).items():
            self._check_kind(files.strategy, f"elastic.{name}.strategy.kind", CARRIES_FILES)
        if self.strategy is None:
            return
        self._check_kind(self.strategy, "strategy.kind", self.role)
        key, found, expected = preset.strategy_needs.get(self.strategy.kind, ("", "", ""))
        if key and key not in self.strategy.params:
            raise Misfit(f"strategy.{key}", found, expected)


class Market(msgspec.Struct, frozen=True, kw_only=True):
    """The market: how often it meets, what a mark costs, who is there, who pays whom for marks."""

    epoch: _Period = SECOND_PS
    price_per_mark: PricePerMark
    agents: tuple[AgentEntry, ...]
    settlement: _Settlement | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What to record beside the tables that every run has."""

    series: tuple[Annotated[str, Choice(SERIES)], ...] = ()
    every: _Period = SECOND_PS // 10
    delay_thresholds: tuple[Annotated[int, TIME], ...] = ()
    trace: bool = False
    transfers: bool = True
    calls: bool = True
    histograms: Histograms = Histograms()
    counts: Counts | None = None
    classes: Classes = Classes()

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
    sources: tuple[Source, ...] = ()
    demands: tuple[Demands, ...] = ()
    market: Market | None = None
    record: Record = Record()

    def __post_init__(self) -> None:
        if self.warmup >= self.duration:
            found = f"{self.warmup / SECOND_PS:g} s, in a run of {self.duration / SECOND_PS:g} s"
            raise Misfit("warmup", found, "a warm-up shorter than the duration")
        if not self.sources and not self.demands:
            raise Misfit("sources", "no sources", "at least one source, or demands")

    @property
    def epoch_ps(self) -> int:
        """Time between two meetings of the market; an engine reports so often without one too."""
        return self.market.epoch if self.market else SECOND_PS
