# SPDX-License-Identifier: Apache-2.0
"""The verb `game`: analyses a pay-off matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ecnomy.markets.cli.printing import Json, console_for_tables, print_json

__all__ = ["game_command"]

File = Annotated[
    Path,
    typer.Argument(
        help="CSV file of pay-offs. Each cell holds one number (symmetric game) or two numbers "
        "(a;b)."
    ),
]


def game_command(file: File, as_json: Json = False) -> None:
    """Analyse a two-player pay-off matrix: rest points, best replies, alpha-rank."""
    from ecnomy.analysis.game import table
    from ecnomy.analysis.game.matrix import read_game
    from ecnomy.analysis.game.solution import solve

    solution = solve(read_game(file))
    if as_json:
        return print_json(table.values(solution, str(file)))
    console = console_for_tables()
    console.print(table.headline(solution), markup=False)
    console.print()
    if solution.rest_points:
        console.print(table.rest_table(solution, solution.rest_points, "rest point", apart=False))
        console.print()
    if solution.others:
        title = "equilibria with different strategies"
        console.print(table.rest_table(solution, solution.others, title, apart=True))
        console.print()
    for each in table.reply_tables(solution):
        console.print(each)
        console.print()
    if not solution.game.symmetric:
        console.print(table.rank_table(solution))
        console.print()
    for line in table.legend(solution):
        console.print(line, style="dim", markup=False)
