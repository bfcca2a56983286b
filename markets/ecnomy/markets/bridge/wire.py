# SPDX-License-Identifier: Apache-2.0
"""Send and receive frames over a connected stream socket.

The wall clock only determines when the market gives up on a silent peer.
"""

from __future__ import annotations

import contextlib
import socket
from typing import Final

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge.codec import HEADER_BYTES, body_bytes

__all__ = ["Wire"]

_LAST_WORDS_S: Final = 1.0


class Wire:
    """Sends and receives frames. All incoming frames share one buffer."""

    def __init__(self, sock: socket.socket, silence_s: float | None, head: bytes = b"") -> None:
        """Use a connected socket. `head` contains bytes that were already read from the socket."""
        sock.settimeout(silence_s)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._silence_s = silence_s
        self._head = memoryview(head)
        self._header = memoryview(bytearray(HEADER_BYTES))
        self._body = memoryview(bytearray(1 << 16))

    def wait_for_ever(self) -> None:
        """Wait without a time limit from now on."""
        self._sock.settimeout(None)
        self._silence_s = None

    def read(self) -> memoryview:
        """Return the body of the next frame. The body is valid until the next call.

        Raises:
            ProtocolError: hung-up (between frames), truncated (within a frame), silence,
                frame-empty, frame-too-large (before the body is read).
        """
        self._fill(self._header, "header")
        size = body_bytes(self._header)
        if size > len(self._body):
            self._body = memoryview(bytearray(size))
        body = self._body[:size]
        self._fill(body, "frame")
        return body

    def write(self, frame: bytes) -> None:
        """Send a frame.

        Raises:
            ProtocolError: hung-up, silence (the peer does not read).
        """
        try:
            self._sock.sendall(frame)
        except TimeoutError:
            raise ProtocolError(
                "silence", f"the peer read nothing for {self._silence_s:g} s"
            ) from None
        except OSError as e:
            raise ProtocolError("hung-up", f"connection closed ({e.strerror})") from None

    def last_words(self, frame: bytes) -> None:
        """Send a frame if the peer still reads, and ignore errors."""
        with contextlib.suppress(OSError):
            self._sock.settimeout(_LAST_WORDS_S)
            self._sock.sendall(frame)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def _fill(self, view: memoryview, part: str) -> None:
        size = len(view)
        done = min(len(self._head), size)
        view[:done], self._head = self._head[:done], self._head[done:]
        while done < size:
            try:
                got = self._sock.recv_into(view[done:])
            except TimeoutError:
                raise ProtocolError(
                    "silence", f"no byte arrived for {self._silence_s:g} s"
                ) from None
            except OSError as e:
                raise ProtocolError("hung-up", f"connection lost ({e.strerror})") from None
            if got == 0 and done == 0 and part == "header":
                raise ProtocolError("hung-up", "connection closed")
            if got == 0:
                raise ProtocolError("truncated", f"connection closed inside a {part}")
            done += got
