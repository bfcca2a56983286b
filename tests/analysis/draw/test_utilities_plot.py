# SPDX-License-Identifier: Apache-2.0
"""The picture of utilities: a panel with units for each kind, with correct curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from ecnomy.agents.utilities import CALL_UTILITIES, TIME_UTILITIES, UTILITIES, Quadratic, Sigmoid
from ecnomy.analysis.draw import utilities_plot
from ecnomy.analysis.draw.utilities_plot import utilities_picture
from tiers import full


@pytest.fixture(scope="module")
def panels() -> dict[str, Axes]:
    """The panels by title."""
    return {axis.get_title(): axis for axis in utilities_plot._figure().axes}


def test_every_kind_has_a_panel_with_units(panels: dict[str, Axes]) -> None:
    """Every new kind must be drawn; two more panels show demand."""
    kinds = {*UTILITIES, *TIME_UTILITIES, *CALL_UTILITIES}
    assert set(panels) == kinds | {"demand, elastic", "demand, inelastic"}
    for axis in panels.values():
        assert axis.get_xlabel().endswith("]") and axis.get_ylabel().endswith("]")
        assert any(len(line.get_xdata()) > 100 for line in axis.get_lines())


def test_curves_are_the_utilities(panels: dict[str, Axes]) -> None:
    """Curves are in Mbit/s and money/s, and demand in money per Mbit, for a and x0 of 1."""
    line = panels["quadratic"].get_lines()[0]
    assert line.get_ydata() == pytest.approx(Quadratic(a=1.0).value(np.asarray(line.get_xdata())))
    lines = {str(line.get_label()): line for line in panels["demand, inelastic"].get_lines()}
    bought = np.asarray(lines["sigmoid 10"].get_ydata())
    dearest = Sigmoid(a=1.0, steepness=10.0).dearest
    assert np.array_equal(bought > 0, np.asarray(lines["sigmoid 10"].get_xdata()) < dearest)


@full
@pytest.mark.drawn
def test_the_picture_is_small_and_the_same_each_time(tmp_path: Path) -> None:
    """The picture is a small PNG for the documentation."""
    first = tmp_path / "a.png"
    utilities_picture(first)
    assert first.read_bytes()[:4] == b"\x89PNG" and first.stat().st_size < 350_000
    utilities_picture(tmp_path / "b.png")
    assert first.read_bytes() == (tmp_path / "b.png").read_bytes()
