# SPDX-License-Identifier: Apache-2.0
"""Checks the paths and values of a sweep before its first run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import MarketSpec
from ecnomy.markets.inputs.overrides import located
from ecnomy.markets.inputs.yamlfile import Node, Place, parse
from ecnomy.markets.inputs.yamlfile import read as read_yaml
from ecnomy.markets.sweep.rows import RESERVED
from ecnomy.markets.sweep.space import ParameterBlock, Point
from ecnomy.markets.sweep.sweep_file import Sweep
from ecnomy.markets.sweep.ties import PATHS, is_tie, paths_under

__all__ = ["check_aliases", "try_first", "try_values"]

MOST_VALUES: Final = 100  # values of a parameter that are checked; more are samples of a range
_OF_VIEW: Final = ("engine", "generation", "label", "number", "replicate")  # of the view `runs`


def try_first(sweep: Sweep, root: Node) -> None:
    """Check that the first point gives a valid scenario.

    The base scenario is already known to be valid. A tuning is checked with all parameters at the
    lower ends of their ranges, and with all at the upper ends.
    """
    first = {path: value for b in sweep.blocks for path, value in b.assignments(0)[0].items()}
    if sweep.calibrate:
        first |= sweep.calibrate.assignment(sweep.calibrate.range.low)
    tried = [first]
    if sweep.tune:
        ends = zip(*((each.low, each.high) for each in sweep.tune.ranges), strict=True)
        tried = [sweep.tune.assignment(end) for end in ends]
    try:
        for params in tried:
            market = sweep.scenario_at(params, sweep.seed).market
    except ScenarioError as error:
        raise _in_file(error, root) from None
    _check_names(sweep, root, market)


def try_values(sweep: Sweep, file: str | os.PathLike[str]) -> None:
    """Check that each value of a parameter gives a valid scenario at one or more points.

    Parameters with more than MOST_VALUES values are not checked.

    Raises:
        ScenarioError: for one of the values, every point with this value is invalid.
    """
    with_value: dict[str, dict[str, list[Point]]] = {}
    for point in (point for point in sweep.points() if point.replicate == 0):
        for path, value in point.params.items():
            with_value.setdefault(path, {}).setdefault(repr(value), []).append(point)
    for values in with_value.values():
        for points in values.values() if len(values) <= MOST_VALUES else ():
            fault: ScenarioError | None = None
            for point in points:
                try:
                    sweep.scenario_at(point.params, point.seed)
                except ScenarioError as error:
                    fault = fault or error
                else:
                    break
            else:
                assert fault is not None
                raise _in_file(fault, read_yaml(Path(file), os.fspath(file))) from None


def _in_file(error: ScenarioError, root: Node) -> ScenarioError:
    """Return the error of a point, with its place in the sweep file."""
    place = _blamed(root, error.path or "", error.file.removeprefix("--set "))
    return place.error(error.path or "parameters", error.found, error.expected)


def _check_names(sweep: Sweep, root: Node, market: MarketSpec | None) -> None:
    """Check that no name for several paths is also the name of a column that all runs have.

    outcome.py compares the names with the other columns of a run.
    """
    agents = market.agents if market else ()
    carriers = sum(preset_of(agent.role).owns_links for agent in agents)
    taken = (*RESERVED, *_OF_VIEW, *(["price"] if market and carriers < 2 else []))
    for name in sweep.ties:
        if name in taken:
            found = f"{name!r}, which is a column of the runs"
            raise _blamed(root, name).error("parameters", found, "another name")


def _blamed(root: Node, path: str, override: str = "") -> Place:
    """Return the place of a fault in the sweep file.

    The place is that of the path, or else of the override in which the fault was found, of a key
    with the same last name, or of a section.
    """
    given = root.mapping()
    parts = [given[key] for key in ("set", "parameters", "calibrate", "tune") if key in given]
    parts += [part for node in parts for part in node.mapping().values()]
    parts += [item for node in parts for item in node.items()]
    parts += [node.mapping()["over"] for node in parts if "over" in node.mapping()]
    keys = {key: place for node in parts for key, place in node.keys.items()}
    tied = [each for node in parts for each in node.mapping().values() if is_tie(each)]
    listed = [item for each in tied for item in each.mapping()[PATHS].items()]
    keys |= {str(item.value): item.place for item in listed}
    last = path.rpartition(".")[2]
    alike = [key for key in keys if key.rpartition(".")[2] == last]
    for key in (path, override, *alike[:1]):
        if key in keys:
            return keys[key]
    return parts[0].place if parts else root.place


def check_aliases(blocks: tuple[ParameterBlock, ...], base: str, node: Node) -> None:
    """Check that no two parameters set the same or overlapping places of the scenario."""
    scenario = parse(base, "", lines=False)
    places: dict[tuple[str | int, ...], str] = {}
    for path in (path for block in blocks for path in paths_under(block.paths, block.ties)):
        here = located(scenario, path)
        for other, name in places.items():
            if all(a == b or "*" in (a, b) for a, b in zip(here, other, strict=False)):
                found = f"{path!r} and {name!r}, which overlap"
                raise node.place.error("parameters", found, "each place once")
        places[here] = path
