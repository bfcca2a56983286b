# SPDX-License-Identifier: Apache-2.0
"""An application provider's view of its service classes: their members and costs."""

from __future__ import annotations

import msgspec

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import Timed

__all__ = ["ClassColumns", "ClassObservation", "ClassRequest"]


class ClassColumns(msgspec.Struct, frozen=True, eq=False):
    """A provider's classes during `dt_ps` since the last observation, one value per class.

    Attributes:
        fee_micro_per_s: the current fee of a flow in the class [micro-units of money / s].
        charge_micro_per_s: the current target cost of the marks of a flow in the class [micro-units
            of money / s].
        members: flows in the class whose sources have not stopped, including flows switched off
            [flows].
        active: members that no agent has switched off [flows].
        most: number of members at which the class is full for customers' requests, -1 for no limit
            [flows].
        flow_s: total active time of flows in the class [s].
        marks: marks delivered to flows while they were in the class [packets].
        charge_micro: the cost of these marks, regardless of who pays [micro-units of money].
        refused: flows whose requests for the class were refused [flows].
    """

    fee_micro_per_s: Integers
    charge_micro_per_s: Integers
    members: Integers
    active: Integers
    most: Integers
    flow_s: Floats
    marks: Integers
    charge_micro: Integers
    refused: Integers


class ClassObservation(Timed, msgspec.Struct, frozen=True, eq=False):
    """The observation of an application provider before it posts fees.

    Attributes:
        t_ps: time of the report of this decision [ps].
        dt_ps: time since the last observation, which all changes cover [ps]; 0 at the first one.
        names: names of the provider's classes, in the scenario's order [text].
        classes: the provider's classes [columns, one value per class].
        agent: money, random numbers and notes of the provider [AgentView, None if there is no
            market].
    """

    t_ps: int
    dt_ps: int
    names: tuple[str, ...]
    classes: ClassColumns
    agent: AgentView | None = None


class ClassRequest(msgspec.Struct, frozen=True):
    """A customer's request to move a flow to another class, which is not full.

    Attributes:
        t_ps: time of the request [ps].
        name: name of the requested class [text].
        flow: number of the flow [index in the run, as in the table `flows`].
        members: number of flows in the requested class now [flows].
        cost_micro_per_s: recent cost of the marks of all flows in the requested class [micro-units
            of money / s].
    """

    t_ps: int
    name: str
    flow: int
    members: int
    cost_micro_per_s: float
