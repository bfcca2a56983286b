# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG whose bytes depend on the drawing alone."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["svg_of"]


def svg_of(figure: Figure) -> bytes:
    """Return a figure as SVG, without a date, with names that depend on the drawing alone."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "ecnomy", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
