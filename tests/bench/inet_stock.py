# SPDX-License-Identifier: Apache-2.0
"""INET's own TCP and RED on the reference dumbbell (inet_dumbbell/), without ecnomy.

Packets are the segments of 1,000 bytes that the sinks received. CPU seconds are a longer run's less
a shorter one's, so reading NED files and building the network do not count.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.omnet.installation import find_inet, find_omnetpp

__all__ = ["CONFIGS", "stock_rate"]

CONFIGS: Final = {"as it comes": "AsItComes", "without statistics": "Quiet"}
SHORT_S: Final = 1
LONG_S: Final = 6
SEGMENT_BYTES: Final = 1000
_FOLDER: Final = Path(__file__).with_name("inet_dumbbell")
_RECEIVED: Final = re.compile(
    r"^scalar \S*receiver\S* packetReceived:sum\(packetBytes\) (\d+)", re.MULTILINE
)


def stock_rate(config: str) -> float | str:
    """Data packets per CPU second of a configuration of its ini file, or why there are none."""
    try:
        short, long = _run(config, SHORT_S), _run(config, LONG_S)
    except EcnomyError as error:
        return str(error)
    if isinstance(short, str):
        return short
    if isinstance(long, str):
        return long
    return (long[0] - short[0]) / (long[1] - short[1])


def _run(config: str, duration_s: int) -> tuple[float, float] | str:
    """Packets received and CPU seconds of the whole process."""
    omnetpp, inet = find_omnetpp().folder, find_inet().folder
    source = inet / "src"
    excluded = ";".join((inet / ".nedexclusions").read_text().split())
    release = omnetpp / "bin" / "opp_run_release"
    with tempfile.TemporaryDirectory() as results:
        scalars = Path(results) / "run.sca"
        process = subprocess.Popen(
            [str(release if release.exists() else omnetpp / "bin" / "opp_run"),
             "-u", "Cmdenv", "-m", "-l", str(source / "INET"), "-n", f".:{source}", "-x", excluded,
             "-c", config, f"--sim-time-limit={duration_s}s", f"--result-dir={results}",
             f"--output-scalar-file={scalars}", "omnetpp.ini"],
            cwd=_FOLDER,
            env=os.environ | {"LD_LIBRARY_PATH": f"{omnetpp / 'lib'}:{source}"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)  # no limit: the run has its own
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return f"INET's own dumbbell ended with {process.returncode}"
        received = sum(int(count) for count in _RECEIVED.findall(scalars.read_text()))
    return received / SEGMENT_BYTES, usage.ru_utime + usage.ru_stime
