# SPDX-License-Identifier: Apache-2.0
"""The market part of a resolved scenario: who is there, what they own, sell and buy, at what price.

Money is in integer micro-units; `params` are in the unit that the field annotations of a strategy
or a role state (see ecnomy.agents.parameters).
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
PROVIDER_PAYS: Final = "provider"  # for the marks of flows in its classes
CUSTOMER_PAYS: Final = "customer"


class StrategySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy by name, dotted path (`my_lab.strategies:Patient`) or entry point."""

    kind: str
    params: Params = {}


class RoleSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A role by its word or dotted path; `params` are the terms of one of a user's own."""

    word: str
    params: Params = {}


class ClassSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A service class on sale: a fee per flow and second.

    Attributes:
        name: unique with its provider.
        fee_micro_per_s: at first; its provider may post another one.
        sources: whose flows start in this class.
        charge_micro_per_s: what the marks of a flow in it should cost; -1: the fee of the time.
        members: most flows in it that customers may ask for; -1: any number.
        cost_micro_per_s: what its marks may cost with one more flow let in; -1: anything.
        customer_pays_marks: the carrier charges the customer, not the provider.
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
        """What the marks of a flow in it should cost at first."""
        return self.fee_micro_per_s if self.charge_micro_per_s < 0 else self.charge_micro_per_s


class ContractSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Other products of an agent than service classes and calls, for the users of these sources.

    Attributes:
        name: its kind in the ledger.
        meter: one of ecnomy.markets.terms.meters.METERS.
        tariff: an ecnomy.markets.terms.tariffs.Tariff.
    """

    name: str
    meter: str
    tariff: Any
    sources: tuple[str, ...]


class CallLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a provider's tariff table: what calls on these sources cost and promise.

    Attributes:
        strategy: of admission on this row; None: the agent's.
    """

    tariff: CallTariff
    sources: tuple[str, ...]
    strategy: StrategySpec | None = None


class ElasticLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a provider's table of elastic types; `strategy` says what marks may cost."""

    tariff: ElasticTariff
    sources: tuple[str, ...]
    strategy: StrategySpec


class AgentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One agent; what its role does not take is empty.

    Attributes:
        role: as its entry has it, see ecnomy.agents.roles.
        classes: service classes on sale.
        sources: whose flows are its own.
        decision_interval_ps: -1 for the role's default.
        test_streams: sources it watches the network by.
        lines: its tariff table, of the calls it sells.
        elastic: its table of elastic connection types, of the files it carries.
        integrated_with: the carrier it is one firm with, "" for none.
        fixed_costs: what it pays for its time, whatever it sells; micro-units for so many ps.
        links: patterns of the names of links it owns.
        nodes: nodes whose outgoing links it owns.
        price_micro_per_mark: what it asks for a mark at first; -1: the market's price.
        contracts: what else it sells.
        params: of a role of the user's own.
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
    """The market of a scenario; `settlement` says who pays whom for marks."""

    price_micro_per_mark: int
    agents: tuple[AgentSpec, ...]
    settlement: str = RETAIL
