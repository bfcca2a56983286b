# SPDX-License-Identifier: Apache-2.0
"""The verb `sensitivity`: shows which parameters of a sweep matter to an outcome."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ecnomy.markets.cli.printing import Json, console_for_tables, print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ecnomy.analysis.sensitivity.indices import Indices, ParameterIndices
    from ecnomy.analysis.sensitivity.sweep import SampledSweep

__all__ = ["indices_table", "ranking_table", "sensitivity_command", "sentence"]

_SHOWN: Final = 3
_HEADS: Final = {"sobol": ("total", "first order"), "morris": ("mu*", "sigma")}

Folder = Annotated[
    Path, typer.Argument(help="Results folder of a sweep with a `sobol` or `morris` block.")
]
Outcome = Annotated[
    list[str] | None, typer.Option(help="Column to analyse. Repeatable. Default: all columns.")
]
Plot = Annotated[
    Path | None,
    typer.Option(help="File for the picture. Default: SWEEP/sensitivity.png.", metavar="FILE"),
]
NoPlot = Annotated[bool, typer.Option("--no-plot", help="Do not draw a picture.")]


def sensitivity_command(
    sweep: Folder,
    outcome: Outcome = None,
    plot: Plot = None,
    no_plot: NoPlot = False,
    as_json: Json = False,
) -> None:
    """Rank parameters by Sobol's or Morris's indices from a finished sweep.

    Without --outcome, print the most important parameters of each outcome.
    """
    from ecnomy.agents.errors import ResultsError
    from ecnomy.analysis.sensitivity.sweep import indices_of, sampled, varying
    from ecnomy.analysis.support.whole_file import place_for

    if plot is not None:
        place_for(plot, "--plot")
    runs = sampled(sweep)
    indices = [indices_of(runs, name) for name in outcome] if outcome else varying(runs)
    if not indices:
        raise ResultsError(f"{sweep}: found no outcome that varies, expected at least one")
    if as_json:
        return print_json(_values(runs, indices))
    console = console_for_tables()
    _head(console, runs)
    if not outcome:
        console.print(ranking_table(indices))
        words = "For details of one outcome and a picture, run"
        console.print(f"{words}: ecnomy sensitivity {sweep} --outcome NAME", markup=False)
        return
    for each in indices:
        _print(console, each)
    if not no_plot:
        from ecnomy.analysis.sensitivity.indices_plot import indices_picture

        file = plot or sweep / "sensitivity.png"
        indices_picture(runs.title, indices, file)
        console.print(f"picture: {file}", markup=False, soft_wrap=True)


def _head(console: Console, runs: SampledSweep) -> None:
    plan = runs.plan
    console.print(runs.title or runs.folder.name, style="bold", markup=False)
    what = "base samples" if plan.kind == "sobol" else f"trajectories over {plan.levels} levels"
    words = f"{plan.kind}: {plan.samples} {what}, {len(plan.paths)} parameters"
    summary = f"{words}, {len(runs.runs)} runs, {runs.replicates} at each point"
    if runs.missing:
        are = "is" if runs.missing == 1 else "are"
        summary += f"; {runs.missing} {are} missing or failed (run `ecnomy sweep` again)"
    console.print(summary, markup=False)


def _print(console: Console, indices: Indices) -> None:
    console.print()
    console.print(indices_table(indices))
    if indices.pairs:
        console.print(_pairs_table(indices))
    for line in sentence(indices):
        console.print(line, markup=False)


def indices_table(indices: Indices) -> Table:
    """Return the table of indices, with a row for each parameter in order of importance."""
    from ecnomy.markets.cli.table_fit import titled_table

    main, other = _HEADS[indices.kind]
    title = (
        f"{indices.outcome}: mean {indices.mean:.4g}, standard deviation {indices.deviation:.3g}"
    )
    table = titled_table(title.replace("[", r"\["))
    table.add_column("parameter")
    heads = (
        (main, "95 %", other, "95 %") if indices.kind == "sobol" else (main, "95 %", "mu", other)
    )
    for name in heads:
        table.add_column(name, justify="right")
    table.add_column("")
    for one in indices.each:
        table.add_row(one.parameter, *_cells(one, indices.kind), "matters" if one.matters else "")
    return table


def _cells(one: ParameterIndices, kind: str) -> tuple[str, ...]:
    if kind == "sobol":
        first = _span(one.other, one.other_half, ".2f")
        total = _span(one.main, one.main_half, ".2f")
        return f"{one.main:.2f}", total, f"{one.other:.2f}", first
    span = _span(one.main, one.main_half, ".3g")
    return f"{one.main:.3g}", span, f"{one.mu:+.3g}", f"{one.other:.3g}"


def _span(middle: float, half: float, form: str) -> str:
    return f"{middle - half:{form}} to {middle + half:{form}}"


def _pairs_table(indices: Indices) -> Table:
    from ecnomy.markets.cli.table_fit import titled_table

    table = titled_table("interactions of two parameters")
    table.add_column("parameters")
    table.add_column("second order", justify="right")
    table.add_column("95 %", justify="right")
    for pair in indices.pairs[:_SHOWN]:
        names = f"{pair.first}, {pair.second}"
        table.add_row(names, f"{pair.index:.2f}", _span(pair.index, pair.half, ".2f"))
    return table


def sentence(indices: Indices) -> list[str]:
    """Return sentences on the meaning and the limits of the indices."""
    names, count = indices.that_matter, len(indices.each)
    if not names:
        lines = [
            f"no parameter has a measurable effect on {indices.outcome}; more samples may show one"
        ]
    elif len(names) == 1:
        lines = [f"one parameter of {count} matters to {indices.outcome}: {names[0]}"]
    else:
        rest = len(names) - _SHOWN
        top = f"above all {', '.join(names[:_SHOWN])}" if rest > 0 else ", ".join(names)
        lines = [f"{len(names)} parameters of {count} matter to {indices.outcome}: {top}"]
    if math.isnan(indices.noise):
        lines.append("one run at each point: chance and effects of parameters cannot be separated")
    else:
        floor = f"{indices.floor:.2f}" if indices.kind == "sobol" else f"{indices.floor:.3g}"
        name = _HEADS[indices.kind][0]
        lines.append(
            f"{100 * indices.noise:.2g} % of the variance of individual runs comes from the seed, "
            f"not from a parameter. By chance, a parameter without effect would have a {name} "
            f"index of about {floor}"
        )
    if indices.left_out:
        one, many = ("base sample", "base samples")
        if indices.kind != "sobol":
            one, many = ("trajectory", "trajectories")
        what = one if indices.left_out == 1 else many
        lines.append(f"left out: {indices.left_out} {what} with runs that lack the outcome")
    return lines


def ranking_table(indices: list[Indices]) -> Table:
    """Return the table of outcomes, each with its noise and up to three parameters that matter."""
    from ecnomy.markets.cli.table_fit import titled_table

    table = titled_table("most important parameters of each outcome")
    table.add_column("outcome", no_wrap=True)
    for name in ("first", "second", "third"):
        table.add_column(name)
    table.add_column("between seeds", justify="right")
    for each in indices:
        named = [one for one in each.each if one.matters][:_SHOWN]
        shares = [f" {one.main:.2f}" if each.kind == "sobol" else "" for one in named]
        cells = [f"{_short(o.parameter)}{share}" for o, share in zip(named, shares, strict=True)]
        noise = "-" if math.isnan(each.noise) else f"{100 * each.noise:.2g} %"
        table.add_row(each.outcome, *cells, *["-"] * (_SHOWN - len(cells)), noise)
    if indices[0].kind == "sobol":
        table.caption = "with the total index of each"
        table.caption_justify = "left"
    return table


def _short(path: str) -> str:
    return ".".join(path.split(".")[-2:])


def _values(runs: SampledSweep, indices: list[Indices]) -> dict[str, Any]:
    """Return the plan and the indices of each outcome (see indices.Indices)."""
    import msgspec

    def fields(each: Indices) -> dict[str, Any]:
        return {**msgspec.structs.asdict(each), "that_matter": each.that_matter}

    return {
        "folder": runs.folder,
        "title": runs.title,
        "plan": runs.plan,
        "missing": runs.missing,
        "outcomes": [fields(each) for each in indices],
    }
