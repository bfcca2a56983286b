# SPDX-License-Identifier: Apache-2.0
"""Reads `tournament.networks`: changes to the scenario, as one mapping or as axes of a grid.

    networks: {near: {}, far: {network.links.bottleneck.delay: 50 ms}}

A list of mappings stands for their combinations, here `near-red`, `near-pi`, `far-red`, `far-pi`:

    networks:
      - {near: {}, far: {network.links.bottleneck.delay: 50 ms}}
      - {red: {network.links.bottleneck.marking: {law: red}}, pi: {...}}
"""

from __future__ import annotations

import itertools
import re
from typing import Final

import msgspec

from ecnomy.markets.inputs.yamlfile import Node, Place, parse, show
from ecnomy.markets.sweep.blocks import plain_tree
from ecnomy.markets.sweep.config import Sweep, changed
from ecnomy.markets.sweep.point_scenario import override_text

__all__ = ["TournamentNetwork", "as_written", "read_networks"]

_PATH: Final = "tournament.networks"
_FOLDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_FORM: Final = "a mapping of names to changes, or a list of such mappings"


class TournamentNetwork(msgspec.Struct, frozen=True):
    """A network of a tournament, as its file defines it.

    Attributes:
        name: its names on the axes, joined by "-".
        changes: path in the file and changes to the scenario, for each axis.
        place: where the last of the changes stands.
    """

    name: str
    changes: tuple[tuple[str, Node], ...]
    place: Place

    def on(self, sweep: Sweep) -> tuple[str, str]:
        """Return the scenario with all changes, as JSON, and the changes as written."""
        tree = parse(sweep.base, sweep.scenario, lines=False)
        for path, changes in self.changes:
            tree = changed(tree, changes, path)
        texts = [as_written(changes) for _, changes in self.changes]
        return msgspec.json.encode(plain_tree(tree)).decode(), ", ".join(filter(None, texts))


def read_networks(node: Node | None) -> tuple[tuple[tuple[str, ...], ...], list[TournamentNetwork]]:
    """Return the names on each axis, and the networks in the order of their combinations.

    A mapping is a single axis. Without networks, both are empty.

    Raises:
        ScenarioError: the form is another, a name is unfit for a folder, or two axes change one
            path or give two networks one name.
    """
    if node is None:
        return (), []
    axes = node.items() or [node]
    for axis in axes:
        if not isinstance(axis.value, dict) or not axis.value:
            raise axis.place.error(_PATH, show(axis), _FORM)
        for name in axis.mapping():
            if not _FOLDER.fullmatch(name):
                expected = "letters, digits and - only, because a folder gets this name"
                raise axis.keys[name].error(_PATH, f"the name {name!r}", expected)
    networks: dict[str, TournamentNetwork] = {}
    for combination in itertools.product(*(axis.mapping().items() for axis in axes)):
        network = _network(combination)
        if network.name in networks:
            twice = f"two networks {network.name!r}"
            raise node.place.error(_PATH, twice, "a different name for each combination")
        networks[network.name] = network
    return tuple(tuple(axis.mapping()) for axis in axes), list(networks.values())


def _network(combination: tuple[tuple[str, Node], ...]) -> TournamentNetwork:
    changed_by: dict[str, str] = {}
    for name, changes in combination:
        for path in changes.mapping():
            if path in changed_by:
                both = f"{path} in {changed_by[path]} and in {name}"
                raise changes.keys[path].error(_PATH, both, "each path on one axis only")
            changed_by[path] = name
    return TournamentNetwork(
        name="-".join(name for name, _ in combination),
        changes=tuple((f"{_PATH}.{name}", changes) for name, changes in combination),
        place=combination[-1][1].place,
    )


def as_written(node: Node) -> str:
    """Return the items of a mapping as in the file, separated by commas."""
    return ", ".join(f"{key} {override_text(value)}" for key, value in plain_tree(node).items())
