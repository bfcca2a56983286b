# SPDX-License-Identifier: Apache-2.0
"""Reads a sweep file: scenario, varied parameters, replicates and limits.

version: 1
scenario: ../examples/gold-silver.yaml
set: {duration: 60 s}
parameters:
  grid: {market.price_per_mark: [0.1 money, 0.2 money], sources.gold.count: [1, 2, 4]}
  # one value for several paths: {price: {paths: [a.path, another.path], values: [...]}}
  latin-hypercube: {samples: 16, over: {sources.background.count: {from: 5, to: 40}}}
replicates: 10
quick: {replicates: 2, set: {duration: 20 s}}
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.inputs.overrides import apply
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.variants import load_tree
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.inputs.yamlfile import read as read_yaml
from ecnomy.markets.scenario import load
from ecnomy.markets.scenario.document import Document
from ecnomy.markets.scenario.size_list import with_sizes_inside
from ecnomy.markets.support.wording import OPENS_ENVIRONMENT
from ecnomy.markets.sweep.blocks import MOST_RUNS, plain, plain_tree, read_blocks
from ecnomy.markets.sweep.keys import LIMITS, SWEEP
from ecnomy.markets.sweep.measure import EXPECTED, find_measure
from ecnomy.markets.sweep.point_scenario import override_text
from ecnomy.markets.sweep.preflight import check_aliases, try_first
from ecnomy.markets.sweep.search_sections import with_calibration, with_tuning, with_until
from ecnomy.markets.sweep.sweep_file import UNLIMITED, Limits, Sweep

__all__ = ["UNLIMITED", "Limits", "Sweep", "changed", "is_sweep", "load_sweep", "refuse_changes"]

_PLAYED: Final = "tournament"  # read by ecnomy.analysis.tournament
_QUICK: Final = ("set", "parameters", "replicates", "until", "calibrate", "tune")


def is_sweep(path: Path) -> bool:
    """Return whether a file is a sweep file, which has the key `scenario`.

    Raises:
        ScenarioError: the file cannot be read.
    """
    return "scenario" in read_yaml(path, str(path)).mapping()


def refuse_changes(path: Path, changes: Sequence[str] | None, seed: int | None) -> None:
    """Refuse --set and --seed with a sweep file, in commands that also accept a scenario file.

    Raises:
        InputError: --set or --seed is given.
    """
    if changes or seed is not None:
        expected = "`set` and `seed` in the sweep file"
        raise InputError(f"{path}: found --set or --seed, expected {expected}")


def load_sweep(
    path: str | os.PathLike[str], *, quick: bool = False, beside: tuple[str, ...] = ()
) -> Sweep:
    """Read a sweep file, and check its first point so that wrong paths are found immediately.

    Args:
        path: the file.
        quick: whether to apply the section `quick` of the file, whose keys replace those of the
            file (`set` is applied in addition).
        beside: further keys of the file, which the caller reads.

    Raises:
        ScenarioError: the file or its scenario is invalid.
    """
    shown = os.fspath(path)
    root = read_yaml(Path(path), shown)
    given = root.mapping()
    if not given:
        raise root.place.error("", show(root), "a mapping with version: 1 and a scenario")
    for key in given:
        if key not in (*SWEEP, *beside):
            raise _unknown(root, key, shown)
    _version(root)
    fast = _quick(given.get("quick"), (*_QUICK, *beside))
    replaced = {k: v for k, v in fast.items() if k not in ("set", *beside)}
    given = {**given, **replaced} if quick else given
    scenario, base = _base(root, shown, fast.get("set") if quick else None)
    blocks = read_blocks(given.get("parameters"))
    check_aliases(blocks, base, given.get("parameters", root))
    sweep = Sweep(
        file=shown,
        title=_title(given.get("title")),
        scenario=scenario,
        base=base,
        blocks=blocks,
        replicates=_read(given, "replicates", 1),
        seed=_read(given, "seed", 1),
        paired=_read(given, "seeds", "paired") == "paired",
        limits=_limits(given.get("limits")),
        keep=_read(given, "keep", "nothing") == "results",
        engine=_read(given, "engine", DEFAULT_ENGINE),
        engine_stated="engine" in given,
        measure=_measure(given.get("measure")),
        outcomes=_outcomes(given.get("outcomes")),
    )
    if "until" in given:
        sweep = with_until(sweep, given)
    if "calibrate" in given:
        sweep = with_calibration(sweep, given)
    if "tune" in given:
        sweep = with_tuning(sweep, given)
    if len(sweep) > MOST_RUNS:
        raise root.place.error("parameters", f"{len(sweep):,} runs", f"at most {MOST_RUNS:,}")
    try_first(sweep, root)
    return sweep


def _outcomes(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    given = [item.value for item in node.items()] or [node.value]
    names = [name for name in given if isinstance(name, str) and name]
    if len(names) < len(given):
        raise node.place.error("outcomes", show(node), "a list of columns of the runs")
    return tuple(dict.fromkeys(names))


def _unknown(root: Node, key: str, shown: str) -> ScenarioError:
    if key == _PLAYED:
        found = f"{key!r}, a key of tournaments"
        return root.keys[key].error(
            key,
            found,
            f"a sweep without {key!r}; to play a tournament, run `ecnomy tournament {shown}`",
        )
    if "learners" in root.keys:
        expected = f"a sweep; {OPENS_ENVIRONMENT}"
        return root.keys[key].error(key, f"{key!r}, a key of environments", expected)
    if key in Document.__struct_fields__:
        expected = f"{key!r} under 'set'; to run a scenario, use `ecnomy run {shown}`"
        return root.keys[key].error(key, f"{key!r}, a key of scenarios", expected)
    return root.keys[key].error(key, f"the unknown key {key!r}", known_name(key, SWEEP))


def _version(root: Node) -> None:
    node = root.mapping().get("version")
    if node is None or node.value != 1:
        place = node.place if node else root.place
        raise place.error("version", show(node) if node else "no 'version'", "version: 1")


def _base(root: Node, shown: str, more: Node | None) -> tuple[str, str]:
    """Return the scenario's file, and the scenario as JSON with `set` and `more` applied."""
    node = root.mapping().get("scenario")
    if node is None or not isinstance(node.value, str):
        place = node.place if node else root.place
        found = show(node) if node else "no 'scenario'"
        raise place.error("scenario", found, "the path of a scenario file")
    file = os.path.join(os.path.dirname(shown), node.value)
    if not os.path.isfile(file):
        raise node.place.error("scenario", f"{show(node)}, no such file", "a scenario file")
    load(file)  # reports faults at their places in the scenario
    tree = with_sizes_inside(load_tree(file))
    for changes in (root.mapping().get("set"), more):
        if changes is not None:
            tree = changed(tree, changes, "set")
    return file, msgspec.json.encode(plain_tree(tree)).decode()


def changed(tree: Node, changes: Node, path: str) -> Node:
    """Return a scenario with changes applied.

    Args:
        tree: the scenario.
        changes: a mapping of the scenario's paths to values.
        path: path of `changes` in its file, for error messages.

    Raises:
        ScenarioError: `changes` is not a mapping, or a path or a value is invalid.
    """
    if not isinstance(changes.value, dict):
        raise changes.place.error(path, show(changes), "a mapping of paths to values")
    for key, value in changes.mapping().items():
        try:
            tree = apply(tree, f"{key}={override_text(plain(value))}", must=True)
        except ScenarioError as error:
            place = changes.keys[key]
            raise place.error(error.path or key, error.found, error.expected) from None
    return tree


def _title(node: Node | None) -> str:
    if node is None:
        return ""
    if not isinstance(node.value, str):
        raise node.place.error("title", show(node), SWEEP["title"].takes)
    return node.value


def _read(given: dict[str, Node], key: str, default: Any) -> Any:
    return SWEEP[key].read(given[key], key) if key in given else default


def _quick(node: Node | None, keys: tuple[str, ...]) -> dict[str, Node]:
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise node.place.error("quick", show(node), f"a mapping with {', '.join(keys)}")
    for key in node.mapping():
        if key not in keys:
            expected = known_name(key, keys)
            raise node.keys[key].error(f"quick.{key}", f"the unknown key {key!r}", expected)
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
        if key not in LIMITS:
            expected = known_name(key, LIMITS)
            raise node.keys[key].error(f"limits.{key}", f"the unknown key {key!r}", expected)
    given = node.mapping()
    time, memory = (LIMITS[k].read(given[k], k) if k in given else UNLIMITED for k in LIMITS)
    return Limits(time, memory)
