# SPDX-License-Identifier: Apache-2.0
"""What a local worker of dask sets up as it starts (dask's `preload` calls `dask_setup`).

Temporary files of runs lie in the worker's own folder, which is locked while the worker lives.
dask removes the folders of dead workers whenever it starts another in the same place, and with
them whatever a killed sweep had left.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["dask_setup", "hush", "private_folder"]


def dask_setup(worker: Any) -> None:
    """Called by dask in each local worker, before it takes work."""
    tempfile.tempdir = worker.local_directory
    hush()


def hush() -> None:
    """dask's own reports of dying workers; what matters of them comes back with the futures."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in (*known, "tornado", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def private_folder(within: str) -> str:
    """A folder that only this user can enter, the same one for each sweep.

    dask puts the folder for its scratch files on the path of modules, driver and workers alike. Its
    default, /tmp/dask-scratch-space, may be another user's, who could have anything imported.

    Args:
        within: the folder for temporary files.

    Returns:
        `within`/ecnomy-UID; a new folder if another user has taken that name.
    """
    folder = Path(within) / f"ecnomy-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
        folder.chmod(0o700)
        return str(folder)
    return tempfile.mkdtemp(prefix="ecnomy-", dir=within)
