# SPDX-License-Identifier: Apache-2.0
"""The sweep file: which scenario, what is varied, how often, within which limits.

version: 1
scenario: ../examples/gold-silver.yaml
set: {duration: 60 s}
parameters:
  grid: {market.price_per_mark: [0.1 money, 0.2 money], sources.gold.count: [1, 2, 4]}
  latin-hypercube: {samples: 16, over: {sources.background.count: {from: 5, to: 40}}}
replicates: 10
quick: {replicates: 2, set: {duration: 20 s}}
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.engines import DEFAULT_ENGINE, ENGINES
from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.overrides import apply, located
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.variants import load_tree
from ecnomy.markets.inputs.yamlfile import Node, Place, parse, show
from ecnomy.markets.inputs.yamlfile import read as read_yaml
from ecnomy.markets.scenario import Scenario, load, scenario_from_text
from ecnomy.markets.scenario.size_list import with_sizes_inside
from ecnomy.markets.sweep.blocks import MOST_RUNS, plain, plain_tree, read_blocks
from ecnomy.markets.sweep.calibration import Calibration, beginning, read_calibration
from ecnomy.markets.sweep.measure import EXPECTED, find_measure
from ecnomy.markets.sweep.sequential import Until, read_until
from ecnomy.markets.sweep.space import Assignment, Block, Point, Value, points
from ecnomy.markets.sweep.tuning import Tuning, read_tuning
from ecnomy.markets.sweep.tuning import beginning as tuning_beginning

__all__ = ["UNLIMITED", "Limits", "Sweep", "load_sweep"]

UNLIMITED: Final = -1
_KEYS: Final = (
    *("version", "title", "scenario", "set", "parameters", "replicates", "seed", "seeds"),
    *("limits", "keep", "measure", "outcomes", "until", "calibrate", "tune", "quick"),
    "engine",
)
_PLAYED: Final = "tournament"  # read by ecnomy.analysis.tournament
_QUICK: Final = ("set", "parameters", "replicates", "until", "calibrate", "tune")
_SEED: Final = Number(what="a whole number", least=0, most=2**62, whole=True)
_COUNT: Final = Number(what="a whole number", least=1, most=MOST_RUNS, whole=True)
_TIME: Final = Amount(what="a time", example="10 min", units=("ps",), above=True)
_MEMORY: Final = Amount(what="a size", example="2 GB", units=("byte",), least=10**7, most=10**15)


class Limits(msgspec.Struct, frozen=True):
    """What one run may use; UNLIMITED for no bound."""

    time_ps: int = UNLIMITED  # wall time
    memory_bytes: int = UNLIMITED  # address space of the engine


class Sweep(msgspec.Struct, frozen=True):
    """A sweep, resolved as far as can be without loading each point's scenario.

    Attributes:
        file: the sweep file, as named in messages.
        base: the scenario with `set` laid over it, as JSON text: what workers are sent.
        blocks: what is varied.
        keep: whether each run's results folder is kept.
        measure: module:function of outcome columns of its own, "" for none (see measure.py).
        engine: of all runs, by name.
        engine_stated: whether the file names it.
        variant: `path=value`, laid over every point.
        calibrate: a parameter that is searched for, None where there is none.
        tune: parameters that are searched for the best of an outcome, None where there are none.
        chosen: its points, where a search has chosen them; none: those of the blocks.
        outcomes: columns that are looked at first, the main one before the others.
        until: when a point has replicates enough, None: after `replicates`.
        counts: with `until`, how many replicates each point of the blocks has so far.
    """

    file: str
    title: str
    scenario: str
    base: str
    blocks: tuple[Block, ...]
    replicates: int
    seed: int
    paired: bool
    limits: Limits
    keep: bool
    engine: str = DEFAULT_ENGINE
    engine_stated: bool = False
    measure: str = ""
    variant: tuple[str, ...] = ()
    calibrate: Calibration | None = None
    tune: Tuning | None = None
    chosen: tuple[Point, ...] = ()
    outcomes: tuple[str, ...] = ()
    until: Until | None = None
    counts: tuple[int, ...] = ()

    def __len__(self) -> int:
        if self.chosen or self.calibrate or self.tune:
            return len(self.points())
        if self.counts:
            return sum(self.counts)
        return self.replicates * self.places

    @property
    def places(self) -> int:
        """How many points the blocks make, replicates apart."""
        total = 1
        for block in self.blocks:
            total *= len(block)
        return total

    def points(self) -> list[Point]:
        """All runs of the sweep, in order; of a search those that it begins with."""
        if self.chosen:
            return list(self.chosen)
        if self.calibrate:
            return beginning(self.calibrate, self.blocks, self.replicates, self.seed)
        if self.tune:
            return tuning_beginning(self.tune, self.replicates, self.seed)
        if not self.counts:
            return list(self.all_points(self.replicates))
        most = max(self.counts)
        found = self.all_points(most)
        own = [point for point in found if point.replicate < self.counts[point.number // most]]
        return [msgspec.structs.replace(point, number=n) for n, point in enumerate(own)]

    def all_points(self, replicates: int) -> Iterator[Point]:
        """The points of the blocks, with so many replicates each."""
        return points(self.blocks, replicates=replicates, seed=self.seed, paired=self.paired)

    def scenario_at(self, params: Assignment, seed: int) -> Scenario:
        """The scenario of a point.

        Raises:
            ScenarioError: these values make none.
        """
        return scenario_at(self.base, self.scenario, params, seed, self.variant)

    def varied(self, params: Assignment) -> bool:
        """Whether `variant` changes anything at a point.

        Raises:
            ScenarioError: a path leads nowhere.
        """
        chosen = _laid_over(_parsed(self.base, self.scenario), _overrides(params))
        return bool(plain_tree(_laid_over(chosen, self.variant)) != plain_tree(chosen))

    def told(self, params: Assignment, path: str) -> str:
        """What is at a path at a point, as written.

        Raises:
            InputError: nothing is.
        """
        node: Node | None = (tree := self._tree(params))
        for key in located(tree, path):
            inside = node.value if node is not None else None
            if isinstance(inside, list) and isinstance(key, int) and key < len(inside):
                node = inside[key]
            else:
                node = inside.get(str(key)) if isinstance(inside, dict) else None
        if node is None:
            raise InputError(f"{self.file}: {path}: nothing there, expected what the scenario sets")
        return node.text or show(node)

    def _tree(self, params: Assignment) -> Node:
        tree = _parsed(self.base, self.scenario)
        return _laid_over(tree, [*_overrides(params), *self.variant])


@functools.lru_cache(maxsize=8)
def _parsed(base: str, name: str) -> Node:
    return parse(base, name, lines=False)


def _laid_over(tree: Node, changes: Iterable[str]) -> Node:
    for change in changes:
        tree = apply(tree, change)
    return tree


def _overrides(params: Assignment) -> list[str]:
    return [f"{path}={_text(value)}" for path, value in params.items()]


def scenario_at(
    base: str, name: str, params: Assignment, seed: int, variant: tuple[str, ...] = ()
) -> Scenario:
    """The scenario that `base` is with these values; `name` stands for its file in messages.

    Raises:
        ScenarioError: these values make none.
    """
    overrides = [*_overrides(params), *variant]
    return scenario_from_text(base, name, overrides=overrides, seed=seed)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def load_sweep(
    path: str | os.PathLike[str], *, quick: bool = False, beside: tuple[str, ...] = ()
) -> Sweep:
    """Read a sweep file; its first point is loaded, so that a wrong path is found at once.

    Args:
        path: the file.
        quick: with what it says under `quick`: other replicates or parameters, more to `set`.
        beside: keys that the caller reads itself.

    Raises:
        ScenarioError: anything wrong with it or with its scenario, with its place.
    """
    from pathlib import Path

    shown = os.fspath(path)
    root = read_yaml(Path(path), shown)
    given = root.mapping()
    if not given:
        raise root.place.error("", show(root), "a mapping with version: 1 and a scenario")
    for key in given:
        if key not in (*_KEYS, *beside):
            raise _unknown(root, key, shown)
    _version(root)
    fast = _quick(given.get("quick"))
    given = {**given, **{k: v for k, v in fast.items() if k != "set"}} if quick else given
    scenario, base = _base(root, shown, fast.get("set") if quick else None)
    blocks = read_blocks(given.get("parameters"))
    _check_aliases(blocks, base, given.get("parameters", root))
    sweep = Sweep(
        file=shown,
        title=_read(given, "title", _Text(), ""),
        scenario=scenario,
        base=base,
        blocks=blocks,
        replicates=_read(given, "replicates", _COUNT, 1),
        seed=_read(given, "seed", _SEED, 1),
        paired=_read(given, "seeds", Choice(("paired", "independent")), "paired") == "paired",
        limits=_limits(given.get("limits")),
        keep=_read(given, "keep", Choice(("results", "nothing")), "nothing") == "results",
        engine=_read(given, "engine", Choice(ENGINES), DEFAULT_ENGINE),
        engine_stated="engine" in given,
        measure=_measure(given.get("measure")),
        outcomes=_outcomes(given.get("outcomes")),
    )
    if "until" in given:
        sweep = _sequential(sweep, given)
    if "calibrate" in given:
        sweep = _calibrated(sweep, given)
    if "tune" in given:
        sweep = _tuned(sweep, given)
    if len(sweep) > MOST_RUNS:
        raise root.place.error("parameters", f"{len(sweep):,} runs", f"at most {MOST_RUNS:,}")
    _try_first(sweep, root)
    return sweep


def _sequential(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """The sweep with the rule by which its replicates end."""
    node = given["until"]
    for search in ("calibrate", "tune"):
        if search in given:
            raise node.place.error("until", f"until beside {search}", "one of them")
    place = given["replicates"].place if "replicates" in given else node.place
    return msgspec.structs.replace(sweep, until=read_until(node, sweep.replicates, place))


def _outcomes(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    given = [item.value for item in node.items()] or [node.value]
    names = [name for name in given if isinstance(name, str) and name]
    if len(names) < len(given):
        raise node.place.error("outcomes", show(node), "a list of names of columns of the runs")
    return tuple(dict.fromkeys(names))


def _unknown(root: Node, key: str, shown: str) -> ScenarioError:
    if key == _PLAYED:
        found = f"{key!r}, which `ecnomy tournament {shown}` plays"
        return root.keys[key].error(key, found, "a sweep without it")
    return root.keys[key].error(key, f"unknown key {key!r}", known_name(key, _KEYS))


def _tuned(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """The sweep with the parameters that are tuned."""
    node = given["tune"]
    tuning = read_tuning(node)
    for other in ("parameters", "calibrate"):
        if other in given:
            expected = "tune alone; `set` has what is the same in all runs"
            raise given[other].place.error(other, f"{other} beside tune", expected)
    _check_aliases((Block("zip", tuning.paths, ((),)),), sweep.base, node)
    _check_search(sweep, given, node, "tune")
    if tuning.trials * sweep.replicates > MOST_RUNS:
        found = f"{tuning.trials:,} with {sweep.replicates:,} replicates each"
        raise node.place.error("tune.trials", found, f"at most {MOST_RUNS:,} runs")
    outcomes = sweep.outcomes or (tuning.outcome,)
    return msgspec.structs.replace(sweep, tune=tuning, outcomes=outcomes)


def _check_search(sweep: Sweep, given: dict[str, Node], node: Node, name: str) -> None:
    """A search has replicates, with the same seeds at every value."""
    if sweep.replicates < 2:
        place = given["replicates"].place if "replicates" in given else node.place
        raise place.error("replicates", "1", f"2 at least, as {name} tells intervals")
    if not sweep.paired:
        found = f"independent seeds beside {name}"
        raise given["seeds"].place.error("seeds", found, "paired: the search compares seeds")


def _calibrated(sweep: Sweep, given: dict[str, Node]) -> Sweep:
    """The sweep with the parameter that is searched for."""
    node = given["calibrate"]
    calibration = read_calibration(node, len(sweep) // sweep.replicates)
    block = Block("zip", (calibration.path, *calibration.shares), ((),))
    _check_aliases((*sweep.blocks, block), sweep.base, node)
    _check_search(sweep, given, node, "calibrate")
    return msgspec.structs.replace(sweep, calibrate=calibration)


def _try_first(sweep: Sweep, root: Node) -> None:
    """The first point makes a scenario; the scenario as it stands is known to be one.

    Of a tuning both corners of the ranges do.
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
            sweep.scenario_at(params, sweep.seed)
    except ScenarioError as error:
        place = _blamed(root, error.path or "")
        raise place.error(error.path or "parameters", error.found, error.expected) from None


def _blamed(root: Node, path: str) -> Place:
    """Where the sweep file sets what a fault is about: the first key that the path is, or is in."""
    given = root.mapping()
    parts = [given[key] for key in ("set", "parameters", "calibrate", "tune") if key in given]
    parts += [part for node in parts for part in node.mapping().values()]
    parts += [item for node in parts for item in node.items()]
    parts += [node.mapping()["over"] for node in parts if "over" in node.mapping()]
    keys = {key: place for node in parts for key, place in node.keys.items()}
    last = path.rpartition(".")[2]
    exact = [key for key in keys if key == path or key.rpartition(".")[2] == last]
    return keys[exact[0]] if exact else parts[0].place if parts else root.place


def _check_aliases(blocks: tuple[Block, ...], base: str, node: Node) -> None:
    """No two parameters name the same place, or one inside the other."""
    scenario = parse(base, "", lines=False)
    places: dict[tuple[str | int, ...], str] = {}
    for path in (path for block in blocks for path in block.paths):
        here = located(scenario, path)
        for other, name in places.items():
            if all(a == b or "*" in (a, b) for a, b in zip(here, other, strict=False)):
                found = f"{path!r} beside {name!r}, which is the same place or around it"
                raise node.place.error("parameters", found, "each place once")
        places[here] = path


def _version(root: Node) -> None:
    node = root.mapping().get("version")
    if node is None or node.value != 1:
        place = node.place if node else root.place
        raise place.error("version", show(node) if node else "no 'version'", "version: 1")


def _base(root: Node, shown: str, more: Node | None) -> tuple[str, str]:
    """The scenario's file and its text with `set`, and `more` of it, laid over it."""
    node = root.mapping().get("scenario")
    if node is None or not isinstance(node.value, str):
        place = node.place if node else root.place
        found = show(node) if node else "no 'scenario'"
        raise place.error("scenario", found, "the path of a scenario file")
    file = os.path.join(os.path.dirname(shown), node.value)
    if not os.path.isfile(file):
        raise node.place.error("scenario", f"{show(node)}, no such file", "a scenario file")
    load(file)  # its own faults are told with their own places
    tree = with_sizes_inside(load_tree(file))
    for changes in (root.mapping().get("set"), more):
        if changes is not None and not isinstance(changes.value, dict):
            raise changes.place.error("set", show(changes), "a mapping of paths to values")
        for key, value in (changes.mapping() if changes else {}).items():
            tree = apply(tree, f"{key}={_text(plain(value))}", must=True)
    return file, msgspec.json.encode(plain_tree(tree)).decode()


class _Text(msgspec.Struct, frozen=True):
    @property
    def expected(self) -> str:
        return "text"

    def read(self, node: Node, path: str) -> str:
        if not isinstance(node.value, str):
            raise node.place.error(path, show(node), self.expected)
        return node.value

    def write(self, value: Any) -> Any:
        return value


def _read(given: dict[str, Node], key: str, reader: Any, default: Any) -> Any:
    return reader.read(given[key], key) if key in given else default


def _quick(node: Node | None) -> dict[str, Node]:
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise node.place.error("quick", show(node), f"a mapping with {', '.join(_QUICK)}")
    for key in node.mapping():
        if key not in _QUICK:
            expected = known_name(key, _QUICK)
            raise node.keys[key].error(f"quick.{key}", f"unknown key {key!r}", expected)
    return node.mapping()


def _measure(node: Node | None) -> str:
    if node is None:
        return ""
    try:
        if not isinstance(node.value, str) or ":" not in node.value:
            raise InputError("no such name")
        find_measure(node.value)
    except InputError as error:
        raise node.place.error("measure", f"{show(node)} ({error})", EXPECTED) from None
    return node.value


def _limits(node: Node | None) -> Limits:
    if node is None:
        return Limits()
    if not isinstance(node.value, dict):
        raise node.place.error("limits", show(node), "a mapping with time or memory")
    for key in node.mapping():
        if key not in ("time", "memory"):
            expected = known_name(key, ("time", "memory"))
            raise node.keys[key].error(f"limits.{key}", f"unknown key {key!r}", expected)
    return Limits(
        _read(node.mapping(), "time", _TIME, UNLIMITED),
        _read(node.mapping(), "memory", _MEMORY, UNLIMITED),
    )
