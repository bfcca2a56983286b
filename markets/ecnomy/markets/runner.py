# SPDX-License-Identifier: Apache-2.0
"""One run: a scenario to an engine and a market, what they say to a results folder.

However a run ends, its folder says so: the tables are closed and readable, and the manifest is
complete or gives the reason why it is not.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import platform
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ecnomy.agents.spec import MarketSpec
from ecnomy.markets.conversation import Quiet, Sink, Voice, simulate
from ecnomy.markets.economy.market import Market
from ecnomy.markets.engines import DEFAULT_ENGINE, engine_kind
from ecnomy.markets.nomarket import MarketLike, NoMarket
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.progress import ProgressLike
from ecnomy.markets.results.runresult import RunResult
from ecnomy.markets.results.writer import ResultsWriter, ended_by
from ecnomy.markets.scenario import Scenario, check, load

__all__ = [
    "Quiet",
    "RunResult",
    "RunVoice",
    "Sink",
    "Voice",
    "default_folder",
    "kept",
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
) -> RunResult:
    """Simulate a scenario and write its results.

    Args:
        scenario: a loaded scenario, or the path of its file.
        overrides: `path=value` changes to a scenario given by path.
        seed: in place of the scenario's.
        out: results folder; default `results/<name of the file>-<seed>`.
        market: False runs the packets without the market, as if the scenario had none.
        progress: told how far the run is; None shows nothing.
        force: replace what a complete run has left in `out`.
        engine: `builtin`, or `omnet` for OMNeT++/INET.

    Raises:
        InputError: the scenario is wrong (ScenarioError), `out` is taken, or OMNeT++ is wanted and
            not there.
        EngineError: the engine is not there, died, or broke the protocol (ProtocolError).
        StrategyError: a strategy cannot be made, or decided what cannot be done.
        LedgerError: the books do not close.
        OSError: the results cannot be written.
    """
    scenario = _loaded(scenario, overrides, seed)
    folder = Path(out) if out is not None else default_folder(scenario)
    _run(scenario, scenario.market if market else None, folder, progress, force, engine)
    return RunResult(folder, True)


def default_folder(scenario: Scenario) -> Path:
    """`results/<name of the scenario's file>-<seed>`; the title names one without a file."""
    file = scenario.places.file
    name = Path(file).stem if os.path.exists(file) else scenario.title
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    return Path("results") / f"{slug}-{scenario.seed}"


def _run(
    scenario: Scenario,
    spec: MarketSpec | None,
    folder: Path,
    progress: ProgressLike | None,
    force: bool,
    engine: str,
) -> None:
    plan, kind = make_plan(scenario), engine_kind(engine)
    market = market_of(plan, spec)
    try:
        writer = ResultsWriter(folder, plan, scenario.resolved(), force=force)
        say = RunVoice(writer, progress)
        with kept(writer, market, say) as machine:
            for warning in check.warnings(scenario, plan):
                say.warn(warning)
            positions = scenario.document.network.positions
            with kind.start(plan, folder, positions) as process:
                finish = simulate(process, plan, market, writer, say)
                process.finished()
            machine["engine"] = dataclasses.asdict(finish)
    finally:
        market.close()


def market_of(plan: Plan, spec: MarketSpec | None) -> MarketLike:
    """The market of a run, or one in which nobody pays."""
    return NoMarket(plan) if spec is None else Market(plan, spec)


def _loaded(
    scenario: Scenario | str | os.PathLike[str], overrides: Sequence[str], seed: int | None
) -> Scenario:
    if not isinstance(scenario, Scenario):
        return load(scenario, overrides=overrides, seed=seed)
    if overrides:
        raise TypeError("overrides are for a scenario given by path; load() takes them too")
    if seed is None:
        return scenario
    document = msgspec.structs.replace(scenario.document, seed=seed)
    return msgspec.structs.replace(scenario, document=document)


class RunVoice:
    """What is said during a run goes to its log and to whoever watches."""

    def __init__(self, writer: ResultsWriter, progress: ProgressLike | None) -> None:
        self._writer, self._progress = writer, progress

    def start(self, plan: Plan) -> None:
        """See Voice."""
        if self._progress is not None:
            self._progress.start(plan.title, plan.duration_ps)

    def at(self, t_ps: int) -> None:
        """See Voice."""
        if self._progress is not None:
            self._progress.at(t_ps)

    def warn(self, line: str) -> None:
        """See Voice."""
        self._writer.log(f"warning: {line}")
        if self._progress is not None:
            self._progress.say(f"warning: {line}")

    def stop(self) -> None:
        """The run is over."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def kept(writer: ResultsWriter, market: MarketLike, say: RunVoice) -> Iterator[dict[str, Any]]:
    """Close the results however the body ends; yields what goes into machine.json."""
    machine: dict[str, Any] = {}
    began_s = time.monotonic()
    reason: str | None = "the run failed"
    try:
        machine |= _machine()
        yield machine
        reason = None
    except BaseException as error:
        reason = ended_by(error)
        raise
    finally:
        say.stop()
        machine["wall_s"] = round(time.monotonic() - began_s, 3)
        try:
            writer.finish(market, machine, reason=reason)
            writer.log(reason or "complete")
        finally:
            writer.close()


def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "began": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
