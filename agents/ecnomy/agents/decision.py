# SPDX-License-Identifier: Apache-2.0
"""Decisions of agents: payment for a flow, its largest rate, weight, class and budget.

Agents speak of money only; the market turns willingness to pay into marks per second.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.answers import whole_column
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, Observation, Truths

__all__ = ["FEW", "LEAVE", "NO_BUDGET", "NO_CAP", "Decision", "FlowDecision", "checked"]

LEAVE: Final = -1.0  # as a willingness: not this agent's matter
NO_CAP: Final = -1.0  # as a rate cap: none
NO_BUDGET: Final = -1.0  # as a budget: none
FEW: Final = 16  # flows up to which Python's own numbers are faster than numpy's


class FlowDecision(msgspec.Struct, frozen=True):
    """The decision for one flow; numpy's numbers are accepted like Python's.

    Of a row of many flows (`rows: together`) it holds for each of them.

    Attributes:
        willingness_micro_per_s: what its marks may cost, 0 or more [micro-units of money / s]. The
            market divides it by the price per mark, and a flow whose window law has a weight aims
            at so many marks per second. LEAVE (-1), the default: not this agent's matter, the flow
            aims at what it aimed at before.
        offer: the class it is to be in, None for the one it holds [index into `offers`]. Only
            customers move flows.
        rate_cap_bps: its largest rate, NO_CAP (-1) for none [bit/s of IP packets].
        active: whether it may send, None as before [truth value]. What goes by time is not charged
            while a flow is switched off.
        weight: of its window law from now on, in the law's own unit: the number of flows that a
            `multcp` flow stands for [flows], w of `rem` [packets/s], marks per round trip of `wtp`
            [marks]; 0 or more. LEAVE (-1), the default: as before. A flow of a chosen weight is
            given no mark rate until its agent names a willingness without a weight. Other laws have
            no weight to choose; a weight for one ends the run.
        budget_micro: what its marks may cost from now on in all, NO_BUDGET (-1) for none
            [micro-units of money]. The engine keeps it, packet by packet: with a packet under way
            for each mark that it still buys, the flow waits. Where a price changes, the market
            reckons anew what is left buys; packets that are under way then pay the new price. A
            row of many flows, a flow over udp, and a settlement that charges something else than
            marks delivered have no budget; one for them ends the run.
    """

    willingness_micro_per_s: float = LEAVE
    offer: int | None = None
    rate_cap_bps: float = NO_CAP
    active: bool | None = None
    weight: float = LEAVE
    budget_micro: float = NO_BUDGET


class Decision(msgspec.Struct, frozen=True, eq=False):
    """The decisions for all observed flows: columns with one value per flow, in their order.

    A column is an array or a list, of numpy's numbers or Python's. None, the default, leaves all
    flows as they are in that respect.

    Attributes:
        willingness_micro_per_s: as in FlowDecision, LEAVE for a flow that is not this agent's
            matter [micro-units of money / s].
        offer: the class each flow is to be in; the one in `flows.offer`, which may be NO_OFFER,
            keeps it there [index into `Observation.offers`].
        rate_cap_bps: as in FlowDecision, NO_CAP for none [bit/s of IP packets].
        active: whether each may send [truth values].
        weight: as in FlowDecision, LEAVE for as before [unit of the window law].
        budget_micro: as in FlowDecision, NO_BUDGET for none [micro-units of money].
    """

    willingness_micro_per_s: Floats | None = None
    offer: Integers | None = None
    rate_cap_bps: Floats | None = None
    active: Truths | None = None
    weight: Floats | None = None
    budget_micro: Floats | None = None


def checked(decision: object, seen: Observation, who: str) -> Decision:
    """The decision, if it can be carried out.

    Raises:
        StrategyError: not a Decision, a column of another length, a willingness that is not
            finite or below 0 (LEAVE apart), a rate cap, weight or budget of that kind, or a class
            that its flow cannot have.
    """
    if not isinstance(decision, Decision):
        raise StrategyError(f"{who} returned {type(decision).__name__}, expected Decision")
    pay = decision.willingness_micro_per_s
    return Decision(
        _amounts(pay, seen, who, "willingness_micro_per_s", LEAVE),
        _offers(decision.offer, seen, who),
        _amounts(decision.rate_cap_bps, seen, who, "rate_cap_bps", NO_CAP),
        _truths(decision.active, seen, who),
        _amounts(decision.weight, seen, who, "weight", LEAVE),
        _amounts(decision.budget_micro, seen, who, "budget_micro", NO_BUDGET),
    )


def _amounts(given: object, seen: Observation, who: str, name: str, no: float) -> Floats | None:
    """A column of money or rates as float64; strategies may return lists, or other numbers."""
    if given is None:
        return None
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, seen, who, name)
    if column.dtype.kind not in "iuf":
        raise StrategyError(f"{who} returned a {name} that is not a number")
    column = column.astype(np.float64, copy=False)
    if len(column) <= FEW:
        fits = _all_fit(column.tolist(), no)
    else:
        fits = bool((((column >= 0) & (column < np.inf)) | (column == no)).all())
    if not fits:
        raise StrategyError(f"{who} returned a {name} that is negative or not finite")
    return column


def _truths(given: object, seen: Observation, who: str) -> Truths | None:
    """A column of truth values."""
    if given is None:
        return None
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, seen, who, "active")
    if column.dtype.kind != "b":
        raise StrategyError(f"{who} returned an active that is not a column of truth values")
    return column


def _offers(given: object, seen: Observation, who: str) -> Integers | None:
    """A column of classes as int64."""
    if given is None:
        return None
    held = seen.flows.offer
    if given is held:
        return held
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, seen, who, "offer")
    if column.dtype.kind not in "iu":
        wholes = whole_column(given)
        if wholes is None:
            raise StrategyError(f"{who} returned classes that are not integers")
        column = wholes
    _check_offers(column, seen, who)
    offers: Integers = column.astype(np.int64, copy=False)
    return offers


def _all_fit(amounts: list[float], no: float) -> bool:
    return all(0 <= amount < math.inf or amount == no for amount in amounts)


def _check_length(column: npt.NDArray[Any], seen: Observation, who: str, name: str) -> None:
    flows = len(seen.flows.flow)
    if column.shape != (flows,):
        raise StrategyError(f"{who} returned {name} of shape {column.shape} for {flows} flows")


def _check_offers(offer: npt.NDArray[Any], seen: Observation, who: str) -> None:
    moved = (offer != seen.flows.offer).nonzero()[0]
    for row in moved.tolist():
        flow, held, wanted = (int(c[row]) for c in (seen.flows.flow, seen.flows.offer, offer))
        if not 0 <= wanted < len(seen.offers):
            raise StrategyError(f"{who} moved flow {flow} to class {wanted}, which is not on offer")
        if held != NO_OFFER and seen.offers[held].provider != seen.offers[wanted].provider:
            raise StrategyError(f"{who} moved flow {flow} to a class of another provider")
        if held == NO_OFFER:
            raise StrategyError(f"{who} moved flow {flow}, which no provider serves, to a class")
