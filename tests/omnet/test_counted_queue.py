# SPDX-License-Identifier: Apache-2.0
"""An INET queue on a link of the market: the books equal those of ecnomy's own queue."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

import drive_omnet
from ecnomy.markets.omnet.installation import find_installation

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-own-law"),
]

NETWORKS = Path(__file__).resolve().parents[2] / "omnet/simulations"
TOTALS = ("sent:sum", "delivered:sum", "marked:sum", "lost:sum")
QUEUE = "*.edge.ppp[2].queue"
COUNTED = [
    f'{QUEUE}.typename="ecnomy.queue.CountedQueue"',
    f'{QUEUE}.queue.typename="DropTailQueue"',
    f"{QUEUE}.queue.packetCapacity=100",
]


def books(results: Path, *settings: str) -> dict[str, float]:
    """Totals of all sources in gold_silver's [Config DropTail] after 20 s, without decisions."""
    here = find_installation()
    folders = [here.modules / "inet", NETWORKS, here.inet.folder / "src"]
    excluded = (here.inet.folder / ".nedexclusions").read_text().split()
    words = [here.opp_run, "-u", "Cmdenv", "-c", "DropTail"]
    words += ["-l", here.modules / "inet" / "ecnomy", "-n", os.pathsep.join(map(str, folders))]
    words += ["-x", ";".join(excluded), "--sim-time-limit=20s", "--warmup-period=1s"]
    words += [
        "--vector-recording=false",
        f"--output-scalar-file={results}",
        *(f"--{one}" for one in settings),
    ]
    done = subprocess.run(
        [*map(str, words), "omnetpp.ini"],
        cwd=NETWORKS / "gold_silver",
        env=drive_omnet.environment(here),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    rows = [shlex.split(line) for line in results.read_text().splitlines()]
    scalars = [row for row in rows if row[:1] == ["scalar"] and row[2] in TOTALS]
    return {f"{row[1]} {row[2]}": float(row[3]) for row in scalars}


def test_inets_drop_tail_is_counted_as_ecnomys(tmp_path: Path) -> None:
    """Each source has the same numbers of sent, delivered, marked and lost packets."""
    ours = books(tmp_path / "ours.sca")
    assert books(tmp_path / "inets.sca", *COUNTED) == ours
    of_all = {name: sum(v for key, v in ours.items() if key.endswith(name)) for name in TOTALS}
    assert of_all["delivered:sum"] > 1000 and of_all["lost:sum"] > 0
