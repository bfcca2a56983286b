# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a sweep, for engines that run its exported project with a market.

The network of an engine says at which of the points it is that differ in their network. What only
agents see no network says: each combination of such values has an address of its own, which the
configuration Serve of the project connects to (doors).
"""

from __future__ import annotations

import itertools

from ecnomy.agents.errors import InputError
from ecnomy.markets.bridge.messages import Hello
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences
from ecnomy.markets.session.serve import Served
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.omnet.export import parted
from ecnomy.markets.sweep.omnet.iterations import at_door, joined
from ecnomy.markets.sweep.space import Assignment

__all__ = ["MOST_DOORS", "SweepOffer"]

MOST_DOORS = 500  # sockets of one process


class SweepOffer:
    """The scenarios of a sweep.

    Args:
        sweep: one that can be exported.

    Raises:
        InputError: it cannot be exported, or agents' values have more than 500 combinations.
        ScenarioError: a point makes no scenario.
    """

    def __init__(self, sweep: Sweep) -> None:
        parts = parted(sweep)
        self._sweep = sweep
        self._agents = [
            joined(chosen) for chosen in itertools.product(*(a.values for a in parts.agents))
        ]
        if len(self._agents) > MOST_DOORS:
            raise InputError(
                f"{sweep.file}: found {len(self._agents):,} combinations of values that only "
                f"agents see, expected at most {MOST_DOORS}"
            )
        self._numbers = [
            tuple(chosen)
            for chosen in itertools.product(*(range(1, len(a.values) + 1) for a in parts.agents))
        ]
        self._networks = [
            (params, make_plan(sweep.scenario_at({**params, **self._agents[0]}, sweep.seed)))
            for params in (joined(c) for c in itertools.product(*(a.values for a in parts.network)))
        ]

    @property
    def plan(self) -> Plan:
        """Of the first point."""
        return self._networks[0][1]

    @property
    def doors(self) -> int:
        """How many combinations of values only agents see."""
        return len(self._agents)

    def addresses(self, address: str) -> list[str]:
        """Of the doors.

        Raises:
            InputError: there are several, and the address is no path.
        """
        if self.doors == 1:
            return [at_door(address, self._numbers[0])]
        if not address.startswith("unix:"):
            raise InputError(
                f"address {address!r}: expected unix:/path, because each of the {self.doors} "
                "combinations of values that only agents see has a socket of its own"
            )
        return [at_door(address, numbers) for numbers in self._numbers]

    def of(self, door: int, hello: Hello) -> Served:
        """The point with the engine's network, or the one least unlike it."""
        network, _ = min(self._networks, key=lambda each: len(differences(each[1], hello.network)))
        params = {**network, **self._agents[door]}
        scenario = self._sweep.scenario_at(params, hello.seed)
        return Served(scenario, make_plan(scenario), _in_words(params))


def _in_words(params: Assignment) -> str:
    return ", ".join(f"{path} {value}" for path, value in params.items())
