# SPDX-License-Identifier: Apache-2.0
"""Check the disk for results, and the optional OMNeT++ and INET."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.doctor.finding import Finding
from ecnomy.markets.omnet.installation import (
    OMNETPP_VARIABLE,
    InstalledPart,
    find_inet,
    find_modules,
    find_omnetpp,
    library_of,
    newer_source,
    project_folder,
)

__all__ = ["disk_finding", "omnetpp_findings"]

_LEAST_BYTES: Final = 200 * 10**6  # size of a traced run of some minutes
_PATIENCE_S: Final = 10.0


def disk_finding(results: Path) -> Finding:
    """Check that a folder, which need not exist, is writable and has enough free space."""
    there = results.absolute()
    while not there.exists():
        there = there.parent
    what = "results folder"
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        remedy = "choose another folder with --out, or make this one writable"
        return Finding(what=what, found=f"{there}: not writable", well=False, remedy=remedy)
    free = shutil.disk_usage(there).free
    return Finding(
        what=what,
        found=f"{results}: {free / 1e9:.3g} GB free",
        well=free >= _LEAST_BYTES,
        remedy=f"free {_LEAST_BYTES / 1e6:g} MB, or choose another folder with --out",
    )


def omnetpp_findings() -> list[Finding]:
    """Check OMNeT++, INET and ecnomy's modules, which `--engine omnet` uses."""
    built = "make -C omnet in ecnomy's source tree (ECNOMY_OMNET names it), or make -C "
    return [
        _part("OMNeT++", find_omnetpp, "source setenv in its folder, or set OMNETPP_ROOT to it"),
        _part("INET", find_inet, "source setenv in its folder, or set INET_ROOT to it"),
        _opp_run(),
        _modules(f"{built}{project_folder()}"),
    ]


def _part(what: str, find: Callable[[], InstalledPart], remedy: str) -> Finding:
    try:
        part = find()
    except InputError as error:
        return _absent(
            what, f"{error} (needed for graphical runs, not for the built-in engine)", remedy
        )
    return Finding(what=what, found=f"{part.version}, {part.folder}", required=False)


def _modules(remedy: str) -> Finding:
    what = "ecnomy for OMNeT++"
    try:
        folder, suffix = find_modules()
    except InputError as error:
        return _absent(what, str(error), remedy)
    library = library_of(folder, suffix)
    newer = newer_source(folder, suffix)
    if newer is not None:
        return _absent(what, f"{library}: older than {newer}", f"make -C {folder}")
    return Finding(what=what, found=str(library), required=False)


def _opp_run() -> Finding:
    beside = os.environ.get(OMNETPP_VARIABLE)
    path = shutil.which("opp_run", path=f"{beside}/bin" if beside else None)
    if path is None:
        return _absent("opp_run", "not in OMNeT++'s bin folder", "build OMNeT++")
    try:
        done = subprocess.run(
            [path, "-v"], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return _absent("opp_run", f"{path}: {type(error).__name__}", "rebuild OMNeT++")
    version = re.search(r"Version:?\s+(\S+?),?\s", done.stdout + " ")
    said = (
        version.group(1)
        if version
        else f"exits with status {done.returncode} and prints no version"
    )
    well = done.returncode == 0 and version is not None
    if not well:
        return _absent("opp_run", f"{path}: {said}", "rebuild OMNeT++")
    return Finding(what="opp_run", found=f"{said}, {path}", required=False)


def _absent(what: str, found: str, remedy: str) -> Finding:
    return Finding(what=what, found=found, well=False, required=False, remedy=remedy)
