# SPDX-License-Identifier: Apache-2.0
"""The record of a bench: tests/bench/history/<date>-<commit>.json, with machine and versions.

Each bench adds its part under its name to the file of the same day and commit. Other files
never change. Records are ordered by their commits, because files of a clone have arbitrary times.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["RISE", "Change", "Record", "add", "changes", "instructions", "newest", "records"]

RISE = 1.05  # a load that takes so many times the instructions per hop is named
_FOLDER = Path(__file__).with_name("history")


@dataclass(frozen=True)
class Record:
    """The figures of one day and commit, by part."""

    date: str
    commit: str
    parts: dict[str, Any]


@dataclass(frozen=True)
class Change:
    """Instructions per hop of a load in the newest record, and in the last one before it."""

    load: str
    now: float
    before: float
    commit: str  # of the record before

    @property
    def rose(self) -> bool:
        """Whether the load takes 5 % more instructions, or more than that."""
        return self.now >= RISE * self.before


def add(part: str, figures: Any) -> Path:
    """Adds or replaces one part of today's record of this commit."""
    _FOLDER.mkdir(exist_ok=True)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    path = _FOLDER / f"{today}-{_commit()}.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    record |= {"machine": _machine(), part: figures}
    path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return path


def records() -> list[Record]:
    """Records of HEAD and its ancestors, the oldest commit first; outside git all, by date."""
    stored = [
        Record(path.stem[:10], path.stem[11:], json.loads(path.read_text()))
        for path in sorted(_FOLDER.glob("*.json"))
    ]
    log = _said("git", "-C", str(_FOLDER.parent), "rev-list", "--reverse", "--topo-order", "HEAD")
    place = {
        record.commit: at
        for record in stored
        for at, commit in enumerate(log)
        if commit.startswith(record.commit)
    }
    known = [record for record in stored if record.commit in place]
    return sorted(known, key=lambda record: place[record.commit]) or stored


def newest(part: str) -> Any:
    """The figures of the newest record that has this part.

    Raises:
        LookupError: there is no such record.
    """
    for record in reversed(records()):
        if part in record.parts:
            return record.parts[part]
    raise LookupError(f"no record of {part}: run `make bench` first")


def instructions(record: Record) -> dict[str, float]:
    """Instructions per hop of each load for which the record has them."""
    loads = record.parts.get("loads", {})
    return {name: at["per_hop"]["instructions"] for name, at in loads.items() if at["per_hop"]}


def changes() -> list[Change]:
    """Each load of the newest record, compared with the last record of an earlier commit."""
    counted = [record for record in records() if instructions(record)]
    earlier = [record for record in counted if record.commit != counted[-1].commit]
    before = {load: record for record in earlier for load in instructions(record)}
    return [
        Change(load, now, instructions(before[load])[load], before[load].commit)
        for load, now in (instructions(counted[-1]) if counted else {}).items()
        if load in before
    ]


def _machine() -> dict[str, Any]:
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
        "compiler": "".join(_said("g++", "--version")[:1]),
        "python": platform.python_version(),
        "commit": _commit(),
    }


def _commit() -> str:
    here = ("git", "-C", str(_FOLDER.parent))
    return "".join(_said(*here, "rev-parse", "--short=8", "HEAD")) or "no-commit"


def _said(*words: str) -> list[str]:
    """The lines that a program prints; none if it fails."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3600)
    except FileNotFoundError:
        return []
    return [] if done.returncode else done.stdout.splitlines()
