# SPDX-License-Identifier: Apache-2.0
"""The welfare table of `ecnomy show`, for runs in which an agent declares a utility."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.show.summary_tables import new_table
from ecnomy.analysis.support.number_text import percent, significant
from ecnomy.analysis.theory.nash import NASH_BOUND
from ecnomy.analysis.welfare.welfare import Welfare, welfare_of
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

__all__ = ["print_welfare"]

_MOST_NAMED: Final = 4


def print_welfare(run: RawRun, console: Console) -> None:
    """Print utilities, surpluses, profits and the distance from the optimum.

    Nothing is printed for a run without a declared utility.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    welfare = welfare_of(run)
    if welfare is None:
        return
    window = welfare.window
    span = f"{window.from_ps / PS_PER_S:g} s to {window.to_ps / PS_PER_S:g} s"
    console.print()
    console.print(f"Welfare (money/s, {span})", style="bold", markup=False)
    _print_consumers(welfare, console)
    _print_sellers(welfare, console)
    console.print()
    for line in (
        _sum(welfare),
        *_losers(welfare),
        *_fairness(welfare),
        *_distance(welfare),
        *_stability(welfare),
    ):
        console.print(line, markup=False)


def _print_consumers(welfare: Welfare, console: Console) -> None:
    kinds = list(dict.fromkeys(k for one in welfare.consumers for k in one.account.paid_micro))
    earned = any(one.account.received_micro for one in welfare.consumers)
    heads = [f"paid for\n{kind}" for kind in kinds] + (["received"] if earned else [])
    table = new_table("who", "users", "utility", "utility of\nmean rates", *heads, "surplus")
    for one in welfare.consumers:
        received = sum(one.account.received_micro.values())
        amounts = [one.utility_micro, one.steady_micro]
        amounts += [one.account.paid_micro.get(kind, 0) for kind in kinds]
        amounts += [received] if earned else []
        cells = [_money(welfare, amount) for amount in (*amounts, one.surplus_micro)]
        table.add_row(one.account.name, f"{one.users:,}", *cells)
    console.print()
    console.print(table)


def _print_sellers(welfare: Welfare, console: Console) -> None:
    if not welfare.sellers:
        return
    table = new_table("seller", "income", "paid", "profit")
    for one in welfare.sellers:
        income, paid = sum(one.received_micro.values()), sum(one.paid_micro.values())
        cells = [_money(welfare, income), _money(welfare, paid)]
        table.add_row(one.name, *cells, significant(welfare.per_s(one.net_micro), sign="+"))
    console.print()
    console.print(table)


def _money(welfare: Welfare, micro: int) -> str:
    return significant(welfare.per_s(micro))


def _sum(welfare: Welfare) -> str:
    text = f"welfare {_money(welfare, welfare.welfare_micro)} = surplus "
    text += f"{_money(welfare, welfare.surplus_micro)} + "
    text += f"profits {_money(welfare, welfare.profit_micro)}"
    if not welfare.others_micro:
        return text
    names = [one.name for one in welfare.others if one.net_micro]
    paid = _money(welfare, -welfare.others_micro)
    return f"{text} - {paid} paid by others ({_few(names)})"


def _losers(welfare: Welfare) -> Iterator[str]:
    """Yield notes on agents with a negative surplus, and on agents with an infinite U(0)."""
    lost = [one for one in welfare.consumers if one.has_zero and one.surplus_micro < 0]
    if lost:
        losses = [f"{one.account.name} ({_money(welfare, one.surplus_micro)})" for one in lost]
        yield f"surplus below zero: {_few(losses)}"
    if relative := [one.account.name for one in welfare.consumers if not one.has_zero]:
        whose = f"only differences of the utility of {_few(relative)} are meaningful"
        yield f"{whose}: at a rate of 0 it is minus infinity"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _fairness(welfare: Welfare) -> Iterator[str]:
    if welfare.users > 1 and not math.isnan(welfare.jain_rates):
        text = f"Jain's index over {welfare.users:,} users: rates {welfare.jain_rates:.3f}"
        if not math.isnan(welfare.jain_utilities):
            text += f", utilities per unit of weight {welfare.jain_utilities:.3f}"
        yield text


def _distance(welfare: Welfare) -> Iterator[str]:
    distance = welfare.distance
    if distance.why:
        yield f"no optimum: {distance.why}"
        return
    best, ratio = significant(distance.optimum_per_s), welfare.optimum_ratio
    of_it = "" if math.isnan(ratio) else f": welfare is {percent(ratio)} of it"
    if not all(one.has_zero for one in welfare.consumers):
        less = significant(distance.optimum_per_s - welfare.per_s(welfare.welfare_micro))
        of_it = f": welfare is lower by {less}"
    delay = ", without the cost of delay" if distance.without_delay else ""
    yield f"optimum {best} (same routes, other traffic unchanged{delay}){of_it}"
    yield f"largest deviation of a rate from the optimum: {percent(distance.furthest)}"
    if distance.nash_per_s < distance.optimum_per_s * (1 - 1e-6):
        share = distance.nash_per_s / distance.optimum_per_s
        text = f"users who anticipate prices would have {significant(distance.nash_per_s)}"
        known = f", {percent(share)} ({percent(NASH_BOUND)} at least)"
        yield text + (known if distance.optimum_per_s > 0 else "")


def _stability(welfare: Welfare) -> Iterator[str]:
    if not welfare.margins:
        return
    one = welfare.margins[0]
    slope = "its law" if one.from_law else "the reports"
    holds = "below 1/e: no oscillation" if one.margin > 1 else "not below 1/e: rates may oscillate"
    left = f"gain (p + x p') / w_dec = {significant(one.left)}"
    yield f"{one.link}: {left}, {holds} (p' from {slope})"
