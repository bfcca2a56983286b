# SPDX-License-Identifier: Apache-2.0
"""Printed choices of an entry's settings, compared with all scenarios of its studies.

A path has dots as in `--set`. A step may be a pattern (`web*`) and may end with a condition
(`marking[law=red|pi]`). In addition to the scenario's keys there are

    rtt.<source>       the round trip without queues
    flows.<source>     the flows of all sources that match
    sweep.replicates   the seeds of each point

A value must hold at every place and point of every study. A list contains all values that occur.
The fast tier has enough points for each value of each parameter once.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.analysis.reproduce.catalogue import Paper, PaperEntry, PrintedChoice
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.inputs.amounts import Amount
from ecnomy.markets.inputs.yamlfile import Node, Place
from ecnomy.markets.sweep.config import Sweep, load_sweep
from tiers import in_full

_PART = re.compile(r"(?:[^.\[\]]|\[[^\[\]]*\])+")
_STEP = re.compile(r"(?P<name>[^\[\]]+)(\[(?P<key>\w+)=(?P<values>[^\[\]]+)\])?")
_TIME = Amount(what="a time", example="40 ms", units=("ps",))


class Point(msgspec.Struct, frozen=True):
    """One point of a study: its scenario as plain values, with derived figures."""

    sweep: Sweep
    params: dict[str, Any]
    resolved: dict[str, Any]
    round_trips: dict[str, int]  # ps, by source
    flows: dict[str, int]


@cache
def points_of(folder: str, file: str) -> tuple[Point, ...]:
    """All points of a study, or enough for each value of each parameter."""
    sweep = load_sweep(Path(folder) / file)
    points, covered = list[Point](), set[tuple[str, str]]()
    for point in sweep.points():
        values = {(name, repr(value)) for name, value in point.params.items()}
        if point.replicate or not (in_full() or not points or values - covered):
            continue
        covered |= values
        scenario = sweep.scenario_at(point.params, point.seed)
        plan = make_plan(scenario)
        delays = [link.delay_ps for link in plan.links]
        round_trips = {s.name: sum(delays[i] for i in (*s.path, *s.ack_path)) for s in plan.sources}
        flows = {source.name: source.count for source in plan.sources}
        points.append(Point(sweep, dict(point.params), scenario.resolved(), round_trips, flows))
    return tuple(points)


def faults_of(paper: Paper, entry: PaperEntry, choice: PrintedChoice) -> list[str]:
    """The values of an entry's scenarios that differ from the printed ones."""
    names = [name for name in entry.studies if choice.touches(name)]
    studies = {name: points_of(paper.folder, paper.studies[name].sweep) for name in names}
    return [
        fault for path, wanted in choice.holds.items() for fault in _faults(studies, path, wanted)
    ]


def _faults(studies: dict[str, tuple[Point, ...]], path: str, wanted: Any) -> list[str]:
    """Each study must have the single value; a list's values may be spread over studies."""
    occur: set[str] = set()
    expected: set[str] = set()
    faults, listed = [], isinstance(wanted, list)
    for name, points in studies.items():
        texts: set[str] | None = None
        for point in points:
            for place, value in _values(point, path):
                if texts is None:
                    each = wanted if listed else [wanted]
                    texts = {_written(path, point, place, item) for item in each}
                    expected |= texts
                occur.add(value)
                if value not in texts:
                    faults.append(f"{name}: {place} is {value}, printed {wanted!r}")
    if not occur:
        return [f"{path}: no such place in {', '.join(studies)}"]
    missing = sorted(expected - occur) if listed else []
    return faults[:3] + [f"{path}: {text} does not occur" for text in missing]


def _values(point: Point, path: str) -> Iterator[tuple[str, str]]:
    kind, _, name = path.partition(".")
    if kind == "rtt":
        delays = {n: ps for n, ps in point.round_trips.items() if fnmatch.fnmatchcase(n, name)}
        yield from ((f"rtt.{n}", str(ps)) for n, ps in delays.items())
    elif kind == "flows":
        counts = [n for source, n in point.flows.items() if fnmatch.fnmatchcase(source, name)]
        if counts:
            yield path, str(sum(counts))
    elif kind == "sweep":
        yield path, str(getattr(point.sweep, name))
    else:
        for place, value in _places(point.resolved, _PART.findall(path), ""):
            yield place, _text(value)


def _places(node: Any, steps: list[str], place: str) -> Iterator[tuple[str, Any]]:
    if not steps:
        yield place, node
        return
    match = _STEP.fullmatch(steps[0])
    assert match is not None, steps[0]
    name = match["name"]
    plain = not set(name) & set("*?[")
    for key, value in _below(node):
        if key != name if plain else not fnmatch.fnmatchcase(key, name):
            continue
        own = value if isinstance(value, dict) else {}
        if match["key"] and str(own.get(match["key"])) not in match["values"].split("|"):
            continue
        yield from _places(value, steps[1:], f"{place}.{key}" if place else key)


def _below(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        yield from node.items()
    elif isinstance(node, list):
        yield from ((str(item["name"]), item) for item in node if "name" in item)


_KNOWN: dict[tuple[str, str, str], str] = {}


def _written(path: str, point: Point, place: str, wanted: Any) -> str:
    """Like _as_written, cached by path, value and base, because each call loads a scenario."""
    key = (point.sweep.base if in_full() else "", path, repr(wanted))
    if key not in _KNOWN:
        _KNOWN[key] = _as_written(point, place, wanted)
    return _KNOWN[key]


def _as_written(point: Point, place: str, wanted: Any) -> str:
    """The value as a resolved scenario states it."""
    kind = place.partition(".")[0]
    if kind == "rtt":
        return str(_TIME.read(Node(wanted, Place("", None), wanted), place))
    if kind in ("flows", "sweep"):
        return str(wanted)
    try:
        changed = point.sweep.scenario_at({**point.params, place: _plain(wanted)}, 1)
    except EcnomyError:  # such as a kind of traffic with the keys of another kind
        return _text(wanted)
    leaves = dict(_places(changed.resolved(), place.split("."), ""))
    return _text(leaves[place])


def _plain(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, dict) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
