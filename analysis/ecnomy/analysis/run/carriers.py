# SPDX-License-Identifier: Apache-2.0
"""The carriers of a run: their links, prices, income by payer, and payments.

A carrier is an agent that posts a price per mark. The table `agents` names all carriers at t = 0.
The owner of each link follows from the manifest by the market's rules (see
ecnomy.markets.terms.ownership). Amounts of money come from the ledger. All values cover the whole
run, including the warm-up, as account balances do.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.link_marking import crossings_of
from ecnomy.analysis.run.scenario_agents import agents_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.economy.journal import PRICE
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results
from ecnomy.markets.terms.ownership import REVERSE, Misowned, owners_of

__all__ = [
    "Carrier",
    "Payment",
    "Prices",
    "access_carriers",
    "carriers_of",
    "link_use",
    "links_by_carrier",
    "prices_of",
]


class Prices(msgspec.Struct, frozen=True, eq=False):
    """A carrier's prices per mark over time, each valid until the next.

    Attributes:
        t_ps: times at which the prices begin, ascending [ps].
        money: the prices, money per mark.
    """

    t_ps: Integers
    money: Floats

    def mean(self, end_ps: int) -> float:
        """Return the time-weighted mean from the first price to `end_ps`, money per mark."""
        spans = np.diff(np.append(self.t_ps, max(end_ps, int(self.t_ps[-1]))))
        if not spans.sum():
            return float(self.money[-1])
        return float(np.average(self.money, weights=spans))


class Payment(msgspec.Struct, frozen=True):
    """The money that an account paid to a carrier in postings of one kind."""

    payer: str
    kind: str
    money: float


class Carrier(msgspec.Struct, frozen=True, eq=False):
    """A carrier's links, prices and earnings in the whole run.

    Attributes:
        name: name of the agent and of its account.
        links: indices in the plan of the carrier's links, one per direction.
        link_names: names of these links; a link owned in both directions appears once.
        busiest: index of the link with the highest utilisation; -1 without links.
        utilization: utilisation of the busiest link; NaN without links.
        prices: prices per mark over time.
        marks: number of marks on data at the carrier's links; NaN if the run has no table `pairs`.
        income: received payments, one per payer and kind, the largest first.
        to_carriers: payments to other carriers, money.
        to_others: payments to other accounts, money.
    """

    name: str
    links: tuple[int, ...]
    link_names: tuple[str, ...]
    busiest: int
    utilization: float
    prices: Prices
    marks: float
    income: tuple[Payment, ...]
    to_carriers: float
    to_others: float

    @property
    def left(self) -> float:
        """Return the carrier's profit, money."""
        return sum(one.money for one in self.income) - self.to_carriers - self.to_others


def prices_of(run: RawRun) -> dict[str, Prices]:
    """Return carrier -> its prices, in the order of the table `agents`; {} without carriers.

    Raises:
        ResultsError: a table is unreadable.
    """
    table = run.agents
    posted = table[(table["name"].astype(str) == PRICE) & (table["agent"].astype(str) != "")]
    prices = {}
    for name, own in posted.groupby(posted["agent"].astype(str), sort=False):
        money = own["value"].to_numpy(dtype=np.float64) / MICRO
        prices[str(name)] = Prices(own["t_ps"].to_numpy(dtype=np.int64), money)
    return prices


def _owners(run: RawRun, names: list[str]) -> list[int] | None:
    """Return the index in `names` of each link's owner; None if the manifest does not give it."""
    agents = {agent.name: agent for agent in agents_of(run) or ()}
    if any(name not in agents for name in names):
        return None
    specs = [
        AgentSpec(name, "connectivity-provider", links=agents[name].links, nodes=agents[name].nodes)
        for name in names
    ]
    plan = run.plan
    try:
        return owners_of([(link.name, plan.nodes[link.source]) for link in plan.links], specs)
    except Misowned:
        return None


def access_carriers(run: RawRun) -> dict[str, str]:
    """Return source -> carrier that owns the first link of the source's path; {} if unknown.

    Raises:
        ResultsError: a table is unreadable.
    """
    owned = links_by_carrier(run)
    if not owned:
        return {}
    carrier = {link: name for name, links in owned.items() for link in links}
    return {source.name: carrier[source.path[0]] for source in run.plan.sources}


def links_by_carrier(run: RawRun) -> dict[str, tuple[int, ...]]:
    """Return carrier -> indices of its links in the plan; {} if unknown.

    Raises:
        ResultsError: a table is unreadable.
    """
    names = list(prices_of(run))
    owners = _owners(run, names) if names else None
    if owners is None:
        return {}
    return {
        name: tuple(link for link, owner in enumerate(owners) if owner == number)
        for number, name in enumerate(names)
    }


def link_use(run: RawRun, links: Epochs, edges_ps: Integers) -> Floats:
    """Return the utilisation of each link, including framing, [interval, link]."""
    plan = run.plan
    framing = np.array([link.framing_bytes for link in plan.links], dtype=np.float64)
    rates = np.array([link.rate_bps for link in plan.links], dtype=np.float64)
    sent = links.at("departed_bytes", edges_ps) + links.at("departures", edges_ps) * framing
    seconds = np.diff(edges_ps)[:, None] / PS_PER_S
    return np.asarray(8 * np.diff(sent, axis=0) / (rates * seconds), dtype=np.float64)


def carriers_of(run: RawRun | Results) -> tuple[Carrier, ...]:
    """Return the carriers of a run; () without two carriers, two reports and known owners.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    prices = prices_of(run)
    names = list(prices)
    links = Epochs(run.link_epochs, "link", len(run.plan.links))
    if len(names) < 2 or len(links.t_ps) < 2:
        return ()
    owners = _owners(run, names)
    if owners is None:
        return ()
    edges = np.array([links.t_ps[0], links.t_ps[-1]], dtype=np.int64)
    use = link_use(run, links, edges)[0]
    known = "marks" in run.pairs.columns
    marks = crossings_of(run).data_marks.sum(axis=0) if known else np.full(len(use), np.nan)
    carriers = []
    for number, name in enumerate(names):
        own = [link for link, owner in enumerate(owners) if owner == number]
        busiest = max(own, key=lambda link: use[link]) if own else -1
        income, to_carriers, to_others = _money(run, name, names)
        carriers.append(
            Carrier(
                name=name,
                links=tuple(own),
                link_names=_shown(run, own),
                busiest=busiest,
                utilization=float(use[busiest]) if own else float("nan"),
                prices=prices[name],
                marks=float(marks[own].sum()),
                income=income,
                to_carriers=to_carriers,
                to_others=to_others,
            )
        )
    return tuple(carriers)


def _shown(run: RawRun, own: list[int]) -> tuple[str, ...]:
    names = [run.plan.links[link].name for link in own]
    return tuple(
        n for n in names if n.removesuffix(REVERSE) == n or n[: -len(REVERSE)] not in names
    )


def _money(run: RawRun, name: str, carriers: list[str]) -> tuple[tuple[Payment, ...], float, float]:
    """Return a carrier's income by payer and kind, and its payments to carriers and to others."""
    ledger = run.ledger
    credit, debit = ledger["credit"].astype(str), ledger["debit"].astype(str)
    got = ledger[credit == name]
    by = [debit[credit == name], got["kind"].astype(str)]
    sums = got.groupby(by)["amount_micro"].sum()
    income = []
    for payer, kind in sums.index.to_list():
        if amount := int(sums[payer, kind]):
            income.append(Payment(payer, kind, amount / MICRO))
    paid = ledger[debit == name]
    among = credit[debit == name].isin(carriers)
    to_carriers = int(paid["amount_micro"][among].sum())
    to_others = int(paid["amount_micro"][~among].sum())
    ordered = sorted(income, key=lambda one: (-one.money, one.payer, one.kind))
    return tuple(ordered), to_carriers / MICRO, to_others / MICRO
