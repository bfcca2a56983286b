# SPDX-License-Identifier: Apache-2.0
"""Loads functions that other packages provide as entry points of the group `ecnomy.additions`.

overview     draws a run (Results.plot)
welfare      adds columns to a sweep, for runs whose agents declare a utility
guarantees   adds columns to a sweep, for runs with guaranteed stream providers
values       returns the findings of a sweep as plain values
conclusion   returns the findings of a sweep as lines of text
sweep_keys   returns further keys of a sweep file
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
    """Return an addition as `module:function`, or "" if no installed package provides it."""
    entries = importlib.metadata.entry_points(group=GROUP, name=name)
    return next((entry.value for entry in entries), "")


def load_added(name: str) -> Any:
    """Return the function of this name, or None if no installed package provides it.

    Raises:
        ImportError: the module, or a module that it needs, is not installed.
    """
    module, _, function = added(name).partition(":")
    return getattr(importlib.import_module(module), function) if module else None
