# SPDX-License-Identifier: Apache-2.0
"""A Matplotlib figure that notebooks show without pyplot, which keeps every figure it makes."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

from ecnomy.analysis.draw.panels import panel_style, save

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """As Figure; shown by whatever shows PNG."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        with panel_style():
            save(self, picture)
        return picture.getvalue()
