# SPDX-License-Identifier: Apache-2.0
"""Additions that other packages provide as entry points of the group `ecnomy.additions`.

overview     draws a run: Results.plot
welfare      a sweep's columns of runs whose agents declare a utility
guarantees   a sweep's columns of runs with guaranteed stream providers
values       the findings of a sweep, as plain values
conclusion   the findings of a sweep, in lines
sweep_keys   keys of a sweep file
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from typing import Any, Final

__all__ = ["added", "load_added"]

GROUP: Final = "ecnomy.additions"


@functools.cache
def added(name: str) -> str:
    """Return the addition with this name as module:function, or "" if no package provides it."""
    entries = importlib.metadata.entry_points(group=GROUP, name=name)
    return next((entry.value for entry in entries), "")


def load_added(name: str) -> Any:
    """Return the function added under a name, or None if no installed package provides it.

    Raises:
        ImportError: the module, or a module that it needs, is not installed.
    """
    module, _, function = added(name).partition(":")
    return getattr(importlib.import_module(module), function) if module else None
