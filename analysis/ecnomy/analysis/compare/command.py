# SPDX-License-Identifier: Apache-2.0
"""The verb `compare`: runs one scenario on two engines and gives a verdict on each outcome."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Jobs
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.session.progress import RunCounter

__all__ = ["compare_command"]

JSON: Final = "compare.json"
PICTURE: Final = "compare.png"

Config = Annotated[Path, typer.Argument(help="Scenario file, e.g. configs/examples/sample.yaml.")]
Seeds = Annotated[
    int, typer.Option(help="Number of seeds N. Both engines run seeds 1 to N.", min=2)
]
Engines = Annotated[str, typer.Option(help="Two engines to compare, with the reference first.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one value of the scenario. Repeatable."
    ),
]
Warmup = Annotated[
    str,
    typer.Option(
        help="Use this warm-up instead of the scenario's, e.g. '20 s'.", show_default=False
    ),
]
Out = Annotated[
    Path | None, typer.Option(help="Results folder. Default: results/compare-<scenario>.")
]
Double = Annotated[
    bool,
    typer.Option(
        "--double", help="Double the number of seeds, up to 40, while any row is undecided."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the results folder of every run.")]


def compare_command(
    config: Config,
    seeds: Seeds = 10,
    engines: Engines = "builtin,omnet",
    set_: Changes = None,
    warmup: Warmup = "",
    out: Out = None,
    jobs: Jobs = 1,
    double: Double = False,
    keep: Keep = False,
    as_json: Json = False,
) -> None:
    """Run a scenario on two engines and test whether their results agree.

    If the folder already holds runs, only missing runs are simulated.
    """
    from ecnomy.analysis.compare.comparison import compare, write_comparison
    from ecnomy.analysis.compare.runs import ComparedScenario
    from ecnomy.analysis.support.first_use import scipy_part

    scipy_part("stats")  # fails before minutes of runs rather than after them
    changes = (*(set_ or ()), *((f"warmup={warmup}",) if warmup else ()))
    folder = out or Path("results") / f"compare-{config.stem}"
    study = ComparedScenario(str(config), changes, _engines(engines), folder, keep)
    with stoppable():
        comparison = compare(
            study, seeds, jobs=jobs or os.cpu_count() or 1, double=double, telling=_Progress()
        )
    write_comparison(comparison, folder / JSON)
    if as_json:
        return print_json(comparison)
    _show(comparison, folder)


def _engines(text: str) -> tuple[str, str]:
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.compare.runs import ENGINES, check_engine

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"--engines: found {text!r}, expected two of {', '.join(ENGINES)}")
    for name in names:
        check_engine(name)
    return names[0], names[1]


def _show(comparison: Any, folder: Path) -> None:
    from ecnomy.analysis.compare.comparison_plot import comparison_picture
    from ecnomy.analysis.compare.table import comparison_table, cost_line, sentence

    console = console_for_tables()
    from_s, to_s = (t_ps / PS_PER_S for t_ps in comparison.window_ps)
    console.print(comparison.title or comparison.scenario, style="bold", markup=False)
    console.print(
        f"means over {from_s:g} s to {to_s:g} s with {100 * comparison.level:g} % intervals",
        markup=False,
    )
    console.print(comparison_table(comparison))
    console.print(sentence(comparison), markup=False)
    console.print(cost_line(comparison), markup=False)
    comparison_picture(comparison, folder / PICTURE)
    print(f"picture: {folder / PICTURE}")
    print(f"outcomes: {folder / JSON}")


class _Progress:
    def __init__(self) -> None:
        self._runs = RunCounter()
        self._total = self._there = self._made = 0

    def start(self, total: int, there: int) -> None:
        self._total, self._there, self._made = total, there, 0
        if there:
            self._runs.say(f"{there} of {total} runs reused")
        if total > there:
            self._runs.at(total, there, 0)

    def done(self, task: Any, done: Any) -> None:
        self._made += 1
        self._runs.at(self._total, self._there, self._made)

    def doubled(self, undecided: Sequence[Any], seeds: int) -> None:
        rows = "1 row is" if len(undecided) == 1 else f"{len(undecided)} rows are"
        self._runs.say(f"{rows} undecided; continuing with {seeds} seeds")

    def stop(self) -> None:
        self._runs.stop()
