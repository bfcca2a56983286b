# SPDX-License-Identifier: Apache-2.0
"""Tasks of tests for workers. A worker imports the module of its task, so this one is small."""

from __future__ import annotations

import time
from pathlib import Path

from distributed.comm.core import CommClosedError

__all__ = ["breaks", "second_time"]


def second_time(file: Path) -> str:
    """A run that only ends at the second attempt."""
    if not file.exists():
        file.touch()
        time.sleep(3600)
    return "done"


def breaks(*_: object) -> None:
    """A connection that breaks."""
    raise CommClosedError("Stream is closed")
