# SPDX-License-Identifier: Apache-2.0
"""Chooses the engine of a sweep, which all runs in a folder share.

`--engine` overrides `engine` in the sweep file. If both are missing, a sweep uses the engine of its
folder, or the built-in engine in a new folder. The head of a folder records its engine. store.py
refuses another engine, because its runs would replace the existing runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, SIMULATORS
from ecnomy.markets.sweep.fingerprint import code_now
from ecnomy.markets.sweep.head import head_of, is_sweep
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = ["engine_in", "with_engine"]


def engine_in(folder: Path) -> str | None:
    """Return the engine of the runs in a folder, or None if the folder's head does not name it."""
    try:
        engine = head_of(folder).get("engine") if is_sweep(folder) else None
    except ResultsError:
        return None
    return engine if isinstance(engine, str) else None


def with_engine(sweep: Sweep, option: str | None, folder: Path) -> Sweep:
    """Return the sweep with its engine.

    Prints a notice if only the folder names the engine, and it is not the built-in engine.

    Args:
        sweep: the sweep as read from its file.
        option: the engine on the command line; None if the option is not given.
        folder: folder of the results, which may not exist yet.

    Raises:
        InputError, EngineError: the engine is unknown or missing. Nothing has been written.
    """
    engine = option or sweep.engine
    if option is None and not sweep.engine_stated:
        there = engine_in(folder)
        if there is not None and there != DEFAULT_ENGINE:
            print(
                f"ecnomy: {folder} holds runs of {there}; continuing with this engine",
                file=sys.stderr,
            )
        engine = there or engine
    if engine not in SIMULATORS:
        expected = " or ".join(SIMULATORS)
        raise InputError(
            f"engine {engine!r}: expected {expected}, because a sweep needs repeatable runs"
        )
    code_now(engine)
    return msgspec.structs.replace(sweep, engine=engine)
