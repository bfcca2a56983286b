# SPDX-License-Identifier: Apache-2.0
"""Writes the page of an evaluation: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from ecnomy.analysis.evaluate import criteria_figure, wording
from ecnomy.analysis.evaluate.advice import advice
from ecnomy.analysis.evaluate.criteria import criteria
from ecnomy.analysis.evaluate.runs import Evaluation
from ecnomy.analysis.evaluate.verdicts import VERDICTS, JudgedCriterion, OutcomeVerdict
from ecnomy.analysis.pages.answer_page import AnswerPage, write_answer
from ecnomy.analysis.pages.parts import Block, Cell, Picture, Section, Table, Words

__all__ = ["PAGE", "page_of", "write_page"]

PAGE: Final = "evaluation.html"
_ENDS: Final = ("mean", "low", "high")


def write_page(
    evaluation: Evaluation, judgements: Sequence[JudgedCriterion], file: Path
) -> AnswerPage:
    """Write the page of an evaluation, and return its content.

    Raises:
        InputError: jinja2 is missing.
    """
    page = page_of(evaluation, judgements)
    write_answer(page, Path(__file__).parent, file)
    return page


def page_of(evaluation: Evaluation, judgements: Sequence[JudgedCriterion]) -> AnswerPage:
    """Return the content of the page."""
    return AnswerPage(
        title=f"{evaluation.name} by the criteria of RFC 9743",
        verdict=wording.verdict_class(judgements),
        opens=wording.headline(evaluation.name, judgements),
        sentence=wording.sentence(judgements),
        sure=wording.sure(evaluation, judgements),
        facts=tuple(wording.facts(judgements)),
        sections=(
            _overview(judgements),
            *(_criterion(one) for one in judgements),
            *_warnings(evaluation),
            _absent(),
            _method(evaluation),
        ),
    )


def _overview(judgements: Sequence[JudgedCriterion]) -> Section:
    order = sorted(judgements, key=lambda one: VERDICTS.index(one.verdict))
    rows = tuple(tuple(map(Cell, wording.row(one, one.criterion.title))) for one in order)
    head = ("RFC 9743", "criterion", "verdict", "decided by", *judgements[0].decisive.means)
    table = Table(
        "verdicts", "Verdicts", "all runs", head, rows, wide=True, unfolded=True,
        note="worse: by its 95 % interval, the law is more than a margin worse than the worse of "
        "Reno and CUBIC. open: more seeds may decide. better: it is more than a margin better than "
        "the better of both. as good: in all other cases. A criterion gets the first of these "
        "verdicts that applies to one of its conditions. Its row shows that condition.",
    )  # fmt: skip
    return Section("overview", "Overview", (table,))


def _criterion(one: JudgedCriterion) -> Section:
    criterion = one.criterion
    asks = f"{criterion.asks} (RFC 9743, section {criterion.section})"
    blocks: list[Block] = [Words.of(f"{asks} {wording.margins(criterion)}")]
    for number, figure in enumerate(criterion.figures):
        own = [verdict for verdict in one.verdicts if verdict.figure == figure]
        if own:
            blocks.append(_picture(f"{criterion.name}-{number + 1}", own))
    return Section(criterion.name, f"{criterion.title}: {one.verdict}", tuple(blocks))


def _picture(name: str, verdicts: Sequence[OutcomeVerdict]) -> Picture:
    figure = verdicts[0].figure
    laws = list(verdicts[0].means)
    rows = tuple(
        (v.case.label, v.verdict, *(x for law in laws for x in _interval(v, law))) for v in verdicts
    )
    values_text = "; ".join(
        f"{v.case.label}: {wording.amount(figure, v.candidate)}, {wording.beside(v)}"
        for v in verdicts
    )
    return Picture(
        id=name,
        caption=figure.of[0].upper() + figure.of[1:],
        alt=f"Means with 95 % intervals. {values_text}.",
        of="the runs of this criterion",
        svg=criteria_figure.means(verdicts),
        head=(
            "condition",
            "verdict",
            *(f"{law} {x}" for law in laws for x in ("mean", "low", "high")),
        ),
        rows=rows,
    )


def _interval(one: OutcomeVerdict, law: str) -> tuple[object, ...]:
    mean = one.means[law]
    return ("", "", "") if mean is None else (mean.mean, mean.low, mean.high)


def _warnings(evaluation: Evaluation) -> tuple[Section, ...]:
    cases_by_warning = advice(evaluation)
    if not cases_by_warning:
        return ()
    rows = tuple(
        (Cell(line), Cell(wording.places(cases))) for line, cases in cases_by_warning.items()
    )
    return (
        Section(
            "warnings",
            "Warnings",
            (Table("warnings-of-check", "Warnings of `ecnomy check` with this law only",
                   "the scenarios", ("warning", "in"), rows, wide=True),),
        ),
    )  # fmt: skip


def _absent() -> Section:
    rows = tuple((Cell(section), Cell(what)) for section, what in criteria().absent.items())
    return Section(
        "absent",
        "Criteria without runs",
        (Table("without-runs", "Requirements of RFC 9743 that these runs do not test", "the RFC",
               ("section", "asks for"), rows, wide=True),),
    )  # fmt: skip


def _method(evaluation: Evaluation) -> Section:
    transports = "; ".join(
        f"{name}: {yaml.safe_dump(transport, default_flow_style=True, sort_keys=False).strip()}"
        for name, transport in evaluation.laws.items()
    )
    return Section(
        "method",
        "Method and limits",
        (
            Words.of(
                "Every condition is run three times with each seed: with the law, with Reno and "
                "with CUBIC as the law of the same sources. A verdict compares the law with the "
                "worse of the two standards, seed by seed. The law is worse or as good by the 95 % "
                "interval of the difference, with a margin below which a difference does not "
                "count. It is better if the interval lies beyond the better of the two. RFC 9743 "
                "sets no limits except for full backoff, so the margins are choices of this "
                "evaluation."
            ),
            Words.of(
                "A seed draws the start times and the losses on the wire. So an interval states "
                "how certain a mean is on these networks, not how well it applies to other "
                "networks. Intervals are not adjusted for the number of comparisons."
            ),
            Words.of(
                f"Transports: {transports}. Other settings are ecnomy's defaults, such as an "
                "initial window of 3 packets and an ACK for each packet."
            ),
            Words.of(
                "The networks are single bottlenecks in a simulator. A law that does as well "
                "here may still fail elsewhere. RFC 9743 also weighs data from deployments "
                "(section 3)."
            ),
        ),
    )
