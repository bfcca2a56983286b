# SPDX-License-Identifier: Apache-2.0
"""The set-up of a local dask worker at its start (dask's `preload` calls `dask_setup`).

Temporary files of runs lie in the worker's own folder, which is locked while the worker lives.
dask removes the folders of dead workers whenever it starts another in the same place, and with
them whatever a killed sweep had left.
"""

from __future__ import annotations

import logging
import tempfile
from typing import Any

__all__ = ["dask_setup", "hush"]


def dask_setup(worker: Any) -> None:
    """Called by dask in each local worker, before it takes work."""
    tempfile.tempdir = worker.local_directory
    hush()


def hush() -> None:
    """dask's own reports of dying workers; futures return the relevant part."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in (*known, "tornado", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
