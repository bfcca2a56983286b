# SPDX-License-Identifier: Apache-2.0
"""The tutorial: its files are valid; in the full tier its commands print the stated output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecnomy.markets import load, make_plan
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.conformance import examine
from ecnomy.markets.sweep.config import load_sweep
from processes import ended, started
from tiers import full
from tutorial_text import LIMIT_S, differs, said, write_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the tutorial, in the working directory."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_files_are_right_as_printed(folder: Path) -> None:
    """The files are scenarios without warnings, a sound strategy and a sweep of twelve runs."""
    scenarios = [file for file in sorted(folder.glob("*.yaml")) if file.name != "limit.yaml"]
    assert len(scenarios) == 5
    for file in scenarios:
        scenario = load(file)
        assert warnings(scenario, make_plan(scenario)) == [], file
    assert not examine("frugal:Frugal", {}).defects
    assert len(load_sweep(folder / "limit.yaml")) == 12
    assert all(words[0] == "ecnomy" for words, _ in said())


@full
def test_commands_say_what_is_printed(folder: Path) -> None:
    """Commands run in the order of the text, each with exit status 0."""
    for words, lines in said():
        command = [sys.executable, "-m", "ecnomy.markets.cli", *words[1:]]
        log = folder / "said.txt"
        with log.open("w") as out, started(command, cwd=folder, stdout=out, stderr=out) as process:
            status, _, _ = ended(process, LIMIT_S)
        assert not differs(status, log.read_text(encoding="utf-8"), lines), words
