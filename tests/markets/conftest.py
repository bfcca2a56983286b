# SPDX-License-Identifier: Apache-2.0
"""Fake engines in Python, for tests that do not need real ones; ids of engine processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engine_pids import noted_pids
from open_world import SCENARIO


@pytest.fixture
def fake_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable that replaces the real engine and speaks the same bridge protocol."""
    script = Path(__file__).with_name("fake_engine.py")
    binary = tmp_path / "fake-engine"
    binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    binary.chmod(0o755)
    monkeypatch.setenv("ECNOMY_ENGINE", str(binary))
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
    return binary


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


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A small scenario with customers."""
    path = tmp_path / "scene.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Process ids of the engines as they are started."""
    return noted_pids(monkeypatch)
