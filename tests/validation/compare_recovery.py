# SPDX-License-Identifier: Apache-2.0
"""Loss recovery compared with ns-3's by case: `python tests/validation/compare_recovery.py`.

Greedy NewReno flows with SACK over a drop-tail bottleneck of 10 Mbps, RTT 40 ms, no ECN, an ACK per
packet, two initial segments; all counts are over the whole run. Both sides get the same case
and the same number of seeds. A ratio is ecnomy's mean over ns-3's, with a 95 % interval (delta
method). `--ns3-results DIR` keeps ns-3's results, one file per case, and continues from these. ns-3
runs on this Python or on ECNOMY_NS3_PYTHON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import plans
from drive import run
from ecnomy.markets.plan import Law

__all__ = ["QUANTITIES", "Case", "Ratio", "from_ns3", "ours", "ratio"]

QUANTITIES = ("drops", "timeouts", "retransmissions", "goodput_bps")
_SCRIPT = Path(__file__).with_name("ns3_recovery.py")
_NOT_INSTALLED = 3
# ns-3's point-to-point links frame a packet of 1,000 bytes with headers by two bytes.
_MSS, _OVERHEAD = 1000, 42


@dataclass(frozen=True)
class Case:
    """The case for both sides; only ns-3 uses `recovery` and `timestamps`."""

    flows: int
    buffer_packets: int
    min_rto_s: float
    duration_s: float = 60.0
    seeds: list[int] = field(default_factory=lambda: list(range(1, 11)))
    recovery: str = "classic"
    timestamps: bool = False

    @property
    def name(self) -> str:
        """The name of a file of results."""
        stamps = "-timestamps" if self.timestamps else ""
        parts = (self.flows, self.buffer_packets, f"{self.min_rto_s:g}", f"{self.duration_s:g}")
        seeds = f"{self.seeds[0]}to{self.seeds[-1]}"
        return "-".join(map(str, parts)) + f"-{seeds}-{self.recovery}{stamps}"


@dataclass(frozen=True)
class Ratio:
    """ecnomy's mean over ns-3's, and the half width of the 95 % interval."""

    value: float
    half: float


Runs = dict[str, NDArray[np.float64]]  # one value per seed of each quantity


def ours(case: Case) -> Runs:
    """Runs the built-in engine; sums over all flows."""
    outcomes = [_one(case, seed) for seed in case.seeds]
    return {name: np.array([one[name] for one in outcomes]) for name in QUANTITIES}


def _one(case: Case, seed: int) -> dict[str, float]:
    links = (
        plans.duplex("in", 0, 1, 1e9, 0.001)
        + plans.duplex("bottleneck", 1, 2, 1e7, 0.018, buffer=case.buffer_packets)
        + plans.duplex("out", 2, 3, 1e9, 0.001)
    )
    transport = plans.tcp(
        Law("newreno", dict(plans.RENO.params)), mss_bytes=_MSS, header_bytes=_OVERHEAD,
        ack_bytes=_OVERHEAD, echo="off", sack=True, min_rto_ps=round(case.min_rto_s * plans.PS),
    )  # fmt: skip
    flows = plans.source(
        "f", [0, 2, 4], [5, 3, 1], transport, count=case.flows, spread_s=1.0
    )  # fmt: skip
    outcome = run(plans.plan(links, [flows], case.duration_s, seed=seed))
    last = outcome.reports[-1]
    return {
        "drops": float(last.links["drops"][2]),
        "timeouts": float(last.flows["timeouts"].sum()),
        "retransmissions": float(last.flows["retransmitted"].sum()),
        "goodput_bps": 8.0 * _MSS * float(last.flows["acked"].sum()) / case.duration_s,
    }


def from_ns3(case: Case, kept: Path | None = None) -> Runs | str:
    """The results of ns-3, or the reason for their absence."""
    path = kept / f"{case.name}.jsonl" if kept else None
    if path and path.exists():
        return _parsed(path.read_text())
    python = os.environ.get("ECNOMY_NS3_PYTHON", sys.executable)
    words = [python, str(_SCRIPT), json.dumps(asdict(case))]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode == _NOT_INSTALLED:
        return done.stderr.strip().splitlines()[-1]
    if done.returncode:
        raise RuntimeError(f"ns-3 failed: {done.stderr[-500:]}")
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(done.stdout)
    return _parsed(done.stdout)


def _parsed(lines: str) -> Runs:
    rows = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in QUANTITIES}


def ratio(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Ratio:
    """The ratio of two means from independent measurements."""
    value = float(ours.mean() / theirs.mean()) if theirs.mean() else float("nan")
    squares = [float(x.var(ddof=1) / len(x) / x.mean() ** 2) for x in (ours, theirs) if x.mean()]
    if len(squares) < 2 or min(len(ours), len(theirs)) < 2:
        return Ratio(value, float("nan"))
    t = float(stats.t.ppf(0.975, len(ours) + len(theirs) - 2))
    return Ratio(value, t * value * sum(squares) ** 0.5)


def _line(case: Case, mine: Runs, theirs: Runs) -> str:
    cells = [f"{case.flows:5d} {case.buffer_packets:6d} {case.min_rto_s:7g}"]
    for name in QUANTITIES:
        quotient, scale = ratio(mine[name], theirs[name]), 1e6 if name == "goodput_bps" else 1.0
        means = [runs[name].mean() / scale / case.flows for runs in (mine, theirs)]
        cells.append(f"{means[0]:8.2f} {means[1]:8.2f} {quotient.value:5.2f} ±{quotient.half:4.2f}")
    return "  ".join(cells)


def main() -> int:
    """Prints the table, one line per case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flows", type=int, nargs="+", default=[1, 5, 10])
    parser.add_argument("--buffers", type=int, nargs="+", default=[20, 50, 100])
    parser.add_argument("--min-rto", type=float, nargs="+", default=[0.2, 1.0], metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--recovery", choices=("classic", "prr"), default="classic")
    parser.add_argument("--timestamps", action="store_true", help="RFC 7323 in ns-3")
    parser.add_argument("--ns3-results", type=Path, metavar="DIR")
    given = parser.parse_args()
    print("per flow: ours, ns-3's, ratio ± 95 %; goodput in Mbps")
    print("flows buffer min RTO  " + "  ".join(f"{name:>30}" for name in QUANTITIES))
    for min_rto_s, flows, buffer in itertools.product(given.min_rto, given.flows, given.buffers):
        seeds = list(range(1, given.seeds + 1))
        case = Case(
            flows, buffer, min_rto_s, given.seconds, seeds, given.recovery, given.timestamps
        )
        theirs = from_ns3(case, given.ns3_results)
        if isinstance(theirs, str):
            print(theirs, file=sys.stderr)
            return _NOT_INSTALLED
        print(_line(case, ours(case), theirs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
