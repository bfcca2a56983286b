# SPDX-License-Identifier: Apache-2.0
"""Print flags in help without a type, such as `--force` instead of `--force <bool>`.

Newer versions of typer print the type, although a flag takes no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["Verb", "VerbGroup"]

if TYPE_CHECKING:
    _Shown = TyperCommand
else:
    _Shown = object


class _PlainFlags(_Shown):
    """Removes the type from flags in help, including the flag `--help` that typer adds."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Verb(_PlainFlags, TyperCommand):
    """A command whose help shows flags without a type."""


class VerbGroup(_PlainFlags, TyperGroup):
    """A command with sub-commands, whose help shows flags without a type."""
