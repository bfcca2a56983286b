# SPDX-License-Identifier: Apache-2.0
"""Formats a solved game for the terminal: rest points, best replies and alpha-rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.analysis.game.solution import RestPoint, Solution
from ecnomy.analysis.game.wording import listed, shares_words
from ecnomy.analysis.support.number_text import significant

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["headline", "legend", "mix_words", "rank_table", "reply_tables", "rest_table", "values"]

_FORM: Final = ".1%"
_MOST_RANKED: Final = 10  # most pairs of strategies that are listed
_TIED: Final = 1e-6
_STABLE_WORDS: Final = {True: "stable", False: "unstable", None: "undecided"}
_STABLE: Final = {True: "yes", False: "no", None: "undecided"}


def mix_words(solution: Solution, one: RestPoint, *, apart: bool = False) -> str:
    """Return a rest point in words, e.g. `all dove` or `all opera against all football`."""
    row = shares_words(np.round(one.row, 9), solution.game.rows, _FORM)
    if solution.game.symmetric and not apart:
        return row
    column = shares_words(np.round(one.column, 9), solution.game.columns, _FORM)
    return f"{row} against {column}"


def headline(solution: Solution) -> str:
    """Return the main finding and the leaders of alpha-rank in sentences."""
    stable = [_with_starts(solution, one) for one in solution.stable]
    if stable:
        return f"Stable: {'; '.join(stable)}. {_leaders(solution)}"
    if not solution.rest_points:
        return (
            f"No rest point in pure strategies; mixed ones were not searched. {_leaders(solution)}"
        )
    points = "; ".join(
        f"{mix_words(solution, one)} ({_STABLE_WORDS[one.stable]})"
        for one in solution.rest_points[:3]
    )
    more = f"; and {n} more" if (n := len(solution.rest_points) - 3) > 0 else ""
    one = "the rest point is" if len(solution.rest_points) == 1 else "rest points are"
    return f"No rest point is stable: {one} {points}{more}. {_leaders(solution)}"


def _leaders(solution: Solution) -> str:
    ranked = _ranked(solution)
    first = [words for words, mass in ranked if mass > ranked[0][1] - _TIED]
    if len(first) == len(ranked):
        return "Alpha-rank ranks all alike."
    share = f"{ranked[0][1]:{_FORM}} of the time{' each' if len(first) > 1 else ''}"
    return f"Alpha-rank puts {listed(first)} first, with {share}."


def _with_starts(solution: Solution, one: RestPoint) -> str:
    words = mix_words(solution, one)
    return words if math.isnan(one.starts) else f"{words} (from {one.starts:.0%} of starts)"


def _ranked(solution: Solution) -> list[tuple[str, float]]:
    """Return strategies, or pairs of strategies, with their masses, largest first."""
    return [(" against ".join(names), mass) for names, mass in _masses(solution)]


def _masses(solution: Solution) -> list[tuple[list[str], float]]:
    game = solution.game
    order = np.argsort(-np.round(solution.mass.ravel(), 9), kind="stable")
    masses = []
    for number in order:
        where = np.unravel_index(number, solution.mass.shape)
        lists = (game.rows, game.columns)[: len(where)]
        names = [names[int(at)] for names, at in zip(lists, where, strict=True)]
        masses.append((names, float(solution.mass[where])))
    return masses


def rest_table(
    solution: Solution, points: Sequence[RestPoint], title: str, *, apart: bool
) -> Table:
    """Return a table with a row per rest point.

    Args:
        solution: the solution of the game.
        points: the rest points to show.
        title: title of the first column.
        apart: whether to show both players' mixes and pay-offs in a symmetric game.
    """
    table = _table(title)
    one_population = solution.game.symmetric and not apart
    for head in ("pay-off",) if one_population else ("row earns", "column earns"):
        table.add_column(head, justify="right")
    table.add_column("stable")
    drifts = any(not math.isnan(one.starts) for one in points)
    if drifts:
        table.add_column("starts", justify="right")
    for one in points:
        pays = [significant(pay) for pay in one.pay_offs]
        cells = [mix_words(solution, one, apart=apart), *(pays[:1] if one_population else pays)]
        cells.append(_STABLE[one.stable])
        table.add_row(*_plain(cells), *([f"{one.starts:.0%}"] if drifts else []))
    return table


def reply_tables(solution: Solution) -> Iterator[Table]:
    """Yield a table of best replies per player; for a symmetric game, only one, with alpha-rank."""
    game = solution.game
    if game.symmetric:
        table = _table("strategy")
        table.add_column("best replies to it")
        table.add_column("alpha-rank", justify="right")
        for name, best, mass in zip(game.rows, solution.replies[0], solution.mass, strict=True):
            table.add_row(*_plain([name, listed([game.rows[i] for i in best])]), f"{mass:{_FORM}}")
        yield table
        return
    sides = (("column", game.columns, game.rows), ("row", game.rows, game.columns))
    for (side, names, others), replies in zip(sides, solution.replies, strict=True):
        table = _table(f"{side} player's")
        table.add_column(f"best replies of the {'row' if side == 'column' else 'column'} player")
        for name, best in zip(names, replies, strict=True):
            table.add_row(*_plain([name, listed([others[i] for i in best])]))
        yield table


def rank_table(solution: Solution) -> Table:
    """Return a table of the pairs of strategies with the largest mass in alpha-rank."""
    table = _table("row against column")
    table.add_column("alpha-rank", justify="right")
    ranked = _ranked(solution)
    for words, mass in ranked[:_MOST_RANKED]:
        table.add_row(*_plain([words]), f"{mass:{_FORM}}")
    if (more := len(ranked) - _MOST_RANKED) > 0:
        table.add_row(f"{more} more pairs", f"{sum(m for _, m in ranked[_MOST_RANKED:]):{_FORM}}")
    return table


def legend(solution: Solution) -> Iterator[str]:
    """Yield sentences that explain the columns and state the limits of the solution."""
    yield (
        "Rest points are Nash equilibria. stable: small changes of the shares die out under "
        "replicator dynamics (linearised; undecided: they neither grow nor die out). alpha-rank: "
        "the share of time in which all play the strategy, if a strategy that earns more than the "
        "others takes over, even if all players then earn less."
    )
    if any(not math.isnan(one.starts) for one in solution.rest_points):
        yield "starts: the share of about 200 evenly spread mixed starts that drift there."
    if not solution.complete:
        yield "The game is too large to search mixed rest points: only pure ones are listed."
    if solution.mixtures:
        yield "The game is degenerate: mixtures of some equilibria listed are equilibria too."


def values(solution: Solution, file: str) -> dict[str, Any]:
    """Return the solution as plain values for JSON."""
    game = solution.game
    (to_columns, to_rows), points = solution.replies, (solution.rest_points, solution.others)
    rest_points, others = (
        [
            {
                "row": dict(zip(game.rows, one.row, strict=True)),
                "column": dict(zip(game.columns, one.column, strict=True)),
                "pay_offs": one.pay_offs,
                "stable": one.stable,
                "starts": one.starts,
            }
            for one in each
        ]
        for each in points
    )
    return {
        "file": file,
        "symmetric": game.symmetric,
        "strategies": {"row": game.rows, "column": game.columns},
        "headline": headline(solution),
        "rest_points": rest_points,
        "others": others,
        "complete": solution.complete,
        "mixtures": solution.mixtures,
        "best_replies": {
            "row": _replies(game.columns, to_columns, game.rows),
            "column": _replies(game.rows, to_rows, game.columns),
        },
        "alpha_rank": [{"strategies": names, "mass": mass} for names, mass in _masses(solution)],
    }


def _replies(
    names: Sequence[str], replies: Sequence[tuple[int, ...]], others: Sequence[str]
) -> dict[str, list[str]]:
    return {n: [others[i] for i in best] for n, best in zip(names, replies, strict=True)}


def _table(first: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    table.add_column(first)
    return table


def _plain(cells: Sequence[str]) -> list[str]:
    from rich.markup import escape

    return [escape(cell) for cell in cells]
