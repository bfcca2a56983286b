# SPDX-License-Identifier: Apache-2.0
"""Converts figures to SVG whose bytes depend only on the drawing."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["svg_of"]


def svg_of(figure: Figure) -> bytes:
    """Return a figure as SVG without a date, with identifiers that depend only on the drawing."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "ecnomy", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
