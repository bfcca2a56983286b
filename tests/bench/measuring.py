# SPDX-License-Identifier: Apache-2.0
"""The cost of a run of the engine alone: CPU seconds, instructions, cache misses, memory.

CPU seconds are those of the engine's event loop. Instructions and misses are measured by valgrind,
as the difference between a shortened load and one half as long, so start-up does not count. A cache
of 1 MiB represents the machine's second level. Figures that a machine cannot measure are None.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import counting
import drive
from ecnomy.markets.plan import Plan

__all__ = ["Cost", "cost", "heap", "misses_per_hop", "run_for"]

LEAST_CPU_S = 10.0
CACHE = "--LL=1048576,16,64"


@dataclass(frozen=True)
class Cost:
    """One run: its totals and the CPU seconds of its event loop."""

    events: int
    data_packets: int
    packet_hops: int
    cpu_s: float
    start_s: float  # other CPU seconds: reading the plan, building, tearing down


def cost(plan: Plan) -> Cost:
    """Runs the engine without a market in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plan.to_json())
        words = _words(path)
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:  # no limit: see below
            assert process.stdout is not None
            text = process.stdout.read()  # no limit: a person measures, and sees how long it takes
            _, status, usage = os.wait4(process.pid, 0)  # no limit: its output has ended
            process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the engine failed ({process.returncode})")
    totals = json.loads(text)
    whole_s = usage.ru_utime + usage.ru_stime
    return Cost(**totals, start_s=max(0.0, whole_s - totals["cpu_s"]))


def run_for(make: Callable[[float], Plan], first_s: float, least_s: float = LEAST_CPU_S) -> Cost:
    """Lengthens a load until its event loop takes `least_s` CPU seconds."""
    duration_s = first_s
    done = cost(make(duration_s))
    while done.cpu_s < least_s:
        duration_s *= max(1.3, 1.1 * least_s / max(done.cpu_s, 1e-3))
        done = cost(make(duration_s))
    return done


def misses_per_hop(make: Callable[[float], Plan], short_s: float) -> dict[str, float] | None:
    """Instructions, first-level and second-level data misses per packet-hop."""
    if shutil.which("valgrind") is None:
        return None
    less, more = (_cachegrind(make(t)) for t in (short_s / 2, short_s))
    hops = more.pop("hops") - less.pop("hops")
    return {name: (more[name] - less[name]) / hops for name in more}


def heap(make: Callable[[float], Plan], duration_s: float) -> dict[str, int] | None:
    """Peak bytes of a run, and calls of operator new in its second half."""
    if counting.missing():
        return None
    less, more = (counting.allocations(make(t)) for t in (duration_s / 2, duration_s))
    return {
        "peak_bytes": more.peak_bytes,
        "packets_peak_bytes": more.packets_peak_bytes,
        "allocated_in_second_half": more.made + more.packets_made - less.made - less.packets_made,
    }


def _words(path: Path) -> list[str]:
    return [drive.engine(), "run", "--plan", str(path)]


def _cachegrind(plan: Plan) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plan.to_json())
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", CACHE]
        words = [*tool, f"--cachegrind-out-file={folder}/out", *_words(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=3600)
    hops = json.loads(done.stdout)["packet_hops"]
    counted = {"hops": float(hops)}
    for name, line in (
        ("instructions", r"I\s+refs"),
        ("first_level_misses", r"D1\s+misses"),
        ("second_level_misses", r"LLd misses"),
    ):
        match = re.search(line + r":\s+([\d,]+)", done.stderr)
        if match is None:
            raise SystemExit(f"valgrind says nothing of {name}:\n{done.stderr}")
        counted[name] = float(match[1].replace(",", ""))
    return counted
