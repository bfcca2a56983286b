# SPDX-License-Identifier: Apache-2.0
"""kill -9 of either process during a run: the other ends and reports what it knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import alive, ended, started, wait_for
from tiers import full

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run of a million simulated seconds, after its start."""
    folder = tmp_path / "run"
    code = "from ecnomy.markets.cli.main import main; main()"
    words = ["run", EXAMPLES / "gold-silver.yaml", "--set", "duration=1000000 s", "--out", folder]
    with started([sys.executable, "-c", code, *words], stderr=subprocess.PIPE) as opened:
        wait_for(lambda: well_under_way(folder), "a run under way", while_runs=opened)
        yield opened


def engine_of(pid: int) -> int:
    """The run's engine, by its parent."""

    def look() -> int | None:
        for entry in Path("/proc").iterdir():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                name = (entry / "comm").read_text()
            except (OSError, IndexError):
                continue
            if fields[1] == str(pid) and name.startswith("ecnomy-engine"):
                return int(entry.name)
        return None

    return wait_for(look, "an engine")


def well_under_way(folder: Path) -> bool:
    return any(p.stat().st_size > 20_000 for p in folder.rglob("*") if p.is_file())


def test_engine_killed(tmp_path: Path, process: subprocess.Popen[str]) -> None:
    """ecnomy exits non-zero and names the dead process and the time. The results are partial."""
    folder = tmp_path / "run"
    os.kill(engine_of(process.pid), signal.SIGKILL)
    status, _, said = ended(process)
    assert status == 1
    line = said.strip().splitlines()[-1]
    assert "engine" in line and "SIGKILL" in line and "simulated time" in line
    assert "Traceback" not in said
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] is False and "SIGKILL" in manifest["reason"]


def test_market_killed(process: subprocess.Popen[str]) -> None:
    """If the market is killed, the engine also ends."""
    engine = engine_of(process.pid)
    process.kill()
    wait_for(lambda: not alive(engine), "the engine's end")


@full
def test_interrupted(tmp_path: Path, process: subprocess.Popen[str]) -> None:
    """After Ctrl-C the exit status is 130, the engine has ended, and results are partial."""
    engine = engine_of(process.pid)
    process.send_signal(signal.SIGINT)
    status, _, said = ended(process)
    assert status == 130 and "interrupted" in said and "Traceback" not in said
    wait_for(lambda: not alive(engine), "the engine's end")
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["complete"] is False
