# SPDX-License-Identifier: Apache-2.0
"""The market part of a resolved scenario: who is there, what they sell, at what price.

Money is in integer micro-units; `strategy.params` are in the unit the strategy's own field
annotations state (see ecnomy.agents.parameters).
"""

from __future__ import annotations

import msgspec

from ecnomy.agents.tariff import Tariff

__all__ = ["AgentSpec", "ClassSpec", "MarketSpec", "Params", "StrategySpec", "Value"]

Value = float | int | str | bool
Params = dict[str, Value | dict[str, Value]]


class StrategySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy by name, dotted path (`my_lab.strategies:Patient`) or entry point."""

    kind: str
    params: Params = {}


class ClassSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A service class of an application provider: a fee per flow and second."""

    name: str
    fee_micro_per_s: int
    sources: tuple[str, ...]  # whose flows start in this class


class AgentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One agent.

    `classes` is for application providers, `sources` for customers, handlers and guaranteed stream
    providers, `test_streams` and `tariff` for the last only.
    """

    name: str
    role: str  # as in document.ROLES
    classes: tuple[ClassSpec, ...] = ()
    sources: tuple[str, ...] = ()
    strategy: StrategySpec | None = None
    decision_interval_ps: int = -1  # -1: the role's default
    test_streams: tuple[str, ...] = ()
    tariff: Tariff | None = None


class MarketSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The market of a scenario."""

    price_micro_per_mark: int
    agents: tuple[AgentSpec, ...]
