# SPDX-License-Identifier: Apache-2.0
"""Describe the result of a check."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check, which is one line of the doctor's table.

    Attributes:
        what: name of the checked part.
        found: description of the part in this installation.
        well: whether the part is usable.
        required: whether ecnomy needs the part.
        remedy: one line of advice if the part is not usable.
    """

    what: str
    found: str
    well: bool = True
    required: bool = True
    remedy: str = ""

    @property
    def verdict(self) -> str:
        """Return `ok`, or for an unusable part `FAULT` (if required) or `absent` (if optional)."""
        if self.well:
            return "ok"
        return "FAULT" if self.required else "absent"

    def plain(self) -> dict[str, Any]:
        """Return the finding and its verdict as plain values, for programs."""
        return {"verdict": self.verdict, **msgspec.structs.asdict(self)}
