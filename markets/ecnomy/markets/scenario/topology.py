# SPDX-License-Identifier: Apache-2.0
"""Load real and synthetic topologies by name, such as `topohub:sndlib/abilene`.

topohub (https://github.com/piotrjurkiewicz/topohub) provides SNDlib, the Topology Zoo, CAIDA,
backbones and Gabriel graphs as node-link JSON. Positions are in degrees or plain coordinates, and
lengths in km. SNDlib adds measured demand matrices, each in its own unit.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
import warnings
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

import msgspec

from ecnomy.agents.find import nearest
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.scenario.places import Places

__all__ = ["PATTERN", "Edge", "Topology", "node_names", "open_topology"]

_PREFIX: Final = "topohub:"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)+")
PATTERN: Final = f"^{_PREFIX}{_KEY.pattern}$"  # pattern of a topology's name
_LONGEST: Final = 28  # longest node name; two such names make a valid link name


class Edge(msgspec.Struct, frozen=True):
    """An undirected edge; its length `km` is negative if unknown."""

    one: str
    other: str
    km: float


class Topology(msgspec.Struct, frozen=True):
    """A topology, with its nodes identified by name.

    Attributes:
        positions: (x, y) of each node, in the topology's order; (longitude, latitude) for real
            places.
        edges: edges, in the topology's order.
        demands: sender -> receiver -> demand, in the topology's unit; {} if the topology has no
            matrix.
    """

    positions: dict[str, tuple[float, float]]
    edges: tuple[Edge, ...]
    demands: dict[str, dict[str, float]]


def open_topology(name: str, renamed: Mapping[str, str], places: Places) -> Topology:
    """Load a topology by name, and rename some of its nodes.

    Raises:
        ScenarioError: the topology or a renamed node does not exist, two nodes would have the same
            name, or topohub is not installed.
    """
    data = _load(name, places)
    names = node_names({n["id"]: str(n.get("name") or "") for n in data["nodes"]})
    for given in renamed:
        if given not in names.values():
            expected = _close(given, list(names.values()), "a node of the topology")
            raise places.fault(f"network.names.{given}", f"the unknown node {given!r}", expected)
    called = {key: renamed.get(given, given) for key, given in names.items()}
    twice = [given for given in renamed if list(called.values()).count(renamed[given]) > 1]
    if twice:
        path, found = f"network.names.{twice[0]}", f"the name {renamed[twice[0]]!r} twice"
        raise places.fault(path, found, "a unique name for each node")
    demands: dict[Any, dict[Any, float]] = data["graph"].get("demands") or {}
    return Topology(
        positions={called[n["id"]]: _position(n) for n in data["nodes"] if "pos" in n},
        edges=tuple(_edge(edge, called, places) for edge in data["edges"]),
        demands={
            called[a]: {called[b]: float(value) for b, value in row.items()}
            for a, row in demands.items()
        },
    )


def node_names(given: Mapping[Any, str]) -> dict[Any, str]:
    """Return a valid name for each node, by the node's key in the topology.

    Accents are removed, and spaces and symbols become underscores ("São Paulo" becomes Sao_Paulo).
    A node without a name is called n<key>. A duplicate name gets the suffix _<key>.
    """
    names: dict[Any, str] = {}
    taken: set[str] = set()
    for key, text in given.items():
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:_LONGEST] or f"n{key}"
        name = name if name[0].isalpha() else f"n{name}"[:_LONGEST]
        while name in taken:
            end = f"_{key}"
            name = name[: _LONGEST - len(end)] + end if not name.endswith(end) else f"{name}_"
        taken.add(name)
        names[key] = name
    return names


def _load(name: str, places: Places) -> dict[str, Any]:
    path, key = "network.topology", name.removeprefix(_PREFIX)
    if not name.startswith(_PREFIX) or not _KEY.fullmatch(key):
        raise places.fault(path, repr(name), "a topology such as topohub:sndlib/abilene")
    try:
        topohub = importlib.import_module("topohub")
    except ModuleNotFoundError:
        expected = f"the package topohub; to install, run: {extras()}"
        raise places.fault(path, repr(name), expected) from None
    try:
        with warnings.catch_warnings():  # topohub does not close its file itself
            warnings.simplefilter("ignore", ResourceWarning)
            data: dict[str, Any] = topohub.get(key)
    except KeyError:
        group = key.rpartition("/")[0]
        expected = _close(key, _siblings(group), "a topology of topohub such as sndlib/abilene")
        raise places.fault(path, f"the unknown topology {name!r}", expected) from None
    return data


def _siblings(group: str) -> list[str]:
    """Return the keys of a group's topologies, or those of SNDlib if the group is unknown."""
    for known in (group, "sndlib"):
        folder = resources.files("topohub").joinpath(f"data/{known}")
        if folder.is_dir():
            return sorted(f"{known}/{f.name.removesuffix('.json')}" for f in folder.iterdir())
    return []


def _close(given: str, known: list[str], expected: str) -> str:
    close = nearest(given, known)
    return f"{close!r}, or {expected}" if close else expected


def _position(node: Mapping[str, Any]) -> tuple[float, float]:
    x, y = node["pos"]
    return float(x), float(y)


def _edge(edge: Mapping[str, Any], called: Mapping[Any, str], places: Places) -> Edge:
    one, other = called[edge["source"]], called[edge["target"]]
    return Edge(one, other, float(edge["dist"]) if "dist" in edge else -1.0)
