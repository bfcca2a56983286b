# SPDX-License-Identifier: Apache-2.0
"""Exchange messages with an engine, and check their order and content.

Order (omnet/bridge/PROTOCOL.md): hello welcome ((record | hand | alive | request verdict)* report
[show] decide)* (record | alive)* finish bye. Errors name the peer, its simulated time and the last
message.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from ecnomy.agents.errors import EngineError, ProtocolError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge import codec
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.checks import PlanSizes, ReportTimes, check_decide
from ecnomy.markets.bridge.token import WRONG, has_token
from ecnomy.markets.bridge.wire import Wire

__all__ = ["EngineLink", "FromEngine", "ToEngine", "fault_of_seed"]

FromEngine = m.Report | m.Request | m.Record | m.Hand | m.Alive | m.Finish
ToEngine = m.Decide | m.Show | m.Verdict | m.Bye | m.Error

_DIGEST: Final = 64  # number of digits
# Errors of a broken connection, which cannot be sent to the peer.
_UNSPEAKABLE: Final = ("hung-up", "truncated")


def fault_of_seed(hello: m.Hello, seed: int) -> str:
    """Describe how an engine's seed differs from the expected seed; "" if both are equal."""
    if hello.seed == seed:
        return ""
    return f"the engine has seed {hello.seed}, expected seed {seed}"


class EngineLink:
    """The connection to an engine over a stream socket, which `close` closes.

    Args:
        sock: connected stream socket.
        n_flows: number of rows of flows in the plan.
        n_links: number of links of the plan.
        n_pairs: number of rows of `report.pairs`.
        plan_digest: required digest of the engine's plan.
        seed: required seed of the engine.
        late: number of delay thresholds of the plan.
        token: shared secret of a listening market; "" on an inherited socket.
        silence_s: time without any byte after which the engine counts as dead [s]. None waits
            until the connection is closed.
        params: number of parameters of each link's law; () leaves this check to the engine.
        times: times of the reports, or None to accept any ascending times.
        head: bytes already read from the socket.
        n_sources: number of sources of the plan; -1 if unknown.
    """

    def __init__(
        self,
        sock: socket.socket,
        *,
        n_flows: int,
        n_links: int,
        n_pairs: int,
        plan_digest: str,
        seed: int,
        late: int = 0,
        token: str = "",
        silence_s: float | None = 30.0,
        params: Sequence[int] = (),
        times: ReportTimes | None = None,
        head: bytes = b"",
        n_sources: int = -1,
    ) -> None:
        self._wire = Wire(sock, silence_s, head)
        self.limit(
            n_flows=n_flows,
            n_links=n_links,
            n_pairs=n_pairs,
            late=late,
            params=params,
            times=times,
            n_sources=n_sources,
        )
        self._plan_digest, self._seed, self._token = plan_digest, seed, token
        self._newer = False
        self._peer = "engine"
        self._last = "none"
        self._t_ps = 0
        self._report: m.Report | None = None
        self._due: str | None = "hello"  # required next message; None allows any

    @property
    def peer(self) -> str:
        """Return the engine's name and version, which are known after its hello."""
        return self._peer

    @property
    def t_ps(self) -> int:
        """Return the simulated time of the last message with a time [ps]."""
        return self._t_ps

    @property
    def last_message(self) -> str:
        """Return the type of the last message in either direction."""
        return self._last

    def handshake(self, fault: Callable[[m.Hello], str] | None = None) -> m.Hello:
        """Receive the engine's hello and send a welcome.

        Args:
            fault: function that describes a fault of the engine's plan or seed, or returns "". By
                default, plan and seed must equal those of the market.

        Raises:
            ProtocolError: old-minor, wrong-major, wrong-token, wrong-plan (digest or seed), or any
                other error in the hello. The engine receives the reason as a refusal.
            EngineError: the engine reported an error instead of its hello.
        """
        hello = self._next()
        if not isinstance(hello, m.Hello):
            self._fail("wrong-order", f"found {codec.type_name(hello)}, expected hello")
        self._peer = f"engine {hello.engine} {hello.version}"
        if not has_token(hello, self._token):
            self._fail(*WRONG)
        if hello.protocol[1] < codec.MINOR:
            theirs, ours = ".".join(map(str, hello.protocol)), f"{codec.MAJOR}.{codec.MINOR}"
            self._fail("old-minor", f"found protocol {theirs}, expected {ours}; rebuild the engine")
        if wrong := (fault or self.fault_of_plan)(hello):
            self._fail("wrong-plan", wrong)
        self._newer = hello.protocol[1] > codec.MINOR
        self._due = None
        self._put(m.Welcome((codec.MAJOR, codec.MINOR)))
        return hello

    def fault_of_plan(self, hello: m.Hello) -> str:
        """Describe how an engine's plan or seed differs from the market's, or return ""."""
        if hello.plan_digest != self._plan_digest:
            digest = hello.plan_digest[:_DIGEST]
            found = f"plan {digest}" if digest else "a plan without a digest"
            return f"the engine runs {found}, expected plan {self._plan_digest}"
        return fault_of_seed(hello, self._seed)

    def limit(
        self,
        *,
        n_flows: int,
        n_links: int,
        n_pairs: int,
        late: int,
        params: Sequence[int],
        times: ReportTimes | None,
        n_sources: int = -1,
    ) -> None:
        """Check later messages against these sizes, which the constructor describes."""
        self._limits = PlanSizes(n_flows, n_links, n_pairs, late, tuple(params), n_sources)
        self._times = times

    def wait_for_ever(self) -> None:
        """Wait without a time limit from now on, until the connection is closed."""
        self._wire.wait_for_ever()

    def receive(self) -> FromEngine:
        """Return the engine's next message.

        Before the next call, answer a Report with Decide, a Request with Verdict, and Finish with
        Bye.

        Raises:
            ProtocolError: the message is invalid or out of order, or the engine is dead (`silence`,
                `hung-up`).
            EngineError: the engine reported an error.
        """
        if self._due is not None:
            raise RuntimeError(f"receive() is out of order: the market must send {self._due}")
        message = self._next()
        if isinstance(message, m.Report):
            self._check_order(message)
            self._report, self._due = message, "decide"
        elif isinstance(message, m.Request):
            self._due = f"verdict {message.id}"
        elif isinstance(message, m.Finish):
            self._check_end(message)
            self._due = "bye"
        elif not isinstance(message, m.Record | m.Hand | m.Alive):
            self._fail(
                "wrong-order", f"engines do not send {codec.type_name(message)} during a run"
            )
        self._follow_time(message)
        return message

    def send(self, message: ToEngine) -> None:
        """Send the expected message or, at any time, an Error, which ends the run.

        A Show may precede a Decide.

        Raises:
            ProtocolError: the decision is invalid (as in `check_decide`), wrong-order, wrong-epoch,
                silence, hung-up.
            EngineError: the engine closed the connection after it sent an error.
        """
        if isinstance(message, m.Error):
            self._last = "error"
            self._wire.last_words(codec.encode(message))
            return
        if isinstance(message, m.Show) and self._due == "decide":
            return self._put(message)
        due = codec.type_name(message)
        if isinstance(message, m.Verdict):
            due = f"verdict {message.id}"
        if due != self._due:
            raise self._named("wrong-order", f"cannot send {due}, expected {self._due}")
        if isinstance(message, m.Decide):
            self._check_decide(message)
        self._due = None
        self._put(message)
        if isinstance(message, m.Bye):
            self._due = "nothing: the run has ended"

    def close(self) -> None:
        """Close the socket. The engine then treats the market as dead."""
        self._wire.close()

    def __enter__(self) -> EngineLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_decide(self, decide: m.Decide) -> None:
        assert self._report is not None
        if decide.epoch != self._report.epoch:
            answered = (
                f"found a decision for epoch {decide.epoch}, expected epoch {self._report.epoch}"
            )
            raise self._named("wrong-epoch", answered)
        try:
            check_decide(decide, self._limits)
        except ProtocolError as e:
            raise self._named(e.name, e.detail) from None

    def _check_order(self, report: m.Report) -> None:
        """Check that reports begin with epoch 0 at t = 0, ascend, and have the expected times."""
        last = self._report
        if last is None:
            if report.epoch != 0 or report.t_ps != 0:
                self._fail(
                    "wrong-epoch",
                    f"the first report is of epoch {report.epoch} at {_seconds(report.t_ps)}, "
                    "expected epoch 0 at 0 s",
                )
            return
        if report.epoch - last.epoch not in (0, 1) or report.t_ps <= last.t_ps:
            self._fail(
                "wrong-epoch",
                f"found epoch {report.epoch} at {_seconds(report.t_ps)}, expected epoch "
                f"{last.epoch} or {last.epoch + 1} after {_seconds(last.t_ps)}",
            )
        if self._times and report.t_ps != (due := self._times.after(last.t_ps)):
            wanted = "finish" if due is None else f"the report at {_seconds(due)}"
            self._fail(
                "wrong-epoch", f"found a report at {_seconds(report.t_ps)}, expected {wanted}"
            )

    def _check_end(self, finish: m.Finish) -> None:
        """Check that all reports have arrived, and that the run ends at the last report's time."""
        last = self._report
        if last is None:
            self._fail("wrong-order", "found finish, expected the first report")
        if self._times and (due := self._times.after(last.t_ps)) is not None:
            wanted = f"the report at {_seconds(due)}"
            self._fail("wrong-order", f"found finish, expected {wanted}")
        if self._times and finish.t_ps != last.t_ps:
            at = f"found finish at {_seconds(finish.t_ps)}, expected {_seconds(last.t_ps)}"
            self._fail("out-of-range", at)

    def _follow_time(self, message: FromEngine) -> None:
        if isinstance(message, m.Record | m.Hand):
            return
        if message.t_ps < self._t_ps:
            self._fail("out-of-range", f"the time went back to {_seconds(message.t_ps)}")
        self._t_ps = message.t_ps

    def _next(self) -> m.Message:
        try:
            body = self._wire.read()
            message = codec.decode_body(body, self._limits, newer_peer=self._newer)
        except ProtocolError as e:
            self._fail(e.name, e.detail)
        self._last = codec.type_name(message)
        if isinstance(message, m.Error):
            raise EngineError(f"{self._peer}: {message.reason}")
        return message

    def _put(self, message: m.Message) -> None:
        try:
            self._wire.write(codec.encode(message))
        except ProtocolError as e:
            if e.name == "hung-up":
                self._read_last_words()
            raise self._named(e.name, e.detail) from None
        self._last = codec.type_name(message)

    def _read_last_words(self) -> None:
        """If the peer sent an error before it closed the connection, raise this error."""
        message: m.Message | None = None
        while not isinstance(message, m.Error):
            try:
                message = codec.decode_body(self._wire.read(), newer_peer=self._newer)
            except ProtocolError:
                return
        raise EngineError(f"{self._peer}: {message.reason}")

    def _fail(self, name: str, detail: str) -> NoReturn:
        """Send an error to the engine unless the connection is broken, and raise the error."""
        reason = f"{name}: {detail}"
        if name not in _UNSPEAKABLE:
            refusal = m.Refuse(reason) if self._due == "hello" else m.Error(reason)
            self._wire.last_words(codec.encode(refusal))
        raise self._named(name, detail)

    def _named(self, name: str, detail: str) -> ProtocolError:
        place = f"{self._peer}, t = {_seconds(self._t_ps)}, last message was {self._last}"
        return ProtocolError(name, f"{detail} ({place})")


def _seconds(t_ps: int) -> str:
    return f"{t_ps / PS_PER_S:.12g} s"
