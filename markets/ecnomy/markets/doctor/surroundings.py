# SPDX-License-Identifier: Apache-2.0
"""The disk that results go to, and OMNeT++ with INET, which no built-in run needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from ecnomy.markets.doctor.finding import Finding

__all__ = ["disk_finding", "omnetpp_findings"]

_LEAST_BYTES: Final = 200 * 10**6  # some minutes of a traced run
_PATIENCE_S: Final = 10.0


def disk_finding(results: Path) -> Finding:
    """Whether results can be written to a folder, which need not exist, and how much of them."""
    there = results.absolute()
    while not there.exists():
        there = there.parent
    what = "results folder"
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        remedy = "name another folder with --out, or make this one writable"
        return Finding(what=what, found=f"{there}: not writable", well=False, remedy=remedy)
    free = shutil.disk_usage(there).free
    return Finding(
        what=what,
        found=f"{results}: {free / 1e9:.3g} GB free",
        well=free >= _LEAST_BYTES,
        remedy=f"make {_LEAST_BYTES / 1e6:g} MB free, or name another folder with --out",
    )


def omnetpp_findings() -> list[Finding]:
    """OMNeT++ and INET by their environment variables, and `opp_run` on the PATH."""
    return [
        _root("OMNeT++", "OMNETPP_ROOT", "source setenv in OMNeT++'s folder"),
        _root("INET", "INET_ROOT", "source setenv in INET's folder"),
        _opp_run(),
    ]


def _root(what: str, variable: str, remedy: str) -> Finding:
    given = os.environ.get(variable)
    if not given:
        found = f"{variable} is not set (graphical runs need it, the built-in engine does not)"
        return _absent(what, found, f"{remedy}, or set {variable} to it")
    folder = Path(given)
    if not folder.is_dir():
        return _absent(what, f"{variable}={given}: no such folder", f"{remedy}, or mend {variable}")
    try:
        version = (folder / "Version").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        version = "of unknown version (it has no file Version)"
    return Finding(what=what, found=f"{version[:60]}, {folder}", required=False)


def _opp_run() -> Finding:
    path = shutil.which("opp_run")
    if path is None:
        return _absent("opp_run", "not on the PATH", "source setenv in OMNeT++'s folder")
    try:
        done = subprocess.run(
            [path, "-v"], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return _absent("opp_run", f"{path}: {type(error).__name__}", "build OMNeT++ anew")
    version = re.search(r"Version:?\s+(\S+?),?\s", done.stdout + " ")
    said = version.group(1) if version else f"status {done.returncode}, and says no version"
    well = done.returncode == 0 and version is not None
    if not well:
        return _absent("opp_run", f"{path}: {said}", "build OMNeT++ anew")
    return Finding(what="opp_run", found=f"{said}, {path}", required=False)


def _absent(what: str, found: str, remedy: str) -> Finding:
    return Finding(what=what, found=found, well=False, required=False, remedy=remedy)
