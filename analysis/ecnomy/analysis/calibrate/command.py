# SPDX-License-Identifier: Apache-2.0
"""The verb `calibrate`: the value of a parameter at which a figure of the runs is a target."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ecnomy.markets.commands import INTERRUPTED, EngineName, terminated
from ecnomy.markets.engines import DEFAULT_ENGINE

if TYPE_CHECKING:
    from rich.table import Table

    from ecnomy.analysis.calibrate.search import Found

__all__ = ["calibrate_command", "calibration_table"]

_WIDTH: Final = 130  # columns, where the output is no terminal

Config = Annotated[Path, typer.Argument(help="A sweep file with `calibrate`.")]
Out = Annotated[Path | None, typer.Option(help="Its folder; default results/<sweep file>.")]
Workers = Annotated[int, typer.Option(help="Local worker processes; 0: one per CPU.", min=0)]
Scheduler = Annotated[str, typer.Option(help="A running dask scheduler, tcp://HOST:PORT.")]
Quick = Annotated[bool, typer.Option("--quick", help="In the form that the file has for it.")]


def calibrate_command(
    config: Config,
    out: Out = None,
    workers: Workers = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Find the value of a parameter at which a figure is a target, with an interval.

    Runs are kept: the same command goes on where it was interrupted.
    """
    import msgspec

    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.optional import scipy_part
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder, unwritten

    signal.signal(signal.SIGTERM, terminated)
    scipy_part("stats")
    sweep = msgspec.structs.replace(load_sweep(config, quick=quick), engine=engine)
    if sweep.calibrate is None:
        raise InputError(f"{config}: found no calibrate, expected a parameter to search for")
    folder = out or default_folder(str(config))
    try:
        found = _searched(sweep, folder, scheduler, workers)
    except OSError as error:
        raise unwritten(error) from error
    except KeyboardInterrupt:
        print("ecnomy: interrupted; the same command goes on from there", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    _print(sweep, found)
    print(f"results: {folder}")


def _searched(sweep: Any, folder: Path, scheduler: str, workers: int) -> list[Found]:
    """With workers that are started when the first run is missing."""
    from ecnomy.analysis.calibrate.calibration import calibrated
    from ecnomy.markets.sweep.command import observer_of
    from ecnomy.markets.sweep.pool import DaskPool, LazyPool

    pool = LazyPool(lambda: DaskPool(scheduler, workers, sweep.limits))
    observers: list[Any] = []

    def told(total: int, missing: int) -> Any:
        for each in observers:
            each.stop()
        print(f"ecnomy: {missing} of {total} runs asked for so far to make", file=sys.stderr)
        observers.append(observer_of(total))
        return observers[-1]

    try:
        return calibrated(sweep, folder, pool, told)
    finally:
        for each in observers:
            each.stop()
        pool.close()


def _print(sweep: Any, found: list[Found]) -> None:
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(calibration_table(sweep, found))
    for each in found:
        if each.why:
            console.print(f"{_point(each)}{each.verdict}: {each.why}", markup=False)


def calibration_table(sweep: Any, found: list[Found]) -> Table:
    """A row for each search: the point it was for, target, value and figure with intervals."""
    from rich.table import Table

    calibration = sweep.calibrate
    unit = f" [{calibration.range.unit}]" if calibration.range.unit else ""
    table = Table(title=sweep.title or None, title_justify="left")
    for name in found[0].params if found else ():
        table.add_column(name.removeprefix("sources.").removeprefix("network.links."))
    for name in ("target", f"{calibration.path.rpartition('.')[2]}{unit}", "90 %"):
        table.add_column(name.replace("[", r"\["), justify="right")
    for name in (f"{calibration.figure} there", "99 %", "runs"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for each in found:
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


def _point(found: Found) -> str:
    told = ", ".join(f"{path} {value}" for path, value in found.params.items())
    return f"{told}: " if told else ""
