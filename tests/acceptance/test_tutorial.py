# SPDX-License-Identifier: Apache-2.0
"""The tutorial: its files are right as printed, and in the full tier its commands say what it says.

Files are the code blocks below a name such as `market.yaml`. Lines below a command are a part of
its output, in their order.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest

from ecnomy.markets import load, make_plan
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.conformance import examine
from ecnomy.markets.sweep.config import load_sweep
from processes import ended, started
from tiers import full

TUTORIAL: Final = Path(__file__).parents[2] / "configs/tutorial/README.md"
LIMIT_S: Final = 280


def blocks() -> list[tuple[str, str, str]]:
    """Name (or ""), language and text of each block."""
    text = TUTORIAL.read_text(encoding="utf-8")
    return re.findall(r"(?:^`(\S+)`:\n\n)?^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def said() -> list[tuple[list[str], list[str]]]:
    """Words of each command, and lines of its output."""
    found: list[tuple[list[str], list[str]]] = []
    for _, language, text in blocks():
        for line in text.splitlines() if language == "console" else ():
            if line.startswith("$ "):
                found.append((shlex.split(line[2:]), []))
            else:
                found[-1][1].append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the tutorial, in the working directory."""
    for name, _, text in blocks():
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_files_are_right_as_printed(folder: Path) -> None:
    """Scenarios without warnings, a strategy without defects, a sweep of twelve runs."""
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
    """In the order of the text, each with exit status 0."""
    for words, lines in said():
        command = [sys.executable, "-m", "ecnomy.markets.cli", *words[1:]]
        log = folder / "said.txt"
        with log.open("w") as out, started(command, cwd=folder, stdout=out, stderr=out) as process:
            status, _, _ = ended(process, LIMIT_S)
        left = log.read_text(encoding="utf-8")
        assert status == 0, f"{words}\n{left}"
        for line in lines:
            before, found, left = left.partition(line)
            assert found, f"{words} did not print {line!r} after\n{before[-500:]}"
