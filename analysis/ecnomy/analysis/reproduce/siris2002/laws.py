# SPDX-License-Identifier: Apache-2.0
"""The three marking laws of siris2002, and their short names in quantity names."""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.analysis.reproduce.studies import Runs

__all__ = ["LABELS", "LAWS", "MARKING", "WEIGHT", "by_law"]

MARKING: Final = "network.links.bottleneck.marking"
WEIGHT: Final = "sources.heavy.transport.weight"
LAWS: Final = {"red": "red", "virtual-queue": "vq", "load-based": "lb"}
LABELS: Final = {"red": "RED", "vq": "virtual queue", "lb": "load-based"}


def by_law(runs: Runs, parameter: str = MARKING) -> dict[str, Runs]:
    """Return the runs by short name of the marking law, which `parameter` describes."""
    runs_by_law = {}
    for value in runs.values(parameter):
        law = msgspec.json.decode(value)["law"]
        runs_by_law[LAWS.get(law, law)] = runs.at({parameter: value})
    return runs_by_law
