# SPDX-License-Identifier: Apache-2.0
"""Pictures as files: the bytes depend only on the drawing."""

from __future__ import annotations

from matplotlib.figure import Figure

from ecnomy.analysis.draw.panels import svg_of


def test_equal_figures_are_equal_svg() -> None:
    """The file has neither a date nor random identifiers."""

    def drawn() -> bytes:
        figure = Figure()
        figure.subplots().plot([1, 2], [3, 4])
        return svg_of(figure)

    assert drawn() == drawn() and b"<dc:date>" not in drawn()
