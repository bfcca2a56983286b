# SPDX-License-Identifier: Apache-2.0
"""`make -C omnet`: one line names missing or incompatible parts. Needs no OMNeT++."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from processes import LIMIT_S

OMNET = Path(__file__).resolve().parents[2] / "omnet"
INET = "#define INET_VERSION        0x04{}\n#define INET_PATCH_LEVEL    0x01\n"
CASES = {
    "neither": (
        {"OMNETPP_ROOT": ""},
        {},
        "OMNeT++ not found (no opp_run on the PATH): set OMNETPP_",
    ),
    "a wrong folder": (
        {"OMNETPP_ROOT": "/nowhere"},
        {},
        "OMNeT++ not found (OMNETPP_ROOT=/nowhere): set OMNETPP_ROOT",
    ),
    "an old OMNeT++": (
        {},
        {"omnetpp/Makefile.inc": "OMNETPP_VERSION = 6.0.3\n"},
        "found OMNeT++ 6.0.3 (",
    ),
    "no INET": ({"INET_ROOT": ""}, {}, "INET not found (INET_ROOT is not set): set INET_ROOT"),
    "another folder": (
        {"INET_ROOT": "/nowhere"},
        {},
        "INET not found (no src/inet/common/INETDefs.h in /nowhere)",
    ),
    "an old INET": ({}, {"inet/src/inet/common/INETDefs.h": INET.format("04")}, "found INET 4.4 ("),
    "a later INET": (
        {},
        {"inet/src/inet/common/INETDefs.h": INET.format("08")},
        "found INET 4.8 (",
    ),
    "INET 4.6 with an OMNeT++ too old for it": (
        {},
        {"inet/src/inet/common/INETDefs.h": INET.format("06")},
        "found OMNeT++ 6.1 with INET 4.6, expected 6.2 or later",
    ),
    "INET 4.7 with an OMNeT++ too old for it": (
        {},
        {
            "inet/src/inet/common/INETDefs.h": INET.format("07"),
            "omnetpp/Makefile.inc": "OMNETPP_VERSION = 6.3.0\n",
        },
        "found OMNeT++ 6.3.0 with INET 4.7, expected 6.4 or later",
    ),
    "INET in another mode": ({"MODE": "debug"}, {}, "libINET_dbg.so is not there: build INET with"),
    "an unknown mode": ({"MODE": "fast"}, {}, "MODE=fast: expected release or debug"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_one_line(case: str, stand_in: Path) -> None:
    """The line gives the found and expected versions, before anything is built."""
    variables, files, message = CASES[case]
    helper = stand_in / "omnetpp/bin/opp_configfilepath"
    helper.write_text(f'#!/bin/sh\necho "{stand_in}/omnetpp/Makefile.inc"\n')
    helper.chmod(0o755)
    for name, text in files.items():
        (stand_in / name).write_text(text)
    here = {"OMNETPP_ROOT": f"{stand_in}/omnetpp", "INET_ROOT": f"{stand_in}/inet"}
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", str(OMNET)],
        env=env | {"INET_PROJ": "", "MODE": "release", "PATH": "/usr/bin:/bin"} | here | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and message in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("NLOHMANN_INCLUDE=/nowhere", "nlohmann/json.hpp not found: set NLOHMANN_INCLUDE"),
        ("CFLAGS=-O3 -march=native", "results would depend on the machine"),
        ("CFLAGS=-Ofast", "results would depend on the machine"),
    ],
)
def test_part_of_the_generated_makefile_refuses(given: str, message: str, tmp_path: Path) -> None:
    """The makefile refuses missing headers, and flags of OMNeT++ that make runs differ."""
    json = tmp_path / "nlohmann/json.hpp"
    json.parent.mkdir()
    json.write_text("")
    words = ["make", "-n", "-f", "makefrag", "O=out", f"NLOHMANN_INCLUDE={tmp_path}", given]
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        words,
        cwd=OMNET / "inet",
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 2 and message in done.stderr, done.stderr
