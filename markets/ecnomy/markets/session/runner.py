# SPDX-License-Identifier: Apache-2.0
"""Make a complete run: start a session, step it to its end, and close it (session.py)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, engine_kind
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.writer import ended_by
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.conversation import Quiet, Sink, Voice, simulate
from ecnomy.markets.session.preparing import default_folder, folder_of, loaded, market_of
from ecnomy.markets.session.progress import ProgressLike
from ecnomy.markets.session.session import Session

__all__ = [
    "Quiet",
    "Results",
    "Sink",
    "Voice",
    "default_folder",
    "market_of",
    "run",
    "simulate",
]


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    market: bool = True,
    progress: ProgressLike | None = None,
    force: bool = False,
    engine: str = DEFAULT_ENGINE,
    again: bool = True,
) -> Results:
    """Simulate a scenario and write its results.

    Args:
        scenario: a loaded scenario, or the path of its file.
        overrides: `path=value` changes to the scenario, if it is given as a file.
        seed: seed that replaces the scenario's seed, or None.
        out: results folder, by default `results/<name of the file>-<seed>`.
        market: whether the run has the scenario's market. False simulates packets only.
        progress: object that shows the progress of the run, or None.
        force: whether to replace any complete run in `out`.
        engine: `builtin`, `omnet` for OMNeT++/INET, or `linux` for the kernel's TCP.
        again: whether to replace a complete run in `out` that has the same scenario, seed, version,
            engine and `market`. Both runs have equal results, so a program or notebook can be run
            twice. A run in which values were set by hand is not replaced (see `open_market`).

    Returns:
        the results, as `ecnomy.analysis.open_run` returns them.

    Raises:
        InputError: the scenario is invalid (ScenarioError), `out` is taken, OMNeT++ is requested
            but missing, or the engine cannot run the scenario.
        EngineError: the engine is missing, died, or broke the protocol (ProtocolError).
        StrategyError: a strategy cannot be created, or returned an impossible decision.
        LedgerError: the books do not balance, or an amount overflows.
        OSError: the results cannot be written.
    """
    scenario = loaded(scenario, overrides, seed)
    folder = folder_of(scenario, out)
    plan, kind = make_plan(scenario), engine_kind(engine)
    there = market_of(plan, scenario.market if market else None)
    session = Session(scenario, plan, there, folder)
    try:
        session.start(kind, there, progress=progress, force=force, again=engine if again else "")
        while session.running:
            session.step(there)
    except BaseException as error:
        session.end(there, ended_by(error))
        raise
    return Results(folder)
