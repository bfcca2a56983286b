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
from typing import Any, Protocol

import msgspec

from ecnomy.agents.errors import EcnomyError, EngineError, ProtocolError
from ecnomy.markets.bridge.messages import Bye, Error, Finish, Record, Report, Request
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.engines import Engine, find_engine
from ecnomy.markets.market import Market
from ecnomy.markets.nomarket import MarketLike, NoMarket
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.progress import ProgressLike
from ecnomy.markets.results.runresult import RunResult
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario, check, load
from ecnomy.markets.scenario.marketspec import MarketSpec

__all__ = ["Quiet", "RunResult", "Sink", "Voice", "default_folder", "run", "simulate"]

PS_PER_S = 10**12
_DEAD = ("hung-up", "truncated")  # what a connection says of an engine that is gone


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    market: bool = True,
    progress: ProgressLike | None = None,
    force: bool = False,
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

    Raises:
        InputError: the scenario is wrong (ScenarioError), or `out` is taken.
        EngineError: the engine is not there, died, or broke the protocol (ProtocolError).
        StrategyError: a strategy cannot be made, or decided what cannot be done.
        LedgerError: the books do not close.
        OSError: the results cannot be written.
    """
    scenario = _loaded(scenario, overrides, seed)
    folder = Path(out) if out is not None else default_folder(scenario)
    _run(scenario, scenario.market if market else None, folder, progress, force)
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
) -> None:
    plan, binary = make_plan(scenario), find_engine()
    market: MarketLike = NoMarket(plan) if spec is None else Market(plan, spec)
    try:
        writer = ResultsWriter(folder, plan, scenario.resolved(), force=force)
        say = _Voice(writer, progress)
        with _kept(writer, market, say) as machine:
            for warning in check.warnings(scenario, plan):
                say.warn(warning)
            with Engine(plan, binary) as engine:
                finish = simulate(engine, plan, market, writer, say)
                engine.finished()
            machine["engine"] = dataclasses.asdict(finish)
    finally:
        market.close()


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


class Sink(Protocol):
    """What takes in what a run produces."""

    def engine(self, name: str, version: str) -> None:
        """Who simulates."""

    def report(self, report: Report, market: MarketLike) -> None:
        """A report, and the market after its answer."""

    def record(self, record: Record) -> None:
        """Rows for a table."""


class Voice(Protocol):
    """What is told how a run goes."""

    def start(self, plan: Plan) -> None:
        """It begins."""

    def at(self, t_ps: int) -> None:
        """Simulated time now."""

    def warn(self, line: str) -> None:
        """Something a user should know."""


class Quiet:
    """Says nothing."""

    def start(self, plan: Plan) -> None:
        """Nothing."""

    def at(self, t_ps: int) -> None:
        """Nothing."""

    def warn(self, line: str) -> None:
        """Nothing."""


class _Voice:
    """What is said during a run goes to its log and to whoever watches."""

    def __init__(self, writer: ResultsWriter, progress: ProgressLike | None) -> None:
        self._writer, self._progress = writer, progress

    def start(self, plan: Plan) -> None:
        if self._progress is not None:
            self._progress.start(plan.title, plan.duration_ps)

    def at(self, t_ps: int) -> None:
        if self._progress is not None:
            self._progress.at(t_ps)

    def warn(self, line: str) -> None:
        self._writer.log(f"warning: {line}")
        if self._progress is not None:
            self._progress.say(f"warning: {line}")

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def _kept(writer: ResultsWriter, market: MarketLike, say: _Voice) -> Iterator[dict[str, Any]]:
    """Close the results however the body ends; yields what goes into machine.json."""
    machine, began_s = _machine(), time.monotonic()
    reason: str | None = "the run failed"
    try:
        yield machine
        reason = None
    except BaseException as error:
        reason = _reason(error)
        raise
    finally:
        say.stop()
        machine["wall_s"] = round(time.monotonic() - began_s, 3)
        try:
            writer.finish(market, machine, reason=reason)
            writer.log(reason or "complete")
        finally:
            writer.close()


def simulate(engine: Engine, plan: Plan, market: MarketLike, sink: Sink, say: Voice) -> Finish:
    """Have a started engine and a market talk until the run ends.

    Raises:
        EcnomyError: as `run`.
        OSError: the sink cannot take what it is given.
    """
    with _link(engine, plan) as link:
        try:
            hello = link.handshake()
            sink.engine(hello.engine, hello.version)
            say.start(plan)
            return _converse(link, market, sink, say)
        except ProtocolError as error:
            if error.name not in _DEAD:
                raise
            when = f"at simulated time {link.t_ps / PS_PER_S:.12g} s"
            raise EngineError(
                f"{engine.fate()} {when} (last message: {link.last_message})"
            ) from error
        except EngineError:
            raise
        except (EcnomyError, OSError) as error:
            link.send(Error(str(error)))
            raise


def _link(engine: Engine, plan: Plan) -> EngineLink:
    return EngineLink(
        engine.sock,
        n_flows=plan.row_count,
        n_links=len(plan.links),
        n_pairs=sum(len(source.path) + len(source.ack_path) for source in plan.sources),
        plan_digest=plan.digest,
        seed=plan.seed,
        late=len(plan.record.delay_thresholds_ps),
        params=[len(link.marking.params) for link in plan.links],
    )


def _converse(link: EngineLink, market: MarketLike, sink: Sink, say: Voice) -> Finish:
    while True:
        message = link.receive()
        if isinstance(message, Report):
            # Answered first: the engine computes on while the tables are written.
            link.send(market.decide(message))
            sink.report(message, market)
            _pass_on(market.warnings, say)
            say.at(message.t_ps)
        elif isinstance(message, Record):
            sink.record(market.record(message))
        elif isinstance(message, Request):
            link.send(market.request(message))
        elif isinstance(message, Finish):
            link.send(Bye())
            return message
        else:
            say.at(message.t_ps)


def _pass_on(warnings: list[str], say: Voice) -> None:
    for warning in warnings:
        say.warn(warning)
    warnings.clear()


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, SystemExit):
        return "terminated"
    text = " ".join(str(error).split())
    return text if isinstance(error, EcnomyError) else f"{type(error).__name__}: {text}"


def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "began": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
