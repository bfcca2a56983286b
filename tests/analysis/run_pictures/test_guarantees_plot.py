# SPDX-License-Identifier: Apache-2.0
"""The picture of a guaranteed stream provider: its panels, units and curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ecnomy.analysis.run.guaranteed_calls import call_rows
from ecnomy.analysis.run.guarantors import providers_of
from ecnomy.analysis.run_pictures import guarantees_plot
from ecnomy.analysis.run_pictures.guarantees_plot import guarantee_picture
from ecnomy.markets.results.rawrun import open_raw
from guarantee_world import CALL_MICRO, PROFIT_MICRO, PS, write_run
from tiers import full


def _figure(folder: Path) -> Figure:
    run = open_raw(folder)
    (provider,) = providers_of(run)
    calls = call_rows(run, provider) if run.plan.record.calls else None
    return guarantees_plot._figure(guarantees_plot._Data(run, provider, calls, 60 * PS))


def _lines(axis: Axes) -> dict[str, Line2D]:
    """The lines of a panel that its legend lists."""
    return {str(x.get_label()): x for x in axis.get_lines() if str(x.get_label())[0] != "_"}


def _legend(axis: Axes) -> list[str]:
    legend = axis.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_the_panels_have_units_and_legends(tmp_path: Path) -> None:
    """Four panels share a time axis, and each has a unit and a legend with totals."""
    figure = _figure(write_run(tmp_path))
    units = [axis.get_ylabel().split("\n")[-1] for axis in figure.axes]
    assert units == ["[%]", "[1/min]", "[%]", "[money]"]
    assert figure.axes[-1].get_xlabel() == "simulated time [s]"
    marking, calls, promises, money = (_legend(axis) for axis in figure.axes)
    assert marking == ["share marked, M", "blocking threshold", "M above it: calls blocked"]
    assert calls == ["accepted, 4", "blocked, 2"]
    assert promises[:2] == ["call, promise kept, 1", "call, promise broken, 1"]
    title = figure.axes[2].get_legend()
    assert title is not None
    assert "not drawn: 1 without a packet" in title.get_title().get_text()
    assert money == ["received for calls, 0.600", "paid out, 0.0840", "balance, 0.516"]
    assert [len(_lines(axis)) for axis in figure.axes] == [2, 0, 3, 3]


def test_a_panel_without_curves_keeps_its_title() -> None:
    """A run that ended in its warm-up has such panels; no warning is issued."""
    from ecnomy.analysis.draw.panels import legend_beside

    axis = Figure().add_subplot()
    legend_beside(axis, "Calls")
    assert _legend(axis) == []


def test_the_curves_hold_the_tables(tmp_path: Path) -> None:
    """Marking holds until it changes, bars are calls per minute, the balance ends at the profit."""
    marking, calls, promises, money = _figure(write_run(tmp_path)).axes
    marked = _lines(marking)["share marked, M"]
    assert list(marked.get_xdata()) == [0, 10, 40, 60]
    assert list(marked.get_ydata()) == pytest.approx([0, 2, 1, 1])
    assert marked.get_drawstyle() == "steps-post"
    assert list(_lines(marking)["blocking threshold"].get_ydata()) == pytest.approx([1.5, 1.5])
    bars = np.array([bar.get_height() for bar in calls.patches if bar.get_label() == "_nolegend_"])
    accepted, blocked = bars[:6], bars[6:12]  # of 10 s: one call is 6 per minute
    assert list(accepted) == [12, 0, 0, 6, 6, 0]
    assert list(blocked) == [0, 0, 6, 6, 0, 0]
    broken = _lines(promises)["call, promise broken, 1"]
    assert (list(broken.get_xdata()), list(broken.get_ydata())) == ([20], pytest.approx([2]))
    balance = _lines(money)["balance, 0.516"].get_ydata()
    assert (balance[0], balance[1]) == (0, CALL_MICRO / 1e6)
    assert balance[-1] == pytest.approx(PROFIT_MICRO / 1e6)


def test_what_a_provider_does_not_say_is_counted(tmp_path: Path) -> None:
    """Without readings M comes from the streams, report by report, and there is no threshold."""
    marking = _figure(write_run(tmp_path, agents=[])).axes[0]
    (marked,) = _lines(marking).values()
    assert list(marked.get_xdata()) == [30, 60]
    assert list(marked.get_ydata()) == pytest.approx([100 * 6 / 450, 100 * 6 / 450])


def test_panels_without_data_are_left_out(tmp_path: Path) -> None:
    """Marking needs test streams; calls and promises need recorded calls."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    write_run(folders[0], streams=(), balance_micro=None)
    write_run(folders[1], calls=None)
    assert [len(_figure(folder).axes) for folder in folders] == [3, 2]


@pytest.mark.drawn
@full
def test_the_picture_is_deterministic(tmp_path: Path) -> None:
    """Two drawings are equal byte for byte."""
    run = open_raw(write_run(tmp_path))
    (provider,) = providers_of(run)
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    assert all(guarantee_picture(run, provider, file) for file in files)
    assert files[0].read_bytes() == files[1].read_bytes()
