# SPDX-License-Identifier: Apache-2.0
"""The algorithms of christin2003's experiments, and their short names in quantity names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["ALGORITHMS", "LABELS", "MARKING", "Algorithms", "algorithms", "by_options", "name_of"]

MARKING: Final = "network.links.bottleneck.marking"
LABELS: Final = {
    "drop-tail": "Drop-Tail",
    "red": "RED",
    "pi-approximate": "PI, approximate",
    "pi-exact": "PI, exact",
    "reference": "reference algorithm",
    "heuristic": "heuristic algorithm",
}
ALGORITHMS: Final = tuple(LABELS)
_PROJECTION: Final = {"flow-projection": "reference", "flow-projection-heuristic": "heuristic"}
_GIVEN: Final = ("law", "mean_packet")  # options that do not identify a variant

Algorithms = dict[str, Runs]


def name_of(marking: Mapping[str, Any]) -> str:
    """Return the short name of an algorithm, given its marking options.

    Names of variants of the paper's two algorithms end in their options. `red-marks` is RED that
    marks at any probability. PI's two tunings differ in their gains.
    """
    law = str(marking["law"])
    if law == "red":
        return "red" if float(marking.get("mark_p", 1)) < 1 else "red-marks"
    if law == "pi":
        return "pi-approximate" if float(marking["a"]) < 1e-4 else "pi-exact"
    if law not in _PROJECTION:
        return law
    options = [f"{key}={_plain(marking[key])}" for key in marking if key not in _GIVEN]
    return ".".join([_PROJECTION[law], *options])


def _plain(value: Any) -> str:
    text = str(value).replace(" ", "")
    return f"{value:g}" if isinstance(value, float) else text


def by_options(runs: Runs) -> Algorithms:
    """Return the runs by short name of the bottleneck's marking."""
    runs_by_name: Algorithms = {}
    for value in runs.values(MARKING):
        runs_by_name[name_of(msgspec.json.decode(value))] = runs.at({MARKING: value})
    return runs_by_name


def algorithms(studies: Studies) -> Algorithms:
    """Return the runs of experiment 1 by algorithm."""
    return by_options(studies["exp1"])
