# SPDX-License-Identifier: Apache-2.0
"""Adds the sections `until`, `calibrate` and `tune` of a sweep file to the sweep.

Each section requests runs that depend on earlier runs. A file has at most one of these sections.
"""

from __future__ import annotations

import msgspec

from ecnomy.markets.inputs.yamlfile import Node
from ecnomy.markets.sweep.blocks import MOST_RUNS
from ecnomy.markets.sweep.calibration import read_calibration
from ecnomy.markets.sweep.preflight import check_aliases
from ecnomy.markets.sweep.sequential import read_until
from ecnomy.markets.sweep.space import ParameterBlock
from ecnomy.markets.sweep.sweep_file import Sweep
from ecnomy.markets.sweep.tuning import read_tuning

__all__ = ["with_calibration", "with_tuning", "with_until"]


def with_until(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """Return the sweep with its stopping rule for replicates."""
    node = given["until"]
    for search in ("calibrate", "tune"):
        if search in given:
            raise node.place.error("until", f"until together with {search}", "one of them")
    place = given["replicates"].place if "replicates" in given else node.place
    return msgspec.structs.replace(sweep, until=read_until(node, sweep.replicates, place))


def with_calibration(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """Return the sweep with its calibration."""
    node = given["calibrate"]
    calibration = read_calibration(node, len(sweep) // sweep.replicates)
    block = ParameterBlock("zip", (calibration.path, *calibration.shares), ((),))
    check_aliases((*sweep.blocks, block), sweep.base, node)
    _check_search(sweep, given, node, "calibrate")
    return msgspec.structs.replace(sweep, calibrate=calibration)


def with_tuning(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """Return the sweep with its tuning."""
    node = given["tune"]
    tuning = read_tuning(node)
    for other in ("parameters", "calibrate"):
        if other in given:
            expected = "only tune; put values shared by all runs under `set`"
            raise given[other].place.error(other, f"{other} together with tune", expected)
    check_aliases((ParameterBlock("zip", tuning.paths, ((),), ties=tuning.ties),), sweep.base, node)
    _check_search(sweep, given, node, "tune")
    if tuning.trials * sweep.replicates > MOST_RUNS:
        found = f"{tuning.trials:,} trials with {sweep.replicates:,} replicates each"
        raise node.place.error("tune.trials", found, f"at most {MOST_RUNS:,} runs")
    outcomes = sweep.outcomes or (tuning.outcome,)
    return msgspec.structs.replace(sweep, tune=tuning, outcomes=outcomes)


def _check_search(sweep: Sweep, given: dict[str, Node], node: Node, name: str) -> None:
    if sweep.replicates < 2:
        place = given["replicates"].place if "replicates" in given else node.place
        raise place.error("replicates", "1", f"at least 2, because {name} reports intervals")
    if not sweep.paired:
        found = f"independent seeds together with {name}"
        raise given["seeds"].place.error(
            "seeds", found, "paired, because the search compares seeds"
        )
