# SPDX-License-Identifier: Apache-2.0
"""Notices of sources whose marks differ from those they pay for, on hand-made tables of a run.

Reports at 0, 1, 3 and 4 s, of which the last three are measured: intervals of 2 s and of 1 s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import market_world as world
from ecnomy.markets.plan import Law, Source
from ecnomy.markets.results.floors import floors
from ecnomy.markets.results.flow_targets import target_rates
from ecnomy.markets.results.losses import losses
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.results.saturated import saturated
from ecnomy.markets.results.window_reports import WindowReports
from market_world import PS

REPORTS_S = (0, 1, 3, 4)
# Two rows of one flow, then a row of three flows; values at each report.
STATE: dict[str, list[list[float]]] = {
    "active": [[1, 1, 3]] * 4,
    "srtt_s": [[0.1] * 3] * 4,
    "weight": [[1.2, 1.2, 3.6]] * 4,
    "cwnd": [[3, 3, 9], [6, 9, 22.5], [4, 9, 22.5], [5, 5, 15]],
    "sent": [[0, 0, 0], [9, 9, 9], [69, 69, 189], [99, 119, 309]],
    "ce": [[0, 0, 0], [5, 6, 7], [13, 18, 37], [16, 25, 52]],
    "lost": [[0, 0, 0], [4, 4, 4], [5, 4, 6], [5, 5, 7]],
    "saturated_ps": [[0, 0, 0], [PS, PS, PS], [2 * PS, PS, 4 * PS], [2 * PS, 3 * PS // 2, 5 * PS]],
}
ASKED = [(t_s, flow, 10.0) for t_s in (0,) for flow in (0, 1, 2)]


class Run:
    """The tables of a run that the notices read."""

    def __init__(
        self,
        targets: list[tuple[int, int, float]] = ASKED,
        *,
        law: dict[str, float] | None = None,
        tcp: dict[str, Any] | None = None,
        **state: list[list[float]],
    ) -> None:
        window = Law("wtp", {"form": 0.0, "gain": 0.5, "w_inc": 1.0, "w_dec": 1.0} | (law or {}))
        transport = msgspec.structs.replace(world.tcp(window), **(tcp or {}))
        sources = [world.source("two", count=2, transport=transport)]
        many: Source = world.source("many", count=3, transport=transport)
        sources.append(msgspec.structs.replace(many, rows="together"))
        self.plan, self.measured = world.plan(sources, duration_ps=4 * PS), Measured(PS, 4 * PS)
        self.state, self.targets = STATE | state, targets
        last = {name: np.array(rows[-1]) for name, rows in self.state.items()}
        self.flows = pd.DataFrame({"source": ["two", "two", "many"], **last})

    def table(self, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
        """Return columns of flow_epochs."""
        assert name == "flow_epochs"
        keys = [(t * PS, flow) for t in REPORTS_S for flow in range(3)]
        columns_of_state = {
            key: np.ravel(np.array(rows, float)) for key, rows in self.state.items()
        }
        frame = pd.DataFrame(keys, columns=["t_ps", "flow"]).assign(**columns_of_state)
        return frame[list(columns)]

    def file(self, name: str) -> Path:
        """Return a file that exists."""
        assert name == "agents"
        return Path(__file__)

    def columns(self, name: str, columns: list[str], only: tuple[str, str]) -> pa.Table:
        """Return the decisions on mark rates."""
        assert (name, only) == ("agents", ("name", "mark_rate"))
        rows = [(t_s * PS, flow, rate) for t_s, flow, rate in self.targets]
        return pa.Table.from_pandas(pd.DataFrame(rows, columns=columns))


def found(notice: Any, run: Any) -> dict[str, tuple[float, ...]]:
    """Return source -> the numbers of its notice, rounded."""
    return {
        one.source: tuple(
            round(value, 6) for value in msgspec.structs.astuple(one) if isinstance(value, float)
        )
        for one in notice(run)
    }


def but(name: str, report: int, row: int, value: float) -> dict[str, list[list[float]]]:
    """Return the column with another value."""
    rows = [list(one) for one in STATE[name]]
    rows[report][row] = value
    return {name: rows}


TWO, MANY = (2 / 200, 10.0, 5.0), (3 / 300, 10.0, 5.0)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, {"two": TWO, "many": MANY}),
        (but("cwnd", 1, 0, 5.9), {"many": MANY}),
        (but("cwnd", 2, 1, 8.9), {"many": MANY}),
        (but("cwnd", 1, 2, 22.2), {"two": TWO}),
        (but("cwnd", 3, 0, 0.1), {"two": TWO, "many": MANY}),
        ({"law": {"gain": 0.6}}, {}),
        ({"law": {"gain": 1.0, "w_dec": 2.0}}, {"two": TWO, "many": MANY}),
        ({"law": {"w_dec": 0.9}}, {}),
        ({"law": {"form": 1.0, "gain": 0.6, "w_dec": 9.0}}, {"two": TWO, "many": MANY}),
        ({"law": {"form": 1.0, "gain": 0.61}}, {}),
        ({"tcp": {"repair": False}}, {}),
        (but("active", 2, 0, 0), {"two": (1 / 140, 10.0, 5.5), "many": MANY}),
        (but("srtt_s", 3, 1, 0.0), {"many": MANY}),
    ],
)
def test_marks_not_taken_because_of_losses(how: dict, expected: dict[str, tuple]) -> None:
    """Losses that explain half of the 5 missing marks/s give a notice, but not smaller losses."""
    assert found(losses, Run(**how)) == {
        name: tuple(round(value, 6) for value in values) for name, values in expected.items()
    }


def test_losses_of_windows_that_aim_at_less_than_requested() -> None:
    """Queueing lowered their aim to 6 marks/s: the losses must account for half of 1 mark/s."""
    state = {"weight": [[0.6, 0.6, 1.8]] * 4}
    assert found(losses, Run(**state)) == {"two": TWO, "many": MANY}
    few = state | {"cwnd": [[1.1, 1.8, 4.4]] * 4}
    assert found(losses, Run(**few)) == {}
    more = state | {"cwnd": [[1.2, 1.8, 4.5]] * 4}
    assert found(losses, Run(**more)) == {"two": TWO, "many": MANY}


def test_where_losses_happen() -> None:
    """On lossy links of the path, by name, or else in queues."""
    run: Any = Run()
    assert [one.wires for one in losses(run)] == [(), ()]
    lossy = msgspec.structs.replace(run.plan.links[0], loss=0.01)
    run.plan = msgspec.structs.replace(run.plan, links=[lossy])
    first, _ = losses(run)
    assert first.wires == ("bottleneck",)
    assert str(first).startswith("two: 1 % of its packets were lost on link bottleneck, and a loss")
    assert "It took 5 of the 10 marks/s per flow" in str(first)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, {"two": (0.25, 10.0, 6.0, 5.0), "many": (4 / 9, 10.0, 6.0, 5.0)}),
        (
            but("active", 2, 0, 0),
            {"two": (0.125, 10.0, 6.0, 5.5), "many": (4 / 9, 10.0, 6.0, 5.0)},
        ),
        (but("saturated_ps", 2, 0, PS), {"two": (1 / 12, 10.0, 6.0, 5.0)} | {"many": ()}),
    ],
)
def test_sources_that_queueing_held_back(how: dict, expected: dict[str, tuple]) -> None:
    """The share of active time, then asked, aimed and taken marks/s of a flow."""
    state = {"weight": [[0.6, 0.6, 1.8]] * 4} | how
    if "saturated_ps" in how:
        state["saturated_ps"] = [[0, 0, 0], [PS, PS, 0], [PS, PS, 0], [PS, 3 * PS // 2, 0]]
    assert found(saturated, Run(**state)) == {
        name: tuple(round(value, 6) for value in values)
        for name, values in expected.items()
        if values
    }


@pytest.mark.parametrize(
    ("target", "weight", "expected"),
    [
        (10.0, 0.62, {"two", "many"}),  # taken: over 0.8 of the 6.2 aimed at
        (10.0, 0.63, set()),  # something else held it back
        (5.3, 0.6, {"two", "many"}),
        (5.2, 0.6, set()),  # less than 5 % short
    ],
)
def test_limits_of_what_queueing_explains(target: float, weight: float, expected: set[str]) -> None:
    """With 5 marks/s taken, the limits of what queueing explains are exact."""
    rates = [(0, flow, target) for flow in range(3)]
    run = Run(rates, weight=[[weight, weight, 3 * weight]] * 4)
    assert set(found(saturated, run)) == expected


def test_sources_at_the_floor_of_their_windows() -> None:
    """The notice has the share of time below floor + 1 packets, and aimed and taken marks/s."""
    clocked = {"send": "ack-clocked", "min_window": 4.0}
    state: dict[str, Any] = {
        "weight": [[0.3, 0.3, 0.9]] * 4,
        "cwnd": [[9, 9, 9], [9, 9, 9], [4.9, 5.0, 14.9], [5.0, 4.9, 15.0]],
    }
    assert found(floors, Run(tcp=clocked, **state)) == {
        "two": (4.0, 0.5, 3.0, 5.0),
        "many": (4.0, 0.666667, 3.0, 5.0),
    }
    assert found(floors, Run(tcp=clocked | {"send": "paced"}, **state)) == {}
    enough = state | {"weight": [[0.48, 0.48, 1.44]] * 4}
    assert found(floors, Run(tcp=clocked, **enough)) == {}  # 5 of 4.8 is less than 5 % over
    off = state | but("active", 2, 0, 0)
    assert found(floors, Run(tcp=clocked, **off))["two"] == (4.0, 0.25, 3.0, 5.5)


def test_the_target_in_force_is_the_last_one_before_an_interval() -> None:
    """A decision at a report holds for the interval that begins there; -1 before the first one."""
    targets = [(0, 1, 4.0), (1, 0, 7.0), (1, 1, 5.0), (2, 1, 6.0), (3, 0, 8.0), (4, 1, 9.0)]
    run: Any = Run([*targets, (3, 2, 1.0)])
    reports = WindowReports.of(run, "ce")
    assert reports is not None and reports.dt_s.ravel().tolist() == [2.0, 1.0]
    rates = target_rates(run, reports)
    assert rates is not None and rates.tolist() == [[7.0, 5.0, -1.0], [8.0, 6.0, 1.0]]
    assert target_rates(Run([]), reports) is None  # type: ignore[arg-type]


def test_an_early_report_without_a_round_trip_is_left_out() -> None:
    """Such a report is omitted, like one before the flow was on; aims change between reports."""
    weight = [[0.6, 0.6, 1.8]] * 3 + [[0.3, 0.3, 0.9]]
    run = Run(**but("srtt_s", 2, 0, 0.0), weight=weight)
    assert found(saturated, run)["two"] == (0.125, 10.0, 4.5, 5.5)
    assert found(saturated, Run(weight=weight))["two"] == (0.25, 10.0, 5.0, 5.0)


def test_little_time_in_queues_explains_nothing() -> None:
    """Queueing for 0.3 s of 6 s, not over 5 % of the time of the two flows, is no explanation."""
    held = [[0, 0, 0], [PS, PS, 0], [13 * PS // 10, PS, 0], [13 * PS // 10, PS, 0]]
    assert found(saturated, Run(weight=[[0.6, 0.6, 1.8]] * 4, saturated_ps=held)) == {}
    held[3][1] += PS // 100
    notices = found(saturated, Run(weight=[[0.6, 0.6, 1.8]] * 4, saturated_ps=held))
    assert notices == {"two": (round(0.31 / 6, 6), 10.0, 6.0, 5.0)}


@pytest.mark.parametrize("notice", [losses, saturated, floors])
def test_sources_that_were_never_on_are_not_noticed(notice: Any) -> None:
    """A source without a target is not noticed either; the other source is, as usual."""
    clocked = {"send": "ack-clocked", "min_window": 4.0}
    low = {"weight": [[0.3, 0.3, 0.9]] * 4, "cwnd": [[4.0, 4.0, 12.0]] * 4}
    state: dict[str, Any] = {} if notice is losses else low
    off = {"active": [[0, 0, 3]] * 4}
    assert set(found(notice, Run(tcp=clocked, **state))) == {"two", "many"}
    assert set(found(notice, Run(tcp=clocked, **state, **off))) == {"many"}
    if notice is not floors:
        assert found(notice, Run([(0, 2, 10.0)], tcp=clocked, **state)).keys() == {"many"}
        assert found(notice, Run([], tcp=clocked, **state)) == {}
