# SPDX-License-Identifier: Apache-2.0
"""The cost of one exchange (report, decide) over a socketpair: C++ client, Python link.

Prints `bridge exchange: empty N us, 1000 sources M us`: medians of wall time at the engine. A
source has one flow, two (source, link) pairs and a row in every decision; the market does nothing.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import numpy as np

from ecnomy.markets.bridge import EngineLink
from ecnomy.markets.bridge.messages import Bye, Columns, Decide, Finish, Report

_TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(_TESTS), str(_TESTS / "bridge")]

from peer_build import build_peer  # noqa: E402

__all__ = ["exchange_us", "main"]

_SEED = 2**64 - 1


def _decision(flows: int) -> Columns:
    if flows == 0:
        return {}
    return {
        "flow": np.arange(flows, dtype=np.int64),
        "mark_rate": np.full(flows, 2.5),
        "rate_cap_bps": np.full(flows, -1.0),
        "mark_cap": np.full(flows, -1, dtype=np.int64),
        "active": np.ones(flows, dtype=np.int64),
    }


def exchange_us(peer: Path, flows: int, rounds: int = 3000) -> float:
    """Median microseconds of an exchange with `flows` flows."""
    ours, theirs = socket.socketpair()
    command = [str(peer), "bench", f"fd:{theirs.fileno()}", str(rounds), str(flows)]
    with subprocess.Popen(  # no limit: the exchange has ended, or the socket is closed
        command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, text=True
    ) as engine:
        theirs.close()
        link = EngineLink(
            ours,
            n_flows=flows,
            n_links=2 if flows else 0,
            n_pairs=2 * flows,
            plan_digest="abc123",
            seed=_SEED,
            late=2,
            token="secret",
        )
        with link:
            link.handshake()
            decision = _decision(flows)
            while not isinstance(message := link.receive(), Finish):
                assert isinstance(message, Report)
                link.send(Decide(message.epoch, decision))
            link.send(Bye())
        words, _ = engine.communicate(timeout=120)
    return float(words.split()[-1])


def main() -> None:
    """Build the peer and print the figures."""
    peer = build_peer()
    empty, many = exchange_us(peer, 0), exchange_us(peer, 1000)
    print(f"bridge exchange: empty {empty:.0f} us, 1000 sources {many:.0f} us")


if __name__ == "__main__":
    main()
