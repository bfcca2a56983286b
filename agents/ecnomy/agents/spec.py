# SPDX-License-Identifier: Apache-2.0
"""The market part of a resolved scenario: agents with their links, contracts and prices.

Money is in integer micro-units. The values in `params` are in the units with which the class of the
strategy or role annotates its fields (see ecnomy.agents.parameters).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.elastic_tariff import ElasticTariff

__all__ = [
    "CUSTOMER_PAYS",
    "PROVIDER_PAYS",
    "RETAIL",
    "AgentSpec",
    "CallLine",
    "ClassSpec",
    "ContractSpec",
    "ElasticLine",
    "MarketSpec",
    "Params",
    "RoleSpec",
    "StrategySpec",
    "Value",
]

Value = float | int | str | bool
Params = dict[str, Value | dict[str, Any]]
RETAIL: Final = "retail"
PROVIDER_PAYS: Final = "provider"  # who pays for the marks of flows in classes
CUSTOMER_PAYS: Final = "customer"


class StrategySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy by name, dotted path (`my_lab.strategies:Patient`) or entry point."""

    kind: str
    params: Params = {}


class RoleSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A role by name or dotted path; `params` are the parameters of a custom role."""

    word: str
    params: Params = {}


class ClassSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A service class on sale: a fee per flow and second.

    Attributes:
        name: name of the class, unique among its provider's classes.
        fee_micro_per_s: initial fee; the provider may post another fee.
        sources: sources whose flows start in this class.
        charge_micro_per_s: target cost of the marks of a flow in the class; -1 for the current fee.
        members: number of flows at which the class is full for customers' requests; -1 for no
            limit.
        cost_micro_per_s: largest cost of the marks of all flows in the class after the admission of
            a flow; -1 for no limit.
        customer_pays_marks: whether the carrier charges the customer, not the provider, for marks.
    """

    name: str
    fee_micro_per_s: int
    sources: tuple[str, ...]
    charge_micro_per_s: int = -1
    members: int = -1
    cost_micro_per_s: int = -1
    customer_pays_marks: bool = False

    @property
    def charging_rate_micro(self) -> int:
        """The initial target cost of the marks of a flow in the class."""
        return self.fee_micro_per_s if self.charge_micro_per_s < 0 else self.charge_micro_per_s


class ContractSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metered product that an agent sells to the users of these sources.

    Attributes:
        name: kind of the product's postings in the ledger.
        meter: name of the meter, from ecnomy.markets.terms.meters.METERS.
        tariff: the tariff, an ecnomy.markets.terms.tariffs.Tariff.
    """

    name: str
    meter: str
    tariff: Any
    sources: tuple[str, ...]


class CallLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a provider's tariff table: the price and promise of calls of these sources.

    Attributes:
        strategy: admission strategy of this line; None for the agent's strategy.
    """

    tariff: CallTariff
    sources: tuple[str, ...]
    strategy: StrategySpec | None = None


class ElasticLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a provider's table of elastic connections; `strategy` pays for their marks."""

    tariff: ElasticTariff
    sources: tuple[str, ...]
    strategy: StrategySpec


class AgentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent of the market. Fields that its role does not use have their default values.

    Attributes:
        role: name of the role, see ecnomy.agents.roles.
        classes: service classes on sale.
        sources: sources of the agent's flows.
        decision_interval_ps: time between two decisions [ps]; -1 for the role's default.
        test_streams: sources of test streams, which measure the network.
        lines: tariff table of calls.
        elastic: table of the types of elastic connections, which transfer files.
        integrated_with: carrier of the same firm, "" for an independent agent.
        fixed_costs: costs that do not depend on sales: an amount in micro-units, and its period in
            ps.
        links: name patterns of the agent's links.
        nodes: nodes whose outgoing links belong to the agent.
        price_micro_per_mark: initial price of a mark; -1 for the market's price.
        contracts: metered products on sale.
        params: parameters of a custom role.
    """

    name: str
    role: str
    classes: tuple[ClassSpec, ...] = ()
    sources: tuple[str, ...] = ()
    strategy: StrategySpec | None = None
    decision_interval_ps: int = -1
    test_streams: tuple[str, ...] = ()
    lines: tuple[CallLine, ...] = ()
    elastic: tuple[ElasticLine, ...] = ()
    integrated_with: str = ""
    fixed_costs: tuple[int, int] | None = None
    links: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    price_micro_per_mark: int = -1
    contracts: tuple[ContractSpec, ...] = ()
    params: Params = {}


class MarketSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The market of a scenario.

    Attributes:
        price_micro_per_mark: initial price of a mark.
        agents: agents, in the order of the scenario.
        settlement: rule that determines who pays whom for marks.
        classic_price_ratio: price of a mark on an ECT(0) packet divided by that on an ECT(1)
            packet.
    """

    price_micro_per_mark: int
    agents: tuple[AgentSpec, ...]
    settlement: str = RETAIL
    classic_price_ratio: float = 1.0
