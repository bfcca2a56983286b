# SPDX-License-Identifier: Apache-2.0
"""The verb `diff`: compares two runs, or two groups of runs.

ecnomy diff results/red results/vq                    runs, or folders of runs with seeds
ecnomy diff results/a1 results/a2 -- results/b1 results/b2
ecnomy diff results/price --by market.price_per_mark  a sweep, by a parameter with two values
ecnomy diff results/laws:red results/laws:virtual-queue
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.plain_flags import Verb
from ecnomy.markets.cli.printing import console_for_tables

if TYPE_CHECKING:
    from ecnomy.analysis.diff.difference import Diff

__all__ = ["diff_app", "diff_command"]

PICTURE: Final = "diff.png"
_BETWEEN: Final = "--"  # separates the groups
_KEPT: Final = "/--/"  # replaces `--` while options are parsed

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="A B | A... -- B...",
        help="Two runs, two folders of runs with several seeds, or two points of a sweep, each "
        "written as SWEEP:PATH=VALUE.",
    ),
]
By = Annotated[str, typer.Option(help="Compare the two values of this parameter of one sweep.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print a single JSON document and nothing else.")
]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write the outcomes as CSV.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="File for the picture. Default: diff.png."),
]
NoPlot = Annotated[bool, typer.Option("--no-plot", help="Do not draw a picture.")]
All = Annotated[bool, typer.Option("--all", help="Show all outcomes, not only the first 40.")]


class _Grouped(Verb):
    """A command that keeps the `--` between groups and accepts options after it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_KEPT if arg == _BETWEEN else arg for arg in args])


diff_app = typer.Typer(add_completion=False)


@diff_app.command("diff", cls=_Grouped)
def diff_command(
    runs: Runs,
    by: By = "",
    json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    no_plot: NoPlot = False,
    all_: All = False,
) -> None:
    """Compare two runs, or two groups of runs: settings and outcomes."""
    from ecnomy.analysis.diff.difference import diff
    from ecnomy.analysis.support.whole_file import place_for

    for option, file in (("--csv", csv), ("--plot", plot)):
        if file is not None:
            place_for(file, option)
    first, second = _groups(runs, bool(by))
    comparison = diff(first, second, by=by)
    if json:
        print(_json(comparison))
    else:
        _show(comparison, all_)
    if csv is not None:
        comparison.frame().to_csv(csv, index=False)
    if not no_plot and (plot is not None or not json):
        from ecnomy.analysis.diff.diff_plot import diff_picture

        file = plot if plot is not None else Path(PICTURE)
        drawn = diff_picture(comparison, file)
        said = f"picture: {file}" if drawn else "no picture: the results of the runs were not kept"
        print(said, file=sys.stderr if json else sys.stdout)


def _groups(runs: Sequence[str], by: bool) -> tuple[list[str], list[str]]:
    if _KEPT in runs:
        at = runs.index(_KEPT)
        first, second = list(runs[:at]), list(runs[at + 1 :])
        if not first or not second or _KEPT in second:
            raise InputError("expected two groups separated by `--`: A1 A2 ... -- B1 B2 ...")
        return first, second
    if len(runs) != (1 if by else 2):
        wanted = (
            "one with --by: the folder of a sweep" if by else "two, or two groups separated by `--`"
        )
        found = "1 name" if len(runs) == 1 else f"{len(runs)} names"
        raise InputError(f"found {found}, expected {wanted}")
    return [runs[0]], list(runs[1:])


def _show(comparison: Diff, everything: bool) -> None:
    from ecnomy.analysis.diff import table

    console = console_for_tables()
    console.print(table.heading(comparison), style="bold", markup=False)
    for note in (*comparison.first.left_out, *comparison.second.left_out):
        console.print(f"left out: {note}", markup=False)
    console.print()
    console.print("Differences between the scenarios", style="bold", markup=False)
    for line in table.settings_lines(comparison):
        console.print(line, markup=False)
    console.print()
    most = len(comparison.outcomes) if everything else table.MOST_ROWS
    if comparison.outcomes:
        console.print(table.outcome_table(comparison, most))
    else:
        console.print("all outcomes are the same in all runs", markup=False)
    if (more := len(comparison.outcomes) - most) > 0:
        word = "outcome" if more == 1 else "outcomes"
        console.print(f"... and {more} more {word} (shown with --all)", markup=False)
    console.print()
    for line in table.legend(comparison):
        console.print(line, style="dim", markup=False)
    lines = list(table.sentences(comparison))
    if lines:
        console.print()
    for line in lines:
        console.print(line, markup=False)


def _json(comparison: Diff) -> str:
    import msgspec

    def group(one: Any) -> dict[str, Any]:
        members = [{"run": m.label, "seed": m.seed} for m in one.members]
        return {"name": one.name, "runs": members, "left_out": one.left_out}

    document = {
        "first": group(comparison.first),
        "second": group(comparison.second),
        "pairs": comparison.pairs,
        "why_unpaired": comparison.why_unpaired,
        "settings": comparison.settings,
        "outcomes": [
            {**msgspec.to_builtins(one), "differs": one.differs} for one in comparison.outcomes
        ],
        "same": comparison.same,
        "missing": comparison.missing,
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode()
