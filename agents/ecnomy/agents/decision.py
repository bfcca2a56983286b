# SPDX-License-Identifier: Apache-2.0
"""What agents decide: what to pay for a flow, its largest rate, and which class it is to be in.

Agents speak of money only; the market turns willingness to pay into marks per second.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, Floats, Integers, Observation

__all__ = ["FEW", "LEAVE", "NO_CAP", "Decision", "FlowDecision", "checked"]

LEAVE: Final = -1.0  # as a willingness: not this agent's matter
NO_CAP: Final = -1.0  # as a rate cap: none
FEW: Final = 16  # flows up to which Python's own numbers are faster than numpy's


class FlowDecision(msgspec.Struct, frozen=True):
    """For one flow. `offer` None keeps the class held; the rate cap is of IP bits."""

    willingness_micro_per_s: float = LEAVE
    offer: int | None = None
    rate_cap_bps: float = NO_CAP


class Decision(msgspec.Struct, frozen=True, eq=False):
    """For all flows observed, in their order; None leaves all of them as they are."""

    willingness_micro_per_s: Floats | None = None
    offer: Integers | None = None
    rate_cap_bps: Floats | None = None


def checked(decision: object, seen: Observation, who: str) -> Decision:
    """The decision, if it can be carried out.

    Raises:
        StrategyError: not a Decision, a column of another length, a willingness that is not
            finite or below 0 (LEAVE apart), a rate cap of that kind (NO_CAP apart), or a class that
            its flow cannot have.
    """
    if not isinstance(decision, Decision):
        raise StrategyError(f"{who} returned {type(decision).__name__}, expected Decision")
    decision = Decision(
        _array(decision.willingness_micro_per_s),
        _array(decision.offer),
        _array(decision.rate_cap_bps),
    )
    offer = decision.offer
    _check_amounts(decision.willingness_micro_per_s, seen, who, "willingness_micro_per_s", LEAVE)
    _check_amounts(decision.rate_cap_bps, seen, who, "rate_cap_bps", NO_CAP)
    if offer is not None and offer is not seen.flows.offer:
        _check_length(offer, seen, who, "offer")
        _check_offers(offer, seen, who)
    return decision


def _array(column: Any) -> Any:
    """A column as numpy has it; strategies may return lists."""
    return None if column is None else np.asarray(column)


def _check_amounts(
    column: Floats | None, seen: Observation, who: str, name: str, no: float
) -> None:
    if column is None:
        return
    _check_length(column, seen, who, name)
    if column.dtype.kind not in "iufc":
        raise StrategyError(f"{who} returned a {name} that is no number")
    if len(column) <= FEW and column.dtype.kind != "c":
        fits = _all_fit(column.tolist(), no)
    else:
        fits = bool((((column >= 0) & (column < np.inf)) | (column == no)).all())
    if not fits:
        raise StrategyError(f"{who} returned a {name} that is negative or not finite")


def _all_fit(amounts: list[float], no: float) -> bool:
    for amount in amounts:
        if not (0 <= amount < math.inf or amount == no):
            return False
    return True


def _check_length(column: Floats | Integers, seen: Observation, who: str, name: str) -> None:
    flows = len(seen.flows.flow)
    if column.shape != (flows,):
        raise StrategyError(f"{who} returned {name} of shape {column.shape} for {flows} flows")


def _check_offers(offer: Integers, seen: Observation, who: str) -> None:
    if offer.dtype.kind not in "iu":
        raise StrategyError(f"{who} returned classes that are not integers")
    moved = (offer != seen.flows.offer).nonzero()[0]
    for row in moved.tolist():
        flow, held, wanted = (int(c[row]) for c in (seen.flows.flow, seen.flows.offer, offer))
        if not 0 <= wanted < len(seen.offers):
            raise StrategyError(f"{who} moved flow {flow} to class {wanted}, which is not on offer")
        if held != NO_OFFER and seen.offers[held].provider != seen.offers[wanted].provider:
            raise StrategyError(f"{who} moved flow {flow} to a class of another provider")
        if held == NO_OFFER:
            raise StrategyError(f"{who} moved flow {flow}, which no provider serves, to a class")
