# SPDX-License-Identifier: Apache-2.0
"""Every command of the README, in order: files and folders that it names exist by then.

The full tier runs them as pasted in a new folder, except `pip`, `make`, the page that runs
until it is ended, and commands that need OMNeT++.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import typer

from ecnomy.markets.cli.main import app
from processes import ended, started
from tiers import full

ROOT = Path(__file__).parents[2]
SEARCHES = ("sweep", "tune", "calibrate", "tournament")
LIMIT_S = 280


def commands() -> list[list[str]]:
    """The verb and arguments of each line with ecnomy, up to the section on OMNeT++."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## On OMNeT++")[0]
    lines = re.findall(r"^    \.venv/bin/ecnomy +(.+)$", text, re.MULTILINE)
    chained = [part for line in lines for part in line.split("&& .venv/bin/ecnomy")]
    return [shlex.split(line, comments=True) for line in chained]


def made_by(words: list[str]) -> str:
    """The results folder that a command makes, or ""."""
    if "--out" in words:
        return words[words.index("--out") + 1]
    if words[0] == "run":
        seed = words[words.index("--seed") + 1] if "--seed" in words else "1"
        return f"results/{Path(words[1]).stem}-{seed}"
    return f"results/{Path(words[1]).stem}" if words[0] in SEARCHES else ""


def test_each_command_finds_what_it_names() -> None:
    """Options belong to the verb, configs are in the repository, earlier commands made results."""
    made: set[str] = set()
    group = typer.main.get_command(app)
    context = typer.Context(group)
    assert len(commands()) > 20
    for words in commands():
        verb = group.get_command(context, words[0])  # type: ignore[attr-defined]
        assert verb is not None, words
        verb.make_context(words[0], list(words[1:]))
        for word in words[1:]:
            if word.startswith("configs/"):
                assert (ROOT / word).exists(), words
            if word.startswith("results/") and word != made_by(words):
                assert word in made, f"{words}: {word} is made by no command before it"
        made.add(made_by(words))


@full
def test_each_command_works_in_its_order(tmp_path: Path) -> None:
    """In a new folder with the repository's configs, each command ends with status 0."""
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    for words in commands():
        if words[0] == "dashboard":
            continue
        line = [sys.executable, "-m", "ecnomy.markets.cli", *words]
        with (
            (tmp_path / "said.txt").open("w") as said,
            started(line, cwd=tmp_path, stdout=said, stderr=said) as process,
        ):
            status, _, _ = ended(process, LIMIT_S)
        assert status == 0, f"{words}\n{(tmp_path / 'said.txt').read_text()}"
