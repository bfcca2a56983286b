# SPDX-License-Identifier: Apache-2.0
"""Compares all outcomes of two groups of runs.

Runs of both groups with the same seed (in sweeps, also with the same values of other parameters)
form pairs, and other runs do not count. Without pairs (`Diff.why_unpaired`), all runs of the groups
are compared (statistics/comparisons.py). Only runs with a value for an outcome count. A single run
or pair gives a difference without an interval.
Outcomes with the same value in all runs are only listed. The q-values cover all other outcomes.
Outcomes that differ (q up to 0.05) come first, then the others, both ordered by effect size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.diff.groups import Member, RunGroup, open_group, sweep_groups
from ecnomy.analysis.diff.settings import Settings, settings_of
from ecnomy.analysis.statistics.comparisons import MeanComparison, compared, q_values
from ecnomy.analysis.sweeps.outcome_names import Named, name_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Diff", "OutcomeDifference", "diff", "diff_groups"]

SURE: Final = 0.05  # largest q-value that counts as a difference


class OutcomeDifference(msgspec.Struct, frozen=True):
    """One outcome of both groups, in the unit of `named`.

    Attributes:
        column: name of the outcome's column in sweeps.
        first, second: means of the two groups.
        low, high: ends of the 95 % interval of `difference`; NaN if undefined.
        effect: Hedges' g; NaN if undefined.
        p, q: p-value and q-value; NaN if undefined.
        runs: number of pairs, or of runs in the smaller group.
    """

    column: str
    named: Named
    first: float
    second: float
    difference: float
    low: float
    high: float
    effect: float
    p: float
    q: float
    runs: int

    @property
    def differs(self) -> bool:
        """Whether the groups differ in this outcome, by its q-value."""
        return self.q <= SURE

    @property
    def change(self) -> float:
        """The absolute difference / larger absolute mean, to order outcomes without effect size."""
        largest = max(abs(self.first), abs(self.second))
        return abs(self.difference) / largest if largest else 0.0


class Diff(msgspec.Struct, frozen=True, eq=False):
    """The result of `ecnomy diff`.

    Attributes:
        pairs: number of pairs of runs; 0 without pairs.
        why_unpaired: why the runs are not paired; "" if they are.
        sellers: agents without flows, whose balances are their profits.
        outcomes: outcomes that vary between runs; those in which the groups differ come first.
        same: columns of outcomes with the same value in all runs.
        missing: columns of outcomes that only one group has.
    """

    first: RunGroup
    second: RunGroup
    settings: Settings
    pairs: int
    why_unpaired: str
    sellers: tuple[str, ...]
    outcomes: tuple[OutcomeDifference, ...]
    same: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def single(self) -> bool:
        """Whether intervals are missing because there is one pair, or one run in a group."""
        return min(self._counts) < 2

    @property
    def _counts(self) -> tuple[int, int]:
        if self.pairs:
            return self.pairs, self.pairs
        return len(self.first.members), len(self.second.members)

    @property
    def used(self) -> tuple[tuple[Member, ...], tuple[Member, ...]]:
        """The compared runs of each group; run i of both groups is a pair if runs are paired."""
        return _matched(self.first, self.second) if self.pairs else self._all

    @property
    def _all(self) -> tuple[tuple[Member, ...], tuple[Member, ...]]:
        return self.first.members, self.second.members

    def frame(self) -> pd.DataFrame:
        """Return a table with a row per outcome.

        The columns are column, of, what, unit, both means, difference, low, high, effect, p, q and
        runs.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "column": one.column,
                "of": one.named.subject,
                "what": one.named.what,
                "unit": one.named.unit,
                "first": one.first,
                "second": one.second,
                **{k: getattr(one, k) for k in ("difference", "low", "high", "effect", "p", "q")},
                "runs": one.runs,
            }
            for one in self.outcomes
        )


Names: TypeAlias = str | Path | Sequence[str | Path]


def diff(first: Names, second: Names = (), *, by: str = "") -> Diff:
    """Compare two groups of runs.

    Args:
        first: name or names of runs (see ecnomy.analysis.diff.groups); with `by`, the folder of a
            sweep.
        second: name or names of runs; empty with `by`.
        by: a parameter of the sweep with two values, one per group.

    Raises:
        ResultsError: a name does not match a run, or the groups have no common outcome.
        InputError: a run is in both groups, or the parameter does not have two values.
    """
    first, second = _listed(first), _listed(second)
    if by:
        if len(first) != 1 or second:
            raise InputError(f"--by {by}: found several names, expected only the folder of a sweep")
        return diff_groups(*sweep_groups(Path(first[0]), by))
    return diff_groups(open_group(first), open_group(second))


def _listed(names: Names) -> Sequence[str | Path]:
    return [names] if isinstance(names, (str, Path)) else names


def diff_groups(first: RunGroup, second: RunGroup) -> Diff:
    """Compare two opened groups of runs.

    Raises:
        InputError: a run is in both groups.
        ResultsError: the groups do not have a common outcome.
    """
    both = {m.label for m in first.members} & {m.label for m in second.members}
    if both:
        raise InputError(f"{min(both)}: found in both groups, expected in one of them")
    first, second = _distinctly_named(first, second)
    a, b = _matched(first, second)
    why = _why_unpaired(first, second, len(a))
    pairs = 0 if why else len(a)
    if not pairs:
        a, b = first.members, second.members
    sellers = _sellers(a[0])
    columns = list(dict.fromkeys(name for m in (*a, *b) for name in m.values))
    known = [{n for m in group for n, v in m.values.items() if v is not None} for group in (a, b)]
    outcomes, same = [], []
    for column in columns:
        if not all(column in names for names in known):
            continue
        outcome = _outcome(column, name_of(column, sellers), a, b, paired=bool(pairs))
        if outcome is None:
            same.append(column)
        else:
            outcomes.append(outcome)
    if not outcomes and not same:
        raise ResultsError(f"{a[0].label} and {b[0].label} have no common outcome")
    qs = q_values([one.p for one in outcomes])
    judged = [msgspec.structs.replace(one, q=q) for one, q in zip(outcomes, qs, strict=True)]
    return Diff(
        first=first,
        second=second,
        settings=settings_of(first, second),
        pairs=pairs,
        why_unpaired=why,
        sellers=sellers,
        outcomes=tuple(sorted(judged, key=_order)),
        same=tuple(same),
        missing=tuple(sorted(known[0] ^ known[1])),
    )


def _order(one: OutcomeDifference) -> tuple[bool, float, float, str]:
    effect = 0.0 if math.isnan(one.effect) else abs(one.effect)
    return not one.differs, -effect, -one.change, one.column


def _distinctly_named(first: RunGroup, second: RunGroup) -> tuple[RunGroup, RunGroup]:
    """Name groups with equal names after their first runs, or A and B if these names are long."""
    if first.name != second.name:
        return first, second
    labels = first.members[0].label, second.members[0].label
    names = labels if max(map(len, labels)) <= 24 else ("A", "B")
    return (
        msgspec.structs.replace(first, name=names[0]),
        msgspec.structs.replace(second, name=names[1]),
    )


def _matched(first: RunGroup, second: RunGroup) -> tuple[tuple[Member, ...], tuple[Member, ...]]:
    other = {member.key: member for member in second.members}
    pairs = [(member, other[member.key]) for member in first.members if member.key in other]
    return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)


def _why_unpaired(first: RunGroup, second: RunGroup, pairs: int) -> str:
    for group in (first, second):
        keys = [member.key for member in group.members]
        if len(set(keys)) < len(keys):
            return f"{group.name} has several runs of one seed"
    if not pairs:
        return "no seed is in both"
    if pairs == 1 and min(len(first.members), len(second.members)) > 1:
        return "a single seed is in both"
    return ""


def _sellers(member: Member) -> tuple[str, ...]:
    market = (member.scenario or {}).get("market") or {}
    agents = market.get("agents", ())
    return tuple(str(a["name"]) for a in agents if not a.get("sources"))


def _outcome(
    column: str, named: Named, a: Sequence[Member], b: Sequence[Member], *, paired: bool
) -> OutcomeDifference | None:
    """Return an outcome without its q-value; None if it is equal in all runs or lacks values."""
    x, y = ([member.values.get(column) for member in group] for group in (a, b))
    if paired:
        both = [(p, q) for p, q in zip(x, y, strict=True) if p is not None and q is not None]
        x, y = [p for p, _ in both], [q for _, q in both]
    first = [named.factor * value for value in x if value is not None]
    second = [named.factor * value for value in y if value is not None]
    if not first or not second or len({*first, *second}) == 1:
        return None
    runs = min(len(first), len(second))
    if runs < 2:
        means = sum(first) / len(first), sum(second) / len(second)
        none = math.nan
        return OutcomeDifference(
            column, named, *means, means[1] - means[0], none, none, none, none, none, runs
        )
    return _of(column, named, compared(first, second, paired=paired))


def _of(column: str, named: Named, comparison: MeanComparison) -> OutcomeDifference:
    return OutcomeDifference(
        column=column,
        named=named,
        first=comparison.first,
        second=comparison.second,
        difference=comparison.difference.mean,
        low=comparison.difference.low,
        high=comparison.difference.high,
        effect=comparison.effect,
        p=comparison.p,
        q=math.nan,
        runs=comparison.difference.n,
    )
