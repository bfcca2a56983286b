# SPDX-License-Identifier: Apache-2.0
"""An engine that simulates nothing: every flow delivers 100 packets a second, 10 of them marked.

The plan's title determines its behaviour at report N: with `die N` it kills itself, with `fail N`
it reports an error, with `status N` it ends with status 3 and a line on standard error, with `opp
N` it does so like OMNeT++, with `hang N` it waits, and with `finish N` it ends the run.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time

import msgspec
import numpy as np

import market_world as world
from ecnomy.markets.bridge import codec
from ecnomy.markets.bridge.messages import Bye, Decide, Error, Finish, Hello, Message, Record
from ecnomy.markets.bridge.wire import Wire
from ecnomy.markets.plan import Plan


def main() -> None:
    """`fake_engine.py run --plan FILE --bridge-fd N`."""
    options = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    with open(options["--plan"], "rb") as file:
        plan = msgspec.json.decode(file.read(), type=Plan)
    pretend(plan, socket.socket(fileno=int(options["--bridge-fd"])))


def pretend(plan: Plan, sock: socket.socket, token: str = "") -> None:
    """Act as the engine of a plan over a connected socket."""
    wire = Wire(sock, None)
    wire.write(
        codec.encode(
            Hello((codec.MAJOR, codec.MINOR), "fake", "1.0", plan.digest, plan.seed, token)
        )
    )
    _next(wire)
    deed, _, at = plan.title.partition(" ")
    for epoch, t_ps in enumerate(range(0, plan.duration_ps + 1, plan.epoch_ps)):
        wire.write(codec.encode(_report(plan, epoch, t_ps)))
        assert isinstance(_next(wire), Decide)
        if at == str(epoch):
            _misbehave(deed, wire)
        if plan.record.series:
            wire.write(codec.encode(_series(t_ps)))
    wire.write(codec.encode(Finish(plan.duration_ps, 1, 2, 3, 0.5)))
    assert isinstance(_next(wire), Bye)


def _next(wire: Wire) -> Message:
    return codec.decode_body(wire.read())


def _report(plan: Plan, epoch: int, t_ps: int) -> Message:
    flows = sum(s.count for s in plan.sources)
    packets = np.full(flows, 100 * t_ps // world.PS, dtype=np.int64)
    marks = packets // 10
    sums = {"acked_bytes": 1000 * packets, "ce": marks, "ce_bytes": 1000 * marks}
    return world.report(plan, t_ps, epoch, delivered=packets, **sums)


def _series(t_ps: int) -> Record:
    ints = {name: np.array([value]) for name, value in (("t_ps", t_ps), ("name", 0))}
    return Record("series", {**ints, "subject": np.array([0]), "value": np.array([1.5])})


def _misbehave(deed: str, wire: Wire) -> None:
    if deed == "finish":
        wire.write(codec.encode(Finish(60 * world.PS, 1, 2, 3, 0.5)))
        _next(wire)
        sys.exit(0)
    elif deed == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif deed == "fail":
        wire.write(codec.encode(Error("the flux capacitor is empty")))
        time.sleep(60)
    elif deed == "status":
        print("fake-engine: out of memory", file=sys.stderr)
        sys.exit(3)
    elif deed == "opp":
        print("\n<!> Error: A queue is lost -- in module (Q) Scenario.a (id=7), at t=2s\n\nEnd.")
        sys.exit(1)
    elif deed == "hang":
        time.sleep(60)


if __name__ == "__main__":
    main()
