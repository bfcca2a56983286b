# SPDX-License-Identifier: Apache-2.0
"""Listening for engines started by hand: access, and files left behind."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path

import pytest

from ecnomy.agents.errors import EngineError, InputError
from ecnomy.markets.bridge import listen
from ecnomy.markets.bridge.token import token_in


def test_a_unix_socket_is_its_owners(tmp_path: Path) -> None:
    """A Unix socket has mode 0600 with any umask, and closing the listener removes its path."""
    before = os.umask(0o000)
    try:
        with listen(f"unix:{tmp_path}/market"):
            assert stat.S_IMODE((tmp_path / "market").stat().st_mode) == 0o600
            assert os.umask(0o000) == 0o000
        assert not (tmp_path / "market").exists()
    finally:
        os.umask(before)


def test_a_stale_socket_is_replaced_and_a_live_one_kept(tmp_path: Path) -> None:
    """The next market replaces the socket of a killed one, but not that of a running one."""
    path = tmp_path / "market"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with listen(f"unix:{path}"), pytest.raises(InputError, match="already in use"):
        listen(f"unix:{path}")


def test_a_live_socket_that_answers_nobody_is_kept(tmp_path: Path) -> None:
    """A live socket with a full queue, where connections would wait forever, is kept."""
    path = str(tmp_path / "market")
    with contextlib.ExitStack() as stack:
        there = stack.enter_context(socket.socket(socket.AF_UNIX))
        there.bind(path)
        there.listen(0)
        stack.enter_context(socket.socket(socket.AF_UNIX)).connect(path)
        with pytest.raises(InputError, match="already in use"):
            listen(f"unix:{path}")


def test_no_other_file_is_removed(tmp_path: Path) -> None:
    """A file of another kind at the path is refused and stays."""
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(InputError, match="is not a socket"):
        listen(f"unix:{path}")
    assert path.read_text() == "mine"


def test_tcp_needs_a_token() -> None:
    """TCP needs a token, since any user of a machine can reach its ports."""
    for address in ("tcp://0.0.0.0:0", "tcp://127.0.0.1:0"):
        with pytest.raises(InputError, match="other users can reach it; use --token-file FILE"):
            listen(address)
    with listen("tcp://0.0.0.0:0", token="shared"), listen("tcp://127.0.0.1:0", "shared") as local:
        assert local.address.startswith("tcp://127.0.0.1:")
        assert not local.address.endswith(":0")


def test_a_token_is_made_once_for_its_owner(tmp_path: Path) -> None:
    """A token file has mode 0600 with any umask and its own token, and never changes."""
    before = os.umask(0o000)
    try:
        token = token_in(tmp_path / "token")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    assert len(token) == 32 and token_in(tmp_path / "token") == token
    assert token_in(tmp_path / "other") != token


def test_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """The refusal is one line with the mode. Empty files, FIFOs and folders are refused too."""
    file = tmp_path / "token"
    file.write_text("secret\n")
    for mode in (0o644, *(0o600 | 1 << bit for bit in range(6))):
        file.chmod(mode)
        with pytest.raises(InputError, match=f"mode {mode:04o} of user .*, expected mode 0600"):
            token_in(file)
    file.chmod(0o600)
    assert token_in(file) == "secret"
    file.write_text("")
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "folder").mkdir()
    for name in ("token", "fifo", "folder"):
        with pytest.raises(InputError, match=f"token file {tmp_path / name}: "):
            token_in(tmp_path / name)


@pytest.mark.parametrize(
    "address",
    ["", "unix:", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://h:70000", "http://x:1"],
)
def test_addresses_of_no_known_form(address: str) -> None:
    """The error names the valid forms."""
    with pytest.raises(InputError, match="expected unix:/path or tcp://host:port"):
        listen(address)


def test_a_path_that_cannot_be_bound(tmp_path: Path) -> None:
    """A missing folder and a path that is too long are errors for the user to correct."""
    for path in (tmp_path / "no" / "market", tmp_path / ("x" * 200)):
        with pytest.raises(InputError, match="address"):
            listen(f"unix:{path}")


def test_nobody_connects(tmp_path: Path) -> None:
    """Waiting ends at the caller's deadline."""
    with listen(f"unix:{tmp_path}/market") as listener, pytest.raises(EngineError, match="0.05 s"):
        listener.accept(timeout_s=0.05)
