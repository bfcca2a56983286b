# SPDX-License-Identifier: Apache-2.0
"""kill -9 of either process in mid-run: the other ends within 5 s and says what it knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
LIMIT_S = 5.0


def start(folder: Path) -> subprocess.Popen[str]:
    """A run of a million simulated seconds."""
    code = "from ecnomy.markets.cli import main; main()"
    words = ["run", str(EXAMPLES / "gold-silver.yaml"), "--set", "duration=1000000 s", "--out"]
    return subprocess.Popen(
        [sys.executable, "-c", code, *words, str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background job ignores Ctrl-C, and so would all it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(found: Callable[[], object], limit_s: float = 30.0):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if answer := found():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"not within {limit_s} s")


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

    return wait_for(look)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def well_under_way(folder: Path) -> bool:
    return any(p.stat().st_size > 100_000 for p in folder.rglob("*") if p.is_file())


def test_engine_killed(tmp_path: Path) -> None:
    """ecnomy exits non-zero within 5 s, names what died and when; the results say partial."""
    folder = tmp_path / "run"
    process = start(folder)
    engine = engine_of(process.pid)
    wait_for(lambda: well_under_way(folder))
    os.kill(engine, signal.SIGKILL)
    _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 1
    line = said.strip().splitlines()[-1]
    assert "engine" in line and "SIGKILL" in line and "simulated time" in line
    assert "Traceback" not in said
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] is False and "SIGKILL" in manifest["reason"]


def test_market_killed(tmp_path: Path) -> None:
    """The engine is gone within 5 s."""
    process = start(tmp_path / "run")
    engine = engine_of(process.pid)
    wait_for(lambda: well_under_way(tmp_path / "run"))
    process.kill()
    process.communicate()
    wait_for(lambda: not alive(engine), LIMIT_S)


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C: exit status 130, the engine gone, what was measured kept and called partial."""
    folder = tmp_path / "run"
    process = start(folder)
    engine = engine_of(process.pid)
    wait_for(lambda: well_under_way(folder))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    wait_for(lambda: not alive(engine), LIMIT_S)
    assert json.loads((folder / "manifest.json").read_text())["complete"] is False
