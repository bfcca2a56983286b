# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a sweep, for engines that run its exported project with a market.

An engine reports its network, and with it the values that affect the network. It does not report
values that affect only agents. Each combination of these values has its own address (a door), to
which the configuration Serve of the project connects.
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

MOST_DOORS = 500  # most sockets of one process


class SweepOffer:
    """The scenarios of a sweep.

    Args:
        sweep: a sweep that can be exported.

    Raises:
        InputError: the sweep cannot be exported, or the values that affect only agents have more
            than 500 combinations.
        ScenarioError: a point does not make a valid scenario.
    """

    def __init__(self, sweep: Sweep) -> None:
        parts = parted(sweep)
        self._sweep = sweep
        self._doors: list[tuple[tuple[int, ...], Assignment]] = []
        for chosen in itertools.product(*(enumerate(axis.values, 1) for axis in parts.agents)):
            numbers = tuple(number for number, _ in chosen)
            self._doors.append((numbers, joined([values for _, values in chosen])))
        if len(self._doors) > MOST_DOORS:
            raise InputError(
                f"{sweep.file}: found {len(self._doors):,} combinations of values that only "
                f"agents see, expected at most {MOST_DOORS}"
            )
        agents = self._doors[0][1]
        self._networks = [
            (params, make_plan(sweep.scenario_at({**params, **agents}, sweep.seed)))
            for params in map(joined, itertools.product(*(a.values for a in parts.network)))
        ]

    @property
    def plan(self) -> Plan:
        """Return the plan of the first point."""
        return self._networks[0][1]

    def addresses(self, address: str) -> list[str]:
        """Return the addresses of the doors: one per combination of values that affect only agents.

        Raises:
            InputError: the sweep has several doors, but the address is not unix:/path.
        """
        if len(self._doors) > 1 and not address.startswith("unix:"):
            raise InputError(
                f"address {address!r}: expected unix:/path, because each of the "
                f"{len(self._doors)} combinations of values that only agents see needs a socket"
            )
        return [at_door(address, numbers) for numbers, _ in self._doors]

    def of(self, door: int, hello: Hello) -> Served:
        """Return the door's point with the engine's network, or with the most similar network.

        An engine that does not report a network gets the door's first point.
        """
        network, _ = min(
            self._networks,
            key=lambda each: len(differences(each[1], hello.network)) if hello.network else 0,
        )
        params = {**network, **self._doors[door][1]}
        scenario = self._sweep.scenario_at(params, hello.seed)
        return Served(scenario, make_plan(scenario), _in_words(params))


def _in_words(params: Assignment) -> str:
    return ", ".join(f"{path} {value}" for path, value in params.items())
