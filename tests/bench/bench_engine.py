# SPDX-License-Identifier: Apache-2.0
"""The loads on the engine alone, at least 10 CPU seconds each: the cost of a packet.

`make bench` adds the figures to tests/bench/history. Names of loads as arguments measure only
these and record nothing.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import history
from loads import LOADS, Load
from measuring import heap, misses_per_hop, run_for


def measure(load: Load) -> dict[str, Any]:
    """All figures of a load."""
    done = run_for(load.make, load.first_s)
    return asdict(done) | {
        "packets_per_cpu_s": done.data_packets / done.cpu_s,
        "hops_per_cpu_s": done.packet_hops / done.cpu_s,
        "events_per_packet": done.events / done.data_packets,
        "per_hop": misses_per_hop(load.make, load.short_s),
        "heap": heap(load.make, load.first_s / 10),
    }


def shown(title: str, figures: dict[str, Any]) -> str:
    """Two lines for a terminal."""
    per_hop, held = figures["per_hop"], figures["heap"]
    counted = "instructions and misses: not measured (no valgrind)"
    if per_hop is not None:
        counted = (
            f"{per_hop['instructions']:.0f} instructions, "
            f"{per_hop['first_level_misses']:.2f} misses of 1st level, "
            f"{per_hop['second_level_misses']:.2f} of 2nd a hop"
        )
    memory = "memory: not measured"
    if held is not None:
        memory = (
            f"{(held['peak_bytes'] + held['packets_peak_bytes']) / 2**20:.1f} MiB at most, "
            f"{held['allocated_in_second_half']} allocations in the 2nd half"
        )
    return (
        f"{title}: {figures['packets_per_cpu_s']:,.0f} data packets and "
        f"{figures['hops_per_cpu_s']:,.0f} packet-hops per CPU second "
        f"({figures['cpu_s']:.1f} CPU s), {figures['events_per_packet']:.2f} events a packet\n"
        f"    {counted}; {memory}"
    )


def main() -> None:
    """Measure, print and record the loads."""
    names = sys.argv[1:] or list(LOADS)
    if unknown := [name for name in names if name not in LOADS]:
        raise SystemExit(f"no load {unknown[0]!r}: expected some of {', '.join(LOADS)}")
    figures = {}
    for name in names:
        figures[name] = measure(LOADS[name])
        print(shown(LOADS[name].title, figures[name]), flush=True)
    if "abilene" not in LOADS:
        print("Abilene: not measured (topohub is not installed)")
    if not sys.argv[1:]:
        history.add("loads", figures)


if __name__ == "__main__":
    main()
