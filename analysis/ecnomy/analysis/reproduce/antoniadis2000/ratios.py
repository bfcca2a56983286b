# SPDX-License-Identifier: Apache-2.0
"""Ratios of heavy flows' results to light flows', per seed, by r, the ratio of their bids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.studies import Runs

__all__ = ["WEIGHT", "Ratios", "control_name", "controls_of", "ratios"]

WEIGHT: Final = "sources.heavy.transport.weight"
MARKING: Final = "network.links.bottleneck.marking"
Ratios = dict[float, Floats]


def ratios(runs: Runs, column: str) -> Ratios:
    """Return the ratio of a column, heavy / light, by r, with one value per seed."""
    return {
        r: own.sample(f"heavy.{column}") / own.sample(f"light.{column}")
        for r in sorted(runs.values(WEIGHT))
        for own in [runs.at({WEIGHT: r})]
    }


def control_name(row: Mapping[str, object]) -> str:
    """Return the short name of a control, which states the setting that it changes."""
    marking = msgspec.json.decode(str(row[MARKING]))
    if marking["law"] == "red":
        return "red.ten" if row["sources.light.count"] == 5 else "red"
    if marking.get("service") == "packet":
        return "packet_service"
    if row["sources.light.count"] == 5:
        return "ten"
    if row["sources.light.transport.send"] == "paced":
        return "paced"
    if float(str(row["sources.light.send_overhead"])) == 0:
        return "no_jitter"
    rate = float(str(row["network.links.access.rate"]))
    return "as_is" if rate == 100 else f"access_{rate:g}"


def controls_of(runs: Runs) -> dict[str, Runs]:
    """Return the runs of each control by its short name."""
    rows = runs.frame.to_dict("records")
    names = [control_name({str(key): value for key, value in row.items()}) for row in rows]
    frame = runs.frame.assign(control=names)
    whole = Runs(frame, batches=runs.batches, budget=runs.budget)
    return {name: whole.at({"control": name}) for name in dict.fromkeys(names)}
