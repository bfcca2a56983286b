# SPDX-License-Identifier: Apache-2.0
"""The links that the overview draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ecnomy.analysis import overview, summarize
from ecnomy.analysis.run.summary import LinkRow
from ecnomy.analysis.run_pictures.congested_links import MOST_LINKS, congested_links
from ecnomy.analysis.run_pictures.overview import _collect, _figure
from ecnomy.markets.results.rawrun import open_raw
from ink import inked

MakeRun = Callable[..., Path]


def _row(link: int, **values: float) -> LinkRow:
    calm = LinkRow(link, f"link-{link}", 0.5, 0.0, 0.1, 0.001, 0, 0, 0, 0.0, 0)
    return msgspec.structs.replace(calm, **values)


def test_every_sign_counts_in_any_phase(gold_silver: Path) -> None:
    """Marks, drops and waiting each make a link congested; signs of all phases are combined."""
    summary = summarize(open_raw(gold_silver))
    first, second = summary.phases
    rows = (
        _row(0),
        _row(1, marking_probability=0.02, marks=50),
        _row(2, drop_probability=0.01, drops=400),
        _row(3, wait_s=0.05, queue_packets=40.0),
    )
    later = (_row(1, drop_probability=0.01, drops=10), _row(0))
    made = msgspec.structs.replace(
        summary,
        phases=(
            msgspec.structs.replace(first, links=rows),
            msgspec.structs.replace(second, links=later),
        ),
    )
    links = congested_links(made)
    assert [(one.link, one.signs) for one in links] == [
        (2, ("drops",)),
        (1, ("marks", "drops")),
        (3, ("waiting",)),
    ]


def test_one_congested_link_is_drawn_as_ever(gold_silver: Path) -> None:
    """Only the bottleneck of gold and silver gets a panel."""
    links = congested_links(summarize(open_raw(gold_silver)))
    assert [one.name for one in links] == ["bottleneck"]


def _legends(folder: Path) -> list[str]:
    figure = _figure(_collect(open_raw(folder)))
    words = []
    for axis in figure.axes:
        legend = axis.get_legend()
        assert legend is not None
        words += [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]
    return words


@pytest.mark.parametrize("links", [2, MOST_LINKS + 2])
def test_all_congested_links_are_drawn_or_counted(
    make_run: MakeRun, tmp_path: Path, links: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Panels have names and signs; the number of further links is given."""
    from ecnomy.analysis.run_pictures import overview as plots
    from ecnomy.analysis.run_pictures.congested_links import DrawnLink

    folder = make_run()
    signs = ("marks", "drops"), ("waiting",)
    many = [DrawnLink(i % 4, f"link-{i}", signs[i % 2]) for i in range(links)]
    monkeypatch.setattr(plots, "congested_links", lambda summary: many)
    words = _legends(folder)
    assert "link-0 (marks, drops)" in words
    assert "link-0, lost of all" in words
    assert "link-1 (waiting)" in words
    more = [word for word in words if "more, not drawn" in word]
    assert len(more) == (2 if links > MOST_LINKS else 0)
    assert all(f"({links - MOST_LINKS} more" in word for word in more)
    assert overview(open_raw(folder), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > inked(20_000)
