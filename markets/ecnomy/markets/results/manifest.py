# SPDX-License-Identifier: Apache-2.0
"""Reads manifest.json of a results folder (format 1)."""

from __future__ import annotations

import contextlib
import glob
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import PLAN_VERSION, Plan
from ecnomy.markets.support.intact import UNREADABLE, check_sealed
from ecnomy.markets.support.wording import other_format

__all__ = [
    "FORMAT",
    "MANIFEST",
    "SWEEP",
    "HandChange",
    "Manifest",
    "Measured",
    "SoldClass",
    "read_manifest",
]

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"  # file name in the folder
SWEEP: Final = "sweep.json"  # file in the folder of a sweep, which holds no run


class Measured(msgspec.Struct, frozen=True):
    """The measured window [from_ps, to_ps], which the tables `flows` and `links` cover."""

    from_ps: int
    to_ps: int


class SoldClass(msgspec.Struct, frozen=True):
    """A service class. Flows refer to it by its index in the manifest (`class_index`)."""

    name: str
    provider: str = ""


class HandChange(msgspec.Struct, frozen=True):
    """The changes that a user made to one value of a running market, such as a carrier's price."""

    what: str  # price, willingness, weight, active share or class
    of: str  # a carrier ("" in a market without one) or a source
    from_ps: int
    values: int

    def __str__(self) -> str:
        """Describe the changes in words."""
        count = f"{self.values} values, the first" if self.values > 1 else "1 value,"
        return f"{self.what} of {self.of or 'a mark'} ({count} at {self.from_ps / PS_PER_S:g} s)"


class Manifest(msgspec.Struct, frozen=True):
    """The content of manifest.json.

    Unknown keys are ignored, because later minor versions may add keys. Under `serve --any`, `plan`
    describes the network that is served, and `network_differs` lists its differences from the
    scenario. `tables` holds the digest of each table's file. Only unfinished runs and runs of
    earlier versions lack digests.
    """

    format: int
    complete: bool
    title: str
    plan: Plan
    plan_digest: str
    seed: int
    measured: Measured | None = None
    reason: str | None = None
    scenario: Any = None
    balances_micro: dict[str, int] | None = None
    versions: dict[str, Any] = {}
    classes: tuple[SoldClass, ...] = ()
    network_differs: tuple[str, ...] = ()
    tables: dict[str, str] = {}
    by_hand: tuple[HandChange, ...] = ()

    @property
    def changed_by_hand(self) -> str:
        """Return a sentence about the values that a user set, or "" if there are none."""
        changes = ", ".join(map(str, self.by_hand))
        return f"set by hand: {changes}; a run of the scenario differs" if changes else ""


class _Version(msgspec.Struct, frozen=True):
    plan: int


class _Header(msgspec.Struct, frozen=True):
    """The key that is read first. Other keys are parsed only if the format is known."""

    format: int


class _PlanHeader(msgspec.Struct, frozen=True):
    """The plan's version, which is read before the rest of the plan."""

    plan: _Version


def read_manifest(path: str | Path) -> Manifest:
    """Return the manifest of a results folder.

    Raises:
        ResultsError: the folder does not exist or does not hold results, the format or the plan has
            another version, or the manifest was altered.
    """
    folder = Path(path)
    if not folder.exists():
        near = _near(folder)
        meant = f"; did you mean {near}?" if near else ""
        raise ResultsError(
            f"{folder}: no such results folder, expected the folder of an `ecnomy run`{meant}"
        )
    file = folder / MANIFEST
    if not folder.is_dir() or not file.is_file():
        inside = next(iter(sorted(folder.glob(f"*/{MANIFEST}"))), None)
        hint = f"; {inside.parent} is one" if inside else ", expected the folder of an `ecnomy run`"
        raise ResultsError(f"{folder}: not a results folder (it has no {MANIFEST}){hint}")
    raw = file.read_bytes()
    try:
        file_format = msgspec.json.decode(raw, type=_Header).format
        if file_format != FORMAT:
            raise ResultsError(other_format(file, "results format", file_format, FORMAT))
        version = msgspec.json.decode(raw, type=_PlanHeader).plan.plan
        if version != PLAN_VERSION:
            raise ResultsError(other_format(file, "plan version", version, PLAN_VERSION))
        manifest = msgspec.json.decode(raw, type=Manifest)
    except UNREADABLE as error:
        raise ResultsError(f"{file}: not a results manifest ({error})") from error
    check_sealed(file, raw, "run it again")
    return manifest


def _near(folder: Path) -> Path | None:
    """Return a results folder named like this folder, with or without a number, or None."""
    inside = Path("results") if folder.parent == Path() else folder.parent
    name = glob.escape(folder.name)
    for pattern in (name, f"{name}-[0-9]*"):
        with contextlib.suppress(OSError, ValueError):  # the name is not a valid pattern
            if manifests := sorted(inside.glob(f"{pattern}/{MANIFEST}")):
                return manifests[0].parent
    return None
