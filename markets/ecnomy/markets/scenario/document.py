# SPDX-License-Identifier: Apache-2.0
"""The YAML of a scenario file, including the keys under `sources:`, `market:` and `record:`."""

from __future__ import annotations

import typing
from typing import Annotated, ClassVar, Final

import msgspec

from ecnomy.agents.roles.find import ROLES, preset_of
from ecnomy.agents.roles.preset import CARRIES_FILES, Preset, with_article
from ecnomy.agents.spec import (
    CUSTOMER_PAYS,
    PROVIDER_PAYS,
    CallLine,
    ElasticLine,
    RoleSpec,
    StrategySpec,
)
from ecnomy.agents.times import PS_PER_S
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
from ecnomy.markets.inputs.schema_rules import Rules, at_least_one, at_most_one
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.scenario.call_tariff import CallTariffEntry, CallTariffRow, ElasticRow
from ecnomy.markets.scenario.counting import Classes, Counts, Histograms
from ecnomy.markets.scenario.demands import AUTO, NEVER, Demands, Sending
from ecnomy.markets.scenario.guaranteed_classes import ClassName
from ecnomy.markets.scenario.links import REVERSE
from ecnomy.markets.scenario.network import Network
from ecnomy.markets.scenario.parameters import StrategyReader
from ecnomy.markets.scenario.role import RoleReader
from ecnomy.markets.scenario.tariff_reader import TariffReader, check_fits
from ecnomy.markets.scenario.traffic import DATAGRAMS, Greedy, Traffic
from ecnomy.markets.scenario.transport import Udp
from ecnomy.markets.terms.ledger_kinds import KINDS
from ecnomy.markets.terms.meters import METERS
from ecnomy.markets.terms.tariffs import Tariff
from ecnomy.markets.terms.unit_price import TimePrice

__all__ = [
    "AUTO",
    "NEVER",
    "TAKEN",
    "AgentEntry",
    "ClassEntry",
    "Document",
    "Market",
    "RecordEntry",
    "Source",
]

SERIES: Final = ("cwnd", "rtt", "rate", "queue", "marking_probability")
RULES: Final = ("retail", "cascade", "direct", "peering")  # economy/settlement.py; a test compares
TAKEN: Final = (  # keys that only some roles have
    *("classes", "marks_paid_by", "sources", "tariff", "tariffs", "test_streams"),
    *("links", "nodes", "price_per_mark", "fixed_costs", "elastic", "integrated_with"),
)

_Payer = Annotated[str, Choice((PROVIDER_PAYS, CUSTOMER_PAYS))]
_Settlement = Annotated[str, Choice(tuple(RULES), own="rule")]
_Period = Annotated[int, Amount(what="a time", example="1 s", units=("ps",), above=True)]
_PriceRatio = Annotated[float, Number(what="a ratio", least=1e-4, most=1e4)]
_Members = Annotated[int, Number(what="a number of flows", least=0, most=10**9, whole=True)]
_Seed = Annotated[int, Number(what="a whole number", least=0, most=2**64 - 1, whole=True)]

_OVER_UDP: Final = {"properties": {"law": {"const": Udp.__struct_config__.tag}}}
_DATAGRAM_KINDS: Final = [
    one.__struct_config__.tag for one in typing.get_args(Traffic) if issubclass(one, DATAGRAMS)
]
_DATAGRAM_TRAFFIC: Final = {
    "required": ["traffic"],
    "properties": {
        "traffic": {
            "required": ["kind"],
            "properties": {"kind": {"enum": _DATAGRAM_KINDS}},
        }
    },
}


class _LinkOnPath(Word, frozen=True):
    """The name of a link, whose direction follows from the path."""

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and node.value.endswith(REVERSE):
            name = node.value.removesuffix(REVERSE)
            expected = f"{name!r}, because the path of a source gives each link its direction"
            raise node.place.error(path, show(node), expected)
        return super().read(node, path)


class Source(Sending, frozen=True, kw_only=True):
    """A source of `count` flows from one node to another.

    Attributes:
        name: name of the source in reports, tables and agents.
        sender: node that sends the data.
        receiver: node that receives the data.
        path: links that the data takes, in order; by default routing finds them. Links are named
            without a direction, which follows from the path. `ecnomy check` warns about carriers
            whose links no path uses.
        traffic: data that the flows send, and when they send it.
        group: group of the source. Tables and pages with many sources show a group as one source.
            Agents can name the group instead of its sources.
        service_class: class of the source's packets on links with a scheduler, by name or number;
            by default the last class of each link.
    """

    name: Name
    sender: Name = msgspec.field(name="from")
    receiver: Name = msgspec.field(name="to")
    path: Annotated[tuple[str, ...], NamesReader(_LinkOnPath())] = ()
    traffic: Traffic = Greedy()
    group: Name | None = None
    service_class: ClassName | None = msgspec.field(name="class", default=None)
    schema_rules: ClassVar[Rules] = (
        {"if": _DATAGRAM_TRAFFIC, "then": {"properties": {"transport": _OVER_UDP}}},
        {
            "if": {"properties": {"transport": _OVER_UDP | {"required": ["law"]}}},
            "then": _DATAGRAM_TRAFFIC,
        },
    )

    def __post_init__(self) -> None:
        if self.sender == self.receiver:
            raise Misfit("to", repr(self.receiver), "a node other than 'from'")
        datagrams = isinstance(self.traffic, DATAGRAMS)
        kind = self.traffic.__struct_config__.tag
        if datagrams and not isinstance(self.transport, Udp):
            law = self.transport.__struct_config__.tag
            raise Misfit("transport.law", f"{law} with {kind} traffic", "udp")
        if isinstance(self.transport, Udp) and not datagrams:
            laws = law_table()["traffic"].items()
            *others, last = (name for name, law in laws if law.traits["datagrams"])
            expected = f"{', '.join(others)} or {last}"
            raise Misfit("traffic.kind", f"{kind} traffic over udp", expected)
        if self.start + self.count * self.stagger + self.spread > 2**62:
            raise Misfit("stagger", "a last start beyond the representable time", "a smaller value")


class ClassEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A service class, its fee per flow and time, and the sources whose flows begin in it.

    Attributes:
        fee: initial price of a flow's time in the class; the provider may post another fee.
        charge: target cost of the marks of a flow in the class; by default the current fee.
        members: largest number of flows in the class; by default there is no limit. The class
            admits customers' flows only up to this number.
        most_cost: largest cost of the marks of all flows in the class. A customer's flow is
            admitted if the cost with this flow stays within the limit.
        sources: sources whose flows begin in the class.
    """

    fee: Fee
    charge: Fee | None = None
    members: _Members | None = None
    most_cost: Fee | None = None
    sources: Names = ()


class ContractEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A contract that an agent sells to the users of the named sources.

    Attributes:
        name: kind of the contract's postings in the ledger; by default the meter's name followed by
            `-charge`.
        meter: quantity counted for each flow. `time`: its active time between the start and stop of
            its source. `weight`: the active time multiplied by the weight of the window law, to a
            millionth. The agent or else the transport sets the weight; it is 0 while the payment
            for marks controls the flow. `bytes` and `packets`: IP packets delivered. `marks`:
            CE packets delivered. `marked-bytes`: the bytes of CE packets delivered (congestion
            volume, RFC 6789). `marks-set`: marks set in the seller's domain, also on packets that
            are lost later. `calls`: admitted calls. `transfers`: complete files and pages.
        tariff: price of the metered quantity. The unit of the price must fit the meter: money/h
            for time, money/GB for bytes, money/mark for marks. A price is at most 1,000,000 money,
            and must be a whole number of millionths for at least one unit, such as GB.
            `ecnomy explain per-unit` lists the kinds; module:Class names a custom class.
        sources: sources whose users buy under the contract.
    """

    name: Name | None = None  # kind in the ledger; None: the kind of the meter
    meter: Annotated[str, Choice(tuple(METERS))]
    tariff: Annotated[Tariff, TariffReader()]
    sources: Names

    def __post_init__(self) -> None:
        check_fits(self.tariff, METERS[self.meter])
        if self.name in KINDS:
            raise Misfit("name", repr(self.name), "a name that no other kind of payment has")


class AgentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the market; its role defines the keys of its entry (ecnomy.agents.roles).

    Attributes:
        name: name of the agent in reports and tables; also the name of its account.
        role_spec: role of the agent; it determines what the agent may own, sell and buy.
        classes: service classes that an application provider sells, by name; required for
            application providers.
        marks_paid_by: party that pays the carrier for the marks of flows in the provider's classes;
            by default the provider.
        sources: sources whose flows the agent pays for, or whose calls it sells.
        test_streams: sources whose cbr or poisson traffic a stream provider uses to observe the
            network.
        tariff: price and promise of the calls of `sources`, as a tariff table with a single entry.
            A stream provider needs `tariff`, `tariffs` or `elastic`.
        tariffs: tariff table of the calls that the agent sells, with an entry for each type of
            connection.
        elastic: table of the files and pages that the agent delivers by a deadline, with an entry
            for each type. The agent charges for a file when it is complete, and pays a
            reimbursement if the file is late. Abandoned files are free. A strategy with a budget
            needs settlement retail, cascade or peering, or a rule that declares `by_delivery`.
        integrated_with: carrier of the same firm; the agent observes the packets of its callers and
            needs no test streams.
        fixed_costs: costs per unit of time that do not depend on sales, paid to outside:costs.
        strategy: rule that turns observations into decisions; by default that of the agent's role.
            Required for a price-handler.
        decision_interval: time between two decisions of the agent; the default depends on its role.
            An agent decides at the first report at or after the end of the interval, and so at most
            once per epoch. Providers decide at every report, from t = 0. A carrier that waits
            for customers (revenue-gradient, revenue-bandit) adapts its interval to their responses.
            A customer adapts its interval to max(5 s, 3 T / (g p)). T is the round trip, p the
            share of marked packets and g the gain of its window law. Its first decision is at a
            random time within 5 s. A price handler adapts in the same way, but decides first at
            t = 0, and its interval is at most twice the previous one. If the interval is set, the
            first decision is at a random time within it (a price handler also decides at t = 0).
        links: names or patterns of the links that a carrier owns.
        nodes: nodes whose outgoing links a carrier owns.
        price_per_mark: initial price of a mark in a carrier's domain; by default the market's
            price.
        contracts: contracts that the agent sells, each with a tariff for a metered quantity.
    """

    name: Name
    role_spec: Annotated[RoleSpec, RoleReader()] = msgspec.field(name="role")
    classes: dict[str, ClassEntry] = {}
    marks_paid_by: _Payer | None = None  # payer of the marks of flows in its classes
    sources: Names = ()
    test_streams: Names = ()
    tariff: CallTariffEntry | None = None  # tariff of the calls of `sources`
    tariffs: dict[str, CallTariffRow] | None = None  # or a table of tariffs
    elastic: dict[str, ElasticRow] | None = None  # table for files and pages
    integrated_with: Name | None = None  # a carrier of the same firm
    fixed_costs: TimePrice | None = None
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None
    decision_interval: _Period | None = None
    links: Patterns | None = None
    nodes: Patterns | None = None
    price_per_mark: PricePerMark | None = None
    contracts: tuple[ContractEntry, ...] | None = None
    schema_rules: ClassVar[Rules] = (
        at_most_one("tariff", "tariffs"),
        at_most_one("sources", "tariffs"),
    )

    def __post_init__(self) -> None:
        preset = preset_of(self.role)
        for key in TAKEN:
            given = getattr(self, key)
            if given and key not in preset.takes:
                owners = [with_article(w) + "'s" for w, p in ROLES.items() if key in p.takes]
                listed = " or ".join(filter(None, (", ".join(owners[:-1]), owners[-1])))
                expected = f"only {listed}"
                raise Misfit(key, f"{key} of {with_article(self.role)}", expected)
        for key, expected in preset.needs.items():
            if not (getattr(self, key) or self.tariffs or self.elastic):
                raise Misfit(key, f"no {key}", expected)
        if self.tariffs and self.tariff:
            raise Misfit("tariffs", "both 'tariffs' and 'tariff'", "one of them")
        if self.tariffs and self.sources:
            raise Misfit(
                "sources", "both 'sources' and 'tariffs'", "sources in each row of tariffs"
            )
        self._check_strategy(preset)

    def files(self) -> tuple[ElasticLine, ...]:
        """Return the agent's table of elastic types, or () if it does not sell files."""
        return tuple(row.line(name) for name, row in (self.elastic or {}).items())

    def lines(self) -> tuple[CallLine, ...]:
        """Return the agent's tariff table, or () if it does not sell calls."""
        if self.tariff is not None:
            return (CallLine(self.tariff.tariff(), self.sources),)
        return tuple(row.line(name) for name, row in (self.tariffs or {}).items())

    @property
    def role(self) -> str:
        """Return the agent's role as written in the scenario."""
        return self.role_spec.word

    @staticmethod
    def before_reading(node: Node, path: str) -> None:
        """Refuse a strategy of another role before reporting its missing parameters."""
        from ecnomy.agents.strategies.find import BUILT_IN

        given = node.mapping()
        role = given["role"].value if "role" in given else None
        kind = given["strategy"].mapping().get("kind") if "strategy" in given else None
        if kind is None or not isinstance(kind.value, str) or not isinstance(role, str):
            return
        if kind.value not in BUILT_IN or role not in ROLES:
            return
        try:
            AgentEntry._check_kind(kind.value, "strategy.kind", role)
        except Misfit as misfit:
            where = f"{path}.{misfit.key}"
            raise kind.place.error(where, misfit.found, misfit.expected) from None

    @staticmethod
    def _check_kind(kind: str, path: str, role: str) -> None:
        """Refuse a strategy that does not fit the role."""
        from ecnomy.agents.roles.fitting import wanted_instead

        if wanted := wanted_instead(kind, role):
            raise Misfit(path, f"{kind!r} of {with_article(role)}", wanted)

    def _check_strategy(self, preset: Preset) -> None:
        for name, row in (self.tariffs or {}).items():
            if row.strategy is not None:
                self._check_kind(row.strategy.kind, f"tariffs.{name}.strategy.kind", self.role)
        for name, files in (self.elastic or {}).items():
            if files.strategy is not None:
                where = f"elastic.{name}.strategy.kind"
                self._check_kind(files.strategy.kind, where, CARRIES_FILES)
        if self.strategy is None:
            return
        self._check_kind(self.strategy.kind, "strategy.kind", self.role)
        key, found, expected = preset.strategy_needs.get(self.strategy.kind, ("", "", ""))
        if key and key not in self.strategy.params:
            raise Misfit(f"strategy.{key}", found, expected)


class Market(msgspec.Struct, frozen=True, kw_only=True):
    """The market, with its epoch, its agents, and the settlement of marks.

    Attributes:
        epoch: time between two reports to the market. At each report, debts are settled and agents
            may decide.
        price_per_mark: initial price of a mark, unless its carrier sets another price.
        agents: agents of the market, each with a role.
        settlement: rule by which customers and carriers pay for marks; by default retail. With
            `retail`, a customer pays its access carrier for every mark delivered. The access
            carrier pays the other carriers for the marks set in their domains. With `cascade`, the
            customer pays the same, and each carrier pays the next one downstream. With `direct`,
            the customer pays each carrier for the marks set in its domain. With `peering`, the
            customer pays as with `retail`, and carriers do not pay each other.
        classic_price_ratio: price of a mark on a classic packet, ECT(0), divided by that on an
            L4S packet, ECT(1); by default 1. Prices per mark in the file are for L4S packets. The
            same ratio applies to the charges between carriers.
    """

    epoch: _Period = PS_PER_S
    price_per_mark: PricePerMark
    agents: tuple[AgentEntry, ...]
    settlement: _Settlement | None = None
    classic_price_ratio: _PriceRatio | None = None


class RecordEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Records of a run in addition to the tables that every run has.

    Attributes:
        series: quantities that are sampled over time. `cwnd`, `rtt` and `rate` are sampled per
            flow, `queue` and `marking_probability` per link.
        every: time between two samples of the series.
        delay_thresholds: delays beyond which a packet counts as late; late packets are counted per
            flow and threshold.
        trace: whether to write a row for each event of a packet.
        transfers: whether to write a row for each finished file.
        calls: whether to write a row for each call.
        histograms: histograms over the measured window, from the warm-up to the end.
        counts: counts in bins of time, which show burstiness. `ecnomy.analysis.dispersion(column)`
            returns the index of dispersion of a column.
        classes: settings of the table of classes, which only runs with a scheduler write.
    """

    series: tuple[Annotated[str, Choice(SERIES)], ...] = ()
    every: _Period = PS_PER_S // 10
    delay_thresholds: tuple[Annotated[int, TIME], ...] = ()
    trace: bool = False
    transfers: bool = True
    calls: bool = True
    histograms: Histograms = Histograms()
    counts: Counts | None = None
    classes: Classes = Classes()
    schema_rules: ClassVar[Rules] = ({"properties": {"series": {"uniqueItems": True}}},)

    def __post_init__(self) -> None:
        if len(set(self.series)) < len(self.series):
            raise Misfit("series", "the same series twice", "each series once")


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario file with all defaults filled in.

    Attributes:
        version: version of the format.
        title: title of the scenario on pages and in tables.
        duration: simulated time of the run.
        warmup: initial time that averages and histograms exclude.
        seed: seed of all random streams; the same seed gives the same run.
        network: links or a topology, with their marking.
        sources: sources that send data over the network.
        demands: demand matrices, each of which gives one source per pair of nodes.
        market: prices, agents and settlement; without a market, packets are simulated but nobody
            pays.
        record: records in addition to the tables of every run.
    """

    version: Annotated[int, Number(what="a version", least=1, most=1, whole=True)]
    title: str = ""
    duration: _Period
    warmup: TimePs = 0
    seed: _Seed = 1
    network: Network
    sources: tuple[Source, ...] = ()
    demands: tuple[Demands, ...] = ()
    market: Market | None = None
    record: RecordEntry = RecordEntry()
    schema_rules: ClassVar[Rules] = (at_least_one("sources", "demands"),)

    def __post_init__(self) -> None:
        if self.warmup >= self.duration:
            found = f"{self.warmup / PS_PER_S:g} s in a run of {self.duration / PS_PER_S:g} s"
            raise Misfit("warmup", found, "a warm-up shorter than the duration")
        if not self.sources and not self.demands:
            raise Misfit("sources", "no sources", "at least one source, or demands")

    @property
    def epoch_ps(self) -> int:
        """Return the time between two reports, in ps; it is 1 s without a market."""
        return self.market.epoch if self.market else PS_PER_S
