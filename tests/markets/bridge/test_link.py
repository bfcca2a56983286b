# SPDX-License-Identifier: Apache-2.0
"""EngineLink against hostile, dead and disorderly engines: each is refused by name, in time."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

import bridge_samples as samples
from ecnomy.agents.errors import EngineError, ProtocolError
from ecnomy.markets.bridge import EngineLink, codec, columns, decode_body, encode, wire
from ecnomy.markets.bridge import messages as m
from ecnomy.markets.bridge.checks import ReportTimes, check_report

Pair = tuple[socket.socket, EngineLink]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A raw engine's socket and the market's link to it, with a deadline of half a second."""
    raw, ours = socket.socketpair()
    raw.settimeout(5)
    with raw, samples.link(ours, silence_s=0.5) as link:
        yield raw, link


def read(raw: socket.socket) -> m.Message:
    """The next frame that reached the engine."""
    header = raw.recv(4, socket.MSG_WAITALL)
    return decode_body(raw.recv(int.from_bytes(header, "big"), socket.MSG_WAITALL))


def greet(pair: Pair) -> Pair:
    """Hello and welcome."""
    raw, link = pair
    raw.sendall(encode(samples.HELLO))
    link.handshake()
    assert read(raw) == m.Welcome((1, 3))
    return pair


def refusal(link: EngineLink) -> ProtocolError:
    """The link's error on the next message."""
    with pytest.raises(ProtocolError) as caught:
        link.receive()
    return caught.value


def test_a_whole_run(pair: Pair) -> None:
    """A whole run follows the grammar from hello to bye, and the link has the right states."""
    raw, link = greet(pair)
    assert link.peer == "engine peer 0.1"
    raw.sendall(encode(samples.report()))
    assert isinstance(link.receive(), m.Report)
    link.send(m.Decide(0, samples.decision(), samples.link_decision()))
    assert isinstance(read(raw), m.Decide)
    raw.sendall(
        encode(m.Alive(5, 1)) + encode(m.Hand("{}")) + encode(m.Request(9, 6, 1, "call", 7))
    )
    assert link.receive() == m.Alive(5, 1)
    assert link.receive() == m.Hand("{}")
    assert link.receive() == m.Request(9, 6, 1, "call", 7)
    link.send(m.Verdict(9, False))
    assert read(raw) == m.Verdict(9, False)
    raw.sendall(encode(m.Record("series", samples.table(columns.RECORDS["series"], 2))))
    assert isinstance(link.receive(), m.Record)
    raw.sendall(encode(samples.report(epoch=1)))
    link.receive()
    assert (link.t_ps, link.last_message) == (10**12, "report")
    link.send(m.Decide(1))
    raw.sendall(encode(m.Finish(10**12, 1, 2, 3, 0.5)))
    assert isinstance(link.receive(), m.Finish)
    link.send(m.Bye())
    assert isinstance(read(raw), m.Decide)
    assert read(raw) == m.Bye()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"protocol": (2, 0)}, "wrong-major"),
        ({"protocol": (1, 0)}, "old-minor"),
        ({"token": "guess"}, "wrong-token"),
        ({"plan_digest": "other"}, "wrong-plan"),
        ({"seed": 7}, "wrong-plan"),
    ],
)
def test_a_wrong_hello_is_refused_on_the_wire(
    pair: Pair, change: dict[str, Any], name: str
) -> None:
    """The engine gets a refuse frame with the reason that the market raises."""
    raw, link = pair
    fields = {"type": "hello", **vars(samples.HELLO), **change}
    raw.sendall(samples.frame(samples.pack(fields)))
    with pytest.raises(ProtocolError) as caught:
        link.handshake()
    assert caught.value.name == name
    reply = read(raw)
    assert isinstance(reply, m.Refuse)
    assert reply.reason.startswith(f"{name}: ")


def test_another_major_is_refused_whatever_its_hello_holds(pair: Pair) -> None:
    """A hello of major 2 may have any form, so the error names the version, not its keys."""
    raw, link = pair
    raw.sendall(samples.frame(samples.pack({"type": "hello", "protocol": [2, 0], "new": 1})))
    with pytest.raises(ProtocolError, match="wrong-major"):
        link.handshake()


def test_no_hello_no_run(pair: Pair) -> None:
    """Any other first message is out of order."""
    raw, link = pair
    raw.sendall(encode(m.Alive(0, 0)))
    with pytest.raises(ProtocolError, match="wrong-order"):
        link.handshake()


@pytest.mark.parametrize(
    "message",
    [samples.HELLO, m.Welcome((1, 3)), m.Decide(0), m.Verdict(1, True), m.Bye(), m.Refuse("x")],
    ids=lambda message: type(message).__name__,
)
def test_what_an_engine_may_not_say(pair: Pair, message: m.Message) -> None:
    """Messages of the market, or a second hello, are out of order; the engine gets an error."""
    raw, link = greet(pair)
    raw.sendall(encode(message))
    assert refusal(link).name == "wrong-order"
    reply = read(raw)
    assert isinstance(reply, m.Error)
    assert reply.reason.startswith("wrong-order: ")


def test_finish_needs_a_report(pair: Pair) -> None:
    """A run has at least the report at t = 0."""
    raw, link = greet(pair)
    raw.sendall(encode(m.Finish(0, 0, 0, 0, 0.0)))
    assert refusal(link).name == "wrong-order"


TIMES = ReportTimes(epoch_ps=2 * 10**12, warmup_ps=3 * 10**12, duration_ps=5 * 10**12)
DUE = (0, 2, 3, 4, 5)  # seconds


def test_times_of_reports() -> None:
    """Reports come at each epoch, at the end of the warm-up and of the run, and not later."""
    times = [t * 10**12 for t in DUE]
    assert [TIMES.after(t) for t in times] == [*times[1:], None]


@pytest.mark.parametrize(
    ("reports", "finish", "name", "detail"),
    [
        ((0,), 0, "wrong-order", "found finish, expected the report at 2 s"),
        ((0, 2, 3, 4), 5, "wrong-order", "found finish, expected the report at 5 s"),
        (DUE, 4, "out-of-range", "finish at 4 s, expected 5 s"),
        (DUE, 6, "out-of-range", "finish at 6 s, expected 5 s"),
        ((0, 2, 4), None, "wrong-epoch", "found a report at 4 s, expected the report at 3 s"),
        ((0, 5), None, "wrong-epoch", "found a report at 5 s, expected the report at 2 s"),
        ((*DUE, 6), None, "wrong-epoch", "found a report at 6 s, expected finish"),
        (DUE, 5, "", ""),
    ],
)
def test_a_whole_run_has_all_its_reports(
    reports: tuple[int, ...], finish: int | None, name: str, detail: str
) -> None:
    """An early, late or missing report is refused, and so is a finish before or after the end."""
    raw, ours = socket.socketpair()
    with raw, samples.link(ours, times=TIMES) as link:
        greet((raw, link))
        with contextlib.nullcontext() if not name else pytest.raises(ProtocolError) as caught:
            for epoch, at in enumerate(reports):
                message = samples.report(epoch=at)
                raw.sendall(encode(dataclasses.replace(message, epoch=epoch)))
                link.receive()
                link.send(m.Decide(epoch))
            if finish is not None:
                raw.sendall(encode(m.Finish(finish * 10**12, 1, 2, 3, 0.5)))
                link.receive()
                link.send(m.Bye())
    assert not name or (caught.value.name == name and detail in str(caught.value))


def test_pairs_are_of_sources_of_the_plan() -> None:
    """Sources beyond a known number are refused. Without it, any source from 0 on is valid."""
    report = samples.report()
    check_report(report, samples.LIMITS)
    check_report(report, dataclasses.replace(samples.LIMITS, n_sources=6))
    with pytest.raises(ProtocolError, match="pairs.source"):
        check_report(report, dataclasses.replace(samples.LIMITS, n_sources=5))
    raw, ours = socket.socketpair()
    with raw, samples.link(ours, n_sources=5) as link:
        greet((raw, link))
        raw.sendall(encode(report))
        assert "pairs.source" in str(refusal(link))


def test_reports_go_forward(pair: Pair) -> None:
    """Epochs start with 0. Epochs and times neither jump nor go back."""
    raw, link = greet(pair)
    raw.sendall(encode(samples.report()) + encode(m.Alive(10**12, 1)) + encode(m.Alive(0, 1)))
    link.receive()
    link.send(m.Decide(0))
    link.receive()
    assert refusal(link).name == "out-of-range"


@pytest.mark.parametrize(("first", "second"), [(1, None), (0, 2), (0, 0)])
def test_epochs_that_do_not_follow(pair: Pair, first: int, second: int | None) -> None:
    """A first epoch of 1, a jump and a repetition are wrong epochs."""
    raw, link = greet(pair)
    raw.sendall(encode(samples.report(epoch=first)))
    if second is not None:
        link.receive()
        link.send(m.Decide(first))
        raw.sendall(encode(samples.report(epoch=second)))
    assert refusal(link).name == "wrong-epoch"


@pytest.mark.parametrize(
    ("stream", "name"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "frame-too-large"),
        (b"\xff\xff\xff\xff", "frame-too-large"),
        (b"\x00\x00\x00\x00", "frame-empty"),
        (samples.frame(b"\x81\xa4type" + b"\x91" * 100_000 + b"\xc0"), "too-deep"),
        (samples.frame(b"\xc1"), "not-messagepack"),
        (encode(samples.report(flows=2)), "column-length"),
    ],
)
def test_garbage_is_refused_before_it_is_read(pair: Pair, stream: bytes, name: str) -> None:
    """Garbage is refused by name. A length of 4 GiB costs neither time nor memory."""
    raw, link = greet(pair)
    raw.sendall(stream)
    before = time.monotonic()
    error = refusal(link)
    assert error.name == name
    assert time.monotonic() - before < 0.4
    assert "engine peer 0.1, t = 0 s, last message was welcome" in str(error)


def test_silence_is_named_in_time(pair: Pair) -> None:
    """Half a second without a byte is this link's deadline."""
    _, link = greet(pair)
    before = time.monotonic()
    assert refusal(link).name == "silence"
    assert 0.4 < time.monotonic() - before < 5


def test_a_long_computation_is_not_silence(pair: Pair) -> None:
    """Alive messages extend the deadline, which limits silence, not the answer."""
    raw, link = greet(pair)
    for i in range(4):
        time.sleep(0.2)
        raw.sendall(encode(m.Alive(i, i)))
        assert link.receive() == m.Alive(i, i)


def test_an_error_does_not_wait_for_an_engine_that_reads_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The market ends without waiting for a stopped engine to read the error."""
    monkeypatch.setattr(wire, "_LAST_WORDS_S", 0.05)
    _, link = greet(pair)
    link.wait_for_ever()
    link._wire._sock.settimeout(10.0)  # not for ever, for this test's sake
    before = time.monotonic()
    link.send(m.Error("x" * (4 << 20)))
    assert time.monotonic() - before < 5


def test_serve_waits_without_a_deadline() -> None:
    """Without a deadline, only the end of file counts as death."""
    raw, ours = socket.socketpair()
    with raw, samples.link(ours, silence_s=None) as link:
        assert ours.gettimeout() is None
        raw.close()
        with pytest.raises(ProtocolError, match="hung-up"):
            link.handshake()


@pytest.mark.parametrize(("left", "name"), [(0, "hung-up"), (2, "truncated"), (40, "truncated")])
def test_death_is_named(pair: Pair, left: int, name: str) -> None:
    """Death between frames is a hang-up, and inside a header or a body an incomplete frame."""
    raw, link = greet(pair)
    raw.sendall(encode(samples.report())[:left])
    raw.close()
    error = refusal(link)
    assert error.name == name
    assert "last message was welcome" in error.detail


def test_an_engine_says_why_it_leaves(pair: Pair) -> None:
    """The engine's own reason is raised instead of a consequence of it."""
    raw, link = greet(pair)
    raw.sendall(encode(m.Error("out of memory")))
    with pytest.raises(EngineError, match="engine peer 0.1: out of memory") as caught:
        link.receive()
    assert not isinstance(caught.value, ProtocolError)


@pytest.mark.parametrize("before", [[], [m.Alive(0, 1), m.Alive(0, 2)]], ids=["last", "later"])
def test_the_reason_is_found_when_the_answer_cannot_be_sent(
    pair: Pair, before: list[m.Alive]
) -> None:
    """The reason for leaving is quoted, after other messages too, if a send notices the end."""
    raw, link = greet(pair)
    sent = [samples.report(), *before, m.Error("out of memory")]
    raw.sendall(b"".join(map(encode, sent)))
    link.receive()
    raw.close()
    with pytest.raises(EngineError, match="out of memory"):
        link.send(m.Decide(0))


@pytest.mark.parametrize(
    ("decide", "name"),
    [
        (m.Decide(0, samples.decision(mark_rate=[np.nan, 1.0])), "not-finite"),
        (m.Decide(0, samples.decision(flow=[0, 3])), "unknown-flow"),
        (m.Decide(0, samples.decision(flow=[1, 1])), "out-of-range"),
        (m.Decide(0, samples.decision(mark_rate=[-3.0, 1.0])), "out-of-range"),
        (m.Decide(0, samples.decision(mark_rate=[-0.5, 1.0])), "out-of-range"),
        (m.Decide(0, samples.decision(mark_cap=[1.5, 2.5])), "wrong-type"),
        (m.Decide(0, {"flow": np.array([1])}), "column-name"),
        (m.Decide(0, {}, samples.link_decision(link=[2])), "unknown-link"),
        (m.Decide(0, {}, samples.link_decision(param=[3])), "out-of-range"),
        (m.Decide(0, {}, samples.link_decision(value=[np.inf])), "not-finite"),
        (m.Decide(0, {}, samples.link_decision(value=[1])), "wrong-type"),
        (m.Decide(0, {}, samples.link_decision(param=[0, 1])), "column-length"),
        (m.Decide(0, {}, samples.link_decision(unit=[0])), "column-name"),
        (m.Decide(1), "wrong-epoch"),
        (m.Verdict(1, True), "wrong-order"),
        (m.Bye(), "wrong-order"),
    ],
)
def test_nothing_wrong_leaves_the_market(name: str, decide: m.Decide) -> None:
    """A NaN from a strategy is refused before it is sent, and a valid answer may follow."""
    raw, ours = socket.socketpair()
    raw.settimeout(5)
    with raw, samples.link(ours, params=(0, 3)) as link:
        greet((raw, link))
        raw.sendall(encode(samples.report()))
        link.receive()
        with pytest.raises(ProtocolError) as caught:
            link.send(decide)
        assert caught.value.name == name
        link.send(m.Decide(0))
        assert read(raw) == m.Decide(0)


@pytest.mark.parametrize(
    "message", [m.Show("{}"), m.Decide(0), m.Verdict(1, True), m.Bye()], ids=codec.type_name
)
def test_an_answer_needs_a_question(pair: Pair, message: m.Message) -> None:
    """Before a report and after its decision, the market sends nothing."""
    raw, link = greet(pair)
    with pytest.raises(ProtocolError, match="wrong-order: .*expected None"):
        link.send(message)
    raw.sendall(encode(samples.report()))
    link.receive()
    link.send(m.Decide(0))
    with pytest.raises(ProtocolError, match="wrong-order: .*expected None"):
        link.send(message)


@pytest.mark.parametrize("answered", [True, False])
def test_the_market_may_end_a_run_at_any_time(pair: Pair, answered: bool) -> None:
    """The engine reads the reason, whether or not it waits for an answer."""
    raw, link = greet(pair)
    raw.sendall(encode(samples.report()))
    link.receive()
    if answered:
        link.send(m.Decide(0))
        assert read(raw) == m.Decide(0)
    link.send(m.Error("gold failed"))
    assert read(raw) == m.Error("gold failed")


def test_an_engine_that_does_not_read_is_silent(pair: Pair) -> None:
    """A full socket is also limited by the deadline."""
    raw, link = greet(pair)
    raw.sendall(encode(samples.report()))
    link.receive()
    big: Any = {name: np.zeros(500_000, dtype) for name, dtype in columns.DECIDE_LINKS.items()}
    with pytest.raises(ProtocolError) as caught:
        link.send(m.Decide(0, {}, big))
    assert caught.value.name == "silence"


def test_a_newer_minor_may_say_more(pair: Pair) -> None:
    """After the hello of a newer minor, unknown keys are skipped."""
    raw, link = pair
    hello = {"type": "hello", **vars(samples.HELLO), "protocol": (1, 4)}
    raw.sendall(samples.frame(msgspec.msgpack.encode(hello)))
    link.handshake()
    rich = {"type": "alive", "t_ps": 1, "events": 2, "mood": "good"}
    raw.sendall(samples.frame(msgspec.msgpack.encode(rich)))
    assert link.receive() == m.Alive(1, 2)
