# SPDX-License-Identifier: Apache-2.0
"""Loading what the base installation does not bring, with a message that says how to get it."""

from __future__ import annotations

import importlib
from typing import Any

from ecnomy.agents.errors import InputError

__all__ = ["scipy_part"]


def scipy_part(name: str) -> Any:
    """The module scipy.<name>.

    Raises:
        InputError: scipy is not installed.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ModuleNotFoundError as error:
        raise InputError("this needs scipy: pip install 'ecnomy[theory]'") from error
