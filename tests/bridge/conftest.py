# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the bridge tests: the C++ peer under sanitizers, alone and connected."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from compiling import missing_compiler
from peer_build import build_peer
from processes import LIMIT_S, started


@pytest.fixture(scope="session")
def peer() -> Path:
    """codec_peer under the address and undefined-behaviour sanitizers."""
    if lack := missing_compiler():
        pytest.skip(lack)
    return build_peer(sanitize=True)


StartPeer = Callable[..., tuple[subprocess.Popen[str], socket.socket]]


@pytest.fixture
def start_peer(peer: Path) -> Iterator[StartPeer]:
    """Starts the C++ client on one end of a socketpair, and returns the other end."""
    peers, sockets = ExitStack(), ExitStack()

    def start(mode: str, *arguments: object) -> tuple[subprocess.Popen[str], socket.socket]:
        ours, theirs = socket.socketpair()
        sockets.enter_context(ours)
        ours.settimeout(LIMIT_S)
        command = [str(peer), mode, f"fd:{theirs.fileno()}", *map(str, arguments)]
        with theirs:
            one = started(command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE)
            process = peers.enter_context(one)
        return process, ours

    with peers, sockets:
        yield start
