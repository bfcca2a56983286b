# SPDX-License-Identifier: Apache-2.0
"""The verb `check`, which shows a resolved scenario."""

from __future__ import annotations

from typing import Annotated

import typer

from ecnomy.markets.cli.options import Changes, Config, Seed
from ecnomy.markets.cli.printing import Json, hanging, print_json

__all__ = ["check_command"]

Digest = Annotated[bool, typer.Option("--digest", help="Also print the digest of the plan.")]


def check_command(
    config: Config,
    set_: Changes = None,
    seed: Seed = None,
    digest: Digest = False,
    as_json: Json = False,
) -> None:
    """Show the resolved scenario, with warnings, without running it."""
    from ecnomy.markets.compile.check import warnings
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.compile.summary import summary
    from ecnomy.markets.scenario import load

    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    doubts = warnings(scenario, plan)
    if as_json:
        from ecnomy.markets.compile.summary_values import summary_values

        return print_json(summary_values(scenario, plan, doubts))
    for line in summary(scenario, plan).splitlines():
        _print(line)
    if digest:
        print(f"\nplan {plan.digest}")
    print(f"\n{len(doubts) or 'no'} warning{'' if len(doubts) == 1 else 's'}")
    for warning in doubts:
        _print(f"warning: {warning}")


def _print(line: str) -> None:
    text = line.lstrip()
    print(hanging(line[: len(line) - len(text)], text, deeper=4))
