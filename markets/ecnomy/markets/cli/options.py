# SPDX-License-Identifier: Apache-2.0
"""Define the options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Changes", "Config", "EngineName", "Jobs", "Seed", "SweepEngine", "WithoutMarket"]

Config = Annotated[Path, typer.Argument(help="Scenario file, e.g. configs/examples/sample.yaml.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one value of the scenario. Repeatable."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Use this seed instead of the scenario's.")]
WithoutMarket = Annotated[
    bool, typer.Option("--no-market", help="Simulate packets only, without payments or agents.")
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Engine to run: builtin, omnet (OMNeT++/INET) or linux (the kernel's TCP in "
        "real time).",
        metavar="NAME",
    ),
]
SweepEngine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Engine to run: builtin or omnet (OMNeT++/INET). Default: the engine in the sweep "
        "file, otherwise the engine of the results folder, otherwise builtin.",
        metavar="NAME",
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Number of parallel runs. 0 means one per CPU.", min=0)
]
