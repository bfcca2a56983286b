# SPDX-License-Identifier: Apache-2.0
"""Serve engines that are started by hand, one run after another (the verb `serve`).

Such an engine, for example OMNeT++ in Qtenv, may pause for hours. The market therefore treats the
engine as dead only if the connection is closed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from ecnomy.agents.errors import EcnomyError, EngineError, InputError
from ecnomy.markets.bridge.listen import Listener
from ecnomy.markets.bridge.lobby import Lobby
from ecnomy.markets.bridge.messages import Hello
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.compile import check
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences, in_words, with_network
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.conversation import engine_link, limits_of, talk
from ecnomy.markets.session.preparing import loaded, market_of
from ecnomy.markets.session.progress import RunProgress
from ecnomy.markets.session.retention import kept
from ecnomy.markets.support.printable import say

__all__ = ["OneScenario", "ScenarioOffer", "Served", "served"]

_ANY: Final = (
    "--any accepts networks that differ from the scenario; the log of each run lists the "
    "differences"
)
_HELLO_S: Final = 30.0  # time limit for a complete hello


class Served(NamedTuple):
    """The scenario served to an engine, with its plan and its name ("" for a single scenario)."""

    scenario: Scenario
    plan: Plan
    name: str = ""


class ScenarioOffer(Protocol):
    """The scenarios on offer to engines.

    Attributes:
        plan: the plan of one scenario, used until an engine's hello selects a scenario.
    """

    @property
    def plan(self) -> Plan:
        """Return the plan of one of the scenarios."""
        ...

    def of(self, door: int, hello: Hello) -> Served:
        """Return the scenario for an engine at a door (listener's index), with the engine's seed.

        Raises:
            InputError: the engine's network cannot be read.
        """
        ...


@dataclasses.dataclass(frozen=True)
class OneScenario:
    """An offer of one scenario, in which each engine keeps its own seed (repetition)."""

    scenario: Scenario
    plan: Plan

    def of(self, door: int, hello: Hello) -> Served:
        """Return the scenario with the engine's seed."""
        if hello.seed == self.plan.seed:
            return Served(self.scenario, self.plan)
        scenario = loaded(self.scenario, (), hello.seed)
        return Served(scenario, make_plan(scenario))


def served(
    listeners: Sequence[Listener],
    offer: ScenarioOffer,
    folder: Path,
    *,
    token: str = "",
    market: bool = True,
    any_plan: bool = False,
) -> Iterator[tuple[Path, str, str]]:
    """Yield each run's results folder, its scenario's name, and why the run is incomplete or "".

    An engine reports the plan of its network. If the plan differs from the plan of the scenario, or
    the token is wrong, the engine is refused with a line on standard error.

    Args:
        listeners: the sockets to which engines connect; their indices are the doors of the offer.
        offer: the served scenarios.
        folder: folder in which each run gets a folder.
        token: the secret that engines must send.
        market: whether runs have a market; False omits payments and decisions.
        any_plan: whether to accept a network whose values differ from the scenario. The manifest
            then contains the plan of the network and lists the differences.
    """
    if any_plan:
        _say(f"warning: {_ANY}")
    with Lobby(listeners, _HELLO_S, _say, token=token) as lobby:
        while True:
            come = lobby.next()  # no limit: a person starts the engine or presses Ctrl-C
            with engine_link(come.sock, offer.plan, token=token, head=bytes(come.head)) as link:
                guest = _Guest(offer, come.door, link, any_plan)
                try:
                    hello = link.handshake(guest.fault)
                except EngineError as error:
                    _say(f"{come.name}: refused: {error}")
                    continue
                link.wait_for_ever()
                run = _next(folder)
                with lobby.attended(f"run {run.name} of {come.name} is in progress"):
                    reason = _run(link, hello, guest, run, market)
            yield run, guest.served.name, reason


def _say(line: str) -> None:
    say(f"ecnomy: {line}", sys.stderr)


class _Guest:
    """A connected engine and its scenario.

    Attributes:
        served: the scenario for the engine, with the engine's seed and, under --any, the engine's
            network; set after the hello.
        differing: values that differ between the engine's network and the scenario.
    """

    def __init__(self, offer: ScenarioOffer, door: int, link: EngineLink, any_plan: bool) -> None:
        self.served: Served
        self.differing: list[str] = []
        self._offer, self._door, self._link, self._any = offer, door, link, any_plan

    def fault(self, hello: Hello) -> str:
        """Return the reason to refuse the engine, or "" to accept it."""
        try:
            self.served = self._offer.of(self._door, hello)
            plan = self.served.plan
            if not hello.network:
                return self._link.fault_of_plan(hello)
            self.differing = differences(plan, hello.network)
            if self.differing and not self._any:
                return (
                    f"{in_words(self.differing)}. Change the network or the scenario, or start the "
                    f"market with --any to experiment with the network"
                )
            if self.differing:
                self.served = self.served._replace(plan=with_network(plan, hello.network))
        except InputError as error:
            return str(error)
        self._link.limit(**limits_of(self.served.plan))
        return ""


def _next(folder: Path) -> Path:
    """Create a folder with the first free number, which reserves it for this run, and return it."""
    for number in itertools.count(1):
        with contextlib.suppress(FileExistsError):
            (folder / f"{number:03}").mkdir(parents=True)
            return folder / f"{number:03}"
    raise AssertionError


def _run(link: EngineLink, hello: Hello, guest: _Guest, folder: Path, market: bool) -> str:
    """Make a run, and return the reason if it failed, otherwise ""."""
    scenario, plan, _ = guest.served
    there = market_of(plan, scenario.market if market else None)

    def opened() -> ResultsWriter:
        writer = ResultsWriter(folder, plan, scenario.resolved())
        if guest.differing:
            writer.other_network(guest.differing)
        return writer

    try:
        with kept(opened, there, RunProgress()) as keeper:
            for warning in check.warnings(scenario, plan):
                keeper.say.warn(warning)
            fate = f"{link.peer} disconnected"
            finish = talk(link, hello, plan, there, keeper.sink, keeper.say, fate=lambda: fate)
            keeper.machine["engine"] = dataclasses.asdict(finish)
    except EcnomyError as error:
        return " ".join(str(error).split())
    return ""
