# SPDX-License-Identifier: Apache-2.0
"""Writes the page on one run: traffic, payments and their reasons, plots, and settings.

The page is one HTML file without external resources. It shows the DuckDB query of each amount.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.pages.parts import Block, Section, Words
from ecnomy.analysis.pages.shell import environment
from ecnomy.analysis.run.guarantors import providers_of
from ecnomy.analysis.run.price_settling import settling_in_words, settling_of
from ecnomy.analysis.run.summary import Summary, summarize
from ecnomy.analysis.run_pictures.picture_list import run_pictures
from ecnomy.analysis.run_report.database import RunDatabase, open_run_database
from ecnomy.analysis.run_report.headline import headline
from ecnomy.analysis.run_report.marks import marks_of, stories, where_marked
from ecnomy.analysis.run_report.money import balances, money_blocks, payments_of
from ecnomy.analysis.run_report.settings import provenance_section, settings_section
from ecnomy.analysis.run_report.traffic_tables import traffic_blocks
from ecnomy.markets.results.notices import notices
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["Drawing", "RunPage", "run_page", "write_run_page"]


class Drawing(msgspec.Struct, frozen=True):
    """A plot (PNG) with a description in words."""

    id: str
    caption: str
    alt: str
    png: bytes

    @property
    def source(self) -> str:
        """The picture as a data URL."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode()


class RunPage(msgspec.Struct, frozen=True):
    """The content of a run's page, without the template; sections may also contain Drawings."""

    title: str
    kicker: str
    note: str
    headline: Words
    sections: tuple[tuple[str, str, tuple[Any, ...]], ...]
    prelude: str


def write_run_page(folder: Path, file: Path, command: Sequence[str]) -> tuple[str, ...]:
    """Write the page of a run, and return its summary.

    Args:
        folder: the folder of the run's results.
        file: the page; an existing file is replaced when the new page is complete.
        command: the command line to show on the page.

    Returns:
        The title, the note (if any) and the summary, as lines for the terminal.

    Raises:
        ResultsError: a table is missing, or the ledger and the balances disagree.
        InputError: a package is missing.
    """
    from ecnomy.analysis.support.whole_file import write_whole

    template = environment(Path(__file__).parent).get_template("page.html")
    page = run_page(open_raw(folder), command)
    write_whole(file, template.render(page=page, kind=_kind).encode())
    said = "".join(part.text for part in page.headline.parts)
    return (page.title, said) if not page.note else (page.title, page.note, said)


def run_page(run: RawRun, command: Sequence[str]) -> RunPage:
    """Return the content of a run's page, without the template.

    Raises:
        ResultsError, InputError: as for write_run_page.
    """
    summary, seconds = summarize(run), run.plan.duration_ps / PS_PER_S
    db = open_run_database(run)
    try:
        first = headline(summary, db)
        sections = [
            Section("who", "Who got what", (*traffic_blocks(summary), *_notices(run))),
            Section("money", "Who paid what, and why", tuple(_money(db, summary))),
            settings_section(run),
            provenance_section(run, command),
        ]
        parts: list[tuple[str, str, tuple[Any, ...]]]
        parts = [(one.id, one.title, one.blocks) for one in sections]
        drawings = _drawings(run)
        if drawings:
            parts.insert(2, ("pictures", "Pictures", drawings))
        return RunPage(
            title=run.title or run.path.name,
            kicker=f"One run: seed {run.manifest.seed}, {seconds:g} s simulated",
            note=". ".join(filter(None, (run.note, run.manifest.changed_by_hand))),
            headline=first,
            sections=tuple(parts),
            prelude=db.prelude,
        )
    finally:
        db.close()


def _money(db: RunDatabase, summary: Summary) -> list[Block]:
    payments, marked = payments_of(db), marks_of(db)
    blocks = [*stories(payments, marked, summary), *money_blocks(db, payments)]
    blocks += [one for one in (where_marked(marked), balances(db)) if one is not None]
    blocks += [Words.of(f"{settling_in_words(one)}.") for one in settling_of(db.run.raw)]
    for provider in providers_of(db.run):
        words = f"To see whether {provider.name} earns money with its calls, run: "
        blocks.append(Words.of(f"{words}ecnomy report gsp {db.run.path}"))
    return blocks


def _notices(run: RawRun) -> list[Words]:
    return [Words.of(f"{one}.") for one in notices(run.raw)]


def _drawings(run: RawRun) -> tuple[Drawing, ...]:
    drawings = []
    with temporary_folder() as folder:
        file = folder / "drawn.png"
        for picture in run_pictures(run):
            if picture.draw(file):
                drawings.append(_drawn(picture.id, picture.caption, file))
    return tuple(drawings)


def _drawn(name: str, caption: str, file: Path) -> Drawing:
    alt = f"{caption}. The numbers are in the tables of this page and in the results folder."
    return Drawing(name, caption, alt, file.read_bytes())


def _kind(block: Any) -> str:
    return type(block).__name__.lower()
