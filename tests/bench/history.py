# SPDX-License-Identifier: Apache-2.0
"""The record of a bench: tests/bench/history/<date>-<commit>.json, with machine and versions.

Each bench adds its part under its name to the file of the same day and commit. Other files
never change.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["add", "machine", "newest"]

_FOLDER = Path(__file__).with_name("history")


def machine() -> dict[str, Any]:
    """The conditions of the figures other than the code."""
    cpu = "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "compiler": _said("g++", "--version"),
        "python": platform.python_version(),
        "commit": _commit(),
    }


def add(part: str, figures: Any) -> Path:
    """Adds or replaces one part of today's record of this commit."""
    _FOLDER.mkdir(exist_ok=True)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    path = _FOLDER / f"{today}-{_commit()}.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    record |= {"machine": machine(), part: figures}
    path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return path


def newest(part: str) -> Any:
    """The figures of the newest record that has this part.

    Raises:
        LookupError: there is no such record.
    """
    for path in sorted(_FOLDER.glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True):
        record = json.loads(path.read_text())
        if part in record:
            return record[part]
    raise LookupError(f"no record of {part}: run `make bench` first")


def _commit() -> str:
    here = ("git", "-C", str(_FOLDER.parent))
    return _said(*here, "rev-parse", "--short=8", "HEAD") or "no-commit"


def _said(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3600)
    except FileNotFoundError:
        return ""
    return done.stdout.partition("\n")[0].strip()
