# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the bridge tests: the C++ peer, plain and under sanitizers, and a linked pair."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bridge_samples as samples
from compiling import missing_compiler
from ecnomy.markets.bridge import EngineLink
from peer_build import build_peer


def _build(*, sanitize: bool) -> Path:
    if lack := missing_compiler():
        pytest.skip(lack)
    return build_peer(sanitize=sanitize)


@pytest.fixture(scope="session")
def peer() -> Path:
    """codec_peer as it ships."""
    return _build(sanitize=False)


@pytest.fixture(scope="session")
def sanitized_peer() -> Path:
    """codec_peer under the address and undefined-behaviour sanitizers."""
    return _build(sanitize=True)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, EngineLink]]:
    """A raw engine's socket and the market's link to it, silent for at most half a second."""
    raw, ours = socket.socketpair()
    raw.settimeout(5)
    with raw, samples.link(ours, silence_s=0.5) as link:
        yield raw, link


StartPeer = Callable[..., tuple[subprocess.Popen[str], socket.socket]]


@pytest.fixture
def start_peer(peer: Path) -> Iterator[StartPeer]:
    """Starts the C++ client on one end of a socketpair and gives the other end."""
    started: list[subprocess.Popen[str]] = []
    sockets: list[socket.socket] = []

    def start(mode: str, *arguments: object) -> tuple[subprocess.Popen[str], socket.socket]:
        ours, theirs = socket.socketpair()
        sockets.append(ours)
        ours.settimeout(10)
        command = [str(peer), mode, f"fd:{theirs.fileno()}", *map(str, arguments)]
        with theirs:
            process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, text=True
            )
        started.append(process)
        return process, ours

    yield start
    for sock in sockets:
        sock.close()
    for process in started:
        if process.poll() is None:
            os.kill(process.pid, 9)
        process.communicate()
