# SPDX-License-Identifier: Apache-2.0
"""`accept-all`: every call is let in (Andreassen 2002, 4.4: quality independent of the marks)."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call

__all__ = ["AcceptAll"]


@dataclasses.dataclass
class AcceptAll:
    """Blocks nobody; test streams, if there are any, only cost money."""

    def admit(self, call: Call) -> bool:
        """Yes."""
        return True
