# SPDX-License-Identifier: Apache-2.0
"""The command that explains the key of an error message."""

from __future__ import annotations

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import known_path

__all__ = ["hint"]


def hint(error: ScenarioError) -> str:
    """Return the end of an error message: a command, or "" if the error has no key."""
    key = known_path(error.path, all_entries())
    return f"; ecnomy explain {key}" if key else ""
