# SPDX-License-Identifier: Apache-2.0
"""Receive hellos from several engines at a time, each within a time limit.

A silent or slow peer does not delay other peers. The wall clock only determines when the lobby
refuses a peer.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import codec
from ecnomy.markets.bridge.listen import Listener
from ecnomy.markets.bridge.messages import Hello, Refuse
from ecnomy.markets.bridge.token import WRONG, has_token

__all__ = ["Guest", "Lobby"]

_MOST: Final = 8  # largest number of guests at a time; each frame may have 64 MiB
_PIECE: Final = 1 << 16
_CREDENTIALS: Final = struct.Struct("3i")  # peer credentials on Linux: pid, uid, gid


@dataclass(eq=False)
class Guest:
    """A peer that has connected.

    Attributes:
        sock: the connected socket.
        until_s: deadline of the hello, on the lobby's clock [s].
        name: process or address at the other end, as text.
        door: number of the listener that accepted the connection.
        head: bytes received so far.
    """

    sock: socket.socket
    until_s: float
    name: str
    door: int = 0
    head: bytearray = field(default_factory=bytearray)

    def read(self) -> bool:
        """Read the available bytes, and return whether the first frame is complete.

        Raises:
            ProtocolError: hung-up, frame-empty, frame-too-large.
        """
        try:
            piece = self.sock.recv(_PIECE)
        except BlockingIOError:
            return False
        except OSError as error:
            raise ProtocolError("hung-up", f"connection lost ({error.strerror})") from None
        if not piece:
            raise ProtocolError("hung-up", "connection closed before the hello")
        self.head += piece
        size = codec.HEADER_BYTES
        if len(self.head) < size:
            return False
        return len(self.head) >= size + codec.body_bytes(self.head[:size])


class Lobby:
    """The engines that have connected to a listener but are not served yet.

    Args:
        listeners: listening sockets for engines, which `close` leaves open.
        hello_s: time limit for a hello, from the connection to the last byte [s].
        say: function that is called with a message about each guest that is refused or must wait.
        token: the secret that hellos must contain. A guest without it is refused at once.
        clock: a monotonic clock [s].
    """

    def __init__(
        self,
        listeners: Sequence[Listener],
        hello_s: float,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        token: str = "",
    ) -> None:
        self._hello_s, self._say, self._clock, self._token = hello_s, say, clock, token
        self._guests: list[Guest] = []  # guests with incomplete hellos, the oldest first
        self._ready: deque[Guest] = deque()
        self._busy = ""
        self._theirs, self._ours = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for door, listener in enumerate(listeners):
            self._selector.register(listener, selectors.EVENT_READ, door)
        self._selector.register(self._theirs, selectors.EVENT_READ)

    def next(self) -> Guest:
        """Wait without a time limit for a guest with a complete hello, and return the guest."""
        while not self._ready:
            self._turn()
        return self._ready.popleft()

    @contextlib.contextmanager
    def attended(self, busy: str) -> Iterator[None]:
        """Accept hellos during a run, and report `busy` as the reason why new guests must wait."""
        self._busy = busy
        thread = threading.Thread(target=self._attend, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ours.send(b"x")
            thread.join()  # no limit: a turn ends as soon as it is woken
            self._busy = ""

    def close(self) -> None:
        """Close the connections of all guests."""
        self._selector.close()
        for guest in (*self._guests, *self._ready):
            guest.sock.close()
        self._theirs.close()
        self._ours.close()

    def __enter__(self) -> Lobby:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attend(self) -> None:
        while self._turn():
            pass

    def _turn(self) -> bool:
        """Wait for events and handle them, and return whether to continue."""
        limit = min((guest.until_s for guest in self._guests), default=None)
        wait_s = None if limit is None else max(0.0, limit - self._clock())
        for key, _ in self._selector.select(wait_s):
            if key.fileobj is self._theirs:
                self._theirs.recv(1)
                return False
            if isinstance(key.fileobj, Listener):
                self._come(key.fileobj, key.data)
            else:
                self._read(key.data)
        for guest in [g for g in self._guests if g.until_s <= self._clock()]:
            self._send_away(guest, f"timeout: no complete hello within {self._hello_s:g} s")
        return True

    def _come(self, listener: Listener, door: int) -> None:
        with contextlib.suppress(OSError):  # the peer may be gone
            sock = listener.accept(0.0)
            sock.setblocking(False)
            guest = Guest(sock, self._clock() + self._hello_s, _name_of(sock), door)
            self._selector.register(sock, selectors.EVENT_READ, guest)
            self._guests.append(guest)
            if len(self._guests) + len(self._ready) > _MOST:
                self._send_away(self._guests[0], f"busy: {_MOST} engines are already waiting")

    def _read(self, guest: Guest) -> None:
        if guest not in self._guests:
            return  # refused in the same turn
        try:
            if not guest.read():
                return
            self._check(guest)
        except ProtocolError as error:
            return self._send_away(guest, str(error))
        self._leave(guest)
        self._ready.append(guest)
        if self._busy:
            self._say(f"{guest.name} waits: {self._busy}")

    def _check(self, guest: Guest) -> None:
        """Raise ProtocolError if the first frame is not a hello with the token."""
        size = codec.HEADER_BYTES
        whole = size + codec.body_bytes(guest.head[:size])
        hello = codec.decode_body(bytes(guest.head[size:whole]))
        if not isinstance(hello, Hello):
            raise ProtocolError("wrong-order", f"found {codec.type_name(hello)}, expected hello")
        if not has_token(hello, self._token):
            raise ProtocolError(*WRONG)

    def _leave(self, guest: Guest) -> None:
        self._guests.remove(guest)
        self._selector.unregister(guest.sock)

    def _send_away(self, guest: Guest, reason: str) -> None:
        self._leave(guest)
        with contextlib.suppress(OSError):
            guest.sock.send(codec.encode(Refuse(reason)))
        guest.sock.close()
        self._say(f"{guest.name}: refused: {reason}")


def _name_of(sock: socket.socket) -> str:
    """Return a name for the peer: its process on a Unix socket, or its address on TCP."""
    if sock.family != socket.AF_UNIX:
        host, port = sock.getpeername()[:2]
        return f"{host}:{port}"
    if not hasattr(socket, "SO_PEERCRED"):
        return "a process on this machine"
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return f"process {_CREDENTIALS.unpack(credentials)[0]}"
