# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Changes", "Config", "EngineName", "Jobs", "Seed", "SweepEngine", "WithoutMarket"]

Config = Annotated[Path, typer.Argument(help="A scenario, such as configs/examples/sample.yaml.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change one value; may be repeated."),
]
Seed = Annotated[int | None, typer.Option(help="In place of the scenario's seed.")]
WithoutMarket = Annotated[
    bool, typer.Option("--no-market", help="Packets only: nobody pays, nobody decides.")
]
EngineName = Annotated[
    str, typer.Option("--engine", help="builtin, or omnet: OMNeT++/INET.", metavar="NAME")
]
SweepEngine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="builtin, or omnet: OMNeT++/INET; default: the sweep file's, then the folder's.",
        metavar="NAME",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Runs at a time; 0: one per CPU.", min=0)]
