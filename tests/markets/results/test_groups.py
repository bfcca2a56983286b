# SPDX-License-Identifier: Apache-2.0
"""Groups of flows: rates and payments per flow, from columns made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecnomy.markets.results.groups import GroupMeans, groups_of
from ecnomy.markets.results.manifest import Measured

PS = 10**12
FROM_S, TO_S = 4, 12

# flow, source, class, provider, members, goodput, marks/s, marks, fee and charge in micro-units
ROWS = (
    (0, "a", "gold", "shop", 3, 9e6, 6.0, 40, 1_000_000, 5_000_000),
    (1, "b", "", "", 1, 2e6, 0.5, 4, 0, 800_000),
    (2, "a", "gold", "rival", 1, 7e6, 1.0, 0, 2_000_000, 0),
    (3, "c", "gold", "shop", 2, 4e6, 2.0, 10, 3_000_000, 1_500_000),
    (4, "b", "", "", 1, 1e6, 1.5, 6, 0, 1_200_000),
    (5, "b", "tin", "shop", 4, 8e6, 0.0, 0, 0, 0),
)
NAMES = (
    *("flow", "source", "class", "provider", "members", "goodput_bps"),
    *("marks_per_s", "ce", "fee_micro", "mark_charge_micro"),
)


def found(on: dict[int, float], background: set[int], *, to_s: int = TO_S) -> dict[str, GroupMeans]:
    """The groups, for rows of flows with these mean numbers of active members."""
    edges: list[list[int]] = []

    def mean(edges_ps: np.ndarray) -> np.ndarray:
        edges.append(edges_ps.tolist())
        return np.array([[on[row] for row in sorted(on)]])

    switches: Any = SimpleNamespace(rows=np.array(sorted(on)), on=mean)
    columns = dict(
        zip(NAMES, (np.array(column) for column in zip(*ROWS, strict=True)), strict=True)
    )
    measured = Measured(FROM_S * PS, to_s * PS)
    groups = groups_of(columns, background, switches, measured)
    assert edges == ([[FROM_S * PS, to_s * PS]] if to_s > FROM_S else [])
    return {group.name: group for group in groups}


def test_a_class_is_a_group_and_so_is_a_source_outside() -> None:
    """Groups are in the order of first flows; a class of two providers has the seller's name."""
    groups = found({}, set())
    assert list(groups) == ["gold of shop", "b", "gold of rival", "tin"]
    assert [group.flows for group in groups.values()] == [5, 2, 1, 4]
    assert {group.active for group in groups.values()} == {None}


@pytest.mark.parametrize("on", [{}, {0: 1.5}, {0: 0.25, 3: 2.0, 4: 0.0, 5: 0.0}])
def test_means_are_over_the_flows_that_were_active(on: dict[int, float]) -> None:
    """Rates, charges and fees are per active flow, or per flow if no flow was active."""
    groups = found(on, {1, 2})
    seconds = TO_S - FROM_S
    keys = {"gold of shop": (0, 3), "b": (1, 4), "gold of rival": (2,), "tin": (5,)}
    for name, rows in keys.items():
        group, own = groups[name], [ROWS[row] for row in rows]
        members = sum(row[4] for row in own)
        active = sum(on.get(row, ROWS[row][4]) for row in rows)
        flows = active or members
        goodput, rate, marks, fee, charge = (sum(row[k] for row in own) for k in range(5, 10))
        assert group.goodput_bps == pytest.approx(goodput / flows)
        assert group.marks_per_s == pytest.approx(rate / flows)
        assert group.charge_per_s == pytest.approx(charge / 1e6 / seconds / flows)
        assert group.fee_per_s == pytest.approx(fee / 1e6 / seconds / flows)
        assert group.paid_per_mark == (pytest.approx(charge / 1e6 / marks) if marks else None)
        assert group.active == (None if active in (0, members) else pytest.approx(active))
        assert group.all_charge_per_s == pytest.approx(charge / 1e6 / seconds)
        of_background = sum(row[9] for row in own if row[0] in (1, 2))
        assert group.background_per_s == pytest.approx(of_background / 1e6 / seconds)


def test_a_window_without_time_has_no_payments_by_time() -> None:
    """Such a window still has rates and the price of a mark."""
    group = found({0: 1.5}, {0}, to_s=FROM_S)["gold of shop"]
    assert (group.charge_per_s, group.fee_per_s, group.background_per_s) == (0.0, 0.0, 0.0)
    assert (group.goodput_bps, group.active) == (13e6 / 5, None)
    assert group.paid_per_mark == pytest.approx(6.5 / 50)
