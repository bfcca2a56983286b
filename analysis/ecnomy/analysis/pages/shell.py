# SPDX-License-Identifier: Apache-2.0
"""What pages share: the package that makes them, and their style (pages.css, included by each)."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from typing import Any

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.remedy import extras

__all__ = ["environment", "page_maker"]


def page_maker() -> Any:
    """The package jinja2.

    Raises:
        InputError: it is not installed.
    """
    try:
        return importlib.import_module("jinja2")
    except ImportError:
        raise InputError(f"the page needs jinja2: {extras()}") from None


def environment(folder: Path) -> Any:
    """Templates of a folder, of this one and by room (`report/page.css`); values are escaped.

    Raises:
        InputError: as page_maker.
    """
    return _environment(page_maker(), folder)


@functools.cache
def _environment(jinja2: Any, folder: Path) -> Any:
    """One for each folder, since it compiles a template once."""
    here = Path(__file__).parent
    loader = jinja2.FileSystemLoader([folder, here, here.parent])
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
