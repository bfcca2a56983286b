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

from ecnomy.agents.errors import EcnomyError, EngineError
from ecnomy.markets.bridge.listen import Listener
from ecnomy.markets.bridge.messages import Hello
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.conversation import engine_link, talk
from ecnomy.markets.keeping import kept
from ecnomy.markets.plan import Plan
from ecnomy.markets.preparing import market_of
from ecnomy.markets.progress import progress_for
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario, check

__all__ = ["served"]

_HELLO_S: Final = 30.0  # a guest that says nothing keeps others waiting no longer


def served(
    listener: Listener,
    scenario: Scenario,
    plan: Plan,
    folder: Path,
    *,
    token: str = "",
    market: bool = True,
) -> Iterator[tuple[Path, str]]:
    """Each run that came about: its results folder, and why it is incomplete ("" if it is not).

    An engine of another plan or without the token is refused, which is told on standard error.
    """
    while True:
        with engine_link(listener.accept(), plan, token=token, silence_s=_HELLO_S) as link:
            try:
                hello = link.handshake()
            except EngineError as error:
                print(f"ecnomy: refused: {error}", file=sys.stderr, flush=True)
                continue
            link.wait_for_ever()
            run = _next(folder)
            yield run, _run(link, hello, scenario, plan, run, market)


def _next(folder: Path) -> Path:
    """The first numbered folder that is not there."""
    number = 1
    while (folder / f"{number:03}").exists():
        number += 1
    return folder / f"{number:03}"


def _run(
    link: EngineLink, hello: Hello, scenario: Scenario, plan: Plan, folder: Path, market: bool
) -> str:
    """One run; why it failed, "" if it did not."""
    there = market_of(plan, scenario.market if market else None)
    try:
        writer = ResultsWriter(folder, plan, scenario.resolved())
        with kept(writer, there, progress_for(sys.stderr)) as keeper:
            for warning in check.warnings(scenario, plan):
                keeper.say.warn(warning)
            fate = f"{link.peer} hung up"
            finish = talk(link, hello, plan, there, writer, keeper.say, fate=lambda: fate)
            keeper.machine["engine"] = dataclasses.asdict(finish)
    except EcnomyError as error:
        return " ".join(str(error).split())
    return ""
