# SPDX-License-Identifier: Apache-2.0
"""Splits a sweep into parts: part 3 of 40 has the 3rd, 43rd, 83rd, ... run in a separate folder.

One process makes a part. The process does not need a scheduler, a port or a lock on other parts, so
a job array of a cluster can make a sweep. Neighbouring runs have similar parameters and durations.
Because a part has every 40th run, all parts take about the same time.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import InputError

__all__ = ["JOBS", "PARTS", "SweepPart", "part_from", "parts_in"]

PARTS: Final = "parts"
JOBS: Final = "jobs"  # folder of job files (job_files.py)
MOST: Final = 100_000


class SweepPart(msgspec.Struct, frozen=True, order=True):
    """Part `number` of `of` parts of a sweep, counted from 1."""

    of: int
    number: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, run: int) -> bool:
        """Return whether the part has this run of the sweep, counted from 0."""
        return run % self.of == self.number - 1

    def folder_in(self, folder: Path) -> Path:
        """Return the part's folder within the folder of the sweep."""
        return folder / PARTS / f"{self.number}-of-{self.of}"


def part_from(text: str) -> SweepPart:
    """Return the part that a text such as `3/40` names.

    Raises:
        InputError: the text has another form, or the part of this number does not exist.
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match:
        part = SweepPart(number=int(match[1]), of=int(match[2]))
        if 1 <= part.number <= part.of <= MOST:
            return part
    expected = f"NUMBER/COUNT such as 3/40, with a COUNT up to {MOST:,}"
    raise InputError(f"--shard: found {text!r}, expected {expected}")


def parts_in(folder: Path) -> list[SweepPart]:
    """Return the parts in a sweep's folder, in order."""
    names = (re.fullmatch(r"(\d+)-of-(\d+)", one.name) for one in (folder / PARTS).glob("*-of-*"))
    return sorted(SweepPart(number=int(name[1]), of=int(name[2])) for name in names if name)
