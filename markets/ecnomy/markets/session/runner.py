# SPDX-License-Identifier: Apache-2.0
"""One whole run: a session that is opened, stepped to its end and closed (session.py)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, engine_kind
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.writer import ended_by
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.conversation import Quiet, Sink, Voice, simulate
from ecnomy.markets.session.preparing import default_folder, loaded, market_of
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
        overrides: `path=value` changes to a scenario given by path.
        seed: in place of the scenario's.
        out: results folder; default `results/<name of the file>-<seed>`.
        market: False runs the packets without the market, as if the scenario had none.
        progress: told how far the run is; None shows nothing.
        force: replace what a complete run has left in `out`, whatever it is of.
        engine: `builtin`, or `omnet` for OMNeT++/INET.
        again: replace a complete run of the same scenario, seed, version and engine in `out`, which
            would come out the same; so a program or notebook can be run twice. False refuses it.

    Returns:
        The results, as `ecnomy.analysis.open_run` opens them.

    Raises:
        InputError: the scenario is wrong (ScenarioError), `out` is taken, or OMNeT++ is wanted and
            not there.
        EngineError: the engine is not there, died, or broke the protocol (ProtocolError).
        StrategyError: a strategy cannot be made, or decided what cannot be done.
        LedgerError: the books do not close.
        OSError: the results cannot be written.
    """
    scenario = loaded(scenario, overrides, seed)
    folder = Path(out) if out is not None else default_folder(scenario)
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
