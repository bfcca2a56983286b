# SPDX-License-Identifier: Apache-2.0
"""The result of a check."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the doctor's table.

    Attributes:
        what: name of the checked part.
        found: result of the check in this installation.
        well: whether the part is usable.
        required: whether ecnomy needs the part.
        remedy: advice in one line if the part is not usable.
    """

    what: str
    found: str
    well: bool = True
    required: bool = True
    remedy: str = ""

    @property
    def verdict(self) -> str:
        """Return the verdict: `ok`, `FAULT` (a required part), or `absent` (an optional part)."""
        if self.well:
            return "ok"
        return "FAULT" if self.required else "absent"

    def plain(self) -> dict[str, Any]:
        """Return the finding as plain values for programs."""
        return {"verdict": self.verdict, **msgspec.structs.asdict(self)}
