# SPDX-License-Identifier: Apache-2.0
"""Run an engine and a market step by step, until the end or until `close()`.

A session holds the resources of a run: the engine's process, the socket and the results folder. It
releases them at the first of these events, and the manifest records the event:

    the last step       the run is complete
    an error in a step  a dead engine, a failed strategy, Ctrl-C
    close()             "closed at 12 s", or the exception that left a with-block
    the market has no   "abandoned at 12 s", when Python collects the market (for example in
    references left     `gc.collect()`)
    Python exits        "the program ended at 12 s"

The session holds no reference to the market, so that Python can collect the market. Calls receive
the market as an argument. A session does not change the signal handlers, the environment or the
working folder of the process. Sessions share only the list of open sessions.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError, NotRunningError, SourceError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.messages import Finish
from ecnomy.markets.compile import check
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.engines.process import EngineProcess
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, EngineKind, engine_kind
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.in_memory import InMemory
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.writer import ResultsWriter, ended_by
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.conversation import Conversation, engine_link, welcomed
from ecnomy.markets.session.preparing import folder_of, loaded
from ecnomy.markets.session.progress import ProgressLike
from ecnomy.markets.session.retention import Keeper, Writer

__all__ = ["Session", "check_plan", "open_market"]

_AT_EXIT_S: Final = 5.0  # wait for a thread within a step when Python exits


def open_market(
    scenario: Scenario | str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    tables: bool = True,
    progress: ProgressLike | None = None,
    force: bool = False,
    engine: str = DEFAULT_ENGINE,
) -> Market:
    """Start an engine and a market, and return the market after the report at t = 0.

    Agents have decided at t = 0, but the answer has not been sent. Changes before a call of
    `market.step()` therefore affect the epoch that this call simulates. Use the market in a `with`
    statement, or call `close()`.

    Args:
        scenario: a loaded scenario, or the path of its file.
        overrides: `path=value` changes to the scenario, if it is given as a file.
        seed: seed that replaces the scenario's seed, or None.
        out: results folder, by default `results/<name of the file>-<seed>`.
        tables: whether to write tables. If False, the results that `close` returns are in memory,
            and cover the measured window of the run.
        progress: object that shows the progress of the run, or None.
        force: whether to replace any complete run in `out`. A run of the same scenario, seed,
            version and engine is always replaced, so that a program can be run twice.
        engine: `builtin`, `omnet` for OMNeT++/INET, or `linux` for the kernel's TCP.

    Raises:
        InputError: the scenario is invalid (ScenarioError) or has no market, `out` is taken,
            OMNeT++ is requested but missing, or the engine cannot run the scenario.
        EngineError: the engine is missing, died, or broke the protocol (ProtocolError).
        StrategyError: a strategy cannot be created, or returned an impossible decision.
        OSError: the results cannot be written.
        TypeError: both `out` and `tables=False` are given.
    """
    if out is not None and not tables:
        raise TypeError(
            "out= and tables=False exclude each other, because a run without tables "
            "writes no folder"
        )
    scenario = loaded(scenario, overrides, seed)
    if scenario.market is None:
        raise InputError(
            f"{scenario.places.file}: found no market; use run() for a scenario without a market"
        )
    folder = folder_of(scenario, out)
    plan, kind = make_plan(scenario), engine_kind(engine)
    market = Market(plan, scenario.market)
    session = Session(scenario, plan, market, folder if tables else None)
    market.attach(session)
    session.start(kind, market, progress=progress, force=force, again=engine, by_hand=True)
    return market


class Session:
    """Holds the resources of one run, without a reference to its market.

    Attributes:
        folder: results folder of the run, or None if results are in memory.
    """

    def __init__(
        self, scenario: Scenario, plan: Plan, market: MarketLike, folder: Path | None
    ) -> None:
        """Create a session without claiming resources."""
        self.folder, self._scenario, self._plan = folder, scenario, plan
        self._market = weakref.ref(market)
        self._process: EngineProcess | None = None
        self._talk: Conversation | None = None
        self._keeper: Keeper | None = None
        self._memory = InMemory(plan, scenario.resolved()) if folder is None else None
        self._open = contextlib.ExitStack()
        self._lock, self._pid = threading.RLock(), os.getpid()
        self._over = False
        self._reason: str | None = None

    @property
    def running(self) -> bool:
        """Return whether the run is still in progress."""
        return not self._over

    def start(
        self,
        kind: EngineKind,
        market: MarketLike,
        *,
        progress: ProgressLike | None = None,
        force: bool = False,
        again: str = "",
        by_hand: bool = False,
    ) -> None:
        """Claim the folder, start the engine, and process the report at t = 0.

        Raises:
            EcnomyError, OSError: as for `open_market`. An error ends the run.
        """
        scenario, plan = self._scenario, self._plan
        check_plan(kind, scenario, plan)  # before anything changes the folder
        with self._lock, self._ended_by_errors(market):
            _OPEN[self] = None
            self._keeper = Keeper(self._writer(market, force, again, by_hand), progress)
            for warning in check.warnings(scenario, plan):
                self._keeper.say.warn(warning)
            positions = scenario.document.network.positions
            process = self._open.enter_context(kind.start(plan, self.folder, positions))
            self._process = process
            link = self._open.enter_context(engine_link(process.sock, plan))
            hello = welcomed(process, link, plan)
            self._talk = Conversation(link, plan, self._keeper.sink, self._keeper.say, process.fate)
            self._talk.begin(hello, market)

    def _writer(self, market: MarketLike, force: bool, again: str, by_hand: bool) -> Writer:
        if self._memory is not None:
            return self._memory
        assert self.folder is not None
        return ResultsWriter(
            self.folder,
            self._plan,
            self._scenario.resolved(),
            force=force,
            again=again,
            by_hand=by_hand,
            market=isinstance(market, Market),
        )

    def check(self) -> None:
        """Check that a step is possible.

        Raises:
            NotRunningError: the run has ended, a step is in progress, or another process owns the
                run.
        """
        with self._lock:
            if self._over:
                raise NotRunningError(f"the run has ended: {self._reason or 'complete'}")
            self._check_idle()

    def step(self, market: MarketLike) -> None:
        """Advance to the next report. The last step ends the run.

        Raises:
            NotRunningError: see check.
            EcnomyError, OSError: as for `run`. An error ends the run.
        """
        with self._lock:
            self.check()
            assert self._talk is not None
            with self._ended_by_errors(market):
                self._talk.step(market)
                if self._talk.finish is not None:
                    self._finished(market, self._talk.finish)

    def close(self, market: MarketLike, reason: str | None = None) -> Results:
        """End the run if it has not ended, and return its results.

        Args:
            market: the market.
            reason: why the run is incomplete; by default the time of closing, or how the engine
                ended if its process has ended.

        Raises:
            NotRunningError: a step is in progress, or another process owns the run.
            OSError: the results cannot be written.
        """
        with self._lock:
            if not self._over:
                self._check_idle()
                self.end(market, reason or self._died() or self._when("closed"))
        if self._memory is not None:
            return self._memory.results
        assert self.folder is not None
        return Results(self.folder)

    def abandon(self, market: MarketLike) -> None:
        """See Steps."""
        with contextlib.suppress(Exception), self._lock:
            self.end(market, self._when("abandoned"))

    def end(self, market: MarketLike | None, reason: str | None) -> None:
        """Release all resources. A second call, or a call in a forked child, does nothing.

        Args:
            market: the market, or None if Python has collected it.
            reason: why the run is incomplete, or None if it is complete.

        Raises:
            OSError: the results cannot be written.
        """
        with self._lock:
            if self._over or self._pid != os.getpid():
                return
            self._over, self._reason = True, reason
            try:
                with contextlib.ExitStack() as last:  # closes all, even if some fail
                    last.callback(_OPEN.pop, self, None)
                    if market is not None and self._keeper is not None:
                        last.callback(self._keeper.close, market, reason)
                        if self._talk is not None:
                            last.callback(self._talk.flush, market)
                    last.callback(self._open.close)
            except BaseException as error:
                self._reason = reason or ended_by(error)
                raise

    def end_at_exit(self) -> None:
        """Stop the engine when Python exits, and close the tables unless a step is in progress."""
        if self._pid != os.getpid():
            return
        if self._process is not None and not self._process.gone:
            self._reason = self._when("the program ended")
            self._process.kill()
        if self._lock.acquire(timeout=_AT_EXIT_S):
            with contextlib.suppress(Exception):
                self.end(self._market(), self._reason or self._when("the program ended"))

    def _check_idle(self) -> None:
        """Raise NotRunningError if a step is in progress or another process owns the run.

        Other threads wait for the lock, so only an agent's decision can make a call during a step.
        """
        if self._pid != os.getpid():
            raise NotRunningError(
                f"the run belongs to process {self._pid}; a forked process cannot continue it"
            )
        if self._talk is None or self._talk.under_way:
            raise NotRunningError(
                "a step is in progress: an agent cannot step or close its own market"
            )

    def _finished(self, market: MarketLike, finish: Finish) -> None:
        assert self._process is not None and self._keeper is not None
        self._process.finished()
        facts = self._process.facts()
        self._keeper.machine["engine"] = dataclasses.asdict(finish) | facts
        for doubt in self._process.doubts():
            self._keeper.say.warn(doubt)
        self.end(market, None)

    @contextlib.contextmanager
    def _ended_by_errors(self, market: MarketLike) -> Iterator[None]:
        """End the run on any exception."""
        try:
            yield
        except BaseException as error:
            self.end(market, self._reason or ended_by(error))
            raise

    def _died(self) -> str | None:
        """Describe how the engine ended, or return None if its process is still running."""
        if self._process is None or not self._process.gone:
            return None
        return self._when(self._process.fate())

    def _when(self, what: str) -> str:
        t_ps = 0 if self._talk is None else self._talk.t_ps
        return f"{what} at {t_ps / PS_PER_S:.12g} s"


_OPEN: Final[dict[Session, None]] = {}  # sessions whose runs are in progress


def check_plan(kind: EngineKind, scenario: Scenario, plan: Plan) -> None:
    """Check that an engine can run a plan. An error about a source names its place in the scenario.

    Raises:
        InputError: the engine cannot run the plan, or cannot run on this machine.
    """
    try:
        kind.check(plan)
    except SourceError as error:
        index = [source.name for source in plan.sources].index(error.source)
        raise scenario.places.fault(f"sources[{index}]", error.found, error.expected) from None


@atexit.register
def _end_all() -> None:
    for session in list(_OPEN):
        session.end_at_exit()
