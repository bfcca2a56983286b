# SPDX-License-Identifier: Apache-2.0
"""The command that explains the key that a message is about."""

from __future__ import annotations

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import known_path

__all__ = ["hint"]


def hint(error: ScenarioError) -> str:
    """What the message of an error ends with: a command, or nothing if it is about no key."""
    key = known_path(error.path, all_entries())
    return f"; ecnomy explain {key}" if key else ""
