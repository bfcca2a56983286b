# SPDX-License-Identifier: Apache-2.0
"""Apply `--set path=value`, which changes a value of a scenario from the command line.

A path consists of steps, separated by dots. A name (`sources.gold.count`) or a number
(`sources[0].count`) selects an item of a list. The value is YAML. Items of lists must exist, but
missing keys of mappings are added. If an added key is unknown, validation reports the override as
its place.

`*` stands for every item of a list, or every value of a mapping: `sources.*.transport.min_rto=1 s`.
It is an error if one of these places does not accept the key. A step may end in conditions, which
select matching places. `sources.*.transport[law=newreno|reno].min_rto=1 s` leaves other transports
unchanged, and `network.links.*.marking[min_threshold].gentle=true` leaves markings without that
key unchanged. A condition without a match changes nothing, or is refused with `must`.

`network.links.*` includes a topology's links. For example, `network.links.*.rate` also sets
`network.rate` and each rate in `network.overrides`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from ecnomy.markets.inputs.variants import SELECTORS
from ecnomy.markets.inputs.yamlfile import Node, Place, child_path, parse, show

__all__ = ["apply", "located"]

_NOTHING: Final = Node(None, Place("", None))

_PART: Final = re.compile(r"(?:[^.\[\]]|\[[^\[\]]*\])+")
_STEP: Final = re.compile(r"([^.\[\]]+)((?:\[[^\[\]]+\])*)")
_SPLIT: Final = re.compile(r"((?:[^=\[]|\[[^\]]*\])*)=(.*)", re.DOTALL)
_LONGEST: Final = 1000  # characters of a path
_MOST_STEPS: Final = 40
_MOST_SHOWN: Final = 200  # characters of a path that messages show at most
_EVERY: Final = "*"
_EVERY_LINK: Final = ["network", "links", _EVERY]


class _If(msgspec.Struct, frozen=True):
    """A condition on a mapping: the key exists and has one of the condition's values, if any."""

    key: str
    values: tuple[str, ...]

    def holds(self, node: Node) -> bool:
        child = node.mapping().get(self.key)
        return child is not None and (not self.values or child.text in self.values)


_Step = str | int | _If


class _Change(msgspec.Struct):
    """A value to set, and the number of places at which it was set so far."""

    value: Node
    place: Place
    arrived: int = 0


def apply(root: Node, override: str, option: str = "--set", *, must: bool = False) -> Node:
    """Return the document with an override's value at each place to which its path leads.

    Args:
        root: the document.
        override: `path=value`.
        option: name of the option in messages.
        must: whether to refuse conditions without a match.

    Raises:
        ScenarioError: the text is not `path=value`, the path does not exist, or the value is not
            YAML.
    """
    split = _SPLIT.fullmatch(override)
    path, text = (split[1].strip(), split[2]) if split else ("", "")
    shown = path if len(path) <= _MOST_SHOWN else f"{path[:_MOST_SHOWN]}..."
    place = Place(f"{option} {shown}", None)
    if len(path) > _LONGEST:
        raise place.error("", f"{len(path)} characters", f"a path of at most {_LONGEST}")
    if not path:
        found = repr(override[:60])
        raise Place(option, None).error("", found, "path=value such as duration='60 s'")
    value = parse(text, place.file, lines=False) if text.strip() else Node(None, place)
    change = _Change(value, place)
    for steps in _ways(root, _steps(path, place)):
        root = _replaced(root, steps, change, "")
    if must and not change.arrived:
        expected = "a condition that matches an item of the scenario"
        raise place.error("", "a condition that matches nothing", expected)
    return root


def _ways(root: Node, steps: list[_Step]) -> Iterator[list[_Step]]:
    """Yield the path, or the paths of all values that `network.links.*` stands for."""
    network = root.mapping().get("network", _NOTHING).mapping()
    key = steps[3] if len(steps) > 3 and steps[:3] == _EVERY_LINK else None
    shared = key == "marking" and network.get("marking", _NOTHING).value is not None
    if not isinstance(key, str) or not (shared or "topology" in network):
        yield steps
        return
    yield ["network", *steps[3:]]
    for name, given in network.get("overrides", _NOTHING).mapping().items():
        if key in given.mapping():
            yield ["network", "overrides", name, *steps[3:]]
    for index, link in enumerate(network.get("links", _NOTHING).items()):
        if key != "marking" or key in link.mapping():
            yield ["network", "links", index, *steps[3:]]


def located(root: Node, path: str) -> tuple[str | int, ...]:
    """Return a path as keys and indices; steps that do not exist stay as written.

    `*` stays unchanged, and conditions are removed.

    Raises: ScenarioError: the text is not a path.
    """
    place = Place(f"--set {path}", None)
    keys: list[str | int] = []
    node: Node | None = root
    for step in _steps(path.strip(), place):
        if isinstance(step, _If):
            continue
        key = step
        if node is not None and isinstance(node.value, list) and isinstance(step, str):
            names = [item.mapping().get("name", _NOTHING).value for item in node.items()]
            key = names.index(step) if step in names else step
        keys.append(key)
        node = _below(node, key)
    return tuple(keys)


def _below(node: Node | None, key: str | int) -> Node | None:
    if node is None:
        return None
    if isinstance(key, str):
        return node.mapping().get(key)
    return node.items()[key] if key < len(node.items()) else None


def _steps(path: str, place: Place) -> list[_Step]:
    steps: list[_Step] = []
    parts = _PART.findall(path)
    for part in parts if ".".join(parts) == path else [""]:
        match = _STEP.fullmatch(part)
        if match is None:
            raise place.error("", repr(path), "a path such as network.links[0].rate")
        steps.append(match[1])
        for inside in re.findall(r"\[([^\[\]]+)\]", match[2]):
            steps.append(int(inside) if re.fullmatch("[0-9]{1,9}", inside) else _condition(inside))
    if len(steps) > _MOST_STEPS:
        raise place.error("", f"{len(steps)} steps", f"a path of at most {_MOST_STEPS} steps")
    return steps


def _condition(text: str) -> _If:
    key, equals, values = text.partition("=")
    return _If(key.strip(), tuple(map(str.strip, values.split("|"))) if equals else ())


def _replaced(node: Node, steps: list[_Step], change: _Change, path: str) -> Node:
    place = change.place
    if not steps:
        change.arrived += 1
        return change.value
    if isinstance(steps[0], _If):
        return _replaced(node, steps[1:], change, path) if steps[0].holds(node) else node
    if steps[0] == _EVERY:
        for key in _keys(node, place, path):
            node = _replaced(node, [key, *steps[1:]], change, path)
        return node
    key, rest = _resolve(node, steps[0], place, path), steps[1:]
    here = child_path(path, key)
    if isinstance(key, int):
        items = list(node.items())
        items[key] = _replaced(items[key], rest, change, here)
        return Node(items, node.place)
    children = dict(node.mapping())
    if rest and isinstance(rest[0], _If) and key not in children:
        return node  # a missing value does not satisfy a condition
    # The section is not written yet; validation shows whether it may be.
    value = _replaced(children.get(key, Node({}, place)), rest, change, here)
    if not rest and key in SELECTORS and key in children and children[key].value != value.value:
        # Another law or kind has other parameters, so the old parameters are removed.
        return Node({key: value}, place, keys={key: place})
    children[key] = value
    return Node(children, node.place, keys={**node.keys, key: place})


def _keys(node: Node, place: Place, path: str) -> list[str | int]:
    """Return the keys or indices that `*` stands for in a node."""
    keys: list[str | int] = [*node.mapping(), *range(len(node.items()))]
    if not keys:
        raise place.error(
            path, f"{_EVERY} on {show(node)}", "a list or a mapping that is not empty"
        )
    return keys


def _resolve(node: Node, step: str | int, place: Place, path: str) -> str | int:
    """Return the key or index to which a step leads in a node."""
    if isinstance(node.value, dict):
        if isinstance(step, str):
            return step
        raise place.error(path, f"[{step}] on a mapping", _one_of(list(node.value)))
    if not isinstance(node.value, list):
        found = f"{show(node)}, which has no keys or items"
        raise place.error(path, found, "a path to a value in the scenario")
    if isinstance(step, int):
        if step < len(node.value):
            return step
        raise place.error(path, f"[{step}]", f"an index below {len(node.value)}")
    names = [item.mapping()["name"].text for item in node.value if "name" in item.mapping()]
    if len(names) == len(node.value) and step in names:
        return names.index(step)
    raise place.error(path, repr(step), _one_of(names))


def _one_of(keys: list[str]) -> str:
    return f"one of {', '.join(keys)}" if keys else "a path to a value in the scenario"
