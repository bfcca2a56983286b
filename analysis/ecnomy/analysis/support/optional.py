# SPDX-License-Identifier: Apache-2.0
"""Imports parts of scipy on first use, because each import takes a fraction of a second."""

from __future__ import annotations

import importlib
from typing import Any

from ecnomy.agents.errors import InputError

__all__ = ["scipy_part"]


def scipy_part(name: str) -> Any:
    """Return the module scipy.<name>.

    Raises:
        InputError: scipy is missing from this installation.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ModuleNotFoundError as error:
        raise InputError("ecnomy needs scipy; install it: pip install 'scipy>=1.11'") from error
