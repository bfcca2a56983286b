# SPDX-License-Identifier: Apache-2.0
"""The verb `calibrate`: finds the value of a parameter at which an outcome meets a target."""

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

    from ecnomy.analysis.calibrate.search import SearchResult

__all__ = ["calibrate_command", "calibration_table"]

# columns of a sweep's table that are not outcomes (analysis.sweeps.open_sweep)
_NO_FIGURES: Final = frozenset(
    ("run", "number", "point", "replicate", "label", "engine", "seed", "status", "reason", "worker")
)

Config = Annotated[Path, typer.Argument(help="Sweep file with a `calibrate` section.")]


def calibrate_command(
    config: Config,
    out: Out = None,
    workers: Jobs = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    engine: SweepEngine = None,
    as_json: Json = False,
) -> None:
    """Find the value of a parameter at which an outcome meets a target, with an interval.

    Completed runs are kept. Run the same command again to resume.
    """
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.support.first_use import scipy_part
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder
    from ecnomy.markets.sweep.engine_choice import with_engine

    scipy_part("stats")
    folder = out or default_folder(str(config))
    sweep = with_engine(load_sweep(config, quick=quick), engine, folder)
    if sweep.calibrate is None:
        raise InputError(
            f"{config}: missing 'calibrate', the section that names the parameter to search"
        )
    _check_figure(sweep)
    with resumable():
        results = _searched(sweep, folder, scheduler, workers)
    if as_json:
        return print_json(_values(sweep, results, folder))
    _print(sweep, results)
    print(f"results: {folder}")


def _check_figure(sweep: Any) -> None:
    from ecnomy.agents.errors import InputError

    figure = sweep.calibrate.figure
    varied = {path for block in sweep.blocks for path in block.paths}
    if figure in _NO_FIGURES or figure in varied:
        fault = (
            f"{sweep.file}: calibrate.figure: found {figure!r}, which is not an outcome of a run"
        )
        raise InputError(f"{fault}, expected an outcome such as 'gold.goodput_bps'")


def _values(sweep: Any, results: list[SearchResult], folder: Path) -> dict[str, Any]:
    calibration = sweep.calibrate
    return {
        "folder": folder,
        "title": sweep.title,
        "parameter": calibration.path,
        "unit": calibration.range.unit or None,
        "figure": calibration.figure,
        "found": results,
    }


def _searched(sweep: Any, folder: Path, scheduler: str, workers: int) -> list[SearchResult]:
    from ecnomy.analysis.calibrate.calibration import calibrated

    with workers_when_needed(sweep.limits, scheduler, workers) as (pool, observer_of):
        return calibrated(sweep, folder, pool, observer_of)


def _print(sweep: Any, results: list[SearchResult]) -> None:
    console = console_for_tables()
    console.print(calibration_table(sweep, results))
    for each in results:
        if each.why:
            console.print(f"{_point(each)}{each.verdict}: {each.why}", markup=False)


def calibration_table(sweep: Any, results: list[SearchResult]) -> Table:
    """Return a table with a row per search: point, target, value, outcome and verdict."""
    from ecnomy.markets.cli.table_fit import titled_table

    calibration = sweep.calibrate
    unit = f" [{calibration.range.unit}]" if calibration.range.unit else ""
    table = titled_table(sweep.title)
    for name in results[0].params if results else ():
        table.add_column(name.removeprefix("sources.").removeprefix("network.links."))
    for name in ("target", f"{calibration.path.rpartition('.')[2]}{unit}", "90 %"):
        table.add_column(name.replace("[", r"\["), justify="right")
    for name in (f"{calibration.figure} there", "99 %", "runs"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for each in results:
        value = each.interval
        values = f"{value.low:.4g} to {value.high:.4g}" if value else "-"
        figures = f"{each.figure.low:.3g} to {each.figure.high:.3g}"
        runs = sweep.replicates * (len(each.tried) + (each.verdict != "not reachable"))
        table.add_row(
            *(str(value) for value in each.params.values()), f"{each.target:.3g}",
            f"{each.value:.4g}" if value else "-", values, f"{each.figure.mean:.3g}", figures,
            str(runs), each.verdict,
        )  # fmt: skip
    return table


def _point(search_result: SearchResult) -> str:
    parameters_text = ", ".join(f"{path} {value}" for path, value in search_result.params.items())
    return f"{parameters_text}: " if parameters_text else ""
