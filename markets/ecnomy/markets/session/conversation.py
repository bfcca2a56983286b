# SPDX-License-Identifier: Apache-2.0
"""Exchange messages between an engine and a market, report by report.

A step answers the last report and stores it. The step then reads messages up to the next report,
books the epoch, and lets agents decide. Between two steps the engine waits for an answer. Changes
to the market in this time therefore affect the next epoch.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from ecnomy.agents.errors import EcnomyError, EngineError, ProtocolError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.checks import ReportTimes
from ecnomy.markets.bridge.messages import (
    Bye,
    Error,
    Finish,
    Hand,
    Hello,
    Record,
    Report,
    Request,
    Show,
)
from ecnomy.markets.bridge.server import EngineLink, fault_of_seed
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.engines.process import EngineProcess
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences, in_words
from ecnomy.markets.session.qtenv_hand import Held
from ecnomy.markets.session.qtenv_screen import Screen

__all__ = [
    "Conversation",
    "Quiet",
    "Sink",
    "Voice",
    "engine_link",
    "fault",
    "limits_of",
    "simulate",
    "talk",
    "welcomed",
]

_DEAD: Final = ("hung-up", "truncated")  # faults of a connection after the engine has ended


class Sink(Protocol):
    """The receiver of a run's output."""

    def engine(self, name: str, version: str) -> None:
        """Record the name and version of the engine."""

    def report(self, report: Report, market: MarketLike) -> None:
        """Store a report, and the state of the market after the answer to it."""

    def record(self, record: Record) -> None:
        """Store the rows of a record in their table."""


class Voice(Protocol):
    """The observer of a run's progress."""

    def start(self, plan: Plan) -> None:
        """Report the start of a run."""

    def at(self, t_ps: int) -> None:
        """Report the current simulated time."""

    def warn(self, line: str) -> None:
        """Show a notice to the user."""


class Quiet:
    """A silent observer."""

    def start(self, plan: Plan) -> None:
        """Do nothing."""

    def at(self, t_ps: int) -> None:
        """Do nothing."""

    def warn(self, line: str) -> None:
        """Do nothing."""


class Conversation:
    """Exchanges messages between a welcomed engine and a market.

    The object holds no reference to the market. Each call receives the market as an argument.

    Attributes:
        finish: the engine's last message; None until it arrives.
        t_ps: time of the last report that the market has processed [ps].
    """

    def __init__(
        self, link: EngineLink, plan: Plan, sink: Sink, say: Voice, fate: Callable[[], str]
    ) -> None:
        """Prepare the exchange, without reading or sending a message.

        Args:
            link: the market's end of the connection.
            plan: the plan of the engine and the market.
            sink: the receiver of reports and records.
            say: the observer of progress.
            fate: function that, after the connection has closed, describes how the engine ended.
        """
        self._link, self._plan, self._sink, self._say, self._fate = link, plan, sink, say, fate
        self._met: Report | None = None
        self._screen: Screen | None = None  # if a screen is attached
        self._held = Held()
        self._refusals_warned: set[str] = set()
        self.finish: Finish | None = None
        self.t_ps = 0

    @property
    def under_way(self) -> bool:
        """Return whether all reports received so far have been answered."""
        return self._met is None

    def begin(self, hello: Hello, market: MarketLike) -> None:
        """Read the report at t = 0 and let agents decide. The answer is not sent yet.

        Raises:
            EcnomyError: as for `run`.
            OSError: the sink cannot store its input.
        """
        with self._failure_sent():
            self._sink.engine(hello.engine, hello.version)
            self._screen = Screen(self._plan) if hello.show else None
            self._say.start(self._plan)
            self._listen(market)

    def step(self, market: MarketLike) -> None:
        """Answer a report and continue to the next, or to the end if the next report is the last.

        Raises:
            EcnomyError: as for `run`.
            OSError: the sink cannot store its input.
        """
        with self._failure_sent():
            self._answer(market)
            self._listen(market)
            if self._met is not None and self._met.t_ps >= self._plan.duration_ps:
                self._answer(market)
                self._listen(market)

    def flush(self, market: MarketLike) -> None:
        """Store the last report, if it has not been answered."""
        report, self._met = self._met, None
        if report is not None:
            self._sink.report(report, market)

    def _answer(self, market: MarketLike) -> None:
        report, self._met = self._met, None
        assert report is not None
        orders = market.orders()
        if self._screen is not None:
            self._link.send(Show(self._screen.json(market)))
        self._link.send(orders)
        # Answer first, so that the engine continues while the tables are written.
        self._sink.report(report, market)

    def _listen(self, market: MarketLike) -> None:
        """Read messages until the market has processed a report or the engine has finished."""
        while True:
            message = self._link.receive()
            if isinstance(message, Report):
                market.meet(message)
                self._hold(market)
                self._met, self.t_ps = message, message.t_ps
                _pass_on(market.warnings, self._say)
                self._say.at(message.t_ps)
                return
            if isinstance(message, Record):
                self._sink.record(market.record(message))
            elif isinstance(message, Request):
                self._link.send(market.request(message))
            elif isinstance(message, Hand):
                self._held = Held.of(message.json)
            elif isinstance(message, Finish):
                self._link.send(Bye())
                self.finish = message
                return
            else:
                self._say.at(message.t_ps)

    def _hold(self, market: MarketLike) -> None:
        """Apply values set by hand, and warn once about each refusal."""
        for line in self._held.apply(market):
            if line not in self._refusals_warned:
                self._refusals_warned.add(line)
                self._say.warn(line)

    @contextmanager
    def _failure_sent(self) -> Iterator[None]:
        """If the market fails, send the reason to the engine."""
        with _blamed(self._link, self._fate):
            try:
                yield
            except EngineError:
                raise
            except (EcnomyError, OSError) as error:
                self._link.send(Error(str(error)))
                raise


def simulate(
    engine: EngineProcess, plan: Plan, market: MarketLike, sink: Sink, say: Voice
) -> Finish:
    """Exchange messages between a started engine and a market until the run ends.

    Raises:
        EcnomyError: as for `run`.
        OSError: the sink cannot store its input.
    """
    with engine_link(engine.sock, plan) as link:
        hello = welcomed(engine, link, plan)
        return talk(link, hello, plan, market, sink, say, fate=engine.fate)


def talk(
    link: EngineLink,
    hello: Hello,
    plan: Plan,
    market: MarketLike,
    sink: Sink,
    say: Voice,
    *,
    fate: Callable[[], str],
) -> Finish:
    """Exchange messages between a welcomed engine and a market until the run ends.

    Args:
        link: the market's end of the connection.
        hello: the engine's hello.
        plan: the plan of the engine and the market.
        market: the market that decides.
        sink: the receiver of reports and records.
        say: the observer of progress.
        fate: function that, after the connection has closed, describes how the engine ended.

    Raises:
        EcnomyError: as for `run`.
        OSError: the sink cannot store its input.
    """
    conversation = Conversation(link, plan, sink, say, fate)
    conversation.begin(hello, market)
    while conversation.finish is None:
        conversation.step(market)
    return conversation.finish


def welcomed(engine: EngineProcess, link: EngineLink, plan: Plan) -> Hello:
    """Receive the hello of an engine that was started with this plan, and welcome the engine.

    Raises:
        EngineError: the engine died, or its plan or seed differs.
    """
    with _blamed(link, engine.fate):
        return link.handshake(lambda hello: fault(link, plan, hello))


def fault(link: EngineLink, plan: Plan, hello: Hello) -> str:
    """Describe how a started engine differs from its plan, or return ""."""
    if not hello.network:
        return link.fault_of_plan(hello)
    return fault_of_seed(hello, plan.seed) or in_words(differences(plan, hello.network))


@contextmanager
def _blamed(link: EngineLink, fate: Callable[[], str]) -> Iterator[None]:
    """Turn the error of a broken connection into one that states how the engine ended."""
    try:
        yield
    except ProtocolError as error:
        if error.name not in _DEAD:
            raise
        when = f"at simulated time {link.t_ps / PS_PER_S:.12g} s"
        raise EngineError(f"{fate()} {when} (last message: {link.last_message})") from error


def engine_link(
    sock: socket.socket,
    plan: Plan,
    *,
    token: str = "",
    silence_s: float | None = 30.0,
    head: bytes = b"",
) -> EngineLink:
    """Return the market's end of a connection to an engine of this plan (see EngineLink)."""
    return EngineLink(
        sock,
        **limits_of(plan),
        plan_digest=plan.digest,
        seed=plan.seed,
        token=token,
        silence_s=silence_s,
        head=head,
    )


def limits_of(plan: Plan) -> dict[str, Any]:
    """Return the limits for messages about a plan, as arguments of EngineLink.limit."""
    return {
        "n_flows": plan.row_count,
        "n_links": len(plan.links),
        "n_sources": len(plan.sources),
        "n_pairs": sum(len(source.path) + len(source.ack_path) for source in plan.sources),
        "late": len(plan.record.delay_thresholds_ps),
        "params": [len(link.marking.params) for link in plan.links],
        "times": ReportTimes(plan.epoch_ps, plan.warmup_ps, plan.duration_ps),
    }


def _pass_on(warnings: list[str], say: Voice) -> None:
    for warning in warnings:
        say.warn(warning)
    warnings.clear()
