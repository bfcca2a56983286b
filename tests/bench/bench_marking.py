# SPDX-License-Identifier: Apache-2.0
"""What each marking law costs a packet, over drop-tail, with few flows and with many.

Poisson datagrams at 95 % load through one link, a million packets a run; the best of three runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import drive  # noqa: E402
import history  # noqa: E402
import plans  # noqa: E402
from ecnomy.markets.plan import Law  # noqa: E402
from ecnomy.markets.plan.laws import law  # noqa: E402

PACKETS = 10**6
PACKETS_PER_S = 12_500  # 100 Mbps of 1,000 bytes
FLOWS = (10, 100, 1000)
REPEATS = 3
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


def cpu_s(marking: Law, flows: int) -> float:
    """CPU seconds of a run."""
    mean_s = flows / (0.95 * PACKETS_PER_S)
    link = plans.link("l", 0, 1, 8000 * PACKETS_PER_S, 0.0, buffer=100, marking=marking)
    traffic = law("traffic", "poisson", {"mean_interval_s": mean_s})
    source = plans.source("s", [0], [], plans.udp(1000, ect=True), traffic, count=flows)
    duration_s = PACKETS / (0.95 * PACKETS_PER_S)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plans.plan([link], [source], duration_s, epoch_s=duration_s).to_json())
        words = [drive.engine(), "run", "--plan", str(path)]
        done = subprocess.run(words, check=True, capture_output=True)
    return float(json.loads(done.stdout)["cpu_s"])


def best(marking: Law, flows: int) -> float:
    """The least of some runs, in nanoseconds a packet."""
    return min(cpu_s(marking, flows) for _ in range(REPEATS)) / PACKETS * 1e9


def main() -> None:
    """Print a row for each law, and record what it takes more than drop-tail."""
    figures: dict[str, dict[int, float]] = {}
    plain = {flows: best(plans.DROP_TAIL, flows) for flows in FLOWS}
    print("ns a packet:" + "".join(f"{flows:>9,} flows" for flows in FLOWS))
    print(f"{'drop-tail':26s}" + "".join(f"{plain[flows]:11.0f}    " for flows in FLOWS))
    for name, values in LAWS.items():
        marking = law("marking", name, values)
        figures[name] = {flows: best(marking, flows) - plain[flows] for flows in FLOWS}
        more = "".join(f"{took:+11.0f}    " for took in figures[name].values())
        print(f"{name:26s}{more}")
    history.add("marking_laws_ns_over_drop_tail", figures | {"drop-tail": plain})


if __name__ == "__main__":
    main()
