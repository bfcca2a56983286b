# SPDX-License-Identifier: Apache-2.0
"""Paths of overrides: names and numbers, every item, and conditions."""

from __future__ import annotations

from typing import Any

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.overrides import apply, located
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.sweep.blocks import plain_tree

DOCUMENT = """
links:
  - {name: a, marking: {law: red, weight: 0.1}}
  - {name: b, marking: {law: drop-tail}}
sources:
  gold: {transport: {law: newreno}}
  files: {transport: {law: reno, min_rto: 1 s}}
  voice: {transport: {law: udp}}
empty: []
"""


def changed(*overrides: str) -> Any:
    """The document with overrides laid over it."""
    node = parse(DOCUMENT, "here")
    for override in overrides:
        node = apply(node, override)
    return plain_tree(node)


def test_every_item_of_a_list_and_value_of_a_mapping() -> None:
    """`*` means every item of a list and every value of a mapping."""
    assert [link["delay"] for link in changed("links.*.delay=1 ms")["links"]] == ["1 ms"] * 2
    sources = changed("sources.*.transport.min_rto=2 s")["sources"]
    assert {source["transport"]["min_rto"] for source in sources.values()} == {"2 s"}


def test_conditions_choose() -> None:
    """A condition has one value, several or only the key; other items stay unchanged."""
    one = changed("links.*.marking[law=red].weight=0.2")["links"]
    assert [link["marking"].get("weight") for link in one] == [0.2, None]
    sources = changed("sources.*.transport[law=newreno|reno].min_rto=2 s")["sources"]
    took = [name for name, source in sources.items() if source["transport"].get("min_rto") == "2 s"]
    assert took == ["gold", "files"]
    sources = changed("sources.*.transport[min_rto].min_rto=3 s")["sources"]
    assert [name for name, s in sources.items() if s["transport"].get("min_rto") == "3 s"] == [
        "files"
    ]


def test_conditions_on_what_is_named() -> None:
    """Conditions may follow names and numbers; values may have dots and equals signs."""
    assert changed("links.a.marking[weight=0.1].weight=0.3")["links"][0]["marking"]["weight"] == 0.3
    assert changed("links[0].marking[law=pi].weight=0.3") == changed()
    assert changed("links.a.title='x=y'")["links"][0]["title"] == "x=y"


@pytest.mark.parametrize(
    ("override", "found"),
    [
        ("empty.*.x=1", r"\* on a list of 0"),
        ("links.*.name.x=1", "no keys or items"),
        ("links.[law=x].y=1", "links.\\[law=x\\].y"),
        ("links.a[law.y=1", "links.a\\[law.y=1"),
        ("links.c.x=1", "'c'"),
        ("links.*", "'links.\\*'"),
    ],
)
def test_paths_to_nowhere(override: str, found: str) -> None:
    """A malformed path, or one that leads nowhere, is refused by name."""
    with pytest.raises(ScenarioError, match=found):
        changed(override)


def test_places_of_a_path() -> None:
    """Names become numbers, `*` stays, conditions disappear."""
    root = parse(DOCUMENT, "here")
    assert located(root, "links.b.marking[law=red].law") == ("links", 1, "marking", "law")
    assert located(root, "links.*.marking.law") == ("links", "*", "marking", "law")
