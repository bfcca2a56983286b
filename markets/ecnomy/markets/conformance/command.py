# SPDX-License-Identifier: Apache-2.0
"""The verbs `test-strategy` and `strategies` (entry points `ecnomy.commands`).

A strategy's parameters are read as a scenario's are, units and all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.printing import Json, hanging, print_json

if TYPE_CHECKING:
    from ecnomy.agents.spec import Params
    from ecnomy.markets.conformance.listing import Listed

__all__ = ["parameters", "strategies_command", "test_strategy_command"]

Kind = Annotated[
    str, typer.Argument(metavar="STRATEGY", help="my_lab.strategies:Patient, or a name.")
]
Param = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="KEY=VALUE", help="As in YAML: --param 'ceiling=2 money/s'."),
]
Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="One strategy, in full; default: all.")
]
AsRole = Annotated[
    list[str] | None,
    typer.Option("--role", metavar="ROLE", help="One role in place of all that it fits."),
]


def test_strategy_command(
    kind: Kind, param: Param = None, role: AsRole = None, as_json: Json = False
) -> None:
    """Show a strategy hostile situations, and say what it does wrong; exit 1 if anything."""
    from ecnomy.agents.errors import InputError, StrategyError
    from ecnomy.agents.find import look_beside
    from ecnomy.markets.conformance import examine

    look_beside(".")
    params = parameters(kind, tuple(param or ()))
    try:
        found = examine(kind, params, roles=tuple(role or ()))
    except StrategyError as error:
        raise InputError(str(error)) from None
    if as_json:
        print_json(found)
        raise typer.Exit(1 if found.defects else 0)
    for defect in found.defects:
        print(f"defect: {defect.line()}")
    for refusal in found.refusals:
        print(f"refused: {refusal.line().removeprefix('refuses: ')}")
    for warning in found.warnings:
        print(f"{warning.line()}")
    count = len(found.defects)
    told = "no defects" if not count else "1 defect" if count == 1 else f"{count} defects"
    print(f"{kind} as {', '.join(found.roles)}: {told} in {found.situations} situations")
    if count:
        raise typer.Exit(1)


def parameters(kind: str, given: tuple[str, ...]) -> Params:
    """The parameters in `key=value` words, as a scenario would read them.

    Raises:
        InputError: there is no such strategy, or it takes no such parameters.
    """
    from ecnomy.markets.inputs.overrides import apply
    from ecnomy.markets.inputs.yamlfile import Node, Place
    from ecnomy.markets.scenario.strategy import StrategyReader

    here = Place("STRATEGY", None)
    node = Node({"kind": Node(kind, here, kind)}, here, keys={"kind": here})
    for word in given:
        node = apply(node, word, "--param")
    return StrategyReader().read(node, "").params


def strategies_command(name: Name = None, as_json: Json = False) -> None:
    """List the installed strategies by role; with a name, show its parameters and answers."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.conformance.listing import installed

    listed = [one for one in installed() if name in (None, one.name)]
    if not listed:
        raise InputError(f"{name}: no such strategy; `ecnomy strategies` lists them")
    if as_json:
        print_json([one.plain() for one in listed])
    elif name is None:
        _show(listed)
    else:
        _show_one(listed[0])


def _show(listed: list[Listed]) -> None:
    """One line a strategy, under the roles that it fits."""
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
    print("ecnomy strategies NAME shows the parameters and answers of one.")


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
