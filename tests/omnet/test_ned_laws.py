# SPDX-License-Identifier: Apache-2.0
"""Files made from the laws' headers, against the engine's description. Needs no OMNeT++."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import law_tables
from ecnomy.markets.omnet.names import law_parameter
from law_tables import FAMILIES, INET, TABLE, described, files, ned_text, ned_type


@pytest.mark.parametrize("family", FAMILIES)
def test_every_law_has_its_ned_type(family: str) -> None:
    """Each law's file agrees with the engine (law_tables.py --write renews them)."""
    folder = INET / FAMILIES[family].folder
    for path, text in files().items():
        if path.parent == folder:
            assert path.read_text() == text, path.name


def test_the_table_of_the_market_is_the_engines() -> None:
    """Scenarios may use exactly the laws of the engine."""
    assert TABLE.read_text() == files()[TABLE]


@pytest.mark.parametrize(
    "script, says", [("", "cannot run"), ("#!/bin/sh\necho no laws >&2\nexit 3\n", "no laws\n")]
)
def test_an_engine_that_cannot_describe_is_a_fault_on_one_line(
    script: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """An engine that is missing or fails makes exit status 2, without a traceback."""
    engine = tmp_path / "engine"
    if script:
        engine.write_text(script)
        engine.chmod(0o755)
    monkeypatch.setenv("ECNOMY_ENGINE", str(engine))
    kept = law_tables._description, law_tables.described
    monkeypatch.setattr(law_tables, "_description", kept[0].__wrapped__)
    monkeypatch.setattr(law_tables, "described", kept[1].__wrapped__)
    assert law_tables.main(["--write"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("law_tables: ") and says in printed and printed.count("\n") == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_no_ned_type_is_left_of_a_law_that_is_gone(family: str) -> None:
    """A family has exactly the types of its laws."""
    kind = FAMILIES[family].kind
    stems = {
        path.stem
        for path in (INET / FAMILIES[family].folder).glob("*.ned")
        if f"simple {path.stem} {kind}\n" in path.read_text()
    } - {place.kind.removeprefix("extends ") for place in FAMILIES.values()}
    assert stems == {ned_type(family, law) for law in described()[family]}


def read_back(text: str) -> dict[str, tuple[str, list[str], str | None]]:
    """{parameter: (type, choices, default as it stands)} of a law's NED text.

    A quantity's default must be the parameter with the unit in its name, which is omitted here.
    """
    pattern = r"^ {8}double (\w+) @unit\((\w+)\) = default\((\w+) \* 1(\w+)\);$"
    for name, unit, number, factor in re.findall(pattern, text, re.MULTILINE):
        ends = {"s": "_s", "bps": "_bps", "B": "_bytes"}
        assert number == name + ends[unit] and factor == unit
    text = re.sub(pattern, "", text, flags=re.MULTILINE)
    pattern = r"^ {8}(bool|double|string) (\w+)(?: @enum\((.*?)\))?(?: = default\((.*)\))?;"
    declared = {}
    for match in filter(None, (re.match(pattern, line) for line in text.splitlines())):
        kind, name, choices, default = match.groups()
        declared[name] = (kind, re.findall('"(.*?)"', choices or ""), default)
    return declared


def as_number(parameter: dict[str, Any], default: str) -> float:
    """A default's NED text as the number that a law is built from."""
    if parameter["unit"] == "choice":
        return float(parameter["choices"].index(default.strip('"')))
    if parameter["unit"] == "flag":
        return {"false": 0.0, "true": 1.0}[default]
    return float(default)


@pytest.mark.parametrize("family", FAMILIES)
def test_defaults_keep_their_value(family: str) -> None:
    """Read back from NED, every parameter has its type, its choices and exactly its default."""
    types = {"choice": "string", "flag": "bool"}
    for law, entry in described()[family].items():
        parameters = entry["parameters"]
        declared = read_back(ned_text(family, law, parameters))
        assert list(declared) == [p["name"] for p in parameters]
        for p in parameters:
            kind, choices, default = declared[p["name"]]
            assert (kind, choices) == (types.get(p["unit"], "double"), p["choices"])
            if default == "nan":  # a required quantity, by either name
                assert law_parameter(p["name"], p["unit"])[1] and p["default"] is None
                continue
            assert (default is None) == (p["default"] is None), p["name"]
            assert default is None or as_number(p, default) == p["default"]


def test_type_names_are_their_own() -> None:
    """No two types of a family share a name, and none is the default queue of INET's interfaces."""
    for family, laws in ((f, described()[f]) for f in FAMILIES):
        names = [ned_type(family, law) for law in laws]
        assert len(set(names)) == len(names)
        assert not {"DropTailQueue", "EthernetQueue"} & set(names)
