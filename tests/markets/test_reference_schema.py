# SPDX-License-Identifier: Apache-2.0
"""`ecnomy explain --schema`: shipped scenarios are valid, and detectable faults are refused."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # comes with altair, of the extra `dashboard`

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.yamlfile import parse, read
from ecnomy.markets.reference.schema import scenario_schema
from ecnomy.markets.sweep.blocks import plain_tree
from test_bad_yaml import CASES, GOOD
from tiers import full

CONFIGS = Path(__file__).parents[2] / "configs"
# Faults that hang on other values, on names or on units, which a schema does not know.
BEYOND = {
    *("wrong unit", "unknown unit", "unknown node", "unknown source", "no isp", "fee in marks"),
    *("duplicate link", "duplicate source", "duplicate agent", "half a micro", "strategy unit"),
    "negative step",
    "a strategy of another role without its parameters",
    *("tcp for cbr", "udp for greedy", "fraction of a ps", "time too long", "warm-up too long"),
    *("red in two units", "red upside down", "windows too small", "two weights"),
    "least window beyond memory",
    "a link that the carrier does not own",
    *("general without weights", "a choice of one"),
}


@functools.cache
def validator() -> Draft7Validator:
    """The validator of the schema that `explain --schema` prints."""
    schema = scenario_schema()
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def faults(document: Any) -> list[str]:
    """The faults that the schema finds in a document."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in validator().iter_errors(document)
    ]


def scenarios(folder: Path) -> list[Path]:
    """The scenario files in a folder, those of other kinds left out."""
    heads = ("network:", "extends:")
    return [
        path
        for path in sorted(folder.rglob("*.yaml"))
        if any(line.startswith(heads) for line in path.read_text(encoding="utf-8").splitlines())
    ]


@pytest.mark.parametrize(
    "folder", ["examples", *(pytest.param(name, marks=full) for name in ("papers", "studies"))]
)
def test_shipped_scenarios_are_valid(folder: str) -> None:
    """This includes variants by `extends`, which may omit any key."""
    found = scenarios(CONFIGS / folder)
    assert found
    for path in found:
        assert faults(plain_tree(read(path, str(path)))) == [], path


@pytest.mark.parametrize("case", CASES)
def test_bad_scenarios_are_refused(case: str) -> None:
    """Unknown keys and words, missing keys, wrong types and numbers out of range are refused."""
    old, new = CASES[case]["old"], CASES[case]["new"]
    at = GOOD.rfind(old) if case in ("duplicate key", "unknown node") else GOOD.find(old)
    try:
        document = plain_tree(parse(GOOD[:at] + new + GOOD[at + len(old) :], "bad"))
    except ScenarioError:
        return  # not strict YAML, which editors report themselves
    assert bool(faults(document)) == (case not in BEYOND)


def test_the_good_scenario_is_valid() -> None:
    """It is also valid with a tariff and a strategy of a user's class."""
    good = plain_tree(parse(GOOD, "good"))
    assert faults(good) == []
    good["market"]["agents"][0] |= {
        "strategy": {"kind": "my_lab.strategies:Mine", "anything": 3},
        "contracts": [{"meter": "bytes", "tariff": {"kind": "lab:T", "x": 1}, "sources": "gold"}],
    }
    assert faults(good) == []
    good["network"]["links"][1]["marking"] = {"probability": 0.2}  # of a law that all links share
    assert faults(good) == []
