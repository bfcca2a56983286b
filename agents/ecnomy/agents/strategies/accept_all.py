# SPDX-License-Identifier: Apache-2.0
"""`accept-all`: admit every call; for quality independent of marks (Andreassen 2002, 4.4)."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call

__all__ = ["AcceptAll"]


@dataclasses.dataclass
class AcceptAll:
    """Admits every call. It needs no test streams, which would only cost money."""

    def admit(self, call: Call) -> bool:
        """Admit the call."""
        return True
