# SPDX-License-Identifier: Apache-2.0
"""Warnings about payments that rounding to micro-units per second distorts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ecnomy.agents.money import MICRO
from ecnomy.agents.roles import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import find
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.parameters import declared

__all__ = ["coarse_payments"]

_FINE_MICRO: Final = 50.0  # rounding changes larger amounts by at most 1 %
_PAYMENT: Final = "money/s"


def coarse_payments(scenario: Scenario) -> Iterator[str]:
    """Warn about users whose payments or utilities amount to a few micro-units per second."""
    for agent in scenario.market.agents if scenario.market else ():
        if preset_of(agent.role).uses:
            for key, micro in _coarse(agent):
                yield (
                    f"agent {agent.name}: {key} is {micro:.4g} micro-units of money/s, but "
                    "payments are rounded to whole micro-units/s. Multiply all amounts of money "
                    "by 1000"
                )


def _coarse(agent: AgentSpec) -> Iterator[tuple[str, float]]:
    """Yield (key, micro-units/s) of payments and utilities that rounding distorts."""
    if agent.strategy is None:
        return
    fields = declared(find(agent.strategy.kind))
    for key, given in agent.strategy.params.items():
        field = fields[key]
        if field.unit == _PAYMENT and isinstance(given, float) and not field.by_time:
            micro = given * MICRO
            if 0 < micro < _FINE_MICRO and abs(micro - round(micro)) > micro / 100:
                yield key, micro
        elif field.forms and isinstance(given, dict):
            scale = given.get("a")
            if isinstance(scale, float) and 0 < scale * MICRO < _FINE_MICRO:
                yield f"{key}.a", scale * MICRO
