# SPDX-License-Identifier: Apache-2.0
"""The lobby for hellos of engines: several at a time, each with a limit on the whole hello."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from ecnomy.markets.bridge import codec, listen
from ecnomy.markets.bridge.lobby import Lobby
from ecnomy.markets.bridge.messages import Hello, Refuse
from ecnomy.markets.bridge.wire import Wire
from processes import LIMIT_S, wait_for


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """The resources of a test, which are closed at its end."""
    with ExitStack() as opened:
        yield opened


def _connected(path: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    return sock


class Clock:
    """A clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Waiting:
    """A lobby with a clock set by hand, and its output."""

    def __init__(self, stack: ExitStack, folder: Path, token: str = "") -> None:
        self.clock, self.said, self._stack = Clock(), [], stack
        self._path = f"{folder}/market"
        listener = stack.enter_context(listen(f"unix:{self._path}"))
        lobby = Lobby([listener], 30.0, self.said.append, self.clock, token)
        self.lobby = stack.enter_context(lobby)

    def connect(self) -> socket.socket:
        """A peer of this process."""
        peer = self._stack.enter_context(_connected(self._path))
        peer.settimeout(LIMIT_S)
        return peer


def _whole_hello(token: str = "") -> bytes:
    return codec.encode(Hello((codec.MAJOR, codec.MINOR), "test", "1", "digest", 1, token))


def test_peer_that_drips_is_sent_away(tmp_path: Path, stack: ExitStack) -> None:
    """A peer that sends a byte each second is refused after 30 s, with the reason."""
    there = Waiting(stack, tmp_path)
    slow = there.connect()

    def drip() -> None:
        slow.send(b"\0")
        there.clock.now_s += 1.0
        there.lobby._turn()

    there.lobby._turn()  # it is accepted
    slow.send((1000).to_bytes(4, "big"))
    there.lobby._turn()
    for _ in range(29):
        drip()
    assert there.said == []
    drip()
    reason = "timeout: no complete hello within 30 s"
    assert there.said == [f"process {os.getpid()}: refused: {reason}"]
    assert codec.decode_body(Wire(slow, LIMIT_S).read()) == Refuse(reason)
    assert slow.recv(1) == b""


def test_silent_peers_keep_nobody_waiting(tmp_path: Path, stack: ExitStack) -> None:
    """Peers with a complete hello come first. If too many are silent, the oldest are refused."""
    there = Waiting(stack, tmp_path)
    silent = [there.connect()]
    for _ in range(8):
        there.lobby._turn()
        silent.append(there.connect())
    other = there.connect()
    other.sendall(_whole_hello())
    guest = there.lobby.next()
    assert bytes(guest.head) == _whole_hello() and there.clock.now_s == 0.0
    guest.sock.close()
    assert all("refused: busy" in line for line in there.said) and len(there.said) == 2
    reply = codec.decode_body(Wire(silent[0], LIMIT_S).read())
    assert reply == Refuse("busy: 8 engines are already waiting")


def test_engines_that_wait_for_their_run_leave_no_room(tmp_path: Path, stack: ExitStack) -> None:
    """Eight peers have said hello and wait to be served; a ninth is refused on arrival."""
    there = Waiting(stack, tmp_path)
    for _ in range(8):
        there.connect().sendall(_whole_hello())
        for _ in range(2):  # it comes, and is heard
            there.lobby._turn()
    ninth = there.connect()
    there.lobby._turn()
    assert len(there.said) == 1
    reply = codec.decode_body(Wire(ninth, LIMIT_S).read())
    assert reply == Refuse("busy: 8 engines are already waiting")


@pytest.mark.parametrize(
    ("frame", "message"),
    [(_whole_hello(), "wrong-token: "), (codec.encode(Refuse("no")), "wrong-order: found refuse")],
    ids=["no token", "no hello"],
)
def test_strangers_take_no_place(
    tmp_path: Path, stack: ExitStack, frame: bytes, message: str
) -> None:
    """Eight strangers are refused at their first frame; an engine with the token is served."""
    there = Waiting(stack, tmp_path, token="secret")
    for _ in range(8):
        there.connect().sendall(frame)
        for _ in range(2):  # it comes, and is heard
            there.lobby._turn()
    assert len(there.said) == 8 and all(message in line for line in there.said)
    there.connect().sendall(_whole_hello("secret"))
    guest = there.lobby.next()
    assert bytes(guest.head) == _whole_hello("secret")
    guest.sock.close()


def test_an_engine_of_a_newer_minor_is_served(tmp_path: Path, stack: ExitStack) -> None:
    """A hello of a newer minor may have more keys, but not a hello of this minor."""
    there = Waiting(stack, tmp_path)
    hello = msgspec.msgpack.decode(_whole_hello()[codec.HEADER_BYTES :])
    guests = []
    for minor in (codec.MINOR, codec.MINOR + 1):
        body = msgspec.msgpack.encode(hello | {"protocol": [codec.MAJOR, minor], "mood": 1})
        guests.append(len(body).to_bytes(codec.HEADER_BYTES, "big") + body)
        there.connect().sendall(guests[-1])
    guest = there.lobby.next()
    assert bytes(guest.head) == guests[1]
    assert len(there.said) == 1 and "refused: unknown-key: 'mood'" in there.said[0]
    guest.sock.close()


def test_whoever_waits_for_a_run_is_named(tmp_path: Path, stack: ExitStack) -> None:
    """During a run hellos are accepted, and served after the run."""
    there = Waiting(stack, tmp_path)
    with there.lobby.attended("run 001 of process 1 is in progress"):
        there.connect().sendall(_whole_hello())
        wait_for(lambda: there.said, "a word about who waits")
    assert there.said == [f"process {os.getpid()} waits: run 001 of process 1 is in progress"]
    there.lobby.next().sock.close()
    there.connect().sendall(_whole_hello())
    there.lobby.next().sock.close()
    assert len(there.said) == 1, "after the run nobody has to wait for it"
