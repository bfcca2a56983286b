# SPDX-License-Identifier: Apache-2.0
"""The welfare of a run: users' utility, payments, profits, and the distance from the optimum.

For agents whose strategy declares a utility (declared_utilities.py), the measured window gives

    utility            of an agent: integral of U(x_t) over time, with the rate x_t of each report
    consumer surplus   utility - paid + received
    profit             of a seller: received - paid
    welfare            sum of utilities, because payments cancel

Therefore welfare = surpluses + profits - net payments of others. This equation is exact, because
utilities are rounded to micro-units and all other amounts come from the ledger. Sellers are agents
without flows, and `unassigned:network`. Others are users without a declared utility, such as
background traffic, whose utility is unknown.

The sums use the mean of U(x_t), the utility that users had. U of the mean rate is shown next to
this mean. If U is concave, U of the mean rate is never smaller, and the difference is the cost of
fluctuations between reports, plus the cost of delay, if U has one. Neither value captures variation
within an epoch.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError, StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.roles import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.analysis.run.choices import choices_of
from ecnomy.analysis.run.windows import Epochs, Window
from ecnomy.analysis.statistics.intervals import jain
from ecnomy.analysis.welfare.declared_utilities import (
    Declared,
    Lived,
    agent_specs,
    declared_of,
    lived,
)
from ecnomy.analysis.welfare.optimum import Distance, distance_of
from ecnomy.analysis.welfare.stability import Margin, margins_of
from ecnomy.analysis.welfare.subwindows import parts_of
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.results.results import Results

__all__ = ["AccountTotals", "Consumer", "Welfare", "welfare_columns", "welfare_of"]

_NOBODY: Final = "unassigned:"


class AccountTotals(msgspec.Struct, frozen=True):
    """The income and payments of an account in a window, by kind of posting [micro-units]."""

    name: str
    received_micro: dict[str, int] = {}
    paid_micro: dict[str, int] = {}

    @property
    def net_micro(self) -> int:
        """Money received minus money paid, which is a seller's profit [micro-units]."""
        return sum(self.received_micro.values()) - sum(self.paid_micro.values())


class Consumer(msgspec.Struct, frozen=True):
    """The payments and the utility of an agent that declares a utility.

    Attributes:
        account: income and payments of the agent.
        users: number of its active users; the alternatives of a user count as one.
        has_zero: whether U(0) is finite. Otherwise, only differences of utility are meaningful.
        utility_micro: utility over the window [micro-units].
        steady_micro: utility at constant mean rates, without a cost of delay [micro-units].
    """

    account: AccountTotals
    users: int
    has_zero: bool
    utility_micro: int
    steady_micro: int

    @property
    def surplus_micro(self) -> int:
        """The utility minus net payments [micro-units]."""
        return self.utility_micro + self.account.net_micro


class Welfare(msgspec.Struct, frozen=True, eq=False):
    """Welfare of a run over its measured window.

    Attributes:
        window: the measured window, from report to report.
        consumers: agents that declare a utility, users before providers.
        sellers: agents without flows, and `unassigned:network`.
        others: other accounts with postings, sorted by name.
        jain_rates: Jain's index of users' mean rates while active; NaN if all rates are 0.
        jain_utilities: Jain's index of users' utilities per second and unit of weight (the
            utility's `a`); NaN if a utility is negative.
        distance: the distance from the optimum.
        margins: stability margins of links that marked, the smallest first.
    """

    window: Window
    consumers: tuple[Consumer, ...]
    sellers: tuple[AccountTotals, ...]
    others: tuple[AccountTotals, ...]
    jain_rates: float
    jain_utilities: float
    distance: Distance
    margins: tuple[Margin, ...]

    @property
    def users(self) -> int:
        """The number of active users."""
        return sum(one.users for one in self.consumers)

    @property
    def welfare_micro(self) -> int:
        """The sum of utilities [micro-units]."""
        return sum(one.utility_micro for one in self.consumers)

    @property
    def steady_micro(self) -> int:
        """The sum of utilities at constant mean rates [micro-units]."""
        return sum(one.steady_micro for one in self.consumers)

    @property
    def surplus_micro(self) -> int:
        """The sum of consumer surpluses [micro-units]."""
        return sum(one.surplus_micro for one in self.consumers)

    @property
    def profit_micro(self) -> int:
        """The sum of sellers' profits [micro-units]."""
        return sum(one.net_micro for one in self.sellers)

    @property
    def others_micro(self) -> int:
        """The income of all other accounts minus their payments [micro-units]."""
        return sum(one.net_micro for one in self.others)

    def per_s(self, micro: int) -> float:
        """Convert an amount for the whole window to money per second."""
        return micro / MICRO / self.window.seconds

    @property
    def optimum_ratio(self) -> float:
        """Welfare / optimum; NaN if a U(0) is infinite, or if the optimum is unknown or <= 0."""
        best = self.distance.optimum_per_s
        if not all(one.has_zero for one in self.consumers):
            return math.nan
        return self.per_s(self.welfare_micro) / best if best > 0 else math.nan


def welfare_of(run: RawRun | Results, *, nash: bool = True) -> Welfare | None:
    """Return the welfare in the measured window; None if no agent declares a utility.

    The result is also None if the scenario does not load (see declared_utilities.agent_specs), if a
    strategy cannot be constructed, if the window has fewer than two reports, or if these have no
    column `active`. Without `nash`, the equilibrium of users who anticipate prices, which takes
    most of the time to compute, is NaN.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    agents = agent_specs(run)
    if all(agent.strategy is None for agent in agents) or "active" not in run.flow_epochs:
        return None
    try:
        declared = declared_of(run, agents)
    except StrategyError:
        return None
    flows = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    window = flows.window(run.measured.from_ps, run.measured.to_ps)
    if not declared or window is None:
        return None
    parts = [lived(flows, one, window.from_ps, window.to_ps) for one in declared]
    accounts = _accounts(run, agents, window)
    users = _users(run, declared, parts)
    consumers = tuple(
        _consumer(one, had, accounts.pop(one.agent), len(rates))
        for one, had, (rates, _) in zip(declared, parts, users, strict=True)
    )
    selling = {agent.name for agent in agents if not preset_of(agent.role).uses}
    sells = {name: name in selling or name.startswith(_NOBODY) for name in accounts}
    return Welfare(
        window=window,
        consumers=consumers,
        sellers=tuple(account for name, account in accounts.items() if sells[name]),
        others=tuple(
            account
            for name, account in sorted(accounts.items())
            if not sells[name] and (account.paid_micro or account.received_micro)
        ),
        jain_rates=_jain(np.concatenate([rates for rates, _ in users])),
        jain_utilities=_jain(np.concatenate([utilities for _, utilities in users])),
        distance=distance_of(run, declared, parts_of(run.plan, flows, window), nash=nash),
        margins=margins_of(run, parts_of(run.plan, flows, window)),
    )


def welfare_columns(results: Path) -> dict[str, float | None]:
    """Return outcome columns for sweeps; {} for a run without declared utilities.

    The columns are welfare, consumer_surplus and profit.<seller> [money/s], jain (index of rates),
    optimum_ratio, and welfare_agents (the number of agents that declare a utility).

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    welfare = welfare_of(open_raw(results), nash=False)
    if welfare is None:
        return {}
    return {
        "welfare": welfare.per_s(welfare.welfare_micro),
        "consumer_surplus": welfare.per_s(welfare.surplus_micro),
        **{f"profit.{one.name}": welfare.per_s(one.net_micro) for one in welfare.sellers},
        "jain": welfare.jain_rates,
        "optimum_ratio": welfare.optimum_ratio,
        "welfare_agents": float(len(welfare.consumers)),
    }


def _consumer(declared: Declared, had: Lived, account: AccountTotals, users: int) -> Consumer:
    return Consumer(
        account=account,
        users=users,
        has_zero=not declared.least,
        utility_micro=round(float(had.money.sum()) * MICRO),
        steady_micro=round(float(had.steady(declared).sum()) * MICRO),
    )


def _accounts(
    run: RawRun, agents: tuple[AgentSpec, ...], window: Window
) -> dict[str, AccountTotals]:
    """Return the accounts of all agents in the scenario's order, then others with postings."""
    received: dict[str, dict[str, int]] = {agent.name: {} for agent in agents}
    paid: dict[str, dict[str, int]] = {agent.name: {} for agent in agents}
    ledger = run.ledger
    # Postings have the time of the report that closed their epoch.
    own = ledger[(ledger["t_ps"] > window.from_ps) & (ledger["t_ps"] <= window.to_ps)]
    for column, sums in (("credit", received), ("debit", paid)):
        by = [own[column].astype(str), own["kind"].astype(str)]
        amounts = own.groupby(by)["amount_micro"].sum()
        for name, kind in amounts.index.to_list():
            if amount := int(amounts[name, kind]):
                sums.setdefault(name, {})[kind] = amount
    names = dict.fromkeys([*received, *paid])
    return {name: AccountTotals(name, received.get(name, {}), paid.get(name, {})) for name in names}


def _users(
    run: RawRun, declared: tuple[Declared, ...], parts: list[Lived]
) -> list[tuple[Floats, Floats]]:
    """Return, for each agent, mean rates of its active users and their utilities.

    Utilities are per second and unit of weight.
    """
    sources = run.plan.row_sources()
    choosing = {choice.agent for choice in choices_of(run)}
    users = []
    for one, had in zip(declared, parts, strict=True):
        names = {sources[row].name for row in one.rows}
        # member i of each alternative is user i, and rows are ordered by source
        shape = (len(names) if one.agent in choosing else 1, -1)
        on, bits, money = (
            column.reshape(shape).sum(axis=0) for column in (had.on_s, had.bits, had.money)
        )
        alike = np.array([sources[row].row_flows for row in one.rows]).reshape(shape)[0]
        used = on > 0
        rates = np.repeat(bits[used] / on[used], alike[used])
        users.append((rates, np.repeat(money[used] / on[used] / one.weight, alike[used])))
    return users


def _jain(values: Floats) -> float:
    try:
        return jain(values)
    except InputError:
        return math.nan
