# SPDX-License-Identifier: Apache-2.0
"""A stand-in for OMNeT++, INET and ecnomy's modules, for tests of commands and messages."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

__all__ = ["stand_in"]


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
    script = Path(__file__).with_name("fake_opp_run.py")
    program = root / "omnetpp/bin/opp_run"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("OMNETPP_ROOT", str(root / "omnetpp"))
    monkeypatch.setenv("INET_ROOT", str(root / "inet"))
    monkeypatch.setenv("ECNOMY_OMNET", str(root / "modules"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return root
