# SPDX-License-Identifier: Apache-2.0
"""One engine and one market talking until the run ends."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from ecnomy.agents.errors import EcnomyError, EngineError, ProtocolError
from ecnomy.markets.bridge.messages import Bye, Error, Finish, Hello, Record, Report, Request
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.engine_process import EngineProcess
from ecnomy.markets.nomarket import MarketLike
from ecnomy.markets.plan import Plan

__all__ = ["Quiet", "Sink", "Voice", "engine_link", "simulate", "talk"]

PS_PER_S: Final = 10**12
_DEAD: Final = ("hung-up", "truncated")  # what a connection says of an engine that is gone


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


def simulate(
    engine: EngineProcess, plan: Plan, market: MarketLike, sink: Sink, say: Voice
) -> Finish:
    """Have a started engine and a market talk until the run ends.

    Raises:
        EcnomyError: as `run`.
        OSError: the sink cannot take what it is given.
    """
    with engine_link(engine.sock, plan) as link:
        with _blamed(link, engine.fate):
            hello = link.handshake()
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
    """Have an engine that has been welcomed and a market talk until the run ends.

    Args:
        link: the market's end.
        hello: what the engine said of itself.
        plan: what both were given.
        market: who decides.
        sink: who takes the reports and records.
        say: who is told how it goes.
        fate: says what became of an engine that hung up.

    Raises:
        EcnomyError: as `run`.
        OSError: the sink cannot take what it is given.
    """
    with _blamed(link, fate):
        try:
            sink.engine(hello.engine, hello.version)
            say.start(plan)
            return _converse(link, market, sink, say)
        except EngineError:
            raise
        except (EcnomyError, OSError) as error:
            link.send(Error(str(error)))
            raise


@contextmanager
def _blamed(link: EngineLink, fate: Callable[[], str]) -> Iterator[None]:
    """An engine that is gone is named with what became of it."""
    try:
        yield
    except ProtocolError as error:
        if error.name not in _DEAD:
            raise
        when = f"at simulated time {link.t_ps / PS_PER_S:.12g} s"
        raise EngineError(f"{fate()} {when} (last message: {link.last_message})") from error


def engine_link(
    sock: socket.socket, plan: Plan, *, token: str = "", silence_s: float | None = 30.0
) -> EngineLink:
    """The market's end of a connection to an engine that runs this plan; see EngineLink."""
    return EngineLink(
        sock,
        n_flows=plan.row_count,
        n_links=len(plan.links),
        n_pairs=sum(len(source.path) + len(source.ack_path) for source in plan.sources),
        plan_digest=plan.digest,
        seed=plan.seed,
        late=len(plan.record.delay_thresholds_ps),
        token=token,
        silence_s=silence_s,
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
