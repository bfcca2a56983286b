# SPDX-License-Identifier: Apache-2.0
"""The cost per packet of each marking law and class scheduler, compared with drop-tail.

Each is measured with few and with many flows. Schedulers have four classes with equal numbers of
flows.

Poisson datagrams at 95 % load through one link, a million packets per run; the best of three runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import class_plans
import drive
import history
import plans
from ecnomy.markets.plan import Law, Scheduler
from ecnomy.markets.plan.laws import law

PACKETS = 10**6
PACKETS_PER_S = 12_500  # 100 Mbps of 1,000 bytes
FLOWS = (10, 100, 1000)
REPEATS = 3
CLASSES = 4
LAWS: dict[str, dict[str, float | str]] = {
    "fixed": {"probability": 0.1},
    "red": {"min_threshold": 5, "max_threshold": 15},
    "virtual-queue": {"buffer_packets": 20},
    "load-based": {},
    "threshold": {"threshold_packets": 5},
    "rem": {},
    "pi": {"reference": 20, "a": 2e-5, "b": 1e-5},
    "adaptive-virtual-queue": {"buffer_packets": 20},
    "flow-projection": {"buffer_packets": 60},
    "flow-projection-heuristic": {"buffer_packets": 60},
}


SCHEDULERS: dict[str, Scheduler] = {
    "class-based": class_plans.scheduler(class_plans.TABLE_1),
    "class-based, regulated": class_plans.scheduler(class_plans.TABLE_1, regulation="ecn"),
    "deficit-round-robin": class_plans.weights([{"share": 0.25}] * CLASSES),
}


def cpu_s(how: Law | Scheduler, flows: int) -> float:
    """CPU seconds of a run."""
    mean_s = flows / (0.95 * PACKETS_PER_S)
    rate_bps = 8000 * PACKETS_PER_S
    traffic = law("traffic", "poisson", {"mean_interval_s": mean_s})
    transport = plans.udp(1000, ect=True)
    if isinstance(how, Law):
        link = plans.link("l", 0, 1, rate_bps, 0.0, buffer=100, marking=how)
        sources = [plans.source("s", [0], [], transport, traffic, count=flows)]
    else:
        plain = plans.link("l", 0, 1, rate_bps, 0.0, buffer=100)
        link = class_plans.classed(plain, how)
        shared = [flows // CLASSES + (n < flows % CLASSES) for n in range(CLASSES)]
        sources = [
            class_plans.in_classes(
                plans.source(f"s{n}", [0], [], transport, traffic, count=count), [n]
            )
            for n, count in enumerate(shared)
        ]
    duration_s = PACKETS / (0.95 * PACKETS_PER_S)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plans.plan([link], sources, duration_s, epoch_s=duration_s).to_json())
        words = [drive.engine(), "run", "--plan", str(path)]
        done = subprocess.run(words, check=True, capture_output=True, timeout=3600)
    return float(json.loads(done.stdout)["cpu_s"])


def best(how: Law | Scheduler, flows: int) -> float:
    """The minimum of some runs, in nanoseconds per packet."""
    return min(cpu_s(how, flows) for _ in range(REPEATS)) / PACKETS * 1e9


def main() -> None:
    """Prints a row per law, and records its excess over drop-tail."""
    figures: dict[str, dict[int, float]] = {}
    plain = {flows: best(plans.DROP_TAIL, flows) for flows in FLOWS}
    print("ns a packet:" + "".join(f"{flows:>9,} flows" for flows in FLOWS))
    print(f"{'drop-tail':26s}" + "".join(f"{plain[flows]:11.0f}    " for flows in FLOWS))
    measured = {name: law("marking", name, values) for name, values in LAWS.items()}
    for name, how in (measured | SCHEDULERS).items():
        figures[name] = {flows: best(how, flows) - plain[flows] for flows in FLOWS}
        more = "".join(f"{took:+11.0f}    " for took in figures[name].values())
        print(f"{name:26s}{more}")
    history.add("marking_laws_ns_over_drop_tail", figures | {"drop-tail": plain})


if __name__ == "__main__":
    main()
