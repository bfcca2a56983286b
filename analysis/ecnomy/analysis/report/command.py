# SPDX-License-Identifier: Apache-2.0
"""The verb `report`: a page on a business, from the results of runs that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["gsp_command", "report_app"]

PAGE = "report.html"
report_app = typer.Typer(add_completion=False, no_args_is_help=True)

Results = Annotated[
    list[Path], typer.Argument(help="The results folder of a run, of several, or of a sweep.")
]
Out = Annotated[
    Path | None, typer.Option(help="The page [report.html in the first folder].", metavar="FILE")
]


@report_app.callback()
def _about() -> None:
    """Write a page on a business, with the query behind every amount of money."""


@report_app.command("gsp")
def gsp_command(results: Results, out: Out = None) -> None:
    """Whether a guaranteed stream provider earns money: one HTML file that needs no network."""
    from ecnomy.analysis.report.page import write_gsp_page

    file = out if out is not None else results[0] / PAGE
    told = ["ecnomy", "report", "gsp", *map(str, results)]
    if out is not None:
        told += ["--out", str(out)]
    page = write_gsp_page(results, file, told)
    for shown in page.answers:
        print(shown.line)
    print(f"page: {file}")
