# SPDX-License-Identifier: Apache-2.0
"""The verb `new`, which creates files from templates."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.cli.printing import Json, print_json

__all__ = ["new_command"]


def _kinds() -> list[tuple[str, str]]:
    """Return the kinds of templates and their descriptions, for completion in a shell."""
    from ecnomy.markets.reference.templates import TEMPLATES

    return [(kind, template.about) for kind, template in TEMPLATES.items()]


Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="Kind of template: scenario, strategy (of a provider), handler (strategy of users), "
        "role, law (C++) or study (a sweep).",
        autocompletion=_kinds,
    ),
]
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name for the new files, e.g. my-market.")
]
Into = Annotated[
    Path, typer.Option("--into", metavar="DIR", help="Folder to write the files into.")
]


def new_command(kind: Kind, name: Name, into: Into = Path(), as_json: Json = False) -> None:
    """Start a scenario, strategy, handler, role, law or study from an example with a test."""
    from ecnomy.markets.reference.templates import make_new

    made = make_new(kind, name, into)
    if as_json:
        return print_json({"files": [str(file) for file in made.files], "next": list(made.then)})
    for file in made.files:
        print(file)
    print("\nNext:")
    hint = "" if importlib.util.find_spec("pytest") else "  # after: pip install pytest"
    for command in made.then:
        print(f"  {command}{hint if 'pytest' in command.split() else ''}")
