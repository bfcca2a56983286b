# SPDX-License-Identifier: Apache-2.0
"""Creates temporary folders, and removes folders that killed processes have left.

    /tmp/ecnomy-UID/runs/XXXX/    locked (flock) until its process ends

Only the owner can enter ecnomy-UID. Sweeps keep dask's scratch files in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["private_folder", "temporary_folder"]

_RUNS: Final = "runs"


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Remove the folders of killed processes, then yield a new folder and remove it at the end."""
    home = Path(private_folder(tempfile.gettempdir())) / _RUNS
    home.mkdir(mode=0o700, exist_ok=True)
    for folder in home.iterdir():
        _remove_abandoned(folder)
    folder, lock = _locked_folder(home)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def private_folder(within: str) -> str:
    """Return a folder that only this user can enter, if possible the same at every call.

    dask adds its scratch folder to the module path of driver and workers. The default,
    /tmp/dask-scratch-space, may belong to another user, who could then inject modules.

    Args:
        within: the folder for temporary files.

    Returns:
        `within`/ecnomy-UID or, if another user has taken that name, ecnomy in this user's cache
        (XDG_CACHE_HOME or ~/.cache). If neither is possible, a new folder in `within`.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    for folder in (Path(within) / f"ecnomy-{os.getuid()}", cache / "ecnomy"):
        with contextlib.suppress(OSError, RuntimeError):  # the user may have no home folder
            if _own(folder.expanduser()):
                return str(folder.expanduser())
    return tempfile.mkdtemp(prefix="ecnomy-", dir=within)


def _own(folder: Path) -> bool:
    """Create the folder for this user alone, and return whether it belongs to this user."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
        return False
    folder.chmod(0o700)
    return True


def _locked_folder(home: Path) -> tuple[Path, int]:
    """Return a new folder and its lock. Try again if another process removes the folder."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=home))
        lock = _lock(folder)
        if lock is not None:
            return folder, lock


def _remove_abandoned(folder: Path) -> None:
    lock = _lock(folder)
    if lock is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """Return the lock of a folder, or None if another process holds it or the folder is gone."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_ino == folder.stat().st_ino:
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
