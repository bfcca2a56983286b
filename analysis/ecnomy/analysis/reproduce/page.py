# SPDX-License-Identifier: Apache-2.0
"""Writes reproduction.html: the papers' claims, our measurements and the reasons for differences.

The page is one file that contains its figures. It begins with the papers' main results
(headlines.py). It shows all entries with an outcome in the folder, including those of earlier
commands.
"""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.pages.shell import environment
from ecnomy.analysis.reproduce.catalogue import Claim, Paper, PaperEntry
from ecnomy.analysis.reproduce.entry_files import entry_file
from ecnomy.analysis.reproduce.headlines import Line, headline_lines, numbers_text
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    DEPENDS,
    INCONCLUSIVE,
    NOT_TESTABLE,
    PENDING,
    REFUTED,
    REPORTED,
)
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.record_file import read_record
from ecnomy.analysis.reproduce.recorded import CONTROL, REASON, RecordedClaim, RecordedFigure
from ecnomy.analysis.reproduce.session import Reproduced
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.analysis.reproduce.wording import region_text
from ecnomy.analysis.support.whole_file import write_whole

__all__ = ["write_page"]

_JUDGED: Final = (CONFIRMED, REFUTED, DEPENDS, INCONCLUSIVE, NOT_TESTABLE)
_NOT_JUDGED: Final = (REPORTED, PENDING)
_MOST: Final = 8  # the page shows at most this many quantities of a claim, the worst first
_THUMBNAIL: Final = (240, 160)


class _Claim(msgspec.Struct):
    number: str
    priority: str
    says: str
    tolerance: str
    verdict: str
    verdict_words: str
    identity: bool
    grid: str
    undeclared: bool
    reason: str
    figures: list[tuple[str, str, str, str]]  # name, measured, region, verdict
    more: int


class _Section(msgspec.Struct):
    id: str
    title: str
    priority: str
    chosen: tuple[str, ...]
    picture: str
    thumbnail: str
    claims: list[_Claim]
    records: list[RecordedClaim]


class _Counts(msgspec.Struct):
    """The number of claims by verdict, per paper and priority, with identities separate."""

    paper: str
    what: str
    verdicts: dict[str, int]


def write_page(reproductions: Sequence[Reproduced], form: Form) -> Path:
    """Write the page of all entries with outcomes in the folder, and return its path.

    Raises:
        InputError: jinja2 is not installed.
    """
    template = environment(Path(__file__).parent).get_template("page.html")
    papers = [(paper, _sections(paper, form)) for paper in map(load_paper, PAPERS)]
    papers = [(paper, sections) for paper, sections in papers if sections]
    claims = [c for _, sections in papers for section in sections for c in section.claims]
    text = template.render(
        papers=papers,
        headlines=[(paper, _headlines(paper, sections)) for paper, sections in papers],
        thumbnails={section.id: section.thumbnail for _, all_ in papers for section in all_},
        counts=_counts(papers, identities=False),
        identities=_counts(papers, identities=True),
        undeclared=sum(claim.undeclared for claim in claims),
        judged=_JUDGED,
        not_judged=_NOT_JUDGED,
        form=form,
    )
    file = form.out / f"reproduction{form.ending}.html"
    write_whole(file, text.encode())
    return file


def _headlines(paper: Paper, sections: Iterable[_Section]) -> list[Line]:
    records = {record.claim: record for section in sections for record in section.records}
    return headline_lines(paper, records)


def _sections(paper: Paper, form: Form) -> list[_Section]:
    return [
        section
        for item, entry in paper.entries.items()
        if (section := _section(paper, item, entry, form)) is not None
    ]


def _section(paper: Paper, item: str, entry: PaperEntry, form: Form) -> _Section | None:
    try:
        records = read_record(entry_file(paper.paper, item, form, ".json")).records
    except ResultsError:
        return None
    picture = entry_file(paper.paper, item, form, ".png")
    shown = any(headline.figure == item for headline in paper.headlines)
    by_number = {record.claim.rpartition(".")[2]: record for record in records}
    return _Section(
        id=f"{paper.paper}.{item}",
        title=entry.title,
        priority=entry.priority,
        chosen=entry.printed,
        picture=_encoded(picture.read_bytes()) if picture.is_file() else "",
        thumbnail=_thumbnail(picture) if shown and picture.is_file() else "",
        claims=[
            _claim(number, claim, by_number[number], paper)
            for number, claim in entry.claims.items()
            if number in by_number
        ],
        records=records,
    )


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _thumbnail(picture: Path) -> str:
    from PIL import Image  # installed with matplotlib, which drew the picture

    out = io.BytesIO()
    with Image.open(picture) as image:
        small = image.convert("RGB")
        small.thumbnail(_THUMBNAIL)
        small.save(out, "PNG", optimize=True)
    return _encoded(out.getvalue())


def _claim(number: str, claim: Claim, record: RecordedClaim, paper: Paper) -> _Claim:
    rank = {REFUTED: 0, INCONCLUSIVE: 1, CONFIRMED: 2, REPORTED: 3}
    shown = [figure for figure in record.figures if figure.of != REASON]
    figures = sorted(shown, key=lambda figure: rank.get(figure.verdict, 1))
    return _Claim(
        number=number,
        priority=claim.priority,
        says=claim.says,
        tolerance=claim.tolerance,
        verdict=record.verdict.replace(" ", "-"),
        verdict_words=record.verdict_words,
        identity=record.identity,
        grid=_grid(record, paper),
        undeclared=record.over is None and record.verdict not in (PENDING, NOT_TESTABLE),
        reason=record.why,
        figures=[_figure(figure) for figure in figures[:_MOST]],
        more=max(0, len(figures) - _MOST),
    )


def _grid(record: RecordedClaim, paper: Paper) -> str:
    """Return text on the settings over which a claim was judged, or "" if there are none."""
    if record.verdict in (PENDING, NOT_TESTABLE) or record.over == ():
        return ""
    if record.over is None:
        return "no grid declared"
    if not record.grid:
        return f"not judged over {', '.join(record.over)} in this run"
    settings = []
    for name in record.over:
        chosen = paper.settings[name].chosen if name in paper.settings else "as chosen"
        also = [under.alternative for under in record.grid if under.setting == name]
        settings.append(f"{name}: {', '.join([chosen, *also])}")
    agree = all(under.verdict == record.alone for under in record.grid)
    return f"judged over {'; '.join(settings)}{' (all agree)' if agree else ''}"


def _figure(figure: RecordedFigure) -> tuple[str, str, str, str]:
    name = f"control: {figure.name}" if figure.of == CONTROL else figure.name
    region = region_text(*figure.region) if figure.region else ""
    verdict = "" if figure.of == CONTROL else figure.verdict
    return name, numbers_text(figure), region, verdict


def _counts(papers: list[tuple[Paper, list[_Section]]], *, identities: bool) -> list[_Counts]:
    """Return the number of claims by verdict, for identities or for all other claims."""
    rows = []
    for paper, sections in papers:
        claims = [c for section in sections for c in section.claims if c.identity == identities]
        parts = {"all": claims}
        if not identities:
            parts = {"core": [c for c in claims if c.priority == "core"]}
            parts["secondary"] = [c for c in claims if c.priority != "core"]
        for what, part in parts.items():
            counted = Counter(claim.verdict for claim in part)
            if part:
                verdicts = {v: counted[v.replace(" ", "-")] for v in (*_JUDGED, *_NOT_JUDGED)}
                rows.append(_Counts(paper.paper, what, verdicts))
    return rows
