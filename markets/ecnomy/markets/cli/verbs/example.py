# SPDX-License-Identifier: Apache-2.0
"""The verb `example`, which copies example scenarios."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.printing import Json, hanging, print_json

__all__ = ["example_command"]


def _names() -> list[str]:
    """Return the names of the examples, for completion in a shell."""
    from ecnomy.markets.reference.examples import titles

    return list(titles())


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="Example to copy, e.g. gold-silver. Default: list all examples.",
        autocompletion=_names,
    ),
]
Into = Annotated[
    Path, typer.Option("--into", metavar="DIR", help="Folder to copy the example into.")
]


All = Annotated[
    bool, typer.Option("--all", help="Copy all examples, sweeps and studies to configs/.")
]


def example_command(
    name: Name = None, every: All = False, into: Into = Path(), as_json: Json = False
) -> None:
    """Copy an example scenario here, with the files that it needs, or list the examples."""
    from ecnomy.markets.reference.examples import copy_all, copy_example, titles
    from ecnomy.markets.support.wording import exclusive

    if every:
        if name is not None:
            raise InputError(exclusive("--all", f"the example {name}"))
        files = copy_all(into)
        if as_json:
            return print_json([str(file) for file in files])
        print(f"{len(files)} files in {into / 'configs'}")
        print(f"Run one with: {_run(into / 'configs/examples/gold-silver.yaml')}")
        return
    if name is not None:
        files = copy_example(name, into)
        if as_json:
            return print_json([str(file) for file in files])
        for file in files:
            print(file)
        print(f"Run it with: {_run(files[0])}")
        return
    listed = titles()
    if as_json:
        return print_json(listed)
    longest = max(map(len, listed))
    for one, title in listed.items():
        print(hanging(f"{one:<{longest}}  ", title))
    print("\nTo copy one into this folder, run: ecnomy example NAME")
    print("To copy all examples, sweeps and studies, run: ecnomy example --all")


def _run(file: Path) -> str:
    return shlex.join(["ecnomy", "run", str(file)])
