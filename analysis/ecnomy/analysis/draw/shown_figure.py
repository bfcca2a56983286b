# SPDX-License-Identifier: Apache-2.0
"""A Matplotlib figure for notebooks, without pyplot, which would keep every figure in memory."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

from ecnomy.analysis.draw.panels import panel_style, save

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A Figure that notebooks display as PNG."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        with panel_style():
            save(self, picture)
        return picture.getvalue()
