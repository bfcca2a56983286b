# SPDX-License-Identifier: Apache-2.0
"""Find OMNeT++, INET and ecnomy's OMNeT++ modules, and check that they fit together.

OMNETPP_ROOT names the folder of OMNeT++. If it is not set, the folder of the opp_run on the PATH is
used. INET_ROOT names the folder of INET, and ECNOMY_OMNET the folder of the modules. If
ECNOMY_OMNET is not set, ecnomy searches omnet/ beside the virtual environment and in the source
tree, and the copy in the wheel. `make -C` builds the modules in their folder.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import InputError

__all__ = [
    "INET_VARIABLE",
    "OMNETPP_VARIABLE",
    "PROJECT_VARIABLE",
    "SOURCES",
    "Installation",
    "InstalledPart",
    "find_inet",
    "find_installation",
    "find_modules",
    "find_omnetpp",
    "library_of",
    "newer_source",
    "project_folder",
]

OMNETPP_VARIABLE: Final = "OMNETPP_ROOT"
INET_VARIABLE: Final = "INET_ROOT"
PROJECT_VARIABLE: Final = "ECNOMY_OMNET"
SOURCES: Final = ("inet", "host", "bridge", "laws")  # source folders of the library
_CODE: Final = (".h", ".cc")
_LEAST: Final = (6, 1)
_INET: Final = (4, 5)
_DEBUG: Final = "_dbg"


class InstalledPart(msgspec.Struct, frozen=True):
    """A folder and its version, such as 6.1."""

    folder: Path
    version: str


class Installation(msgspec.Struct, frozen=True):
    """The parts of an installation that a run needs.

    Attributes:
        omnetpp: folder and version of OMNeT++.
        inet: folder and version of INET.
        modules: folder of ecnomy's OMNeT++ modules.
        suffix: suffix of libraries and opp_run: "" for release builds, "_dbg" for debug builds.
    """

    omnetpp: InstalledPart
    inet: InstalledPart
    modules: Path
    suffix: str

    @property
    def opp_run(self) -> Path:
        """Return the path of opp_run, the program that runs simulations."""
        bin_folder = self.omnetpp.folder / "bin"
        release = bin_folder / "opp_run_release"
        if self.suffix:
            return bin_folder / f"opp_run{self.suffix}"
        return release if release.exists() else bin_folder / "opp_run"

    @property
    def modules_library(self) -> Path:
        """Return the path of the library of ecnomy's modules."""
        return library_of(self.modules, self.suffix)


def find_installation() -> Installation:
    """Return a complete installation whose parts fit together.

    Raises:
        InputError: a part is missing, not built, out of date or of the wrong version. The message
            gives the variable to set, the build command or the expected version.
    """
    omnetpp, inet = find_omnetpp(), find_inet()
    modules, suffix = find_modules()
    if not (inet.folder / "src" / f"libINET{suffix}.so").exists():
        remedy = f"make -C {inet.folder} MODE={'debug' if suffix else 'release'}"
        raise InputError(f"INET in {inet.folder} is not built; build it: {remedy}")
    newer = newer_source(modules, suffix)
    if newer is not None:
        library = library_of(modules, suffix)
        raise InputError(f"{library}: older than {newer}; rebuild it: make -C {modules}")
    installation = Installation(omnetpp, inet, modules, suffix)
    if not os.access(installation.opp_run, os.X_OK):
        raise InputError(
            f"{installation.opp_run}: not found; build OMNeT++, or set {OMNETPP_VARIABLE}"
        )
    return installation


def find_omnetpp() -> InstalledPart:
    """Return the folder and version of OMNeT++.

    Raises:
        InputError: OMNeT++ is missing, or older than 6.1.
    """
    given = os.environ.get(OMNETPP_VARIABLE)
    program = shutil.which("opp_run")
    if not given and program is None:
        unset = f"{OMNETPP_VARIABLE} is not set and opp_run is not on the PATH"
        raise InputError(
            f"OMNeT++ not found: {unset}; set {OMNETPP_VARIABLE} to the folder of OMNeT++ 6.1"
        )
    folder = Path(given).absolute() if given else Path(program or "").resolve().parents[1]
    text = _text(folder / "Makefile.inc") or _text(folder / "Version")
    version = re.search(r"^(?:OMNETPP_VERSION *= *|omnetpp-)([0-9.]+)", text, re.MULTILINE)
    if version is None:
        named = f"{OMNETPP_VARIABLE}={given}" if given else f"opp_run is {program}"
        raise InputError(
            f"OMNeT++ not found: {named}; set {OMNETPP_VARIABLE} to the folder of a built OMNeT++"
        )
    if _numbers(version[1]) < _LEAST:
        raise InputError(f"{folder}: found OMNeT++ {version[1]}, expected 6.1 or later")
    return InstalledPart(folder, version[1])


def find_inet() -> InstalledPart:
    """Return the folder and version of INET.

    Raises:
        InputError: INET is missing, or its version is not 4.5.
    """
    given = os.environ.get(INET_VARIABLE)
    if not given:
        raise InputError(
            f"INET not found: {INET_VARIABLE} is not set; set it to the folder of INET 4.5"
        )
    text = _text(Path(given) / "src/inet/common/INETDefs.h")
    main = re.search(r"^#define +INET_VERSION +0x([0-9a-fA-F]{2})([0-9a-fA-F]{2})", text, re.M)
    patch = re.search(r"^#define +INET_PATCH_LEVEL +0x([0-9a-fA-F]+)", text, re.M)
    if main is None or patch is None:
        raise InputError(f"INET not found: {INET_VARIABLE}={given} is not the folder of INET 4.5")
    numbers = [int(part, 16) for part in (*main.groups(), patch[1])]
    version = ".".join(map(str, numbers))
    if tuple(numbers[:2]) != _INET:
        raise InputError(f"{given}: found INET {version}, expected 4.5")
    return InstalledPart(Path(given).absolute(), version)


def find_modules() -> tuple[Path, str]:
    """Return the folder of ecnomy's built modules, and the suffix of the build.

    Raises:
        InputError: the modules are not found, or not built.
    """
    places = _places()
    for suffix in ("", _DEBUG):
        for folder in places:
            if library_of(folder, suffix).exists():
                return folder, suffix
    if not places:
        given = os.environ.get(PROJECT_VARIABLE)
        named = f"{PROJECT_VARIABLE}={given}" if given else f"{PROJECT_VARIABLE} is not set"
        raise InputError(f"ecnomy's OMNeT++ modules not found: {named}; set it to their folder")
    raise InputError(f"ecnomy's OMNeT++ modules are not built; build them: make -C {places[0]}")


def project_folder() -> Path:
    """Return the folder of ecnomy's OMNeT++ modules, even if they are not built."""
    places = _places()
    return places[0] if places else Path(os.environ.get(PROJECT_VARIABLE, "omnet"))


def _places() -> list[Path]:
    """Return the existing folders of the modules, or only that in ECNOMY_OMNET if it is set."""
    given = os.environ.get(PROJECT_VARIABLE)
    here = Path(__file__).resolve()
    folders = [
        Path(sys.prefix).parent / "omnet",
        here.parents[4] / "omnet",
        here.parent / "project",
    ]
    wanted = [Path(given).absolute()] if given else list(dict.fromkeys(folders))
    return [folder for folder in wanted if (folder / "inet/package.ned").is_file()]


def library_of(modules: Path, suffix: str) -> Path:
    """Return the path of the library in a folder of modules, even if it is not built."""
    return modules / "inet" / f"libecnomy{suffix}.so"


def newer_source(modules: Path, suffix: str) -> Path | None:
    """Return a source file newer than the library, relative to the modules' folder, or None."""
    built_s = library_of(modules, suffix).stat().st_mtime
    sources = (file for part in SOURCES for file in sorted((modules / part).rglob("*")))
    changed = (f for f in sources if f.suffix in _CODE and f.stat().st_mtime > built_s)
    newest = next(changed, None)
    return None if newest is None else newest.relative_to(modules)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
