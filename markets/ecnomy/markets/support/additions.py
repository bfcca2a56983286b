# SPDX-License-Identifier: Apache-2.0
"""Additions of packages above this one, as entry points of the group `ecnomy.additions`.

overview     draws a run: Results.plot
welfare      a sweep's columns of runs whose agents declare a utility
guarantees   a sweep's columns of runs with guaranteed stream providers
values       what a sweep found, as plain values
conclusion   what a sweep found, in lines
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
    """The addition of a name, as module:function; "" if no installed package has it."""
    entries = importlib.metadata.entry_points(group=GROUP, name=name)
    return next((entry.value for entry in entries), "")


def load_added(name: str) -> Any:
    """The function that is added under a name; None if no installed package adds it.

    Raises:
        ImportError: its module, or one that it needs, is not installed.
    """
    module, _, function = added(name).partition(":")
    return getattr(importlib.import_module(module), function) if module else None
