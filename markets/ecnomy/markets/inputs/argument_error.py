# SPDX-License-Identifier: Apache-2.0
"""Errors in arguments that have different names in Python and on the command line."""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import InputError, ScenarioError

__all__ = ["ArgumentError", "FolderRefused"]

_KEYWORDS: Final = {"--set": "overrides", "--seed": "seed"}


class ArgumentError(ScenarioError):
    """An error in a value of `overrides` (option --set) or in `seed` (option --seed).

    An error in a file has the same message in Python and on the command line.
    """

    def __str__(self) -> str:
        option, _, given = self.file.partition(" ")
        if option not in _KEYWORDS:
            return super().__str__()
        parts = dict.fromkeys((_KEYWORDS[option], given, self.path))  # without duplicates
        where = ": ".join(part for part in parts if part)
        return f"{where}: found {self.found}, expected {self.expected}"

    @property
    def on_command_line(self) -> str:
        """See EcnomyError."""
        return super().__str__()


class FolderRefused(InputError):
    """The folder holds other results, so `out` must name another folder."""

    def __init__(self, fault: str, *advice: str) -> None:
        """Create the error.

        Args:
            fault: the folder and its fault.
            advice: other remedies on the command line.
        """
        self._fault, self._advice = fault, advice
        super().__init__(f"{fault}; choose another with out=")

    @property
    def on_command_line(self) -> str:
        """See EcnomyError."""
        return f"{self._fault}; {', or '.join((*self._advice, 'choose another with --out'))}"
