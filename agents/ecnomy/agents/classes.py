# SPDX-License-Identifier: Apache-2.0
"""An application provider's view of its service classes: their members and costs.

Every field has its unit in brackets.
"""

from __future__ import annotations

import msgspec

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import Timed

__all__ = ["ClassColumns", "ClassObservation", "ClassRequest"]


class ClassColumns(msgspec.Struct, frozen=True, eq=False):
    """Its classes over the `dt_ps` since it last looked, one value a class.

    Attributes:
        fee_micro_per_s: what a flow in it pays now [micro-units of money / s].
        charge_micro_per_s: what the marks of a flow in it should cost now [micro-units of money
            / s].
        members: in it now, whose sources have not stopped, switched off or not [flows].
        active: those of them that no agent has switched off [flows].
        most: members that customers may ask for, -1 for any number [flows].
        flow_s: time that flows were active in it, all of them together [s].
        marks: delivered to flows while they were in it [packets].
        charge_micro: what these marks cost, whoever paid [micro-units of money].
        refused: flows that asked for it and were not let in [flows].
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
    """An application provider's view before it posts fees.

    Attributes:
        t_ps: time of the report it decides at [ps].
        dt_ps: since it last looked, which all changes are over [ps]; 0 at its first look.
        names: of its classes, in the scenario's order [text].
        classes: its classes [columns, one value a class].
        agent: its money, random numbers and notes [AgentView, None if nobody runs a market].
    """

    t_ps: int
    dt_ps: int
    names: tuple[str, ...]
    classes: ClassColumns
    agent: AgentView | None = None


class ClassRequest(msgspec.Struct, frozen=True):
    """A flow whose customer asks for another class, which is not full.

    Attributes:
        t_ps: when it asks [ps].
        name: of the class it asks for [text].
        flow: which flow [index in the run, as in the table `flows`].
        members: flows in that class now [flows].
        cost_micro_per_s: what the marks of that class cost of late [micro-units of money / s].
    """

    t_ps: int
    name: str
    flow: int
    members: int
    cost_micro_per_s: float
