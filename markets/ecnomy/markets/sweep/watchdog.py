# SPDX-License-Identifier: Apache-2.0
"""Enforces a run's limits on memory and time.

The kernel limits the engine's memory. When the time limit has passed, a thread kills the engine. If
the run is computing in a strategy and not waiting for the engine, OverTime is raised in the run's
thread.
If this has no effect, for example during a long call of C code, the worker process ends and is
replaced.
"""

from __future__ import annotations

import ctypes
import os
import resource
import threading
from types import TracebackType
from typing import Final

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.engines.process import EngineProcess
from ecnomy.markets.sweep.sweep_file import UNLIMITED, Limits

__all__ = ["OverTime", "Watchdog"]

_HEED_S: Final = 1.0
_GRACE_S: Final = 20.0


class OverTime(BaseException):
    """Raised in a run that exceeds its time limit. Strategies should not catch this exception."""


class Watchdog:
    """Limits the run of the thread that enters this context manager."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._engine: EngineProcess | None = None
        self._over, self._up = threading.Event(), threading.Event()
        self._thread = threading.get_ident()

    @property
    def limit_s(self) -> float:
        """Return the time limit of a run in seconds."""
        return self._limits.time_ps / PS_PER_S

    def guard(self, engine: EngineProcess) -> None:
        """Watch an engine, and limit its memory."""
        if self._limits.memory_bytes != UNLIMITED:
            both = (self._limits.memory_bytes, self._limits.memory_bytes)
            resource.prlimit(engine.pid, resource.RLIMIT_AS, both)
        self._engine = engine

    def __enter__(self) -> Watchdog:
        if self._limits.time_ps != UNLIMITED:
            threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._over.set()
        if self._up.is_set() and isinstance(error, EcnomyError):
            raise OverTime from None

    def _watch(self) -> None:
        if self._over.wait(self.limit_s):
            return
        self._up.set()
        if self._engine is not None:
            self._engine.kill()
            if self._over.wait(_HEED_S):
                return
        thread, exception = ctypes.c_ulong(self._thread), ctypes.py_object(OverTime)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, exception)
        if not self._over.wait(_GRACE_S):
            os._exit(75)
