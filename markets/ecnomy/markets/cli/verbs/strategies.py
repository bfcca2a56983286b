# SPDX-License-Identifier: Apache-2.0
"""The verb `strategies`, which lists strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.cli.printing import Json, hanging, print_json

if TYPE_CHECKING:
    from ecnomy.markets.conformance.listing import Listed

__all__ = ["strategies_command"]

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="Show this strategy in full. Default: list all strategies."
    ),
]


def strategies_command(name: Name = None, as_json: Json = False) -> None:
    """List the installed strategies by role, or show one in full."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.conformance.listing import installed

    listed = [one for one in installed() if name in (None, one.name)]
    if not listed:
        raise InputError(f"{name}: no such strategy; `ecnomy strategies` lists all strategies")
    if as_json:
        print_json([one.plain() for one in listed])
    elif name is None:
        _show(listed)
    else:
        _show_one(listed[0])


def _show(listed: list[Listed]) -> None:
    """Print one line per strategy, under the roles that it fits."""
    by_roles: dict[str, list[tuple[str, str]]] = {}
    for one in listed:
        name = one.name if one.origin == "ecnomy" else f"{one.name} ({one.origin})"
        roles = ", ".join(one.roles) or "no role"
        by_roles.setdefault("cannot be used" if one.fault else roles, []).append(
            (name, one.fault or one.does)
        )
    longest = max(len(name) for rows in by_roles.values() for name, _ in rows)
    for roles, rows in sorted(by_roles.items()):
        print(f"{roles}:")
        for name, does in rows:
            print(hanging(f"  {name:<{longest}}  ", does))
        print()
    print("For the parameters and answers of a strategy, run: ecnomy strategies NAME")


def _show_one(one: Listed) -> None:
    print(hanging(f"{one.name}: ", f"cannot be used: {one.fault}" if one.fault else one.does))
    for head, lines in (
        ("package", [one.origin]),
        ("for", one.roles),
        ("answers", one.answers),
        ("parameters", [field.words() for field in one.parameters]),
    ):
        for number, line in enumerate(lines):
            print(hanging(f"  {'' if number else head:<10}  ", line))
