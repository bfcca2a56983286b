# SPDX-License-Identifier: Apache-2.0
"""The verb `export` of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.commands import Changes, Config, Seed

__all__ = ["export_command"]

Folder = Annotated[Path, typer.Argument(help="A folder that is not there yet.")]


def export_command(config: Config, folder: Folder, set_: Changes = None, seed: Seed = None) -> None:
    """Write a scenario as an OMNeT++ project: network, parameters, how to run it."""
    from ecnomy.markets.omnet.export import project, write_new
    from ecnomy.markets.omnet.installation import project_folder
    from ecnomy.markets.plan.make import make_plan
    from ecnomy.markets.scenario import load

    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    positions = scenario.document.network.positions
    write_new(folder, project(plan, str(project_folder()), positions))
    print(f"OMNeT++ project: {folder} (README.txt says how to run it)")
