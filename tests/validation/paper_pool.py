# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of a reproduction within a test."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any

__all__ = ["Here", "Quiet"]


class Here:
    """A pool of one thread that counts its tasks."""

    ahead, workers, lost = 3, 1, False

    def __init__(self) -> None:
        self._executor = concurrent.futures.ThreadPoolExecutor(1)
        self.runs = 0

    def submit(self, function: Callable[..., Any], task: Any) -> concurrent.futures.Future[Any]:
        self.runs += 1
        return self._executor.submit(function, task)

    def close(self) -> None:
        self._executor.shutdown()


class Quiet:
    """Listens to nothing."""

    def study(self, paper: str, study: str, runs: int, missing: int) -> Quiet:
        return self

    def at(self, tally: Any) -> None:
        """Says nothing."""

    def ended(self, outcome: Any) -> None:
        """Says nothing."""
