# SPDX-License-Identifier: Apache-2.0
"""The command that explains the key that a message is about."""

from __future__ import annotations

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.reference.entries import scenario_entries
from ecnomy.markets.reference.lookup import known_path
from ecnomy.markets.reference.sweeps import sweep_entries

__all__ = ["hint"]


def hint(error: ScenarioError) -> str:
    """What the message of an error ends with: a command, or nothing if it is about no key."""
    key = known_path(error.path, (*scenario_entries(), *sweep_entries()))
    return f"; ecnomy explain {key}" if key else ""
