# SPDX-License-Identifier: Apache-2.0
"""How many data packets the built-in engine moves per CPU second on the reference dumbbell.

Ten greedy Reno ECN flows of 1,000-byte segments, an ACK per segment, 100 Mbps and 18 ms between
1 Gbps 1 ms access links, RED 50/150; the engine alone, at least 10 CPU seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import drive  # noqa: E402
import plans  # noqa: E402

LEAST_CPU_S = 10.0


def measure(duration_s: float) -> dict[str, float]:
    """Totals of one run of the reference dumbbell."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plans.reference_dumbbell(duration_s).to_json())
        words = [drive.engine(), "run", "--plan", str(path)]
        return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def main() -> None:
    """Find a duration that takes long enough, and print the two rates."""
    duration_s = 200.0
    totals = measure(duration_s)
    while totals["cpu_s"] < LEAST_CPU_S:
        duration_s *= max(1.5, 1.15 * LEAST_CPU_S / totals["cpu_s"])
        totals = measure(duration_s)
    packets = totals["data_packets"] / totals["cpu_s"]
    hops = totals["packet_hops"] / totals["cpu_s"]
    print(
        f"reference dumbbell: {packets:,.0f} data packets per CPU second, "
        f"{hops:,.0f} packet-hops per CPU second "
        f"({totals['cpu_s']:.1f} CPU s, {totals['events'] / totals['data_packets']:.2f} events "
        "per data packet)"
    )


if __name__ == "__main__":
    main()
