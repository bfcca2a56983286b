# SPDX-License-Identifier: Apache-2.0
"""The parts that all pages share: jinja2, and the folders of templates and styles."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from typing import Any

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras

__all__ = ["environment", "page_maker"]


def page_maker() -> Any:
    """Return the module jinja2.

    Raises:
        InputError: jinja2 is not installed.
    """
    try:
        return importlib.import_module("jinja2")
    except ImportError:
        raise InputError(f"the page needs jinja2; to install, run: {extras()}") from None


def environment(folder: Path) -> Any:
    """Return a Jinja environment that finds templates in a folder, in pages/ or in analysis/.

    Raises:
        InputError: as for page_maker.
    """
    return _environment(page_maker(), folder)


@functools.cache
def _environment(jinja2: Any, folder: Path) -> Any:
    here = Path(__file__).parent
    loader = jinja2.FileSystemLoader([folder, here, here.parent])
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
