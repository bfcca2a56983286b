# SPDX-License-Identifier: Apache-2.0
"""Listen on a Unix path or a TCP port for engines started by hand (from the OMNeT++ IDE).

Only the owner of a Unix socket can connect to it (mode 0600). TCP needs a shared token, because
every user of the machine can reach the port.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat

from ecnomy.agents.errors import EngineError, InputError

__all__ = ["Listener", "listen"]

_FORMS = "expected unix:/path or tcp://host:port"
_TOKEN = "use --token-file FILE to require a token (created if missing)"


class Listener:
    """A listening socket. Engines connect to `address`, which contains the actual port."""

    def __init__(self, sock: socket.socket, address: str, path: str | None) -> None:
        self._sock, self.address, self._path = sock, address, path

    def accept(self, timeout_s: float | None = None) -> socket.socket:
        """Wait for the next engine, and return its connection.

        Raises:
            EngineError: no engine connected within `timeout_s` (None waits forever).
        """
        self._sock.settimeout(timeout_s)
        try:
            return self._sock.accept()[0]  # no limit: it has the limit set above
        except TimeoutError:
            raise EngineError(
                f"no engine connected to {self.address} within {timeout_s} s"
            ) from None

    def fileno(self) -> int:
        """Return the descriptor of the socket, for use with selectors."""
        return self._sock.fileno()

    def close(self) -> None:
        """Stop listening, and remove the path of a Unix socket."""
        self._sock.close()
        if self._path is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
            self._path = None

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listen(address: str, token: str = "") -> Listener:
    """Listen on `unix:/path` or `tcp://host:port` (port 0 selects any free port).

    Raises:
        InputError: the address is invalid or in use, cannot be bound, or is TCP without a token.
    """
    if address.startswith("unix:"):
        return _listen_unix(address, address.removeprefix("unix:"))
    if address.startswith("tcp://"):
        return _listen_tcp(address, address.removeprefix("tcp://"), token)
    raise InputError(f"address {address!r}: {_FORMS}")


def _listen_unix(address: str, path: str) -> Listener:
    if not path:
        raise InputError(f"address {address!r}: {_FORMS}")
    _remove_stale(address, path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Set the mode before bind, because a chmod after bind would leave a gap.
    before = os.umask(0o177)
    try:
        sock.bind(path)
    except OSError as e:
        sock.close()
        raise InputError(f"address {address!r}: {e.strerror or e}") from None
    finally:
        os.umask(before)
    sock.listen(1)
    return Listener(sock, address, path)


def _remove_stale(address: str, path: str) -> None:
    """Remove the socket of a killed market. Refuse an active socket or any other file."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            raise InputError(f"address {address!r}: the path is not a socket; choose another path")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # the queue of peers may be full
        if probe.connect_ex(path) != errno.ECONNREFUSED:
            raise InputError(f"address {address!r}: already in use; choose another address")
    os.unlink(path)


def _listen_tcp(address: str, text: str, token: str) -> Listener:
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"address {address!r}: {_FORMS}")
    if not token:
        raise InputError(f"address {address!r}: other users can reach it; {_TOKEN}")
    try:
        family, kind, proto, _, target = socket.getaddrinfo(
            host, int(port), type=socket.SOCK_STREAM
        )[0]
        sock = socket.socket(family, kind, proto)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(target)
            sock.listen(1)
        except OSError:
            sock.close()
            raise
    except OSError as e:
        raise InputError(f"address {address!r}: {e.strerror or e}") from None
    shown = f"[{host}]" if ":" in host else host
    return Listener(sock, f"tcp://{shown}:{sock.getsockname()[1]}", None)
