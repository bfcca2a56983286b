# SPDX-License-Identifier: Apache-2.0
"""The verb `tune`: finds the parameter values at which an outcome is best or meets a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ecnomy.analysis.sweeps.searching import workers_when_needed
from ecnomy.markets.cli.options import Jobs, SweepEngine
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.cli.sweeping import Out, Quick, Scheduler, resumable

if TYPE_CHECKING:
    from rich.table import Table

    from ecnomy.analysis.tune.best_values import TuningAnswer
    from ecnomy.markets.sweep.config import Sweep

__all__ = ["PICTURE", "answer_table", "answer_values", "answer_words", "tune_command"]

PICTURE: Final = "tune.png"

Config = Annotated[Path, typer.Argument(help="Sweep file with a `tune` section.")]
NoPlot = Annotated[bool, typer.Option("--no-plot", help="Do not draw a picture.")]


def tune_command(
    config: Config,
    out: Out = None,
    workers: Jobs = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    no_plot: NoPlot = False,
    engine: SweepEngine = None,
    as_json: Json = False,
) -> None:
    """Find the parameter values that optimise an outcome or meet a target.

    Completed runs are kept. Run the same command again to resume.
    """
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder
    from ecnomy.markets.sweep.engine_choice import with_engine

    folder = out or default_folder(str(config))
    sweep = with_engine(load_sweep(config, quick=quick), engine, folder)
    if sweep.tune is None:
        raise InputError(
            f"{config}: missing 'tune', the section that names the parameters to search"
        )
    with resumable():
        answer = _searched(sweep, folder, scheduler, workers)
        if as_json:
            return print_json(answer_values(sweep, answer, folder))
        _print(sweep, answer, folder)
        if not no_plot:
            _draw(sweep, answer, folder / PICTURE)


def _searched(sweep: Sweep, folder: Path, scheduler: str, workers: int) -> TuningAnswer:
    from ecnomy.analysis.tune.run_search import tuned

    with workers_when_needed(sweep.limits, scheduler, workers) as (pool, observer_of):
        return tuned(sweep, folder, pool, observer_of)


def _print(sweep: Sweep, answer: TuningAnswer, folder: Path) -> None:
    console = console_for_tables()
    console.print(answer_table(sweep, answer))
    for line in answer_words(sweep, answer):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"results: {folder}", markup=False, soft_wrap=True)


def _draw(sweep: Sweep, answer: TuningAnswer, file: Path) -> None:
    from ecnomy.analysis.tune.tuning_plot import tuning_picture

    tuning_picture(sweep, answer, file)
    print(f"picture: {file}")


def answer_table(sweep: Sweep, answer: TuningAnswer) -> Table:
    """Return a table with a row per parameter: best value, and ranges of equally good values."""
    from ecnomy.markets.cli.table_fit import titled_table

    assert sweep.tune is not None
    table = titled_table(sweep.title)
    table.add_column("parameter")
    for name in ("best", "as good", "within 1 % of the best", "searched"):
        table.add_column(name, justify="right")
    spans = (answer.values, answer.same, answer.near)
    for path, r, value, same, near in zip(sweep.tune.paths, sweep.tune.ranges, *spans, strict=True):
        unit = f" [{r.unit}]" if r.unit else ""
        cells = (f"{value:.4g}", *(f"{a:.4g} to {b:.4g}" for a, b in (same, near, (r.low, r.high))))
        table.add_row(f"{path}{unit}".replace("[", r"\["), *cells)
    return table


def answer_words(sweep: Sweep, answer: TuningAnswer) -> list[str]:
    """Return the answer in sentences."""
    assert sweep.tune is not None
    tuning, there = sweep.tune, answer.outcome
    aims = {"maximise": "highest", "minimise": "lowest"}
    aim = aims.get(tuning.aim, f"nearest to {tuning.target:.4g}")
    at = ", ".join(f"{path} {value}" for path, value in tuning.assignment(answer.values).items())
    lines = [f"{answer.verdict}: {tuning.outcome} is {aim} at {at}"]
    for name, each in [(tuning.outcome, there)] + [
        (bound.outcome, each) for bound, each in zip(tuning.bounds, answer.bounds, strict=True)
    ]:
        interval_text = f"{each.mean:.4g} [{each.low:.4g}, {each.high:.4g}]"
        lines.append(
            f"{name} there: {interval_text} ({100 * each.level:g} % interval over {each.n} seeds "
            "not used in the search)"
        )
    if answer.why:
        lines.append(answer.why)
    runs = len(answer.tried) * sweep.replicates + there.n
    tried_text = (
        f"tried {len(answer.tried)} values with {sweep.replicates} seeds each ({runs} runs)"
    )
    lines.append(
        f"{tried_text}; 'as good' means not distinguishable from the best with these seeds (95 %)"
    )
    return lines


def answer_values(sweep: Sweep, answer: TuningAnswer, folder: Path) -> dict[str, Any]:
    """Return the search and its answer as plain values (see best_values.TuningAnswer)."""
    assert sweep.tune is not None
    return {
        "folder": folder,
        "title": sweep.title,
        "aim": sweep.tune.aim,
        "outcome": sweep.tune.outcome,
        "parameters": sweep.tune.paths,
        "units": [r.unit or None for r in sweep.tune.ranges],
        "constraints": [bound.outcome for bound in sweep.tune.bounds],
        "best": sweep.tune.assignment(answer.values),
        "found": answer,
    }
