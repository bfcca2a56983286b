# SPDX-License-Identifier: Apache-2.0
"""The verb `evaluate`: compares a congestion control with Reno and CUBIC."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ecnomy.analysis.sweeps.searching import workers_when_needed
from ecnomy.markets.cli.options import Jobs
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.cli.sweeping import Scheduler, resumable

if TYPE_CHECKING:
    from rich.table import Table

    from ecnomy.analysis.evaluate.runs import Evaluation
    from ecnomy.analysis.evaluate.verdicts import JudgedCriterion

__all__ = ["evaluate_command", "folder_label"]

Law = Annotated[
    str,
    typer.Argument(
        help="Window law, e.g. prague, or transport, e.g. '{law: cubic, hystart: true}'.",
        metavar="LAW",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Test only this criterion. Repeatable.", metavar="NAME"),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Results folder. Default: results/evaluate-LAW, followed by the other settings of the "
        "transport, e.g. results/evaluate-cubic-hystart-true."
    ),
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="Use three seeds, and only the first network of each criterion."),
]


def evaluate_command(
    law: Law,
    only: Only = None,
    out: Out = None,
    workers: Jobs = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    as_json: Json = False,
) -> None:
    """Compare a congestion control with Reno and CUBIC by the criteria of RFC 9743.

    Completed runs are kept. Run the same command again to resume.
    """
    from ecnomy.analysis.evaluate.page import PAGE, write_page
    from ecnomy.analysis.evaluate.runs import measured
    from ecnomy.analysis.evaluate.verdicts import judged
    from ecnomy.analysis.pages.shell import page_maker
    from ecnomy.markets.sweep.sweep_file import Limits

    page_maker()
    evaluation = _evaluation(law, tuple(only or ()), quick)
    folder = out or Path("results") / f"evaluate-{folder_label(evaluation.transport)}"
    with resumable():
        with workers_when_needed(Limits(), scheduler, workers, rounds=False) as (pool, observer_of):
            values = measured(evaluation, folder, pool, observer_of)
        judgements = judged(evaluation, values)
        page = write_page(evaluation, judgements, folder / PAGE)
    if as_json:
        return print_json(
            {"folder": folder, "page": folder / PAGE, **_values(evaluation, judgements)}
        )
    console = console_for_tables()
    console.print(_table(evaluation, judgements))
    console.print(f"{page.opens}. {page.sentence}", markup=False, highlight=False)
    console.print(page.sure, markup=False, highlight=False)
    print(f"page: {folder / PAGE}")


def _evaluation(law: str, only: tuple[str, ...], quick: bool) -> Evaluation:
    """Return the evaluation that the command line describes.

    Raises:
        InputError: the transport is invalid, or a criterion does not exist.
    """
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.evaluate.criteria import criteria
    from ecnomy.analysis.evaluate.runs import QUICK_SEEDS, SEEDS, Evaluation, checked
    from ecnomy.markets.inputs.reading import known_name

    transport = _transport(law)
    known = {one.name: one for one in criteria().criteria}
    for name in only:
        if name not in known:
            raise InputError(f"--only: found {name!r}, expected {known_name(name, known)}")
    evaluation = Evaluation(
        name=str(transport["law"]),
        transport=transport,
        criteria=tuple(one for name, one in known.items() if not only or name in only),
        seeds=QUICK_SEEDS if quick else SEEDS,
        quick=quick,
    )
    checked(evaluation)
    return evaluation


def _transport(law: str) -> dict[str, Any]:
    """Return a transport from its YAML; the name of a law means this law with SACK."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.inputs.yamlfile import parse
    from ecnomy.markets.sweep.blocks import plain_tree

    if not law.strip():
        raise InputError("LAW: found an empty text, expected a window law or a transport")
    given = plain_tree(parse(law, "LAW", lines=False))
    if isinstance(given, str):
        given = {"law": given, "sack": True}
    if not isinstance(given, dict) or not isinstance(given.get("law"), str):
        raise InputError(f"LAW: found {law}, expected a window law or a transport with 'law'")
    if given["law"] == "udp":
        raise InputError("LAW: found udp, which has no congestion control, expected a window law")
    return given


def folder_label(transport: dict[str, Any]) -> str:
    """Return a label with all settings of a transport, and with `no-sack` unless SACK is on."""
    words = [str(transport["law"]), *(() if transport.get("sack") is True else ("no-sack",))]
    others = {key: value for key, value in transport.items() if key not in ("law", "sack")}
    words += [f"{key}-{value}" for key, value in others.items()]
    return re.sub("[^a-z0-9.]+", "-", "-".join(words).lower()).strip("-")


def _table(evaluation: Evaluation, judgements: list[JudgedCriterion]) -> Table:
    from ecnomy.analysis.evaluate import wording
    from ecnomy.markets.cli.table_fit import titled_table

    table = titled_table(f"{evaluation.name} by the criteria of RFC 9743")
    for name in ("section", "criterion", "verdict", "decided by"):
        table.add_column(name)
    for name in evaluation.laws:
        table.add_column(name, justify="right")
    for one in judgements:
        table.add_row(*wording.row(one, one.criterion.name))
    return table


def _values(evaluation: Evaluation, judgements: list[JudgedCriterion]) -> dict[str, Any]:
    """Return the results for --json, in the units of the columns."""
    from ecnomy.analysis.evaluate import wording

    return {
        "law": evaluation.name,
        "transport": evaluation.transport,
        "seeds": evaluation.seeds,
        "headline": wording.headline(evaluation.name, judgements),
        "criteria": [
            {
                "name": one.criterion.name,
                "section": one.criterion.section,
                "verdict": one.verdict,
                "figures": [
                    {
                        "condition": v.case.label,
                        "column": v.figure.column,
                        "better": v.figure.better,
                        "at_most": v.figure.at_most,
                        "verdict": v.verdict,
                        "means": v.means,
                    }
                    for v in one.verdicts
                ],
            }
            for one in judgements
        ],
    }
