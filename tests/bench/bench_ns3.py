# SPDX-License-Identifier: Apache-2.0
"""The speed relative to ns-3 (wheel from PyPI) on the same dumbbell, in turn, in one session.

CPU seconds are differences between a longer and a shorter run, because ns-3 compiles bindings while
it starts. Install ns-3 with `pip install .[bench]`, or name an interpreter that has it in
ECNOMY_NS3_PYTHON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import history
from loads import LOADS
from measuring import cost

ROUNDS, SHORT_S, LONG_S = 3, 2.0, 12.0
_SCRIPT = Path(__file__).with_name("ns3_dumbbell.py")


def ns3(duration_s: float) -> dict[str, Any] | str:
    """Totals of ns-3, or the reason why there are none."""
    python = os.environ.get("ECNOMY_NS3_PYTHON", sys.executable)
    words = [python, str(_SCRIPT), f"{duration_s:g}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it failed without a word"])[-1]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def rates() -> dict[str, Any] | str:
    """Medians of data packets per CPU second of both, or the reason why there are none."""
    theirs, ours = [], []
    version = ""
    for _ in range(ROUNDS):
        short, long = ns3(SHORT_S), ns3(LONG_S)
        if isinstance(short, str):
            return short
        if isinstance(long, str):
            return long
        packets = long["data_packets"] - short["data_packets"]
        theirs.append(packets / (long["cpu_s"] - short["cpu_s"]))
        mine = cost(LOADS["reference"].make(60.0 * LONG_S))
        ours.append(mine.data_packets / mine.cpu_s)
        version = long["version"]
    ratio = median(o / t for o, t in zip(ours, theirs, strict=True))
    return {"ns3": median(theirs), "ecnomy": median(ours), "ratio": ratio, "version": version}


def main() -> None:
    """Print and record the rates."""
    figures = rates()
    if isinstance(figures, str):
        print(f"ns-3: not measured ({figures})")
        return
    print(
        f"reference dumbbell, medians of {ROUNDS} in turn: {figures['ecnomy']:,.0f} data packets "
        f"per CPU second, ns-3 {figures['version']} {figures['ns3']:,.0f}: "
        f"{figures['ratio']:.0f} times"
    )
    history.add("ns3", figures)


if __name__ == "__main__":
    main()
