# SPDX-License-Identifier: Apache-2.0
"""Runs a plan on the engine without a market, with a preloaded operator new that counts."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import drive
from ecnomy.markets.bridge.messages import Decide, flow_orders
from ecnomy.markets.plan import Plan

__all__ = ["Allocations", "allocations", "missing"]

_SOURCE = Path(__file__).with_name("counting_new.cc")


@dataclass(frozen=True)
class Allocations:
    """Heap requests of one run, without packets.

    Attributes:
        made: number of requests.
        peak_bytes: the largest amount held at any time.
        packets_made, packets_peak_bytes: the same for the packet pool.
        events, data_packets, packet_hops: the run's own totals.
    """

    made: int
    peak_bytes: int
    packets_made: int
    packets_peak_bytes: int
    events: int
    data_packets: int
    packet_hops: int


@functools.cache
def missing() -> str:
    """Why allocations cannot be counted here; "" if they can."""
    if shutil.which("g++") is None:
        return "g++ is not installed (Debian: apt-get install g++)"
    if b"__asan_init" in Path(drive.engine()).read_bytes():
        return "the engine under test brings the sanitizers' own operator new"
    return ""


@functools.cache
def _library() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="counting-"))
    library = folder / "counting_new.so"
    words = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*words, str(_SOURCE), "-o", str(library)], check=True, timeout=120)
    return library


def allocations(plan: Plan, *, market: bool = False) -> Allocations:
    """The counts of a whole run, without a market or with one that decides on every row."""
    if market:
        return _with_rows(plan)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "plan.json"
        path.write_bytes(plan.to_json())
        done = subprocess.run(
            [drive.engine(), "run", "--plan", str(path)],
            env=os.environ | {"LD_PRELOAD": str(_library())},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
    totals = json.loads(done.stdout)
    del totals["cpu_s"]
    return Allocations(**json.loads(done.stderr), **totals)


def _with_rows(plan: Plan) -> Allocations:
    order = flow_orders(np.arange(plan.row_count))
    outcome = drive.run(
        plan, lambda report: Decide(report.epoch, order), env={"LD_PRELOAD": str(_library())}
    )
    done = outcome.finish
    assert done is not None
    totals = {name: getattr(done, name) for name in ("events", "data_packets", "packet_hops")}
    return Allocations(**json.loads(outcome.said), **totals)
