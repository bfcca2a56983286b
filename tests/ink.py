# SPDX-License-Identifier: Apache-2.0
"""In the fast tier figures are made but not drawn, which takes a third of the pages' tests.

Tests marked `drawn` or `browser` get their pictures; in the full tier all tests do. Elsewhere a
picture is a pixel with a different colour in each PNG, so a test that compares PNGs fails until it
is marked.
"""

from __future__ import annotations

import io
import itertools
import os
from pathlib import Path
from typing import IO, Any, Final

import pytest

from tiers import in_full

__all__ = ["inked", "pytest_runtest_setup", "without_ink"]

_MARKS: Final = ("drawn", "browser")
_count = itertools.count()
_wanted = {"ink": True}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the fixtures of a test draw if the test does."""
    _wanted["ink"] = in_full() or any(item.get_closest_marker(mark) for mark in _MARKS)


def inked(size: int) -> int:
    """The least size [bytes] of a picture if it is drawn, else 0."""
    return size if _wanted["ink"] else 0


def without_ink() -> None:
    """Makes matplotlib draw only for tests that need it."""
    from matplotlib.figure import Figure

    draw = Figure.savefig

    def savefig(self: Figure, fname: str | os.PathLike[str] | IO[bytes], **options: Any) -> None:
        if _wanted["ink"]:
            draw(self, fname, **options)
            return
        pixel = _svg() if options["format"] == "svg" else _png(next(_count))
        if isinstance(fname, str | os.PathLike):
            Path(fname).write_bytes(pixel)
        else:
            fname.write(pixel)

    Figure.savefig = savefig  # type: ignore[method-assign]


def _svg() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>\n'


def _png(number: int) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (1, 1), number).save(out, "png")
    return out.getvalue()
