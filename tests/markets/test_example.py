# SPDX-License-Identifier: Apache-2.0
"""`ecnomy example`: the packaged scenarios, copied to where a user works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.reference.examples import copy_example, titles

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"


def test_all_examples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, name and title; as JSON too."""
    assert ecnomy("example") == 0
    said = capsys.readouterr().out
    names = sorted(file.stem for file in EXAMPLES.glob("*.yaml"))
    assert [line.split()[0] for line in said.split("\n\n")[0].splitlines()] == names
    assert "Gold and silver customers on one link" in said
    assert ecnomy("example", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)) == names


@pytest.mark.parametrize("name", sorted(titles()))
def test_a_copy_has_all_that_it_needs(name: str, tmp_path: Path) -> None:
    """In an empty folder it is the same scenario as in its own."""
    copied = copy_example(name, tmp_path / "new")
    here, there = load(copied[0]), load(EXAMPLES / f"{name}.yaml")
    assert make_plan(here).digest == make_plan(there).digest
    assert here.resolved() == there.resolved()


def test_nothing_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same file may be there; another of that name is refused before anything is copied."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold-silver.yaml").write_text("mine")
    assert ecnomy("example", "qos-knob") == 2
    assert "gold-silver.yaml: found another file" in capsys.readouterr().err
    assert not (tmp_path / "qos-knob.yaml").exists()
    (tmp_path / "gold-silver.yaml").unlink()
    for _ in range(2):
        assert ecnomy("example", "qos-knob") == 0
        assert capsys.readouterr().out.splitlines()[-1] == "Run it with: ecnomy run qos-knob.yaml"


def test_an_unknown_example_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """With the nearest name."""
    assert ecnomy("example", "gold-silvr") == 2
    assert "'gold-silver'" in capsys.readouterr().err
    assert ecnomy("example", "sample", "--into", "/dev/null/x") == 2
    assert "/dev/null/x: cannot be written" in capsys.readouterr().err
