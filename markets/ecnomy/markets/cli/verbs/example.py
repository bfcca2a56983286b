# SPDX-License-Identifier: Apache-2.0
"""The verb `example`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.cli.printing import Json, hanging, print_json

__all__ = ["example_command"]


def _names() -> list[str]:
    """Return the names that a shell completes."""
    from ecnomy.markets.reference.examples import titles

    return list(titles())


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="The example, e.g. gold-silver. Default: list them all.",
        autocompletion=_names,
    ),
]
Into = Annotated[
    Path, typer.Option("--into", metavar="DIR", help="The folder to copy the example into.")
]


def example_command(name: Name = None, into: Into = Path(), as_json: Json = False) -> None:
    """Copy an example scenario here, with the files it is built on, or list the examples."""
    from ecnomy.markets.reference.examples import copy_example, titles

    if name is not None:
        files = copy_example(name, into)
        if as_json:
            return print_json([str(file) for file in files])
        for file in files:
            print(file)
        print(f"Run it with: ecnomy run {files[0]}")
        return
    listed = titles()
    if as_json:
        return print_json(listed)
    longest = max(map(len, listed))
    for one, title in listed.items():
        print(hanging(f"{one:<{longest}}  ", title))
    print("\nTo copy one into this folder, run: ecnomy example NAME")
