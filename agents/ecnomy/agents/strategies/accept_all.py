# SPDX-License-Identifier: Apache-2.0
"""`accept-all`: admit every call if quality does not depend on marks (Andreassen 2002, 4.4)."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call

__all__ = ["AcceptAll"]


@dataclasses.dataclass
class AcceptAll:
    """Admits every call. It does not use test streams, which only cost money."""

    def admit(self, call: Call) -> bool:
        """Admit the call."""
        return True
