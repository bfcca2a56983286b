# SPDX-License-Identifier: Apache-2.0
"""Decisions about a flow: payment, class, rate cap, weight, budget, and whether it may send.

Agents decide in money only. The market converts willingness to pay into marks per second.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.answers import whole_column
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, Observation, Truths

__all__ = ["LEAVE", "NO_BUDGET", "NO_CAP", "Decision", "FlowDecision", "checked"]

LEAVE: Final = -1.0  # willingness or weight: unchanged
NO_CAP: Final = -1.0  # rate cap: no limit
NO_BUDGET: Final = -1.0  # budget: no limit


class FlowDecision(msgspec.Struct, frozen=True):
    """The decision for one flow, in Python or NumPy numbers.

    A decision for a row of many flows (`rows: together`) applies to each flow.

    Attributes:
        willingness_micro_per_s: target cost of marks, 0 or more [micro-units of money / s]. The
            market divides it by the price per mark. The result is the target mark rate of a flow
            whose window law has a weight. LEAVE (-1), the default, keeps the flow's target.
        offer: new class of the flow, None for the current one [index into `offers`]. Only customers
            move flows.
        rate_cap_bps: largest rate of the flow, NO_CAP (-1) for no limit [bit/s of IP packets].
        active: whether the flow may send, None for unchanged [Boolean]. Charges by time stop
            while a flow is switched off.
        weight: new weight of the window law, in the law's unit: the number of flows that a
            `multcp` flow represents [flows], w of `rem` [packets/s], marks per round trip of `wtp`
            [marks]; 0 or more. LEAVE (-1), the default, keeps the weight. After a decision with a
            weight, the flow has no target mark rate until its agent sets a willingness alone.
            If the law has no weight, a decision with a weight ends the run.
        budget_micro: largest total cost of marks from now on, NO_BUDGET (-1) for no limit
            [micro-units of money]. The engine enforces the budget packet by packet: a flow waits
            once it has a packet in flight for each mark that it can still buy. If a price changes,
            the market recomputes the marks that the remaining money buys, and packets in flight pay
            the new price. A budget requires a single flow, a transport other than udp, and a
            settlement that charges for marks delivered. Otherwise, a decision with a budget ends
            the run.
    """

    willingness_micro_per_s: float = LEAVE
    offer: int | None = None
    rate_cap_bps: float = NO_CAP
    active: bool | None = None
    weight: float = LEAVE
    budget_micro: float = NO_BUDGET


class Decision(msgspec.Struct, frozen=True, eq=False):
    """The decisions for all observed flows: columns with a value per flow, in the observed order.

    A column is an array or a list of NumPy or Python numbers. A column of None, the default, leaves
    this property of all flows unchanged.

    Attributes:
        willingness_micro_per_s: as in FlowDecision, LEAVE for unchanged [micro-units of money / s].
        offer: the new class of each flow; a flow keeps its class if the value equals that in
            `flows.offer`, which may be NO_OFFER [index into `Observation.offers`].
        rate_cap_bps: as in FlowDecision, NO_CAP for no limit [bit/s of IP packets].
        active: whether each flow may send [Booleans].
        weight: as in FlowDecision, LEAVE for unchanged [unit of the window law].
        budget_micro: as in FlowDecision, NO_BUDGET for no limit [micro-units of money].
    """

    willingness_micro_per_s: Floats | None = None
    offer: Integers | None = None
    rate_cap_bps: Floats | None = None
    active: Truths | None = None
    weight: Floats | None = None
    budget_micro: Floats | None = None


def checked(decision: object, observation: Observation, who: str) -> Decision:
    """Check a decision, and return it with NumPy columns.

    Raises:
        StrategyError: the value is not a Decision, a column has the wrong length or type, a flow
            cannot enter its new class, or a willingness, rate cap, weight or budget is negative or
            not finite, unless it equals its special value, such as LEAVE.
    """
    if not isinstance(decision, Decision):
        raise StrategyError(f"{who} returned {type(decision).__name__}, expected Decision")
    pay = decision.willingness_micro_per_s
    return Decision(
        _amounts(pay, observation, who, "willingness_micro_per_s", LEAVE),
        _offers(decision.offer, observation, who),
        _amounts(decision.rate_cap_bps, observation, who, "rate_cap_bps", NO_CAP),
        _truths(decision.active, observation, who),
        _amounts(decision.weight, observation, who, "weight", LEAVE),
        _amounts(decision.budget_micro, observation, who, "budget_micro", NO_BUDGET),
    )


def _amounts(
    given: object, observation: Observation, who: str, name: str, no: float
) -> Floats | None:
    if given is None:
        return None
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, observation, who, name)
    if column.dtype.kind not in "iuf":
        raise StrategyError(f"{who} returned a {name} that is not a column of numbers")
    column = column.astype(np.float64, copy=False)
    usual = len(column) > 0 and column.min() >= 0 and column.max() < np.inf
    if not usual:
        _check_amounts(column, observation, who, name, no)
    return column


def _truths(given: object, observation: Observation, who: str) -> Truths | None:
    if given is None:
        return None
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, observation, who, "active")
    if column.dtype.kind != "b":
        raise StrategyError(
            f"{who} returned `active` of type {column.dtype}, expected a column of Booleans"
        )
    return column


def _offers(given: object, observation: Observation, who: str) -> Integers | None:
    if given is None:
        return None
    held = observation.flows.offer
    if given is held:
        return held
    column: npt.NDArray[Any] = np.asarray(given)
    _check_length(column, observation, who, "offer")
    if column.dtype.kind not in "iu":
        wholes = whole_column(given)
        if wholes is None:
            raise StrategyError(f"{who} returned classes that are not integers")
        column = wholes
    _check_offers(column, observation, who)
    offers: Integers = column.astype(np.int64, copy=False)
    return offers


def _check_amounts(
    column: Floats, observation: Observation, who: str, name: str, no: float
) -> None:
    wrong = np.flatnonzero(~((column >= 0) & (column < np.inf)) & (column != no))
    if len(wrong):
        bad = int(wrong[0])
        bad_value = f"{column[bad]:g} for flow {int(observation.flows.flow[bad])}"
        raise StrategyError(f"{who} returned a {name} that is negative or not finite: {bad_value}")


def _check_length(column: npt.NDArray[Any], observation: Observation, who: str, name: str) -> None:
    flows = len(observation.flows.flow)
    if column.shape != (flows,):
        raise StrategyError(f"{who} returned {name} of shape {column.shape}, expected ({flows},)")


def _check_offers(offer: npt.NDArray[Any], observation: Observation, who: str) -> None:
    moved = (offer != observation.flows.offer).nonzero()[0]
    for row in moved.tolist():
        flow, held, wanted = (
            int(c[row]) for c in (observation.flows.flow, observation.flows.offer, offer)
        )
        if not 0 <= wanted < len(observation.offers):
            raise StrategyError(f"{who} moved flow {flow} to class {wanted}, which does not exist")
        if (
            held != NO_OFFER
            and observation.offers[held].provider != observation.offers[wanted].provider
        ):
            raise StrategyError(f"{who} moved flow {flow} to a class of another provider")
        if held == NO_OFFER:
            raise StrategyError(
                f"{who} moved flow {flow} to a class, but no provider serves this flow"
            )
