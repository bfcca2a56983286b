# SPDX-License-Identifier: Apache-2.0
"""Networks made by hand, without a market: fingerprints are stable and follow the seed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from drive_omnet import environment
from ecnomy.markets.omnet.installation import Installation

NETWORKS = Path(__file__).resolve().parents[2] / "omnet" / "simulations"


def fingerprint(here: Installation, name: str, results: Path, *more: str) -> str:
    """The fingerprint of times, modules and packet lengths over 5 simulated seconds in Cmdenv."""
    folders = [here.modules / "inet", NETWORKS, here.inet.folder / "src"]
    excluded = (here.inet.folder / ".nedexclusions").read_text().split()
    words = [here.opp_run, "-u", "Cmdenv", "-c", "General", "-l", here.modules / "inet" / "ecnomy"]
    words += ["-n", ":".join(map(str, folders)), "-x", ";".join(excluded), "omnetpp.ini"]
    words += ["--fingerprint=0000-0000/tplx", "--sim-time-limit=5s", f"--result-dir={results}"]
    done = subprocess.run(
        [*map(str, words), *more],
        cwd=NETWORKS / name,
        env=environment(here),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    match = re.search(r"calculated: ([0-9a-f-]+)/tplx", done.stdout + done.stderr)
    assert match is not None, done.stderr
    return match[1]


@pytest.mark.parametrize("name", ["gold_silver", "voip_web"])
def test_null_bridge_has_a_stable_fingerprint(
    name: str, tmp_path: Path, omnet: Installation
) -> None:
    """Two runs have the same fingerprint, and another seed has a different one."""
    first = fingerprint(omnet, name, tmp_path)
    assert fingerprint(omnet, name, tmp_path) == first
    assert fingerprint(omnet, name, tmp_path, "-r", "1", "--repeat=2") != first
