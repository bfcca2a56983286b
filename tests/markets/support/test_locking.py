# SPDX-License-Identifier: Apache-2.0
"""Locked folders: closing the file unlocks, even if a starting process holds a copy of it."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.support.locking import LockedFile, locked
from processes import LIMIT_S


def _lock(folder: Path) -> LockedFile:
    return locked(folder / "lock", lambda: None, "busy")


def test_a_copy_of_the_file_does_not_keep_the_lock(tmp_path: Path) -> None:
    """Between fork and exec, a child has copies of its parent's open files."""
    first = _lock(tmp_path)
    copy = os.dup(first.fileno())
    with pytest.raises(InputError, match="busy"):
        _lock(tmp_path)
    first.write("the end")
    first.close()
    with _lock(tmp_path):
        assert (tmp_path / "lock").read_text() == "the end"
    os.close(copy)


def test_a_forked_child_does_not_unlock(tmp_path: Path) -> None:
    """A child that closes its copy leaves its parent's lock."""
    first = _lock(tmp_path)
    child = os.fork()
    if not child:
        first.close()
        os._exit(0)
    assert psutil.Process(child).wait(LIMIT_S) == 0
    with pytest.raises(InputError, match="busy"):
        _lock(tmp_path)
    first.close()
