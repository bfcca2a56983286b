# SPDX-License-Identifier: Apache-2.0
"""Temporary folders: removed in the end, or by the next process if theirs was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ecnomy.markets.support.temporary import temporary_folder
from processes import LIMIT_S

KILLED = """
import os, signal
from ecnomy.markets.support.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "plan").write_text("left")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that contains temporary folders."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path / f"ecnomy-{os.getuid()}" / "runs"


def test_what_a_killed_process_left_goes_and_nothing_else(runs: Path) -> None:
    """Folders in use stay, with their files; at the end none is left."""
    with temporary_folder() as mine:
        (mine / "file").touch()
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        words = [sys.executable, "-c", KILLED]
        done = subprocess.run(words, timeout=LIMIT_S, check=False, env=environment)
        assert done.returncode == -signal.SIGKILL
        (left,) = set(runs.iterdir()) - {mine}
        assert (left / "plan").exists()
        with temporary_folder() as other:
            assert set(runs.iterdir()) == {mine, other} and (mine / "file").exists()
    assert not list(runs.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="gives a folder to another user, as root")
def test_if_another_user_has_the_name_folders_are_in_the_cache(
    runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next process finds and removes a killed process's folders there."""
    runs.parent.mkdir()
    os.chown(runs.parent, 12345, 12345)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with temporary_folder() as folder:
        assert folder.parent == tmp_path / "cache" / "ecnomy" / "runs"
    assert list(folder.parent.iterdir()) == []
    assert sorted(tmp_path.iterdir()) == [tmp_path / "cache", runs.parent]


def test_a_folder_that_is_taken_away_before_it_is_locked(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may consider it abandoned at that moment, so a second folder is made."""
    import tempfile

    make, made = tempfile.mkdtemp, []

    def lost(**words: object) -> str:
        made.append(make(**words))
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr("tempfile.mkdtemp", lost)
    with temporary_folder() as folder:
        assert folder == Path(made[1]) and folder.is_dir()
