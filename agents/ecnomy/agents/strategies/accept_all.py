# SPDX-License-Identifier: Apache-2.0
"""`accept-all`: admit every call (Andreassen 2002, 4.4: quality independent of the marks)."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call

__all__ = ["AcceptAll"]


@dataclasses.dataclass
class AcceptAll:
    """Admits every call. Test streams, if any, only cost money."""

    def admit(self, call: Call) -> bool:
        """Return True."""
        return True
