# SPDX-License-Identifier: Apache-2.0
"""A check, and its finding."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the doctor's table.

    Attributes:
        what: that was looked at.
        found: what is there, in words.
        well: whether that will do.
        required: whether ecnomy cannot work without it.
        remedy: what to do where it is not well, in one line.
    """

    what: str
    found: str
    well: bool = True
    required: bool = True
    remedy: str = ""

    @property
    def verdict(self) -> str:
        """`ok`, `FAULT` (required and not well), or `absent` (nothing that is needed)."""
        if self.well:
            return "ok"
        return "FAULT" if self.required else "absent"

    def plain(self) -> dict[str, Any]:
        """For programs."""
        return {"verdict": self.verdict, **msgspec.structs.asdict(self)}
