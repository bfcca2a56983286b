# SPDX-License-Identifier: Apache-2.0
"""Export a plan as an OMNeT++ project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.inifile import omnetpp_ini
from ecnomy.markets.omnet.layout import Positions, placed
from ecnomy.markets.omnet.network import network_ned
from ecnomy.markets.omnet.readme import readme
from ecnomy.markets.omnet.wiring import wired
from ecnomy.markets.plan import Plan

__all__ = [
    "FOLDER",
    "INI",
    "LOG",
    "NED",
    "SCALARS",
    "VECTORS",
    "WRITTEN",
    "project",
    "simulation",
    "write_new",
]

FOLDER: Final = "omnet"  # folder within a results folder, for the files WRITTEN
NED: Final = "network.ned"
INI: Final = "omnetpp.ini"
LOG: Final = "log.txt"
SCALARS: Final = "run.sca"
VECTORS: Final = "run.vec"
WRITTEN: Final = (NED, INI, LOG, SCALARS, VECTORS, "run.vci")

_PROJECT: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<projectDescription>
    <name>{name}</name>
    <comment></comment>
    <projects>
        <project>inet</project>
        <project>ecnomy</project>
    </projects>
    <buildSpec>
        <buildCommand>
            <name>org.omnetpp.scave.builder.vectorfileindexer</name>
            <arguments></arguments>
        </buildCommand>
    </buildSpec>
    <natures>
        <nature>org.omnetpp.main.omnetppnature</nature>
    </natures>
</projectDescription>
"""


def simulation(
    plan: Plan, positions: Positions | None = None, *, repeated: bool = False
) -> dict[str, str]:
    """Return the texts of network.ned and omnetpp.ini for a plan, by name.

    Args:
        plan: a sealed plan.
        positions: positions of nodes (see network_ned).
        repeated: whether OMNeT++'s repetitions have different seeds (see omnetpp_ini).

    Raises:
        InputError: OMNeT++ cannot express a part of the plan.
    """
    wiring = wired(plan)
    ini = omnetpp_ini(plan, wiring, repeated=repeated)
    return {NED: network_ned(plan, wiring, positions), INI: ini}


def project(plan: Plan, modules: str, positions: Positions | None = None) -> dict[str, str]:
    """Return the texts of all files of an exported project, by name.

    Args:
        plan: a sealed plan.
        modules: folder of ecnomy's OMNeT++ modules, which README.txt names.
        positions: positions of some or all nodes; ecnomy.markets.omnet.layout places the others.

    Raises:
        InputError: as for `simulation`.
    """
    return {
        **simulation(plan, placed(plan, positions), repeated=True),
        "plan.json": plan.to_json().decode() + "\n",
        "README.txt": readme(plan, modules),
        ".nedfolders": ".\n",
    }


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a project to a new or empty folder.

    Raises:
        InputError: the folder is not empty, or is a file.
        OSError: the folder cannot be written.
    """
    taken = InputError(f"{folder} already exists; choose a new folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise taken
    folder.mkdir(parents=True, exist_ok=True)
    name = folder.resolve().name
    for file, text in {**files, ".project": _PROJECT.format(name=_xml(name))}.items():
        try:
            with (folder / file).open("x", encoding="utf-8") as new:  # others may export, too
                new.write(text)
        except FileExistsError:
            raise taken from None


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
