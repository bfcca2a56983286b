# SPDX-License-Identifier: Apache-2.0
"""The verb `report`: writes a page on a sweep, a run or a business from existing results.

`ecnomy report FOLDER` reports on the run or sweep in the folder. `ecnomy report gsp FOLDER...`
reports on the business of a guaranteed stream provider.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.plain_flags import Verb, VerbGroup
from ecnomy.markets.cli.printing import Json, print_json
from ecnomy.markets.support.printable import say

__all__ = ["gsp_command", "page_command", "report_app"]

PAGE: Final = "report.html"
GSP_PAGE: Final = "gsp.html"  # a separate file next to the page about the whole run
_FOLDER: Final = "folder"  # the subcommand for a folder


class _Report(VerbGroup):
    """A command group that takes any first word except subcommands and `--help` as a folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = [_FOLDER, *args]
        return super().parse_args(ctx, args)


report_app = typer.Typer(cls=_Report, add_completion=False, no_args_is_help=True)

Results = Annotated[
    list[Path],
    typer.Argument(help="Results folders of one or more runs, or the folder of a sweep."),
]
Folder = Annotated[
    list[Path], typer.Argument(help="Results folder of a sweep or a run.", metavar="FOLDER")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Page to write. Default: report.html in the folder.", metavar="FILE"),
]
GspOut = Annotated[
    Path | None,
    typer.Option(help="Page to write. Default: gsp.html in the first folder.", metavar="FILE"),
]
Outcome = Annotated[
    list[str] | None,
    typer.Option(help="Column of the sweep to report on. Repeatable."),
]


@report_app.callback()
def _about() -> None:
    """Write a self-contained HTML page on a sweep or a run: `ecnomy report FOLDER`."""


@report_app.command(_FOLDER, cls=Verb)
def page_command(
    folders: Folder, out: Out = None, outcome: Outcome = None, as_json: Json = False
) -> None:
    """Report the findings of a sweep or a run. The word `folder` may be omitted."""
    from ecnomy.analysis.support.whole_file import place_for
    from ecnomy.markets.sweep.head import is_sweep

    if len(folders) > 1:
        expected = (
            "one; use `ecnomy diff` to compare runs, or `ecnomy report gsp` for several folders"
        )
        raise InputError(f"report: found {len(folders)} folders, expected {expected}")
    results = folders[0]
    if not results.is_dir():
        raise InputError(f"{results}: no such folder, expected the results of a sweep or of a run")
    file = results / PAGE if out is None else place_for(out, "--out")
    command = ["ecnomy", "report", str(results)]
    command += ["--out", str(out)] if out is not None else []
    command += [word for name in outcome or () for word in ("--outcome", shlex.quote(name))]
    if is_sweep(results):
        from ecnomy.analysis.sweep_report.page import write_sweep_page

        said = write_sweep_page(results, file, command, tuple(outcome or ()))
    elif outcome:
        raise InputError(f"{results}: found the results of a run, expected a sweep for --outcome")
    else:
        from ecnomy.analysis.run_report.page import write_run_page

        said = write_run_page(results, file, command)
    if as_json:
        return print_json({"folder": results, "page": file, "found": said})
    for line in said or ():
        say(line)
    print(f"page: {file}")


@report_app.command("gsp", cls=Verb)
def gsp_command(results: Results, out: GspOut = None, as_json: Json = False) -> None:
    """Report whether a guaranteed stream provider earns money, in one self-contained HTML file."""
    from ecnomy.analysis.gsp_report.page import write_gsp_page
    from ecnomy.analysis.support.whole_file import place_for

    file = results[0] / GSP_PAGE if out is None else place_for(out, "--out")
    command = ["ecnomy", "report", "gsp", *map(str, results)]
    if out is not None:
        command += ["--out", str(out)]
    page = write_gsp_page(results, file, command)
    if as_json:
        return print_json(
            {"page": file, "providers": [shown.answer.plain() for shown in page.answers]}
        )
    for shown in page.answers:
        say(shown.line)
    print(f"page: {file}")
