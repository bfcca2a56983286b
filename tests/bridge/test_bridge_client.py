# SPDX-License-Identifier: Apache-2.0
"""The C++ client against the market's link, and against hostile, dead and disorderly markets."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge_samples as samples
from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import EngineLink, columns, decode_body, encode, listen
from ecnomy.markets.bridge import messages as m
from processes import LIMIT_S, ended, line_of, started

WELCOME = encode(m.Welcome((1, 0)))


def read(sock: socket.socket) -> m.Message:
    """Return the next frame from the client."""
    header = sock.recv(4, socket.MSG_WAITALL)
    return decode_body(sock.recv(int.from_bytes(header, "big"), socket.MSG_WAITALL))


def serve(link: EngineLink) -> list[str]:
    """A market that decides on every report and accepts odd calls; returns what it received."""
    received = []
    link.handshake()
    while True:
        message = link.receive()
        received.append(type(message).__name__)
        if isinstance(message, m.Report):
            assert message.flows["sent"][2] == 1002
            link.send(m.Decide(message.epoch, samples.decision(), samples.link_decision()))
        elif isinstance(message, m.Request):
            link.send(m.Verdict(message.id, message.id % 2 == 1))
        elif isinstance(message, m.Finish):
            link.send(m.Bye())
            return received


EPOCH = ["Record", "Alive", "Request", "Report"]


def test_a_whole_session(start_peer: Any) -> None:
    """A session of three epochs over a socketpair has calls, records and decisions."""
    process, sock = start_peer("session", 3, 3)
    with samples.link(sock) as link:
        assert serve(link) == ["Report", *EPOCH, *EPOCH, "Finish"]
    _, words, _ = ended(process)
    assert words.split("\n") == [
        *("decide 2 1.5 1", "accept 1", "decide 2 1.5 1", "accept 0", "decide 2 1.5 1"),
        *("bye", ""),
    ]
    assert process.returncode == 0


def test_a_session_that_somebody_looks_at(start_peer: Any) -> None:
    """An engine that requests `show` gets each report's state before the decision."""
    process, sock = start_peer("session", 2, 3, "show")
    with samples.link(sock) as link:
        assert link.handshake().show
        for epoch in (0, 1):
            while not isinstance(message := link.receive(), m.Report):
                if isinstance(message, m.Request):
                    link.send(m.Verdict(message.id, accept=True))
            link.send(m.Show(f'{{"epoch": {epoch}, "name": "é"}}'))
            link.send(m.Decide(epoch, samples.decision()))
        assert isinstance(link.receive(), m.Finish)
        link.send(m.Bye())
    _, words, _ = ended(process)
    assert [line for line in words.split("\n") if line.startswith("show")] == [
        'show {"epoch": 0, "name": "é"}',
        'show {"epoch": 1, "name": "é"}',
    ]
    assert process.returncode == 0


def test_a_market_that_shows_nothing(start_peer: Any) -> None:
    """An engine that requested `show` and gets a decision instead refuses the decision by name."""
    process, sock = start_peer("session", 1, 3, "show")
    for answer in (encode(m.Welcome((1, 3))), encode(m.Decide(0))):
        read(sock)
        sock.sendall(answer)
    last = read(sock)
    assert isinstance(last, m.Error)
    assert last.reason.startswith("wrong-order: ")
    assert ended(process).status == 1


def test_an_older_market_gets_no_show(start_peer: Any) -> None:
    """A market of protocol 1.1 does not know `show`, and the session continues without it."""
    process, sock = start_peer("session", 1, 3, "show")
    for answer in (encode(m.Welcome((1, 1))), encode(m.Decide(0)), encode(m.Bye())):
        read(sock)
        sock.sendall(answer)
    _, words, _ = ended(process)
    assert "show \n" in words
    assert process.returncode == 0


def test_a_large_table_is_sent_in_parts(start_peer: Any) -> None:
    """A table of 9.6 MB is sent in parts of at most 8 MiB, with all rows in order."""
    rows = 300_001
    process, sock = start_peer("records", rows)
    parts = []
    with samples.link(sock) as link:
        link.handshake()
        assert isinstance(link.receive(), m.Report)
        link.send(m.Decide(0))
        while isinstance(message := link.receive(), m.Record):
            parts.append(message.columns)
        link.send(m.Bye())
    assert isinstance(message, m.Finish)
    sizes = [sum(values.nbytes for values in part.values()) for part in parts]
    assert max(sizes) <= 8 << 20 and sum(sizes) == 4 * 8 * rows
    for name, values in samples.table(columns.RECORDS["series"], rows).items():
        assert np.array_equal(np.concatenate([part[name] for part in parts]), values)
    assert ended(process).status == 0


def has_ipv6() -> bool:
    """Return whether this machine has an IPv6 loopback."""
    try:
        with socket.socket(socket.AF_INET6) as there:
            there.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("form", ["unix:{}/market", "tcp://127.0.0.1:0", "tcp://[::1]:0"])
def test_a_session_by_address(peer: Path, tmp_path: Path, form: str) -> None:
    """The client finds a listening market by Unix path and by TCP, here under sanitizers."""
    if "::1" in form and not has_ipv6():
        pytest.skip("this machine has no IPv6: ::1 cannot be bound")
    with listen(form.format(tmp_path), samples.HELLO.token) as listener:
        assert listener.address.startswith(form.format(tmp_path).removesuffix("0"))
        command = [str(peer), "session", listener.address, "2", "3"]
        with started(command, stdout=subprocess.PIPE) as process:
            with samples.link(listener.accept(timeout_s=LIMIT_S)) as link:
                assert serve(link) == ["Report", *EPOCH, "Finish"]
            status, words, _ = ended(process)
    assert words.endswith("bye\n")
    assert status == 0


def test_nobody_listens(peer: Path, tmp_path: Path) -> None:
    """The error names the address that does not answer."""
    command = [str(peer), "session", f"unix:{tmp_path}/nobody", "1", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 1
    assert done.stdout.startswith("refused hung-up: cannot reach the market at unix:")


def test_the_market_refuses(start_peer: Any) -> None:
    """The reason of a refuse frame reaches the engine word for word."""
    process, sock = start_peer("session", 1, 3)
    with samples.link(sock, plan_digest="other") as link:
        with pytest.raises(ProtocolError, match="wrong-plan"):
            link.handshake()
        _, words, _ = ended(process)
    assert words.startswith("peer-error market refused this engine: wrong-plan: the engine runs")
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ([b"\xff\xff\xff\xff"], "frame-too-large"),
        ([b"\x00\x00\x00\x00"], "frame-empty"),
        ([samples.frame(b"\xc1")], "not-messagepack"),
        ([samples.frame(b"\x81\xa4type" + b"\x91" * 100_000 + b"\xc0")], "too-deep"),
        ([samples.frame(samples.pack({"type": "welcome", "protocol": [2, 0]}))], "wrong-major"),
        ([encode(m.Bye())], "wrong-order"),
        ([WELCOME, WELCOME], "wrong-order"),
        ([WELCOME, encode(m.Decide(1))], "wrong-epoch"),
        ([WELCOME, encode(m.Decide(0, samples.decision(flow=[0, 3])))], "unknown-flow"),
        ([WELCOME, encode(m.Decide(0, samples.decision(mark_rate=[np.nan, 0])))], "not-finite"),
    ],
)
def test_hostile_markets(start_peer: Any, answers: list[bytes], name: str) -> None:
    """Each fault is refused by name, and the market gets an error frame."""
    process, sock = start_peer("session", 1, 3)
    for answer in answers:
        read(sock)
        sock.sendall(answer)
    last = read(sock)
    assert isinstance(last, m.Error)
    assert last.reason.startswith(f"{name}: ")
    _, words, _ = ended(process)
    assert words.startswith(f"refused {name}: ")
    assert process.returncode == 1


@pytest.mark.parametrize(("left", "name"), [(0, "hung-up"), (2, "truncated"), (9, "truncated")])
def test_a_market_that_dies(start_peer: Any, left: int, name: str) -> None:
    """The error names the simulated time and the last message."""
    process, sock = start_peer("session", 2, 3)
    read(sock)
    sock.sendall(WELCOME)
    read(sock)
    sock.sendall(encode(m.Decide(0)))
    for _ in range(2):
        read(sock)
    sock.sendall(encode(m.Verdict(1, True))[:left])
    sock.shutdown(socket.SHUT_WR)
    _, words, _ = ended(process)
    line = words.split("\n")[1]
    assert line.startswith(f"refused {name}: market closed the connection")
    assert line.endswith("at t = 0.999999999999 s; last message was request")


def test_the_death_after_a_report_is_at_its_time(start_peer: Any) -> None:
    """If the market dies while it decides at 1 s, the error names this time."""
    process, sock = start_peer("session", 2, 3)
    answers = (WELCOME, encode(m.Decide(0)), b"", b"", encode(m.Verdict(1, True)))
    for answer in answers:
        read(sock)
        sock.sendall(answer)
    assert isinstance(read(sock), m.Report)
    sock.shutdown(socket.SHUT_WR)
    _, words, _ = ended(process)
    assert words.endswith("market closed the connection at t = 1 s; last message was report\n")


def test_a_market_that_says_why(start_peer: Any) -> None:
    """An error frame ends the run with the market's own reason."""
    process, sock = start_peer("session", 1, 3)
    read(sock)
    sock.sendall(WELCOME)
    read(sock)
    sock.sendall(encode(m.Error("the ledger is full")))
    _, words, _ = ended(process)
    assert words.startswith("peer-error market ended the run: the ledger is full at t = 0 s")


def test_a_computing_engine_notices_a_dead_market(start_peer: Any) -> None:
    """hung_up() sees the end of file without reading, and the last error says why."""
    process, sock = start_peer("computing")
    read(sock)
    sock.sendall(WELCOME)
    assert line_of(process) == "there"
    sock.sendall(encode(m.Error("killed by hand")))
    sock.close()
    _, words, _ = ended(process)
    assert words.startswith("peer-error market ended the run: killed by hand")


def test_waiting_calls_the_hook(start_peer: Any) -> None:
    """A graphical host is called during waits and may stop. The market then gets an error."""
    process, sock = start_peer("waiting")
    read(sock)
    sock.sendall(WELCOME)
    assert isinstance(read(sock), m.Report)
    assert read(sock) == m.Error("the engine was stopped while it waited")
    _, words, _ = ended(process)
    assert words.startswith("stopped after 20: hung-up: stopped while waiting for the market")


def test_waiting_under_a_hook_takes_the_answer(start_peer: Any) -> None:
    """An answer that arrives while the hook runs is used."""
    process, sock = start_peer("waiting")
    read(sock)
    sock.sendall(WELCOME)
    read(sock)
    sock.sendall(encode(m.Decide(0)))
    _, words, _ = ended(process)
    assert words.startswith("answered after ")
