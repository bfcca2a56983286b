# SPDX-License-Identifier: Apache-2.0
"""Reads the section `parameters` of a sweep file, with blocks of values or ranges.

A parameter is a path, or a name for several paths that all get one value (ties.py). A value in a
`grid` or `zip` may have a label: `{label: red, value: {law: red, ...}}`. An item of a `list` may
have a label under the key `label`, next to its paths. A `zip` may have a list of labels under the
key `label`, next to its other lists.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import number_in
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, parse, show
from ecnomy.markets.sweep.keys import MOST_RUNS, PARAMETERS, RANGE
from ecnomy.markets.sweep.plans import PLANS
from ecnomy.markets.sweep.space import ParameterBlock, Range, Value
from ecnomy.markets.sweep.ties import PATHS, Ties, is_tie, paths_under, read_tie

__all__ = [
    "MOST_RUNS",
    "number_with_unit",
    "plain",
    "plain_tree",
    "read_blocks",
    "read_over",
    "read_range",
    "refuse_fixed",
]

_BLOCKS: Final = tuple(PARAMETERS)
_FIXED: Final = {
    "seed": "replicates and seed set the seeds",
    "version": "all runs use the version of the scenario",
}
LABEL: Final = "label"
_TIED: Final = "{paths: [PATH, ...], values: [VALUE, ...]}"
_LISTS: Final = ("grid", "list", "zip")


def refuse_fixed(parameter: str, node: Node, path: str) -> None:
    """Raise ScenarioError for a parameter that a sweep cannot vary.

    Args:
        parameter: path into the scenario.
        node: the part of the sweep file that names the parameter.
        path: path of this part in the sweep file.
    """
    if parameter in _FIXED:
        expected = f"another parameter, because {_FIXED[parameter]}"
        raise node.place.error(path, repr(parameter), expected)


def plain_tree(node: Node) -> Any:
    """Return the value of a node as plain mappings, lists and scalars."""
    if isinstance(node.value, dict):
        return {key: plain_tree(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return [plain_tree(child) for child in node.value]
    return node.value


def plain(node: Node) -> Value:
    """Return a value for an override.

    A mapping or list becomes JSON. Text that would otherwise be read as another type is quoted.
    """
    if isinstance(node.value, dict | list):
        return msgspec.json.encode(plain_tree(node)).decode()
    if isinstance(node.value, str) and not _reads_as_itself(node.value):
        return msgspec.json.encode(node.value).decode()
    return node.value


def _reads_as_itself(text: str) -> bool:
    """Return whether YAML reads the text as itself without quotes."""
    try:
        return parse(text, "", lines=False).value == text
    except ScenarioError:
        return False


def read_blocks(node: Node | None) -> tuple[ParameterBlock, ...]:
    """Return the blocks of `parameters`.

    Raises:
        ScenarioError: the section is invalid.
    """
    blocks: list[ParameterBlock] = []
    where: dict[str, str] = {}
    if node is not None and not isinstance(node.value, dict):
        raise node.place.error("parameters", show(node), f"a mapping with {', '.join(_BLOCKS)}")
    for kind, body in (node.mapping() if node else {}).items():
        path = f"parameters.{kind}"
        if kind not in _BLOCKS:
            assert node is not None
            raise node.keys[kind].error(
                path, f"the unknown key {kind!r}", known_name(kind, _BLOCKS)
            )
        block = (_listed if kind in _LISTS else _sampled)(kind, body, path)
        for parameter in paths_under(block.paths, block.ties):
            refuse_fixed(parameter, body, path)
        for parameter in block.paths:
            if parameter in where:
                found = f"{parameter!r}, which {where[parameter]} already varies"
                raise body.place.error(path, found, "each parameter once")
            where[parameter] = path
        blocks.append(block)
    alone = next((block for block in blocks if block.kind in PLANS), None)
    if alone and len(blocks) > 1:
        assert node is not None
        found = f"{alone.kind} together with {', '.join(set(node.mapping()) - {alone.kind})}"
        expected = f"only {alone.kind}; put values shared by all runs under `set`"
        raise node.keys[alone.kind].error("parameters", found, expected)
    return tuple(blocks)


def _listed(kind: str, body: Node, path: str) -> ParameterBlock:
    if kind == "list":
        return _items(body, path)
    columns: list[tuple[Value, ...]] = []
    names: list[tuple[str, ...]] = []
    ties: dict[str, tuple[str, ...]] = {}
    lists = {key: node for key, node in body.mapping().items() if key != LABEL or kind == "grid"}
    for parameter, values in lists.items():
        here = child_path(path, parameter)
        if is_tie(values):
            ties[parameter] = read_tie(parameter, values, here)
            values = _values_beside(values, here)
        if not values.items():
            expected = f"a list of values, or {_TIED}"
            raise values.place.error(here, show(values), expected)
        labelled = [_labelled(item, f"{here}[{i}]") for i, item in enumerate(values.items())]
        columns.append(tuple(plain(item) for _, item in labelled))
        names.append(_distinct([name for name, _ in labelled], values, here))
        if kind == "zip" and len(columns[-1]) != len(columns[0]):
            found = f"{len(columns[-1])} values"
            raise values.place.error(here, found, f"{len(columns[0])} values, like the other lists")
    if not columns:
        raise body.place.error(path, show(body), "a mapping of paths to lists of values")
    if kind == "zip":
        names = [_zip_labels(body.mapping().get(LABEL), path, names, len(columns[0]))]
    return ParameterBlock(kind, tuple(lists), tuple(columns), labels=tuple(names), ties=ties)


def _values_beside(node: Node, path: str) -> Node:
    given = node.mapping()
    if set(given) != {PATHS, "values"}:
        raise node.place.error(path, show(node), _TIED)
    return given["values"]


def _labelled(item: Node, path: str) -> tuple[str, Node]:
    """Return the label of a value ("" if it has no label), and the value."""
    given = item.mapping() if isinstance(item.value, dict) else {}
    if LABEL not in given:
        return "", item
    if set(given) != {LABEL, "value"}:
        raise item.place.error(path, show(item), "{label: NAME, value: VALUE}")
    return _label(given[LABEL], f"{path}.{LABEL}"), given["value"]


def _label(node: Node, path: str) -> str:
    if not isinstance(node.value, str) or not node.value.strip():
        raise node.place.error(path, show(node), "a name: text that is not empty")
    return node.value.strip()


def _zip_labels(node: Node | None, path: str, inside: list[tuple[str, ...]], n: int) -> Any:
    if node is None:
        named = [row for row in inside if any(row)]
        return named[0] if named else ("",) * n
    here = f"{path}.{LABEL}"
    if len(node.items()) != n:
        raise node.place.error(here, show(node), f"a list of {n} names, one for each item")
    names = [_label(item, f"{here}[{i}]") for i, item in enumerate(node.items())]
    return _distinct(names, node, here)


def _distinct(names: list[str], node: Node, path: str) -> tuple[str, ...]:
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise node.place.error(path, f"the label {twice[0]!r} twice", "a unique name for each")
    return tuple(names)


def _items(body: Node, path: str) -> ParameterBlock:
    if not body.items():
        raise body.place.error(path, show(body), "a list of mappings from paths to values")
    names = tuple(name for name in body.items()[0].mapping() if name != LABEL)
    rows: list[tuple[Value, ...]] = []
    labels: list[str] = []
    for index, item in enumerate(body.items()):
        here = f"{path}[{index}]"
        if not names or set(item.mapping()) - {LABEL} != set(names):
            raise item.place.error(
                here, show(item), f"a mapping with {', '.join(names) or 'paths'}"
            )
        rows.append(tuple(plain(item.mapping()[name]) for name in names))
        label = item.mapping().get(LABEL)
        labels.append(_label(label, f"{here}.{LABEL}") if label is not None else "")
    distinct = (_distinct(labels, body, path),)
    return ParameterBlock("list", names, tuple(zip(*rows, strict=True)), labels=distinct)


def _sampled(kind: str, body: Node, path: str) -> ParameterBlock:
    given = body.mapping()
    count = "trajectories" if kind == "morris" else "samples"
    keys = PARAMETERS[kind].below
    if count not in given or not given.get("over", Node(None, body.place)).mapping():
        raise body.place.error(
            path, show(body), f"{count}: N and over: {{path: {{from: A, to: B}}}}"
        )
    for key in given:
        if key not in keys:
            expected = known_name(key, keys)
            raise body.keys[key].error(f"{path}.{key}", f"the unknown key {key!r}", expected)
    samples = keys[count].read(given[count], f"{path}.{count}")
    if kind == "sobol" and samples & (samples - 1):
        expected = (
            "a power of 2, such as 64, because only then the sequence covers the ranges evenly"
        )
        raise given[count].place.error(f"{path}.{count}", f"{samples}", expected)
    paths, ranges, ties = read_over(given["over"], f"{path}.over")
    levels, second = _of_plan(kind, given, path)
    block = ParameterBlock(kind, paths, ranges=ranges, samples=samples, ties=ties)
    return msgspec.structs.replace(block, levels=levels, second_order=second)


def _of_plan(kind: str, given: dict[str, Node], path: str) -> tuple[int, bool]:
    levels = 4 if kind == "morris" else 0
    if "levels" in given:
        key = PARAMETERS["morris"].below["levels"]
        levels = key.read(node := given["levels"], f"{path}.levels")
        if levels % 2:
            raise node.place.error(f"{path}.levels", show(node), key.takes)
    second = given.get("second-order")
    if second is not None and not isinstance(second.value, bool):
        raise second.place.error(f"{path}.second-order", show(second), "true or false")
    return levels, bool(second is not None and second.value)


def read_over(node: Node, path: str) -> tuple[tuple[str, ...], tuple[Range, ...], Ties]:
    """Return the parameters under `over`, their ranges, and the paths of those that set several.

    Raises:
        ScenarioError: the section is invalid.
    """
    over = node.mapping()
    ranges = tuple(_range(each, child_path(path, name)) for name, each in over.items())
    ties = {
        name: read_tie(name, each, child_path(path, name))
        for name, each in over.items()
        if is_tie(each)
    }
    return tuple(over), ranges, ties


def _range(node: Node, path: str) -> Range:
    given = {key: each for key, each in node.mapping().items() if key != PATHS}
    extra = set(given) - {"from", "to", "scale"}
    if not {"from", "to"} <= set(given) or extra:
        raise node.place.error(
            path, show(node), "{from: A, to: B}, with scale: log or linear if needed"
        )
    return read_range(given["from"], given["to"], given.get("scale"), path)


def read_range(least: Node, most: Node, scale: Node | None, path: str) -> Range:
    """Return the range between two quantities, which must have the same unit.

    Raises:
        ScenarioError: the quantities do not form a range.
    """
    low, unit = number_with_unit(least, f"{path}.from")
    high, same = number_with_unit(most, f"{path}.to")
    log = scale is not None and RANGE["scale"].read(scale, f"{path}.scale") == "log"
    if unit != same:
        raise most.place.error(
            f"{path}.to", show(most), f"a number in {unit}" if unit else "a number without a unit"
        )
    if log and low <= 0:
        expected = "a value above 0, because the range has scale: log"
        raise least.place.error(f"{path}.from", show(least), expected)
    if not low < high:
        expected = f"a value above 'from' ({show(least)})"
        raise most.place.error(f"{path}.to", show(most), expected)
    whole = not unit and all(type(node.value) is int for node in (least, most)) and not log
    return Range(low, high, unit, log, whole)


def number_with_unit(node: Node, path: str) -> tuple[float, str]:
    """Return a number and its unit ("" if it is dimensionless).

    Raises:
        ScenarioError: the value is not a number.
    """
    if type(node.value) in (int, float):
        return float(number_in(node, path, "a number")), ""
    number, _, unit = str(node.value).strip().partition(" ")
    try:
        return float(units.number(number)), unit.strip()
    except units.UnitError:
        expected = "a number such as 10, or a number with a unit such as 10 ms"
        raise node.place.error(path, show(node), expected) from None
