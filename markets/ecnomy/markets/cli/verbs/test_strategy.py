# SPDX-License-Identifier: Apache-2.0
"""The verb `test-strategy`, which tests a strategy with parameters as in a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.cli.printing import Json, print_json

if TYPE_CHECKING:
    from ecnomy.agents.spec import Params

__all__ = ["parameters", "test_strategy_command"]

Kind = Annotated[
    str,
    typer.Argument(
        metavar="STRATEGY",
        help="Name of a strategy, or module:Class, e.g. my_lab.strategies:Patient.",
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="KEY=VALUE",
        help="Set a parameter as in YAML: --param 'ceiling=2 money/s'. Repeatable.",
    ),
]
AsRole = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="Test only this role. Default: every role that the strategy fits. Repeatable.",
    ),
]


def test_strategy_command(
    kind: Kind, param: Param = None, role: AsRole = None, as_json: Json = False
) -> None:
    """Test a strategy in hostile situations. The exit status is 1 if it has defects."""
    from ecnomy.agents.errors import InputError, StrategyError
    from ecnomy.agents.find import look_beside
    from ecnomy.markets.conformance import examine

    look_beside(".")
    params = parameters(kind, tuple(param or ()))
    try:
        report = examine(kind, params, roles=tuple(role or ()))
    except StrategyError as error:
        raise InputError(str(error)) from None
    if as_json:
        print_json(report)
        raise typer.Exit(1 if report.defects else 0)
    for defect in report.defects:
        print(f"defect: {defect.line()}")
    for refusal in report.refusals:
        print(f"refused: {refusal.line().removeprefix('refuses: ')}")
    for warning in report.warnings:
        print(f"{warning.line()}")
    count = len(report.defects)
    defect_count = "no defects" if not count else "1 defect" if count == 1 else f"{count} defects"
    print(f"{kind} as {', '.join(report.roles)}: {defect_count} in {report.situations} situations")
    if count:
        raise typer.Exit(1)


def parameters(kind: str, given: tuple[str, ...]) -> Params:
    """Return a strategy's parameters from texts `key=value`, read as in a scenario.

    Raises:
        InputError: the strategy does not exist, or does not have these parameters.
    """
    from ecnomy.markets.inputs.overrides import apply
    from ecnomy.markets.inputs.yamlfile import Node, Place
    from ecnomy.markets.scenario.parameters import StrategyReader

    here = Place("STRATEGY", None)
    node = Node({"kind": Node(kind, here, kind)}, here, keys={"kind": here})
    for word in given:
        node = apply(node, word, "--param")
    return StrategyReader().read(node, "").params
