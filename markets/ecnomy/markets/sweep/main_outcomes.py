# SPDX-License-Identifier: Apache-2.0
"""Selects the main outcomes of a sweep, and states whether higher values are better.

The main outcomes are those that the sweep file names. If it names none, they are, in this order,
columns of the sweep's measure, welfare and consumer surplus, profits (or balances of agents if
there are no profits), goodput of sources, and marking and utilization of links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["better", "main_outcomes", "unit_of"]

_ORDER: Final = (
    (r"welfare", 1),
    (r"consumer_surplus", 1),
    (r"profit\..+|.+\.profit", 3),
    (r"balance\.(?!source:|subscriber:|unassigned:|world$).+", 3),
    (r".+\.goodput_bps", 4),
    (r".+\.marking_probability", 2),
    (r".+\.utilization", 2),
)
_KNOWN: Final = re.compile(
    r"balance\..+|profit\..+|price(\..+)?|welfare(_agents)?|consumer_surplus|jain|optimum_ratio"
    r"|.+\.(flows|goodput_bps|marks_per_s|marking_rate|mean_delay_s|mean_cwnd|charge_per_s|fee_per_s|utilization"
    r"|marking_probability|mean_queue_packets|mean_wait_s|drops|calls_\w+|files_\w+|revenue"
    r"|reimbursed|cost|profit|hours)"
)
_MORE: Final = re.compile(
    r"welfare|consumer_surplus|jain|optimum_ratio|profit\..+|balance\..+"
    r"|.+\.(profit|revenue|goodput_bps|utilization|calls_sold)"
)
_LESS: Final = re.compile(
    r".+\.(mean_delay_s|mean_wait_s|mean_queue_packets|drops|marking_probability|marking_rate"
    r"|marks_per_s|cost|reimbursed|calls_broken|calls_blocked|charge_per_s|fee_per_s)"
    r"|.*(late|loss|lost|drop|delay|error).*"
)
_OWN_MOST: Final = 3
_UNITS: Final = (
    (r".+_bps", "bit/s"),
    (r".+_s", "s"),
    (r".+_packets", "packets"),
    (r"price(\..+)?|balance\..+|.+\.(profit|revenue|cost|reimbursed)", "money"),
    (r"welfare|consumer_surplus|profit\..+", "money/s"),
)
_RATES: Final = {"marks_per_s": "marks/s", "charge_per_s": "money/s", "fee_per_s": "money/s"}


def main_outcomes(
    columns: Iterable[str], named: Sequence[str] = (), own: bool = False
) -> tuple[str, ...]:
    """Return the main outcomes, with the most important one first.

    Args:
        columns: all outcome columns, in their order.
        named: outcomes that the sweep file or the user names. If there are any, only these are
            returned.
        own: whether the sweep file names a measure.
    """
    there = list(columns)
    if named:
        return tuple(dict.fromkeys(named))
    mine = [name for name in there if not _KNOWN.fullmatch(name)][:_OWN_MOST] if own else []
    for pattern, most in _ORDER:
        fitting = [name for name in there if re.fullmatch(pattern, name)]
        if pattern.startswith("balance") and any(re.fullmatch(_ORDER[2][0], n) for n in mine):
            continue
        mine += [name for name in fitting if name not in mine][:most]
    return tuple(mine)


def better(outcome: str) -> int:
    """Return 1 if higher values are better for somebody, -1 if lower values are, 0 if unknown."""
    if _MORE.fullmatch(outcome):
        return 1
    return -1 if _LESS.fullmatch(outcome) else 0


def unit_of(outcome: str) -> str:
    """Return the unit of an outcome column, or "" for shares, counts and unknown columns."""
    last = outcome.rpartition(".")[2]
    if last in _RATES:
        return _RATES[last]
    return next((unit for pattern, unit in _UNITS if re.fullmatch(pattern, outcome)), "")
