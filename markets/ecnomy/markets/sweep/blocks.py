# SPDX-License-Identifier: Apache-2.0
"""What a sweep file says under `parameters`: blocks of values and of ranges."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import Choice, Number
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, parse, show
from ecnomy.markets.sweep.space import Block, Range, Value

__all__ = [
    "FIXED",
    "MOST_RUNS",
    "number_with_unit",
    "plain",
    "plain_tree",
    "read_blocks",
    "read_range",
]

MOST_RUNS: Final = 10**7
_BLOCKS: Final = ("grid", "list", "zip", "random", "latin-hypercube")
FIXED: Final = ("seed", "version")
_SCALE: Final = Choice(("linear", "log"))
_COUNT: Final = Number(what="a whole number", least=1, most=MOST_RUNS, whole=True)


def plain_tree(node: Node) -> Any:
    """A document as plain values."""
    if isinstance(node.value, dict):
        return {key: plain_tree(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return [plain_tree(child) for child in node.value]
    return node.value


def plain(node: Node) -> Value:
    """A value as an override takes it: text that would not read as itself is put in quotes."""
    if isinstance(node.value, dict | list):
        return msgspec.json.encode(plain_tree(node)).decode()
    if isinstance(node.value, str) and not _reads_as_itself(node.value):
        return msgspec.json.encode(node.value).decode()
    return node.value


def _reads_as_itself(text: str) -> bool:
    """Whether text that stood in quotes means the same without them."""
    try:
        return parse(text, "", lines=False).value == text
    except ScenarioError:
        return False


def read_blocks(node: Node | None) -> tuple[Block, ...]:
    """The blocks of `parameters`.

    Raises:
        ScenarioError: anything wrong, with its place.
    """
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
            if parameter in FIXED:
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
        columns.append(tuple(plain(item) for item in values.items()))
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
        rows.append(tuple(plain(item.mapping()[name]) for name in names))
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
    return read_range(given["from"], given["to"], given.get("scale"), path)


def read_range(least: Node, most: Node, scale: Node | None, path: str) -> Range:
    """The range between two quantities of a unit.

    Raises:
        ScenarioError: they make none, with the place.
    """
    low, unit = number_with_unit(least, f"{path}.from")
    high, same = number_with_unit(most, f"{path}.to")
    log = scale is not None and _SCALE.read(scale, f"{path}.scale") == "log"
    if unit != same:
        raise most.place.error(f"{path}.to", show(most), f"a number of {unit!r}")
    if not low < high or (log and low <= 0):
        floor = " above 0" if log else ""
        raise most.place.error(f"{path}.to", show(most), f"more than from{floor}")
    whole = not unit and all(type(node.value) is int for node in (least, most)) and not log
    return Range(low, high, unit, log, whole)


def number_with_unit(node: Node, path: str) -> tuple[float, str]:
    """A number and its unit, "" for none.

    Raises:
        ScenarioError: it is no number.
    """
    if type(node.value) in (int, float):
        return float(units.number(node.text)), ""
    number, _, unit = str(node.value).strip().partition(" ")
    try:
        return float(number), unit.strip()
    except ValueError:
        expected = "a number, with a space before its unit if it has one"
        raise node.place.error(path, show(node), expected) from None
