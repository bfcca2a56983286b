# SPDX-License-Identifier: Apache-2.0
"""Run a plan in OMNeT++: write a project into the run's folder, and start opp_run in Cmdenv.

    <run>/omnet/    network.ned and omnetpp.ini, log.txt, run.sca, run.vec

opp_run receives all settings in its arguments, PATH and LD_LIBRARY_PATH, so OMNeT++'s setenv is not
needed. The option -n lists all NED folders, so those in the user's environment are ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines.process import EngineProcess
from ecnomy.markets.omnet.export import FOLDER, INI, LOG, SCALARS, VECTORS, WRITTEN, simulation
from ecnomy.markets.omnet.installation import INET_VARIABLE, OMNETPP_VARIABLE, Installation
from ecnomy.markets.omnet.network import NETWORK
from ecnomy.markets.plan import Plan
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["Omnet", "OmnetEngine"]

_STATUS: Final = re.compile(r"^\*\* Event #|^\s+(Speed|Messages):", re.MULTILINE)
_DROPPED: Final = ("OMNETPP_NED_PATH", "OMNETPP_NED_PACKAGE_EXCLUSIONS", "NEDPATH")


class Omnet:
    """The installed OMNeT++."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation

    def start(
        self,
        plan: Plan,
        folder: Path | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> EngineProcess:
        """See EngineKind. The files of the project are written to `omnet` in the results folder."""
        return OmnetEngine(self._installation, simulation(plan, positions), folder)

    def check(self, plan: Plan) -> None:
        """See EngineKind. OMNeT++ runs every plan."""

    def digest(self) -> str:
        """Return the digest of the library, the NED files, and the versions of OMNeT++ and INET."""
        there = self._installation
        digest = hashlib.sha256(f"{there.omnetpp.version} {there.inet.version}\0".encode())
        for file in [there.modules_library, *sorted((there.modules / "inet").rglob("*.ned"))]:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


class OmnetEngine(EngineProcess):
    """A running opp_run."""

    dying_s = 10.0  # deletion of a large network takes some seconds

    def __init__(
        self, installation: Installation, files: Mapping[str, str], folder: Path | None
    ) -> None:
        """Write the files of a project, and start opp_run on them.

        Args:
            installation: the installation of OMNeT++ and INET.
            files: the texts of network.ned and omnetpp.ini, by name.
            folder: results folder of the run, or None to use a temporary folder.

        Raises:
            EngineError: opp_run cannot be started.
            InputError: a NED folder has : or ; in its path, which OMNeT++ does not accept.
        """
        self._temporary = contextlib.ExitStack()
        if folder is None:
            folder = self._temporary.enter_context(temporary_folder())
        try:
            here = folder / FOLDER
            here.mkdir(exist_ok=True)
            for name in WRITTEN:
                (here / name).unlink(missing_ok=True)
            for name, text in files.items():
                (here / name).write_text(text, encoding="utf-8")
            log = (here / LOG).open("w+b")
            super().__init__(
                installation.opp_run,
                lambda number: _words(installation, number),
                log,
                output=log,
                folder=here,
                environment=_environment(installation),
            )
        except BaseException:
            self._temporary.close()
            raise

    def last_words(self) -> str:
        """Return OMNeT++'s error, the log's last line if the simulation did not start, or ""."""
        text = self.tail()
        start = text.rfind("<!> Error")
        if start >= 0:
            return text[start:].partition("\n")[0].removeprefix("<!> ").strip()
        return "" if _STATUS.search(text) else super().last_words()

    def close(self) -> None:
        """See EngineProcess."""
        super().close()
        self._temporary.close()


def _words(installation: Installation, number: str) -> list[str]:
    folders = [installation.modules / "inet", installation.inet.folder / "src"]
    for folder in folders:
        if re.search(r"[:;]", str(folder)):
            raise InputError(
                f"{folder}: OMNeT++ does not accept NED folders with : or ; in their paths"
            )
    library = str(installation.modules / "inet" / "ecnomy")  # opp_run completes this name
    return [
        *("-u", "Cmdenv", "-c", "General", "-m", "-l", library),
        *("-n", ":".join([".", *map(str, folders)]), "-x", _exclusions(installation.inet.folder)),
        f"--{NETWORK}.market.socket={number}",
        "--result-dir=.",
        f"--output-scalar-file={SCALARS}",
        f"--output-vector-file={VECTORS}",
        INI,
    ]


def _exclusions(inet: Path) -> str:
    """Return the NED packages of the INET features that are switched off, separated by `;`."""
    file = inet / ".nedexclusions"
    return ";".join(file.read_text(encoding="utf-8").split()) if file.is_file() else ""


def _environment(installation: Installation) -> dict[str, str]:
    omnetpp, inet = installation.omnetpp.folder, installation.inet.folder
    variables = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    for name, folders in (
        ("PATH", [omnetpp / "bin"]),
        ("LD_LIBRARY_PATH", [omnetpp / "lib", inet / "src"]),
    ):
        before = [variables[name]] if variables.get(name) else []
        variables[name] = os.pathsep.join([*map(str, folders), *before])
    return variables | {OMNETPP_VARIABLE: str(omnetpp), INET_VARIABLE: str(inet)}
