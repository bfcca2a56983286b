# SPDX-License-Identifier: Apache-2.0
"""The entries of all files that users write: scenarios, sweeps, tournaments, environments."""

from __future__ import annotations

import functools

import msgspec

from ecnomy.markets.reference.entries import scenario_entries, struct_entries
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.sweeps import sweep_entries

__all__ = ["all_entries"]


@functools.cache
def all_entries() -> tuple[Entry, ...]:
    """Return the entries of all files."""
    from ecnomy.markets.rl.environment_file import EnvironmentDocument

    sweep = tuple(sweep_entries())
    own = (one for one in sweep if one.path == "set")
    environment = (
        msgspec.structs.replace(one, file="environment")
        for one in (*struct_entries(EnvironmentDocument), *own)
    )
    return (*scenario_entries(), *sweep, *environment)
