# SPDX-License-Identifier: Apache-2.0
"""Prepares a local dask worker when it starts (dask's `preload` calls `dask_setup`).

Temporary files of runs are in the worker's own folder, which is locked while the worker lives. When
dask starts a worker, it removes the folders of dead workers in the same place, including those of a
killed sweep. A sweep without missing runs does not start a worker, and calls `remove_leavings`
instead.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Any, Final

from ecnomy.markets.support.temporary import private_folder

__all__ = ["dask_setup", "hush", "remove_leavings"]

_SCRATCH: Final = "dask-scratch-space"  # the name that dask uses


def dask_setup(worker: Any) -> None:
    """Prepare a local worker. dask calls this function before the worker accepts tasks."""
    tempfile.tempdir = worker.local_directory
    hush()


def remove_leavings() -> None:
    """Remove the folders of dead workers, unless another process is removing them."""
    scratch = Path(private_folder(tempfile.gettempdir())) / _SCRATCH
    if any(scratch.glob("*.dirlock")):  # tested first, because dask is slow to import
        from distributed.diskutils import WorkSpace

        space: Any = WorkSpace(str(scratch))
        space.new_work_dir(prefix="leavings-").release()


def hush() -> None:
    """Silence log messages about dying workers, whose errors the futures report."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in (*known, "tornado", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
