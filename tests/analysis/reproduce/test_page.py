# SPDX-License-Identifier: Apache-2.0
"""reproduction.html: main results first, separate counts for claims without verdict, grids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ecnomy.analysis.reproduce.catalogue import Headline, Paper
from ecnomy.analysis.reproduce.entry_files import write_entry
from ecnomy.analysis.reproduce.headlines import headline_lines
from ecnomy.analysis.reproduce.page import write_page
from ecnomy.analysis.reproduce.recorded import RecordedClaim, RecordedFigure, Under
from ecnomy.analysis.reproduce.studies import Form
from small_paper import change_claims, cut_down, go

TAGS = re.compile(r"<style>.*?</style>|<[^>]+>", re.DOTALL)
RATIOS = {"ratio_over_r.large.red.*": [0.4, None]}
CLAIMS: dict[str, Any] = {
    "c1": {"priority": "core", "says": "any", "expect": {"ratio_over_r.large.red.*": [0, 9]}},
    "c2": {"priority": "core", "says": "unequal", "expect": RATIOS, "grid": ["ratios"]},
    "c3": {"priority": "sec", "says": "wrong", "expect": {"ratio_over_r.large.red.*": [5, 9]}},
    "c4": {"priority": "sec", "says": "ours", "expect": RATIOS, "kind": "identity", "grid": []},
    "c5": {"priority": "sec", "says": "vague", "not_testable": "it gives no figure"},
    "c6": {"priority": "sec", "says": "later", "pending": "not built"},
}
HEADLINES = [
    {"says": "Any weights do", "claims": ["fig3.c1"], "figure": "fig3"},
    {"says": "Weights differ", "claims": ["fig3.c1", "fig3.c2"], "figure": "fig3"},
    {"says": "All is wrong", "claims": ["fig3.c2", "fig3.c3"], "figure": "fig3"},
    {"says": "Who knows", "claims": ["fig3.c1", "fig3.c6"], "figure": "fig3"},
]


@pytest.fixture
def paper(tmp_path: Path, monkeypatch) -> Path:
    """Figure 3 of siris2002 with short runs and a claim of each kind."""
    own = cut_down(tmp_path / "papers")
    monkeypatch.setenv("ECNOMY_PAPERS", str(tmp_path / "papers"))
    alike = {"sources.heavy.transport.weight": "1 marks"}
    settings = {"ratios": {"open": "weights", "chosen": "1 and 8", "also": {"both 1": alike}}}
    entries = change_claims(own)["entries"]
    entries["fig3"] |= {"claims": CLAIMS}
    change_claims(own, entries=entries, settings=settings, headlines=HEADLINES)
    return own


def page(out: Path, *, quick: bool = False, grid: bool = False) -> str:
    """The page after a reproduction."""
    entries, _ = go(out, quick=quick, grid=grid)
    form = Form(out, quick, grid=grid)
    for each in entries:
        write_entry(each, form)
    return write_page(entries, form).read_text()


def words(text: str) -> str:
    """A page without its tags, in one line."""
    return " ".join(TAGS.sub(" ", text).split())


def test_the_page_opens_with_main_results(paper: Path, tmp_path: Path) -> None:
    """Each headline has its outcome, the deciding claim and a picture that links to its entry."""
    text = page(tmp_path / "out", grid=True)
    assert text.index("Any weights do") < text.index("<table")
    shown = words(text)
    assert "Any weights do: reproduced" in shown
    differ = "Weights differ: reproduced as chosen; depends on ratios; 0 of 1 alternatives agree"
    assert f"{differ} fig3.c2: confirmed as chosen, refuted with" in shown
    assert re.search(r"refuted with ratios both 1 \(ratio_over_r.large.red.r=8 0\.\d+ \[", shown)
    wrong = "All is wrong: not reproduced as chosen; depends on ratios; 0 of 1 alternatives agree"
    assert f"{wrong} fig3.c3: ratio_over_r.large.red.r=8" in shown
    assert "Who knows: undecided as chosen fig3.c6: pending" in shown
    lines = re.findall(r'<li><a href="#siris2002.fig3"><img alt="siris2002.fig3" src="data:', text)
    assert len(lines) == 4


def test_counts_keep_apart_what_is_no_verdict(paper: Path, tmp_path: Path) -> None:
    """Identities have a row, pending claims a column, claims without a grid a number."""
    shown = words(page(tmp_path / "out", grid=True))
    assert "siris2002 core 1 0 1 0 0 0 0" in shown
    assert "siris2002 secondary 0 1 0 0 1 0 1" in shown
    assert "all 1 1 1 0 1 0 1" in shown
    assert "siris2002 identities 1 0 0 0 0 0 0" in shown
    assert "No grid is declared for 2 claims." in shown


def test_grids_are_listed(paper: Path, tmp_path: Path) -> None:
    """Each claim has its settings beside it; the paper's open settings are listed."""
    shown = words(page(tmp_path / "out", grid=True))
    assert "unequal judged over ratios: 1 and 8, both 1 ratio_over_r" in shown
    assert "any no grid declared ratio_over_r" in shown
    assert "ratios weights chosen: 1 and 8 also: both 1" in shown
    assert "it gives no figure" in shown and "not built" in shown


def test_quick_verdicts_have_no_grid(paper: Path, tmp_path: Path) -> None:
    """The quick page says that it is quick, and that claims with a grid were not judged over it."""
    shown = words(page(tmp_path / "out", quick=True))
    assert "Quick verdicts have no grid" in shown
    assert "unequal not judged over ratios in this run" in shown
    assert "Weights differ: reproduced" in shown
    assert "Quick verdicts have no grid" not in words(page(tmp_path / "out", grid=True))


def record(number: str, verdict: str, **more: Any) -> RecordedClaim:
    """The record of a claim."""
    claim = f"siris2002.fig3.{number}"
    return RecordedClaim(claim=claim, priority="core", verdict=verdict, **more)


def lines_of(*records: RecordedClaim) -> list[Any]:
    """A headline that rests on these claims."""
    claims = tuple(each.claim.partition(".")[2] for each in records)
    own = Paper(1, "siris2002", "", {}, headlines=(Headline("It is so", claims, "fig3"),))
    return headline_lines(own, {each.claim: each for each in records})


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (("confirmed", "confirmed"), "reproduced"),
        (("confirmed", "refuted"), "not reproduced as chosen"),
        (("depends", "refuted"), "not reproduced as chosen; depends on s"),
        (("depends", "confirmed"), "reproduced as chosen; depends on s"),
        (("depends", "inconclusive"), "undecided as chosen; depends on s"),
        (("confirmed", "inconclusive"), "undecided as chosen"),
        (("confirmed", "not testable"), "undecided as chosen"),
    ],
)
def test_a_headline_stands_on_all_its_claims(verdicts, outcome) -> None:
    """The outcome of a headline is that of its worst claim."""
    records = [
        record(f"c{i}", "depends", alone="confirmed", depends=("s",))
        if verdict == "depends"
        else record(f"c{i}", verdict)
        for i, verdict in enumerate(verdicts)
    ]
    assert [line.outcome for line in lines_of(*records)] == [outcome]


def test_a_headline_says_where_nothing_is_open() -> None:
    """The line says so if no claim has a setting that its paper leaves open."""
    (line,) = lines_of(record("c1", "refuted", over=()), record("c2", "confirmed", over=()))
    assert line.outcome == "not reproduced as chosen; the paper leaves no setting open"
    (line,) = lines_of(record("c1", "refuted", over=("gain",)), record("c2", "confirmed", over=()))
    assert line.outcome == "not reproduced as chosen"  # not judged over the gain


def test_a_grid_that_leaves_it_open_is_named() -> None:
    """If a claim is confirmed as chosen but undecided elsewhere, the line says where."""
    figure = RecordedFigure("x", (0, 1), (0.9, 0.7, 1.1, 5), "inconclusive")
    grid = (Under("s", "a", "confirmed"), Under("s", "b", "inconclusive", figure))
    line = lines_of(record("c1", "inconclusive", alone="confirmed", grid=grid))[0]
    why = "fig3.c1: confirmed as chosen, inconclusive with s b (x 0.9 [0.7, 1.1], expected 0 to 1)"
    assert (line.kind, line.why) == ("reproduced as chosen", why)
    assert line.outcome == "reproduced as chosen; 1 of 2 alternatives agree, s is open"


def test_a_headline_says_in_how_many_settings_it_is_so() -> None:
    """An alternative counts if all claims agree under it; the result depends on what flips one."""
    three = [Under("s", "a", "confirmed"), Under("s", "b", "confirmed"), Under("t", "a", "refuted")]
    first = record("c1", "confirmed", alone="confirmed", grid=(*three[:2],))
    second = record("c2", "depends", alone="confirmed", depends=("t",), grid=(*three,))
    third = record("c3", "inconclusive", alone="confirmed", grid=(Under("s", "b", "inconclusive"),))
    assert lines_of(first)[0].outcome == "reproduced; 2 of 2 alternatives agree"
    outcome = "reproduced as chosen; depends on t; 2 of 3 alternatives agree"
    assert [(line.kind, line.outcome) for line in lines_of(first, second)] == [("depends", outcome)]
    outcome = "reproduced as chosen; depends on t; 1 of 3 alternatives agree, s is open"
    assert lines_of(first, second, third)[0].outcome == outcome


def test_headlines_without_outcome_are_left_out() -> None:
    """A result with a claim that was not measured has no line."""
    own = Paper(1, "siris2002", "", {}, headlines=(Headline("So", ("fig3.c1", "fig4.c1"), "f"),))
    assert headline_lines(own, {"siris2002.fig3.c1": record("c1", "confirmed")}) == []
