# SPDX-License-Identifier: Apache-2.0
"""The speed relative to INET: one scenario on both engines, in turn, in one session.

INET is measured three times: its own TCP and RED unchanged and without statistics
(inet_stock.py), and under ecnomy's modules by `ecnomy run --engine omnet`, whose CPU seconds are
in machine.json. Without OMNeT++, or an ecnomy that can start it, it prints the reason.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import history
from inet_stock import CONFIGS, stock_rate

ROUNDS, INET_S, OURS_S = 3, 5, 600
ADAPTER, OURS = "under ecnomy's modules", "ecnomy"
# The reference dumbbell as a user's scenario.
SCENARIO = """\
version: 1
duration: 5 s
seed: 1
network:
  links:
    - {name: in, from: a, to: b, rate: 1 Gbps, delay: 1 ms}
    - {name: bottleneck, from: b, to: c, rate: 100 Mbps, delay: 18 ms, buffer: 400 packets,
       marking: {law: red, min_threshold: 50 packets, max_threshold: 150 packets,
                 max_probability: 0.1, weight: 0.002}}
    - {name: out, from: c, to: d, rate: 1 Gbps, delay: 1 ms}
sources:
  - {name: reno, count: 10, from: a, to: d, stagger: 100 ms, traffic: {kind: greedy},
     transport: {law: reno, ecn: rfc3168, mss: 1000 bytes}}
"""


def rate(folder: Path, duration_s: int, *options: str) -> float | str:
    """Data packets per CPU second of the engine chosen by the options, or why there are none."""
    scenario = folder / "dumbbell.yaml"
    scenario.write_text(SCENARIO)
    out = folder / f"out{len(list(folder.iterdir()))}"
    words = ["run", str(scenario), "--out", str(out), "--set", f"duration={duration_s} s"]
    command = [str(Path(sys.executable).with_name("ecnomy")), *words, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode:
        said = [line.strip(" │╭╰─╮╯") for line in done.stderr.splitlines()]
        return next((line for line in reversed(said) if line), "it failed without a word")
    engine: dict[str, Any] = json.loads((out / "machine.json").read_text())["engine"]
    return float(engine["data_packets"]) / float(engine["cpu_s"])


def rounds(folder: Path) -> dict[str, list[float]] | str:
    """Rates by name, measured in turn, or the reason for a failure."""
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        measured: dict[str, float | str] = {
            name: stock_rate(config) for name, config in CONFIGS.items()
        }
        measured[ADAPTER] = rate(folder, INET_S, "--engine", "omnet")
        measured[OURS] = rate(folder, OURS_S)
        for name, figure in measured.items():
            if isinstance(figure, str):
                return figure
            rates.setdefault(name, []).append(figure)
    return rates


def main() -> None:
    """Print and record the rates."""
    with tempfile.TemporaryDirectory() as name:
        rates = rounds(Path(name))
    if isinstance(rates, str):
        print(f"INET: not measured ({rates})")
        return
    ours = rates.pop(OURS)
    print(
        f"reference dumbbell, medians of {ROUNDS} in turn: {median(ours):,.0f} data packets per "
        "CPU second"
    )
    figures: dict[str, Any] = {"ecnomy": median(ours)}
    for name, theirs in rates.items():
        ratio = median(o / t for o, t in zip(ours, theirs, strict=True))
        print(f"    INET, {name}: {median(theirs):,.0f}, {ratio:.0f} times fewer")
        figures[name] = {"packets_per_cpu_s": median(theirs), "ratio": ratio}
    history.add("inet", figures)


if __name__ == "__main__":
    main()
