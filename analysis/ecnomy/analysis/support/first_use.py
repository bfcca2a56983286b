# SPDX-License-Identifier: Apache-2.0
"""Imports the names of a package, and the parts of scipy, on first use.

Help and tab completion import the packages of all verbs. With eager imports, they would spend
seconds on importing pandas and Mesa. Each part of scipy takes a fraction of a second.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ecnomy.agents.errors import InputError

__all__ = ["on_first_use", "scipy_part"]


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that imports names on first use.

    Args:
        package: the package's `__name__`.
        homes: name -> the module of the package that defines it.
    """

    def get_name(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get_name


def scipy_part(name: str) -> Any:
    """Return the module scipy.<name>.

    Raises:
        InputError: scipy is missing from this installation.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ModuleNotFoundError as error:
        raise InputError("ecnomy needs scipy; install it: pip install 'scipy>=1.11'") from error
