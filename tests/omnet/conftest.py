# SPDX-License-Identifier: Apache-2.0
"""The installed OMNeT++, INET and ecnomy's modules, or a reason to skip, and a stand-in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.installation import Installation, find_installation

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def omnet() -> Installation:
    """Skip without OMNeT++ and INET. If they exist, `make test` builds ecnomy's modules."""
    try:
        return find_installation()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with imitations of OMNeT++ 6.1, INET 4.5.4 and ecnomy's modules."""
    root = tmp_path / "installed"
    files = {
        "omnetpp/Makefile.inc": "OMNETPP_VERSION = 6.1\n",
        "inet/src/inet/common/INETDefs.h": (
            "#define INET_VERSION        0x0405\n#define INET_PATCH_LEVEL    0x04\n"
        ),
        "inet/src/libINET.so": "",
        "inet/.nedexclusions": "inet.aaa\ninet.bbb\n",
        "modules/inet/package.ned": "package ecnomy;\n",
        "modules/inet/libecnomy.so": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    program = root / "omnetpp/bin/opp_run"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "fake_opp_run.py"}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("OMNETPP_ROOT", str(root / "omnetpp"))
    monkeypatch.setenv("INET_ROOT", str(root / "inet"))
    monkeypatch.setenv("ECNOMY_OMNET", str(root / "modules"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return root
