# SPDX-License-Identifier: Apache-2.0
"""Result files and analysis files, as read by opp_scavetool and opp_charttool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drive_omnet import environment
from ecnomy.markets.omnet.installation import Installation
from processes import LIMIT_S

__all__ = ["Results", "charts", "draw", "selected"]

Vectors = dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]


class Results:
    """Result files of one run, as opp_scavetool reads them.

    Attributes:
        scalars: {(module, name): value}, without the fields of statistics.
        vectors: {(module, name): (times in s, values)}.
        attributes: {(module, name): the file's attributes of a scalar or vector}.
    """

    def __init__(self, here: Installation, files: Sequence[Path], select: str = "") -> None:
        words = [str(here.omnetpp.folder / "bin/opp_scavetool"), "export", "-F", "JSON", "-o", "-"]
        words += ["-f", select] if select else []
        done = subprocess.run(
            [*words, *map(str, files)],
            env=environment(here),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        assert done.returncode == 0, done.stderr
        (run,) = json.loads(done.stdout[done.stdout.index("{") :]).values()
        self.scalars: dict[tuple[str, str], float] = {}
        self.vectors: Vectors = {}
        self.attributes: dict[tuple[str, str], dict[str, str]] = {}
        for row in run.get("scalars", []):
            self.scalars[row["module"], row["name"]] = float(row["value"])
            self._describe(row)
        for row in run.get("vectors", []):
            both = np.array(row["time"], float), np.array(row["value"], float)
            self.vectors[row["module"], row["name"]] = both
            self._describe(row)

    def _describe(self, row: dict[str, Any]) -> None:
        self.attributes[str(row["module"]), str(row["name"])] = dict(row.get("attributes", {}))


def charts(analysis: Path) -> dict[str, str]:
    """The filter expression of each chart, by its name."""
    filters = {}
    for chart in ElementTree.parse(analysis).iter("chart"):
        script = chart.findtext("script")
        assert script is not None
        (line,) = (line for line in script.splitlines() if line.startswith("WHAT = "))
        filters[chart.attrib["name"]] = line.removeprefix("WHAT = '").removesuffix("'")
    return filters


def selected(here: Installation, files: Sequence[Path], select: str) -> Vectors:
    """The vectors that a chart draws."""
    return Results(here, files, select).vectors


def draw(here: Installation, analysis: Path, folder: Path) -> str:
    """Exports all charts of an analysis file as images, its project being `ecnomy`.

    Returns:
        The errors that opp_charttool printed; "" if none.
    """
    project = next(p for p in analysis.parents if (p / ".project").exists())
    words = [sys.executable, str(here.omnetpp.folder / "bin/opp_charttool"), "imageexport"]
    words += ["-p", f"/ecnomy={project}", f"/inet={here.inet.folder}", "-f", "png"]
    words += ["-d", str(folder), "--", analysis.name]
    path = os.pathsep.join([str(here.omnetpp.folder / "python"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        words,
        cwd=analysis.parent,
        env=environment(here) | {"PYTHONPATH": path, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    return "" if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-2000:]
