# SPDX-License-Identifier: Apache-2.0
"""A fake engine in Python, for tests that do not need the real one; ids of engine processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine_pids import noted_pids
from fake_omnet import stand_in
from open_world import SCENARIO

__all__ = ["stand_in"]


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
