# SPDX-License-Identifier: Apache-2.0
"""The verb `export`, which writes OMNeT++ projects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.cli.options import Changes, Seed
from ecnomy.markets.support.printable import say

__all__ = ["export_command"]

Folder = Annotated[Path, typer.Argument(help="Folder to create. It must not exist yet.")]
Exported = Annotated[Path, typer.Argument(help="Scenario file or sweep file.")]


def export_command(
    config: Exported, folder: Folder, set_: Changes = None, seed: Seed = None
) -> None:
    """Export a scenario or a sweep as an OMNeT++ project."""
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.omnet.export import project, write_new
    from ecnomy.markets.omnet.installation import project_folder
    from ecnomy.markets.scenario import load
    from ecnomy.markets.sweep.config import is_sweep, refuse_changes

    if is_sweep(config):
        refuse_changes(config, set_, seed)
        return _export_sweep(config, folder)
    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    positions = scenario.document.network.positions
    write_new(folder, project(plan, str(project_folder()), positions))
    print(f"OMNeT++ project: {folder} (to run it, see README.txt)")


def _export_sweep(config: Path, folder: Path) -> None:
    from ecnomy.markets.omnet.export import write_new
    from ecnomy.markets.omnet.installation import project_folder
    from ecnomy.markets.support.wording import counted
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.omnet.export import not_exported, sweep_project

    sweep = load_sweep(config)
    write_new(folder, sweep_project(sweep, str(project_folder())))
    for parameter in not_exported(sweep):
        say(f"ecnomy: {config}: not exported: {parameter}", sys.stderr)
    print(f"OMNeT++ project: {folder}, {counted(len(sweep), 'run')} (to run it, see README.txt)")
