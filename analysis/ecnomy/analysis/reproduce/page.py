# SPDX-License-Identifier: Apache-2.0
"""reproduction.html: what the papers say, what was measured, and why they differ; one file.

It collects all entries whose outcome is in the folder, whenever they were reproduced. Pictures are
inside it.
"""

from __future__ import annotations

import base64
import importlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.analysis.reproduce.catalogue import PAPERS, Entry, Paper, load_paper
from ecnomy.analysis.reproduce.judge import CONFIRMED, INCONCLUSIVE, PENDING, REFUTED, REPORTED
from ecnomy.analysis.reproduce.pictures import entry_file
from ecnomy.analysis.reproduce.record import Figure, Recorded, write_whole
from ecnomy.analysis.reproduce.session import Reproduced
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.analysis.reproduce.wording import interval_text, region_text
from ecnomy.analysis.statistics import Interval
from ecnomy.markets.inputs.remedy import pip_install

__all__ = ["page_maker", "write_page"]

_VERDICTS = (CONFIRMED, REFUTED, INCONCLUSIVE, REPORTED, PENDING)
_LEVEL = 0.90


class _Claim(msgspec.Struct):
    number: str
    priority: str
    says: str
    tolerance: str
    verdict: str
    reason: str
    figures: list[tuple[str, str, str, str]]  # name, measured, region, verdict
    more: int


class _Section(msgspec.Struct):
    id: str
    title: str
    priority: str
    chosen: tuple[str, ...]
    picture: str
    claims: list[_Claim]


def page_maker() -> Any:
    """The package jinja2.

    Raises:
        InputError: it is not installed.
    """
    try:
        return importlib.import_module("jinja2")
    except ImportError:
        what = pip_install("jinja2")
        raise InputError(f"the page needs jinja2 (ecnomy[reproduce]): {what}") from None


def write_page(found: Sequence[Reproduced], form: Form) -> Path:
    """Write the page of all entries that the folder has outcomes of; returns the file.

    Raises:
        InputError: jinja2 is not installed.
    """
    jinja2 = page_maker()
    papers = [(paper, _sections(paper, form)) for paper in map(load_paper, PAPERS)]
    papers = [(paper, sections) for paper, sections in papers if sections]
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    text = environment.get_template("page.html").render(
        papers=papers, counts=_counts(papers), verdicts=_VERDICTS, form=form
    )
    file = form.out / f"reproduction{form.ending}.html"
    write_whole(file, text.encode())
    return file


def _sections(paper: Paper, form: Form) -> list[_Section]:
    return [
        section
        for item, entry in paper.entries.items()
        if (section := _section(paper, item, entry, form)) is not None
    ]


def _section(paper: Paper, item: str, entry: Entry, form: Form) -> _Section | None:
    file = entry_file(paper.paper, item, form, ".json")
    try:
        records = msgspec.json.decode(file.read_bytes(), type=list[Recorded])
    except (OSError, msgspec.DecodeError):
        return None
    picture = entry_file(paper.paper, item, form, ".png")
    data = base64.b64encode(picture.read_bytes()).decode() if picture.is_file() else ""
    by_number = {record.claim.rpartition(".")[2]: record for record in records}
    return _Section(
        id=f"{paper.paper}.{item}",
        title=entry.title,
        priority=entry.priority,
        chosen=entry.printed,
        picture=data,
        claims=[
            _claim(number, claim, by_number[number])
            for number, claim in entry.claims.items()
            if number in by_number
        ],
    )


_MOST = 12  # figures of a claim in the page, the worst first


def _claim(number: str, claim: Any, record: Recorded) -> _Claim:
    rank = {REFUTED: 0, INCONCLUSIVE: 1, CONFIRMED: 2, "": 3}
    figures = sorted(record.figures, key=lambda figure: rank.get(figure.verdict, 1))
    return _Claim(
        number=number,
        priority=claim.priority,
        says=claim.says,
        tolerance=claim.tolerance,
        verdict=record.verdict,
        reason=record.reason,
        figures=[_figure(figure) for figure in figures[:_MOST]],
        more=max(0, len(figures) - _MOST),
    )


def _figure(figure: Figure) -> tuple[str, str, str, str]:
    interval = None
    if figure.mean is not None and figure.low is not None and figure.high is not None:
        interval = Interval(figure.mean, figure.low, figure.high, _LEVEL, figure.n)
    region = region_text(*figure.region) if figure.region else ""
    return figure.name, interval_text(interval), region, figure.verdict


def _counts(papers: list[tuple[Paper, list[_Section]]]) -> list[tuple[str, str, dict[str, int]]]:
    """Per paper and priority how many claims came out how."""
    rows = []
    for paper, sections in papers:
        for priority in ("core", "sec"):
            claims = [c for section in sections for c in section.claims if c.priority == priority]
            counted = Counter(claim.verdict for claim in claims)
            rows.append((paper.paper, priority, {v: counted[v] for v in _VERDICTS}))
    return rows
