# SPDX-License-Identifier: Apache-2.0
"""An engine in Python, for tests that want none of the real one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture
def fake_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable that speaks the bridge as an engine does, in place of the real one."""
    script = Path(__file__).with_name("fake_engine.py")
    binary = tmp_path / "fake-engine"
    binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    binary.chmod(0o755)
    monkeypatch.setenv("ECNOMY_ENGINE", str(binary))
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
    return binary
