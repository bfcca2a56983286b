# SPDX-License-Identifier: Apache-2.0
"""`ecnomy explain` states the range of a plain number of a strategy; it is the accepted range."""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
import yaml

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.reference.class_entries import strategy_entries
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.samples import in_yaml
from ecnomy.markets.scenario.parameters import StrategyReader

RANGE = re.compile(r"r (from|above) (\S+?)(?:(?: to|, up to|, (below)) (\S+))?$")
PLAIN = ("a number", "a whole number")


@functools.cache
def examples() -> dict[tuple[str, ...], dict[str, Any]]:
    """The example of each strategy, and of each form of its parameters."""
    return {one.within: yaml.safe_load(one.example) for one in strategy_entries() if one.variant}


@functools.cache
def plain_numbers() -> list[Entry]:
    """The parameters without a unit, each once, in a strategy that can have it."""
    numbers: dict[tuple[str, str], Entry] = {}
    for one in strategy_entries():
        key = (one.within[-1], one.name)
        if one.variant or not one.takes.startswith(PLAIN) or key in numbers:
            continue
        if len(one.within) == 1 or not refusal(one, yaml.safe_load(one.example)[one.name]):
            numbers[key] = one
    return list(numbers.values())


def written(one: Entry, value: float) -> dict[str, Any]:
    """A strategy as its example, with this parameter."""
    strategy = examples()[one.within[:1]]
    outer, _, inner = one.path.rpartition(".")
    if not outer:
        return strategy | {inner: value}
    return strategy | {outer: examples()[one.within] | {inner: value}}


def refusal(one: Entry, value: float) -> str:
    """The message about a value; "" if it is accepted."""
    node = parse(in_yaml(written(one, value)), "example", lines=False)
    try:
        StrategyReader().read(node, "strategy")
    except ScenarioError as error:
        return str(error)
    return ""


def bound(one: Entry, word: str) -> float:
    """The number of a bound, or the value of the parameter that it names."""
    if not word.startswith("`"):
        return float(word.replace(",", ""))
    others = [e for e in strategy_entries() if e.within == one.within and e.name == word.strip("`")]
    example = written(one, 0).get(others[0].name)
    return float(example if example is not None else others[0].default or "nan")


@pytest.mark.parametrize("one", plain_numbers(), ids=lambda one: f"{one.within[-1]} {one.name}")
def test_a_plain_number_has_its_range(one: Entry) -> None:
    """Values just outside are refused by name; ends that belong to the range are accepted."""
    match = RANGE.search(one.takes)
    assert match, one.takes
    whole = one.takes.startswith("a whole number")
    kind, step = (int, 1.0) if whole else (float, 1e-6)
    least = bound(one, match[2])
    outside = [least if match[1] == "above" else least - step]
    inside = [] if match[1] == "above" else [least]
    if match[4]:
        most = bound(one, match[4])
        outside.append(most if match[3] else most + step * max(1.0, most))
        inside += [] if match[3] else [most]
    for value in outside:
        named = rf"strategy\.{re.escape(one.path)}: |: {one.name} must"
        assert re.search(named, refusal(one, kind(value))), value
    for value in inside:
        assert not refusal(one, kind(value)), value


def test_all_are_covered() -> None:
    """The walk finds strategies' parameters and those of utilities, demands and times."""
    assert {len(one.within) for one in plain_numbers()} == {1, 2}
    assert len(plain_numbers()) >= 30
