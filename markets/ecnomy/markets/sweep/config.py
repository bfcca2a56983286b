# SPDX-License-Identifier: Apache-2.0
"""The sweep file: which scenario, what is varied, how often, within which limits.

version: 1
scenario: ../examples/gold-silver.yaml
set: {duration: 60 s}
parameters:
  grid: {market.price_per_mark: [0.1 money, 0.2 money], sources.gold.count: [1, 2, 4]}
  latin-hypercube: {samples: 16, over: {sources.background.count: {from: 5, to: 40}}}
replicates: 10
"""

from __future__ import annotations

import os
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.overrides import located
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.variants import load_tree
from ecnomy.markets.inputs.yamlfile import Node, Place, child_path, parse, show
from ecnomy.markets.inputs.yamlfile import read as read_yaml
from ecnomy.markets.scenario import Scenario, load, scenario_from_text
from ecnomy.markets.sweep.space import Assignment, Block, Point, Range, Value, points

__all__ = ["UNLIMITED", "Limits", "Sweep", "load_sweep"]

UNLIMITED: Final = -1
_KEYS: Final = (
    *("version", "title", "scenario", "set", "parameters", "replicates", "seed", "seeds"),
    *("limits", "keep"),
)
_BLOCKS: Final = ("grid", "list", "zip", "random", "latin-hypercube")
_FIXED: Final = ("seed", "version")
_MOST: Final = 10**7
_SEED: Final = Number(what="a whole number", least=0, most=2**62, whole=True)
_COUNT: Final = Number(what="a whole number", least=1, most=_MOST, whole=True)
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

    def __len__(self) -> int:
        total = self.replicates
        for block in self.blocks:
            total *= len(block)
        return total

    def points(self) -> list[Point]:
        """All runs of the sweep, in order."""
        found = points(self.blocks, replicates=self.replicates, seed=self.seed, paired=self.paired)
        return list(found)

    @property
    def paths(self) -> tuple[str, ...]:
        """The parameters that vary."""
        return tuple(path for block in self.blocks for path in block.paths)

    def scenario_at(self, params: Assignment, seed: int) -> Scenario:
        """The scenario of a point.

        Raises:
            ScenarioError: these values make none.
        """
        return scenario_at(self.base, self.scenario, params, seed)


def scenario_at(base: str, name: str, params: Assignment, seed: int) -> Scenario:
    """The scenario that `base` is with these values; `name` stands for its file in messages.

    Raises:
        ScenarioError: these values make none.
    """
    overrides = [f"{path}={_text(value)}" for path, value in params.items()]
    return scenario_from_text(base, name, overrides=overrides, seed=seed)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def load_sweep(path: str | os.PathLike[str]) -> Sweep:
    """Read a sweep file; its first point is loaded, so that a wrong path is found at once.

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
        if key not in _KEYS:
            raise root.keys[key].error(key, f"unknown key {key!r}", known_name(key, _KEYS))
    _version(root)
    scenario, base = _base(root, shown)
    blocks = _blocks(given.get("parameters"))
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
    )
    if len(sweep) > _MOST:
        raise root.place.error("parameters", f"{len(sweep):,} runs", f"at most {_MOST:,}")
    _try_first(sweep, root)
    return sweep


def _try_first(sweep: Sweep, root: Node) -> None:
    """The first point makes a scenario; the scenario as it stands is known to be one."""
    first = {path: value for b in sweep.blocks for path, value in b.assignments(0)[0].items()}
    try:
        sweep.scenario_at(first, sweep.seed)
    except ScenarioError as error:
        place = _blamed(root, error.path or "")
        raise place.error(error.path or "parameters", error.found, error.expected) from None


def _blamed(root: Node, path: str) -> Place:
    """Where the sweep file sets what a fault is about: the first key that the path is, or is in."""
    given = root.mapping()
    parts = [given[key] for key in ("set", "parameters") if key in given]
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
            shorter = min(len(here), len(other))
            if here[:shorter] == other[:shorter]:
                found = f"{path!r} beside {name!r}, which is the same place or around it"
                raise node.place.error("parameters", found, "each place once")
        places[here] = path


def _version(root: Node) -> None:
    node = root.mapping().get("version")
    if node is None or node.value != 1:
        place = node.place if node else root.place
        raise place.error("version", show(node) if node else "no 'version'", "version: 1")


def _base(root: Node, shown: str) -> tuple[str, str]:
    """The scenario's file and its text with `set` laid over it."""
    from ecnomy.markets.inputs.overrides import apply

    node = root.mapping().get("scenario")
    if node is None or not isinstance(node.value, str):
        place = node.place if node else root.place
        found = show(node) if node else "no 'scenario'"
        raise place.error("scenario", found, "the path of a scenario file")
    file = os.path.join(os.path.dirname(shown), node.value)
    if not os.path.isfile(file):
        raise node.place.error("scenario", f"{show(node)}, no such file", "a scenario file")
    load(file)  # its own faults are told with their own places
    tree = load_tree(file)
    changes = root.mapping().get("set")
    if changes is not None and not isinstance(changes.value, dict):
        raise changes.place.error("set", show(changes), "a mapping of paths to values")
    for key, value in (changes.mapping() if changes else {}).items():
        tree = apply(tree, f"{key}={_text(_plain(value))}")
    return file, msgspec.json.encode(_value(tree)).decode()


def _value(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _value(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return [_value(child) for child in node.value]
    return node.value


def _plain(node: Node) -> Value:
    if isinstance(node.value, dict | list):
        return msgspec.json.encode(_value(node)).decode()
    if isinstance(node.value, str) and not _reads_as_itself(node.value):
        return msgspec.json.encode(node.value).decode()
    return node.value


def _reads_as_itself(text: str) -> bool:
    """Whether text that stood in quotes means the same without them."""
    try:
        return parse(text, "", lines=False).value == text
    except ScenarioError:
        return False


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


def _blocks(node: Node | None) -> tuple[Block, ...]:
    blocks: list[Block] = []
    where: dict[str, str] = {}
    if node is not None and not isinstance(node.value, dict):
        raise node.place.error("parameters", show(node), f"a mapping with {', '.join(_BLOCKS)}")
    for kind, body in (node.mapping() if node else {}).items():
        path = f"parameters.{kind}"
        if kind not in _BLOCKS:
            assert node is not None
            raise node.keys[kind].error(path, f"unknown key {kind!r}", known_name(kind, _BLOCKS))
        block = _sampled(kind, body, path) if kind in _BLOCKS[3:] else _listed(kind, body, path)
        for parameter in block.paths:
            if parameter in _FIXED:
                expected = "a parameter other than that: replicates and seed set the seeds"
                raise body.place.error(path, repr(parameter), expected)
            if parameter in where:
                found = f"{parameter!r}, which {where[parameter]} varies already"
                raise body.place.error(path, found, "each parameter once")
            where[parameter] = path
        blocks.append(block)
    return tuple(blocks)


def _listed(kind: str, body: Node, path: str) -> Block:
    if kind == "list":
        return _items(body, path)
    columns: list[tuple[Value, ...]] = []
    for parameter, values in body.mapping().items():
        here = child_path(path, parameter)
        if not values.items():
            raise values.place.error(here, show(values), "a list of values")
        columns.append(tuple(_plain(item) for item in values.items()))
        if kind == "zip" and len(columns[-1]) != len(columns[0]):
            found = f"{len(columns[-1])} values"
            raise values.place.error(here, found, f"{len(columns[0])}, as the others have")
    if not columns:
        raise body.place.error(path, show(body), "a mapping of paths to lists of values")
    return Block(kind, tuple(body.mapping()), tuple(columns))


def _items(body: Node, path: str) -> Block:
    if not body.items():
        raise body.place.error(path, show(body), "a list of mappings from paths to values")
    names = tuple(body.items()[0].mapping())
    rows: list[tuple[Value, ...]] = []
    for index, item in enumerate(body.items()):
        if not names or set(item.mapping()) != set(names):
            here = f"{path}[{index}]"
            raise item.place.error(
                here, show(item), f"a mapping with {', '.join(names) or 'paths'}"
            )
        rows.append(tuple(_plain(item.mapping()[name]) for name in names))
    return Block("list", names, tuple(zip(*rows, strict=True)))


def _sampled(kind: str, body: Node, path: str) -> Block:
    given = body.mapping()
    if "samples" not in given or not given.get("over", Node(None, body.place)).mapping():
        raise body.place.error(path, show(body), "samples: N and over: {path: {from: A, to: B}}")
    for key in given:
        if key not in ("samples", "over"):
            expected = known_name(key, ("samples", "over"))
            raise body.keys[key].error(f"{path}.{key}", f"unknown key {key!r}", expected)
    samples = _COUNT.read(given["samples"], f"{path}.samples")
    over = given["over"].mapping()
    ranges = tuple(_range(node, child_path(f"{path}.over", name)) for name, node in over.items())
    return Block(kind, tuple(over), ranges=ranges, samples=samples)


def _range(node: Node, path: str) -> Range:
    given = node.mapping()
    extra = set(given) - {"from", "to", "scale"}
    if not {"from", "to"} <= set(given) or extra:
        raise node.place.error(path, show(node), "{from: A, to: B}, and scale: log or linear")
    low, unit = _number(given["from"], f"{path}.from")
    high, same = _number(given["to"], f"{path}.to")
    log = _read(given, "scale", Choice(("linear", "log")), "linear") == "log"
    if unit != same:
        raise given["to"].place.error(f"{path}.to", show(given["to"]), f"a number of {unit!r}")
    if not low < high or (log and low <= 0):
        floor = " above 0" if log else ""
        raise given["to"].place.error(f"{path}.to", show(given["to"]), f"more than from{floor}")
    whole = not unit and all(type(given[k].value) is int for k in ("from", "to")) and not log
    return Range(low, high, unit, log, whole)


def _number(node: Node, path: str) -> tuple[float, str]:
    if type(node.value) in (int, float):
        return float(units.number(node.text)), ""
    number, _, unit = str(node.value).strip().partition(" ")
    try:
        return float(number), unit.strip()
    except ValueError:
        expected = "a number, with a space before its unit if it has one"
        raise node.place.error(path, show(node), expected) from None
