# SPDX-License-Identifier: Apache-2.0
"""The verb `merge`, which merges the shards of a sweep."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecnomy.markets.cli.options import SweepEngine
from ecnomy.markets.cli.printing import Json, print_json
from ecnomy.markets.cli.sweeping import Out, Quick, chosen_options, command_on, resumable
from ecnomy.markets.support.printable import say
from ecnomy.markets.support.wording import counted

__all__ = ["merge_command"]

Config = Annotated[Path, typer.Argument(help="Sweep file of the shards.")]
SHOWN = 10  # shards that are listed at most


def merge_command(
    config: Config,
    out: Out = None,
    quick: Quick = False,
    engine: SweepEngine = None,
    as_json: Json = False,
) -> None:
    """Merge the shards of a sweep (`sweep --shard`). The exit status is 1 if runs are missing."""
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder
    from ecnomy.markets.sweep.engine_choice import with_engine
    from ecnomy.markets.sweep.making import merge

    folder = out or default_folder(str(config))
    sweep = with_engine(load_sweep(config, quick=quick), engine, folder)
    with resumable():
        merged = merge(sweep, folder)
    missing = sum(merged.missing.values())
    for file in merged.damaged:
        say(f"ecnomy: {file} is incomplete or altered, so it was not merged", sys.stderr)
    if as_json:
        print_json(
            {
                "folder": folder,
                "shards": [str(part) for part in merged.parts],
                "busy": [str(part) for part in merged.busy],
                "damaged": merged.damaged,
                "runs": {
                    "asked": merged.runs,
                    "missing": missing,
                    "failed": merged.failed,
                },
            }
        )
    else:
        again = command_on("sweep", config, folder, chosen_options(quick, engine))
        _print(merged, missing, again, folder)
    if missing:
        raise typer.Exit(1)


def _print(merged: Any, missing: int, again: str, folder: Path) -> None:
    done = merged.runs - missing
    failed = f"; {merged.failed} failed" if merged.failed else ""
    print(f"{done} of {merged.runs} runs, from {counted(len(merged.parts), 'shard')}{failed}")
    if merged.busy:
        print(f"still running and not merged: {_shards(merged.busy)}")
    if merged.others:
        print(
            f"ignored {counted(merged.others, 'run')} of the shards that the current sweep file "
            "does not request"
        )
    if missing:
        lacking = [f"{part} ({n})" for part, n in sorted(merged.missing.items()) if part]
        where = f" in {_shards(lacking)}" if lacking else ""
        be = "is" if missing == 1 else "are"
        print(f"{counted(missing, 'run')} {be} missing{where}; to complete the sweep, run: {again}")
    quoted = shlex.quote(str(folder))
    print(f"results: {folder}")
    print(f"table and plot: ecnomy show {quoted}")
    print(f"page: ecnomy report {quoted}")


def _shards(items: Any) -> str:
    """Return a text that lists the first shards and the number of the others."""
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    listed = ", ".join(str(one) for one in items[:SHOWN]) + more
    return f"shard{'' if len(items) == 1 else 's'} {listed}"
