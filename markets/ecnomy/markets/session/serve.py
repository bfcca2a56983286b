# SPDX-License-Identifier: Apache-2.0
"""A market that waits for engines started by hand, one run after another (the verb `serve`).

One example is OMNeT++'s Qtenv, which may pause for hours: only end of file means that an engine
died.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

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
from ecnomy.markets.session.preparing import market_of
from ecnomy.markets.session.progress import RunProgress
from ecnomy.markets.session.retention import kept
from ecnomy.markets.support.printable import say

__all__ = ["served"]

_ANY: Final = (
    "--any accepts networks that differ from the scenario; the log of each run lists the "
    "differences"
)
_HELLO_S: Final = 30.0  # for the whole of a hello


def served(
    listener: Listener,
    scenario: Scenario,
    plan: Plan,
    folder: Path,
    *,
    token: str = "",
    market: bool = True,
    any_plan: bool = False,
) -> Iterator[tuple[Path, str]]:
    """Each run: its results folder, and why it is incomplete ("" if it is complete).

    An engine reports the plan of its network. If it differs from the scenario's, or the token is
    wrong, the engine is refused, with a line on standard error. An engine with another seed, such
    as a repetition on OMNeT++, gets the market of that seed.

    Args:
        listener: where engines come in.
        scenario: what is served.
        plan: its plan.
        folder: holds a folder per run.
        token: what engines must know.
        market: False: nobody pays, nobody decides.
        any_plan: accept a network with other values; the manifest then has the network's plan and
            lists what differs.
    """
    if any_plan:
        _say(f"warning: {_ANY}")
    with Lobby(listener, _HELLO_S, _say) as lobby:
        while True:
            come = lobby.next()  # no limit: a person starts the engine, or presses Ctrl-C
            with engine_link(come.sock, plan, token=token, head=bytes(come.head)) as link:
                guest = _Guest(scenario, plan, link, any_plan)
                try:
                    hello = link.handshake(guest.fault)
                except EngineError as error:
                    _say(f"{come.name}: refused: {error}")
                    continue
                link.wait_for_ever()
                run = _next(folder)
                with lobby.attended(f"run {run.name} of {come.name} is in progress"):
                    reason = _run(link, hello, guest, run, market)
            yield run, reason


def _say(line: str) -> None:
    say(f"ecnomy: {line}", sys.stderr)


class _Guest:
    """The connected engine and its scenario, with the guest's seed.

    Attributes:
        scenario, plan: with the guest's seed, and under --any with its network, after its hello.
        differing: the values in which its network differs from the scenario.
    """

    def __init__(self, scenario: Scenario, plan: Plan, link: EngineLink, any_plan: bool) -> None:
        self.scenario, self.plan = scenario, plan
        self.differing: list[str] = []
        self._link, self._any = link, any_plan

    def fault(self, hello: Hello) -> str:
        """Why the guest is refused, "" if it is not."""
        if not hello.network:
            return self._link.fault_of_plan(hello)
        if hello.seed != self.plan.seed:
            document = msgspec.structs.replace(self.scenario.document, seed=hello.seed)
            self.scenario = msgspec.structs.replace(self.scenario, document=document)
            self.plan = make_plan(self.scenario)
        try:
            self.differing = differences(self.plan, hello.network)
            if not self.differing:
                return ""
            if not self._any:
                return (
                    f"{in_words(self.differing)}. Change the network or the scenario, or start the "
                    f"market with --any to experiment with the network"
                )
            self.plan = with_network(self.plan, hello.network)
        except InputError as error:
            return str(error)
        self._link.limit(**limits_of(self.plan))
        return ""


def _next(folder: Path) -> Path:
    """The first free numbered folder; it is created, so that no other process takes it."""
    for number in itertools.count(1):
        with contextlib.suppress(FileExistsError):
            (folder / f"{number:03}").mkdir(parents=True)
            return folder / f"{number:03}"
    raise AssertionError


def _run(link: EngineLink, hello: Hello, guest: _Guest, folder: Path, market: bool) -> str:
    """One run; why it failed, "" if it did not."""
    scenario, plan = guest.scenario, guest.plan
    there = market_of(plan, scenario.market if market else None)
    try:
        writer = ResultsWriter(folder, plan, scenario.resolved())
        if guest.differing:
            writer.other_network(guest.differing)
        with kept(writer, there, RunProgress()) as keeper:
            for warning in check.warnings(scenario, plan):
                keeper.say.warn(warning)
            fate = f"{link.peer} disconnected"
            finish = talk(link, hello, plan, there, writer, keeper.say, fate=lambda: fate)
            keeper.machine["engine"] = dataclasses.asdict(finish)
    except EcnomyError as error:
        return " ".join(str(error).split())
    return ""
