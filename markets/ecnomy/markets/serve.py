# SPDX-License-Identifier: Apache-2.0
"""A market that waits for engines started by hand, one run after another (the verb `serve`).

Such as OMNeT++'s Qtenv, which may stand still for hours: only the end of file is an engine's death.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import EcnomyError, EngineError
from ecnomy.markets.bridge.listen import Listener
from ecnomy.markets.bridge.messages import Hello
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.conversation import engine_link, talk
from ecnomy.markets.keeping import kept
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.preparing import market_of
from ecnomy.markets.progress import progress_for
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario, check

__all__ = ["served"]

_ANY: Final = (
    "--any: ENGINES OF ANY PLAN ARE TAKEN. Nobody checks that a network stands for this scenario: "
    "a run's figures are of the network, its manifest has this scenario"
)
_HELLO_S: Final = 30.0  # a guest that says nothing keeps others waiting no longer


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
    """Each run that came about: its results folder, and why it is incomplete ("" if it is not).

    An engine of another plan or without the token is refused, which is told on standard error. One
    of this plan with another seed, as OMNeT++'s repetitions are, gets the market of that seed.

    Args:
        listener: where engines come in.
        scenario: what is served.
        plan: its plan.
        folder: holds a folder per run.
        token: what engines must know.
        market: False: nobody pays, nobody decides.
        any_plan: an engine of any plan is taken; that it was not checked goes into the manifest.
    """
    if any_plan:
        print(f"ecnomy: warning: {_ANY}", file=sys.stderr, flush=True)
    while True:
        guest_socket = listener.accept()  # no limit: a person starts the engine, or presses Ctrl-C
        with engine_link(guest_socket, plan, token=token, silence_s=_HELLO_S) as link:
            guest = _Guest(scenario, plan, link, any_plan)
            try:
                hello = link.handshake(guest.fault)
            except EngineError as error:
                print(f"ecnomy: refused: {error}", file=sys.stderr, flush=True)
                continue
            link.wait_for_ever()
            run = _next(folder)
            yield run, _run(link, hello, guest, run, market)


class _Guest:
    """Who comes, and what is simulated with it: the scenario, with the guest's seed.

    Attributes:
        scenario, plan: of the guest's seed once it has said hello.
        unchecked: whether its plan is another one than the market's.
    """

    def __init__(self, scenario: Scenario, plan: Plan, link: EngineLink, any_plan: bool) -> None:
        self.scenario, self.plan = scenario, plan
        self.unchecked = False
        self._link, self._any = link, any_plan

    def fault(self, hello: Hello) -> str:
        """What is wrong with its plan and seed, "" if nothing is."""
        self.unchecked = hello.plan_digest != self.plan.digest
        if self.unchecked and not self._any:
            return self._link.fault_of_plan(hello)
        if hello.seed != self.plan.seed:
            document = msgspec.structs.replace(self.scenario.document, seed=hello.seed)
            scenario = msgspec.structs.replace(self.scenario, document=document)
            plan = make_plan(scenario)
            if _but_seed(plan) != _but_seed(self.plan) and not self._any:
                return f"with the engine's seed {hello.seed} the scenario has other paths"
            self.scenario, self.plan = scenario, plan
        return ""


def _but_seed(plan: Plan) -> Plan:
    return msgspec.structs.replace(plan, seed=0, digest="")


def _next(folder: Path) -> Path:
    """The first numbered folder that is not there."""
    number = 1
    while (folder / f"{number:03}").exists():
        number += 1
    return folder / f"{number:03}"


def _run(link: EngineLink, hello: Hello, guest: _Guest, folder: Path, market: bool) -> str:
    """One run; why it failed, "" if it did not."""
    scenario, plan = guest.scenario, guest.plan
    there = market_of(plan, scenario.market if market else None)
    try:
        writer = ResultsWriter(folder, plan, scenario.resolved())
        if guest.unchecked:
            writer.unchecked(hello.plan_digest)
        with kept(writer, there, progress_for(sys.stderr)) as keeper:
            for warning in check.warnings(scenario, plan):
                keeper.say.warn(warning)
            fate = f"{link.peer} hung up"
            finish = talk(link, hello, plan, there, writer, keeper.say, fate=lambda: fate)
            keeper.machine["engine"] = dataclasses.asdict(finish)
    except EcnomyError as error:
        return " ".join(str(error).split())
    return ""
