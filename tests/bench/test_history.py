# SPDX-License-Identifier: Apache-2.0
"""The order of bench records, and the loads that are named (history.py, plot_history.py)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import history
import plot_history
from processes import LIMIT_S

Write = Callable[[str, str, float], None]


def git(folder: Path, *words: str) -> str:
    """What git prints in a folder."""
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *author, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    return done.stdout.strip()


def commit(folder: Path, message: str = "one") -> str:
    """An empty commit; returns its short name."""
    git(folder, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return git(folder, "rev-parse", "--short=8", "HEAD")


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a record of one load into a folder that `history` reads."""
    folder = tmp_path / "history"
    folder.mkdir()
    monkeypatch.setattr(history, "_FOLDER", folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    def one(date: str, name: str, count: float) -> None:
        loads = {"reference": {"per_hop": {"instructions": count}}}
        (folder / f"{date}-{name}.json").write_text(json.dumps({"loads": loads}))

    return one


def counts() -> list[float]:
    """Instructions of all records, in their order."""
    return [history.instructions(record)["reference"] for record in history.records()]


def test_records_are_in_the_order_of_their_commits(tmp_path: Path, write: Write) -> None:
    """Neither dates nor times of files matter, and another branch's record is left out."""
    git(tmp_path, "init", "--quiet")
    first, second = commit(tmp_path), commit(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    aside = commit(tmp_path, "aside")
    git(tmp_path, "checkout", "--quiet", "-")
    third = commit(tmp_path)
    for date, name, count in (
        ("2026-01-02", third, 3.0),
        ("2026-01-03", second, 2.0),
        ("2026-01-05", aside, 9.0),
        ("2026-01-04", first, 1.0),
    ):
        write(date, name, count)
    assert counts() == [1.0, 2.0, 3.0]
    assert history.newest("loads")["reference"]["per_hop"]["instructions"] == 3.0


@pytest.mark.parametrize("repository", [False, True], ids=["no repository", "another repository"])
def test_without_their_commits_records_are_by_date(
    tmp_path: Path, write: Write, repository: bool
) -> None:
    """An unpacked sdist has no history, or is in a repository that does not know the commits."""
    if repository:
        git(tmp_path, "init", "--quiet")
        commit(tmp_path)
    write("2026-01-02", "ffffffff", 2.0)
    write("2026-01-01", "eeeeeeee", 1.0)
    write("2026-01-03", "00000000", 3.0)
    assert counts() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "now, named", [(105.0, "reference"), (104.9, "no load"), (50.0, "no load")]
)
def test_a_load_that_rose_is_named(write: Write, now: float, named: str) -> None:
    """A rise of 5 % since the last earlier commit is named; a fall is only printed."""
    write("2026-01-01", "eeeeeeee", 300.0)
    write("2026-01-02", "ffffffff", 100.0)
    write("2026-01-03", "00000000", 80.0)
    write("2026-01-04", "00000000", now)
    (change,) = history.changes()
    assert (change.before, change.commit) == (100.0, "ffffffff")
    line, last = plot_history.lines([change])
    assert line.endswith(f"{now - 100:+.1f} % since ffffffff")
    assert last == f"rose by 5 % or more: {named}"


def test_a_load_without_an_earlier_record_is_not_compared(write: Write) -> None:
    """Nothing is compared without records, or with a first one."""
    assert history.changes() == []
    write("2026-01-01", "eeeeeeee", 300.0)
    assert history.changes() == []
