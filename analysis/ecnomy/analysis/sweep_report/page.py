# SPDX-License-Identifier: Apache-2.0
"""The page on a sweep: one self-contained HTML file that begins with the findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.analysis.pages.parts import Cell, Picture, Section, Table, csv_link
from ecnomy.analysis.pages.shell import environment
from ecnomy.analysis.sweep_report.findings import SweepFindings, findings_of
from ecnomy.analysis.sweep_report.points import Swept, open_swept
from ecnomy.analysis.sweep_report.sections import kind_picture, sections_of
from ecnomy.analysis.sweeps.outcome_names import called
from ecnomy.markets.sweep.head import head_of

__all__ = ["write_sweep_page"]

_MOST_POINTS: Final = 2000  # rows in the CSV of all outcomes


class SweepPage(msgspec.Struct, frozen=True):
    """The content of the page, before the template renders it."""

    title: str
    findings: SweepFindings
    lead: Picture | None
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    csv: str
    csv_of: str


def write_sweep_page(
    folder: Path, file: Path, command: list[str], outcomes: Sequence[str] = ()
) -> tuple[str, ...]:
    """Write the page of a sweep.

    Args:
        folder: the folder of the sweep.
        file: the page; an existing file is replaced when the new page is complete.
        command: the command line to show on the page.
        outcomes: the outcomes to report; if empty, those of the sweep file or the usual ones.

    Returns: The findings at the top of the page.

    Raises:
        ResultsError: the sweep has no completed run.
        InputError: an outcome is missing from all runs, or a package is missing.
    """
    from ecnomy.analysis.support.whole_file import write_whole

    template = environment(Path(__file__).parent).get_template("page.html")
    swept = open_swept(folder, outcomes)
    findings = findings_of(swept)
    sections = sections_of(swept, findings)
    lead, sections = _lead(swept, findings, sections)
    table, csv_of = _all_outcomes(folder, swept)
    page = SweepPage(
        title=swept.title,
        findings=findings,
        lead=lead,
        sections=(*sections, _made(swept, command, bool(findings.contrasts))),
        facts=_facts(swept, findings),
        notes=swept.notes,
        csv=table,
        csv_of=csv_of,
    )
    write_whole(file, template.render(page=page, kind=_kind).encode())
    return tuple(line for line in (findings.headline, findings.detail, *findings.more[:2]) if line)


def _kind(block: Any) -> str:
    return type(block).__name__.lower()


def _lead(
    swept: Swept, findings: SweepFindings, sections: list[Section]
) -> tuple[Picture | None, list[Section]]:
    if findings.lead is not None and not swept.varied[findings.lead].is_number:
        return kind_picture(swept, findings.lead, swept.outcomes[0]), sections
    wanted = "matters" if findings.lead is None else "curves"
    for place, section in enumerate(sections):
        drawn = [block for block in section.blocks if isinstance(block, Picture)]
        if section.id == wanted and drawn:
            start = f"curve-{findings.lead}-"
            first = next((d for d in drawn if d.id.startswith(start)), drawn[0])
            rest = tuple(block for block in section.blocks if block is not first)
            kept = msgspec.structs.replace(section, blocks=rest)
            several = any(not isinstance(b, Picture) and _kind(b) == "table" for b in rest)
            keep = [kept] if several or any(isinstance(b, Picture) for b in rest) else []
            return first, [*sections[:place], *keep, *sections[place + 1 :]]
    return None, sections


def _facts(swept: Swept, findings: SweepFindings) -> tuple[tuple[str, str], ...]:
    per_point = swept.runs / swept.points
    count = sum(c.q <= 0.05 for c in findings.contrasts)
    facts = [
        (f"{swept.runs:,}", "runs that are done"),
        (f"{swept.points:,}", f"points, {per_point:.3g} runs each"),
    ]
    if findings.contrasts:
        facts.append(
            (f"{count} of {len(findings.contrasts)}", "comparisons differ (q \u2264 0.05)")
        )
    if len(swept.varied) > 1 and findings.matters:
        top = findings.matters[0].order()[0]
        facts.append(
            (swept.varied[top].factor.name, f"matters most for {called(swept.outcomes[0])}")
        )
    elif swept.varied:
        facts.append((swept.varied[0].factor.name, "was varied"))
    return tuple(facts)


def _all_outcomes(folder: Path, swept: Swept) -> tuple[str, str]:
    from ecnomy.analysis.sweeps.labels import quoted_name
    from ecnomy.analysis.sweeps.open_sweep import connect

    with connect(folder) as connection:
        kinds = connection.execute("describe runs").fetchall()
        left = ("number", "point", "replicate", "seed", "wall_s")
        parameters = [p for p in head_of(folder)["kinds"] if any(p == row[0] for row in kinds)]
        numbers = [
            str(name)
            for name, kind, *_ in kinds
            if kind in ("DOUBLE", "BIGINT") and name not in (*left, *parameters)
        ]
        columns = [f"any_value({quoted_name(p)}) as {quoted_name(p)}" for p in parameters]
        for name in numbers:
            columns.append(f"avg({quoted_name(name)}) as {quoted_name(name)}")
            columns.append(f"stddev_samp({quoted_name(name)}) as {quoted_name(name + ' sd')}")
        listed = ", ".join(["any_value(label) as label", "count(*) as runs", *columns])
        connection.execute("set threads = 1")  # sums are reproducible in a fixed order
        result = connection.execute(
            f"select {listed} from runs where status = 'done' group by point order by point "
            f"limit {_MOST_POINTS}"
        )
        head = [str(column[0]) for column in result.description]
        table = csv_link(head, result.fetchall())
    shown = min(swept.points, _MOST_POINTS)
    of = (
        "all points" if shown == swept.points else f"the first {shown:,} of {swept.points:,} points"
    )
    return table, f"{len(numbers)} outcomes of {of}, means and standard deviations"


def _made(swept: Swept, command: list[str], compared: bool) -> Section:
    head = head_of(swept.folder)
    seeds = "the same at every point (paired)" if swept.paired else "drawn for each point"
    rows = [
        ("this page", " ".join(command)),
        ("sweep file", str(head["file"])),
        ("scenario", str(head["scenario"])),
        ("varied", "; ".join(v.axis for v in swept.varied) or "nothing"),
        ("seeds", seeds),
        ("outcomes", ", ".join(swept.outcomes)),
        ("intervals", f"Student's t over replicates, {100 * swept.level:.4g} %"),
    ]
    if compared:
        tests = "t tests over pairs of replicates (Welch without pairs)"
        qs = "q-values of Benjamini and Hochberg over all of the page"
        rows.append(("comparisons", f"{tests}, {qs}"))
    cells = tuple((Cell(name), Cell(text)) for name, text in rows)
    table = Table("how-table", "How this page was made", "the sweep's head",
                  ("what", "is"), cells, wide=True)  # fmt: skip
    return Section("provenance", "Method", (table,))
