# SPDX-License-Identifier: Apache-2.0
"""The agents of a market: their roles, strategies, observations and decisions.

    from ecnomy.agents import FlowDecision, FlowView, Unit        # what a strategy needs

Names are imported on first use, so `import ecnomy.agents` does not import NumPy. `help(FlowView)`
lists the fields of this struct with their units.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ecnomy.agents.agent_view import AgentView
    from ecnomy.agents.call_tariff import CallTariff
    from ecnomy.agents.calls import (
        BEST_EFFORT,
        Call,
        CallAsk,
        CallOffer,
        EndedCalls,
        StreamObservation,
    )
    from ecnomy.agents.classes import ClassColumns, ClassObservation, ClassRequest
    from ecnomy.agents.decision import LEAVE, NO_BUDGET, NO_CAP, Decision, FlowDecision
    from ecnomy.agents.errors import StrategyError
    from ecnomy.agents.menus import MenuView
    from ecnomy.agents.observation import (
        NO_OFFER,
        FlowColumns,
        FlowView,
        LinkColumns,
        MarkingLaw,
        Observation,
        Offer,
        PriceObservation,
    )
    from ecnomy.agents.parameters import OneOf, Refused, Unit

__all__ = [
    "BEST_EFFORT",
    "LEAVE",
    "NO_BUDGET",
    "NO_CAP",
    "NO_OFFER",
    "AgentView",
    "ByTime",
    "Call",
    "CallAsk",
    "CallOffer",
    "CallTariff",
    "ClassColumns",
    "ClassObservation",
    "ClassRequest",
    "Decision",
    "EndedCalls",
    "FlowColumns",
    "FlowDecision",
    "FlowView",
    "LinkColumns",
    "MarkingLaw",
    "MenuView",
    "Observation",
    "Offer",
    "OneOf",
    "PriceObservation",
    "Refused",
    "StrategyError",
    "StreamObservation",
    "Unit",
]

_HOME: Final = {
    "AgentView": "agent_view",
    "BEST_EFFORT": "calls",
    "Call": "calls",
    "CallAsk": "calls",
    "CallOffer": "calls",
    "CallTariff": "call_tariff",
    "ClassColumns": "classes",
    "ClassObservation": "classes",
    "ClassRequest": "classes",
    "Decision": "decision",
    "EndedCalls": "calls",
    "FlowColumns": "observation",
    "FlowDecision": "decision",
    "FlowView": "observation",
    "LEAVE": "decision",
    "LinkColumns": "observation",
    "MarkingLaw": "observation",
    "MenuView": "menus",
    "NO_BUDGET": "decision",
    "NO_CAP": "decision",
    "NO_OFFER": "observation",
    "Observation": "observation",
    "Offer": "observation",
    "ByTime": "parameters",
    "OneOf": "parameters",
    "PriceObservation": "observation",
    "Refused": "parameters",
    "StrategyError": "errors",
    "StreamObservation": "calls",
    "Unit": "parameters",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"ecnomy.agents.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
