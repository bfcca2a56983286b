# SPDX-License-Identifier: Apache-2.0
"""Agents that the papers announce or propose: figures of their runs by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.andreassen2002 import smart_ftp
from ecnomy.analysis.reproduce.andreassen2002.groups import downloads_of
from ecnomy.analysis.reproduce.antoniadis2000 import background, budget, business, short_flows
from ecnomy.analysis.reproduce.antoniadis2000 import demonstrations as measures
from ecnomy.analysis.reproduce.antoniadis2000.steps import grown, held_mean, variation
from ecnomy.analysis.reproduce.siris2002.steering import phases, settled_after
from ecnomy.analysis.reproduce.studies import Runs

S = 10**12


def studies(name: str, columns: dict[str, list[Any]]) -> Any:
    """A study's runs from columns, all with the first seed."""
    frame = pd.DataFrame(columns).assign(replicate=0)
    return {name: Runs(frame, batches=False, budget=1)}


@pytest.fixture
def opened(monkeypatch) -> Any:
    """Makes `open_raw` return a run with these tables, measured over all of its time."""

    def as_run(
        tables: dict[str, pd.DataFrame], seconds: float, warm_s: float = 0
    ) -> SimpleNamespace:
        run = SimpleNamespace(
            measured=SimpleNamespace(from_ps=warm_s * S, to_ps=seconds * S),
            plan=SimpleNamespace(duration_ps=seconds * S),
            table=tables.__getitem__,
        )
        monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: run)
        return run

    return as_run


def flow_epochs(column: str, counters: dict[int, list[float]], step_s: float) -> pd.DataFrame:
    """The cumulative counters of flows, with a report per step from 0 on."""
    rows = [
        {"t_ps": round(k * step_s * S), "flow": flow, column: value}
        for flow, values in counters.items()
        for k, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_counters_cut_into_steps(opened) -> None:
    """Two flows of two sources; a report between two steps is left out."""
    epochs = flow_epochs("acked_bytes", {0: [0, 1, 2, 5, 9], 1: [0, 0, 4, 4, 4]}, 0.5)
    flows = pd.DataFrame({"flow": [0, 1], "source": ["a", "b"]})
    run = opened({"flow_epochs": epochs, "flows": flows}, 2)
    found = grown(run, "acked_bytes", 1.0)
    assert found["a"].tolist() == [[2, 7]]
    assert found["b"].tolist() == [[4, 0]]


def test_variation_by_hand() -> None:
    """1, 3, 1, 3 has mean 2 and deviation sqrt(4/3); pairs are steady; the fifth has no pair."""
    steps = np.array([[1.0, 3.0, 1.0, 3.0, 100.0]])
    assert variation(steps[:, :4]) == pytest.approx(np.sqrt(4 / 3) / 2)
    assert variation(steps, together=2) == 0


def test_a_held_value_counts_for_its_time() -> None:
    """A value of 4 until 10, and then 1, has the mean (5 x 4 + 10 x 1) / 15 from 5 to 20."""
    assert held_mean(np.array([0.0, 10.0]), np.array([4.0, 1.0]), 5, 20) == pytest.approx(2)


def test_what_files_cost_by_hand(opened) -> None:
    """Two files cost 3 and 5 money in total; one of them is complete after 4 s."""
    charge = flow_epochs("mark_charge_micro", {0: [0, 1e6, 3e6], 1: [0, 5e6, 5e6]}, 1.0)
    flows = pd.DataFrame({"flow": [0, 1], "source": ["upload", "upload"]})
    files = pd.DataFrame(
        {"flow": [0, 1], "start_ps": [S, S], "end_ps": [5 * S, -1], "complete": [1, 0]}
    )
    opened({"flow_epochs": charge, "flows": flows, "transfers": files}, 2)
    found = measures.budget(Path("unused"))
    assert (found["most_paid"], found["mean_paid"]) == (5, 4)
    assert (found["complete"], found["file_s"]) == (0.5, 4)


def test_pages_by_hand(opened) -> None:
    """Of gold's three pages one began too early and one was given up; silver's took 3 s and 1 s."""
    files = pd.DataFrame(
        {
            "flow": [0, 0, 0, 1, 1],
            "start_ps": [1 * S, 20 * S, 30 * S, 20 * S, 30 * S],
            "end_ps": [9 * S, 22 * S, 39 * S, 23 * S, 31 * S],
            "complete": [1, 1, 0, 1, 1],
        }
    )
    flows = pd.DataFrame({"flow": [0, 1], "source": ["gold", "silver"]})
    opened({"transfers": files, "flows": flows}, 60, warm_s=10)
    assert measures.pages(Path("unused")) == {
        "gold.page_s": 2,
        "gold.pages": 1,
        "silver.page_s": 2,
        "silver.pages": 2,
    }


def test_web_users_by_hand(opened) -> None:
    """1 MB requested in 8 s is 1 Mbit/s; half a MB costs 2 money; 40 users for 2 s, 20 for 6 s."""
    flows = pd.DataFrame(
        {
            "source": ["surfers", "others"],
            "delivered_bytes": [500_000, 7],
            "mark_charge_micro": [2_000_000, 7],
            "file_bytes": [1_000_000, 7],
        }
    )
    said = pd.DataFrame({"t_ps": [0, 2 * S], "name": ["users"] * 2, "value": [40.0, 20.0]})
    opened({"flows": flows, "agents": said}, 8)
    found = measures.background(Path("unused"))
    assert found == {"offered_mbps": 1, "users": 25, "money_per_mb": 4}


def test_budgets_and_control() -> None:
    """The figure is the most expensive file over its budget, or over the smallest budget."""
    four, eight = (f'{{"kind":"file-budget","budget":"{n} money"}}' for n in (4, 8))
    columns = {
        "market.agents.uploaders.strategy": [eight, four, '{"kind":"constant-charge"}', four, four],
        "sources.background.count": [12, 12, 12, 1, 12],
        "sources.upload.transport.send": [*["ack-clocked"] * 4, "paced"],
        "most_paid": [6.0, 4.0, 20.0, 3.0, 2.0],
        "mean_paid": [5.0, 3.0, 15.0, 2.0, 1.0],
        "complete": [1.0, 0.5, 1.0, 0.75, 0.25],
        "file_s": [9.0, 20.0, 5.0, 8.0, 8.0],
    }
    found = budget.figures(studies("budget", columns))
    assert found["most_paid_over_budget.budget=8"] == pytest.approx([0.75])
    assert found["most_paid_over_budget.budget=4"] == pytest.approx([1])
    assert found["complete.budget=4"] == pytest.approx([0.5])
    assert found["control.most_paid_over_least_budget"] == pytest.approx([5])
    assert found["control.no_crowd.budget=4.complete"] == pytest.approx([0.75])
    assert found["control.small_windows.budget=4.most_paid"] == pytest.approx([0.5])


def test_page_times_by_what_is_paid() -> None:
    """Gold's page times are half of Silver's with remembered prices, and equal without."""
    memory, fee = '{"kind":"price-memory"}', '{"kind":"constant-charge"}'
    columns = {
        "market.agents.gold-readers.strategy": [memory, fee, memory, fee],
        "sources.gold.transport.initial_window": [1.0, 1.0, 10.0, 10.0],
        **{"gold.page_s": [1.0, 2.0, 3.0, 4.0], "silver.page_s": [2.0, 2.0, 4.0, 4.0]},
        **{f"{name}.charge_per_s": [0.1] * 4 for name in ("gold", "silver")},
    }
    found = short_flows.figures(studies("short-flows", columns))
    assert found["time.gold_over_silver.remembered"] == pytest.approx([0.5])
    assert found["time.gold_over_silver.fee"] == pytest.approx([1])
    assert found["time.gold_over_silver.control.remembered"] == pytest.approx([0.75])
    assert found["time.gold_over_silver.control.fee"] == pytest.approx([1])


def test_traffic_over_that_at_half_the_price() -> None:
    """6 Mbit/s at 0.01 and 3 at 0.02 give a half; users who ignore prices stay at 6."""
    react, stay = '{"kind":"price-demand"}', '{"kind":"stay"}'
    columns = {
        "market.agents.crowd.strategy": [react, react, stay, stay],
        "market.price_per_mark": [0.02, 0.01, 0.01, 0.02],
        "offered_mbps": [3.0, 6.0, 6.0, 6.0],
        "users": [20.0, 40.0, 40.0, 40.0],
        "money_per_mb": [1.0] * 4,
    }
    found = background.figures(studies("background", columns))
    assert found["offered_over_half_price.price=0.02"] == pytest.approx([0.5])
    assert found["control.offered_over_half_price.price=0.02"] == pytest.approx([1])
    assert "offered_over_half_price.price=0.01" not in found


def test_profit_of_a_provider_who_pays() -> None:
    """Fees of 1 and marks of 0.2 and 0.6 leave 0.8 and 0.4, so half of the profit is lost."""
    columns = {
        "sources.background.count": [12],
        "resold.charge_cv": [0.0],
        "direct.charge_cv": [0.5],
        **{f"resold.{phase}_fee": [1.0] for phase in ("calm", "crowd")},
        **{"resold.calm_marks": [0.2], "resold.crowd_marks": [0.6]},
    }
    found = business.figures(studies("who-pays", columns))
    assert found["profit_over_income.calm.crowd=12"] == pytest.approx([0.8])
    assert found["profit_lost.crowd=12"] == pytest.approx([0.5])


def test_settled_once_nothing_is_off_any_more() -> None:
    """The last interval off by more than 0.02 is the third; a steady series has none."""
    assert settled_after(np.array([0.5, 0.9, 0.87, 0.91, 0.9]), 0.9, 0.02) == 3
    assert settled_after(np.array([0.9, 0.91]), 0.9, 0.02) == 0
    assert settled_after(np.array([0.9, 0.7]), 0.9, 0.02) == 2


def test_an_operators_phases_by_hand(opened) -> None:
    """The phases follow from a use of 0.8 and then 0.9, and from prices of 1 and then 2."""
    times = np.arange(0, 805, 5)
    busy = np.where(times <= 400, 0.8 * times, 320 + 0.9 * (times - 400))
    epochs = pd.DataFrame({"link": 3, "t_ps": times * S, "busy_ps": np.rint(busy * S)})
    links = pd.DataFrame({"link": [3], "name": ["bottleneck"]})
    said = pd.DataFrame(
        {"t_ps": [0, 405 * S], "name": ["price_micro_per_mark"] * 2, "value": [1e6, 2e6]}
    )
    opened({"link_epochs": epochs, "links": links, "agents": said}, 800)
    found = phases(Path("unused"))
    assert found["utilization_before"] == pytest.approx(0.8)
    assert found["utilization_after"] == pytest.approx(0.9)
    assert (found["settled_s_before"], found["settled_s_after"]) == (400, 0)
    assert (found["price_before"], found["price_after"]) == (1, 2)


def test_downloads_of_two_groups_by_hand(opened) -> None:
    """Web has one file of 2 s, knob one of 1 s and one in progress; a tenth of voice is late."""
    files = pd.DataFrame(
        {
            "flow": [1, 2, 2, 1],
            "start_ps": [10 * S, 10 * S, 15 * S, 1 * S],
            "end_ps": [12 * S, 11 * S, -1, 9 * S],
            "bytes": [1_000_000, 1_000_000, 10, 10],
            "complete": [1, 1, 0, 1],
        }
    )
    flows = pd.DataFrame(
        {
            "flow": [0, 1, 2],
            "source": ["voice", "web", "knob"],
            **{"files": [0, 1, 2], "file_bytes": [0, 2_500_000, 5_000_000]},
            **{"ce": [1, 2, 3], "delivered": [10, 20, 10], "late_0": [1, 0, 0]},
        }
    )
    opened({"transfers": files, "flows": flows}, 25, warm_s=5)
    found = downloads_of(Path("unused"))
    assert (found["web_ms"], found["knob_ms"], found["all_ms"]) == (2000, 1000, 1500)
    assert found["web_mbps"] == pytest.approx(4)
    assert found["all_mbps"] == pytest.approx(16 / 3)
    assert found["all_asked_mbps"] == pytest.approx(3)
    assert found["all_marking"] == pytest.approx(5 / 30)
    assert (found["voice_late"], found["voice_marking"]) == (0.1, 0.1)


def test_agents_and_knobs_over_those_without() -> None:
    """Ratios follow by hand: 2 over 1 for all, 3 over 1 for half, and half with a knob."""
    plain, smart = '{"kind":"constant-charge"}', '{"kind":"all-or-nothing"}'
    agents = {
        "network.links.bottleneck.marking": ['{"max_threshold":"72 packets"}'] * 3,
        "market.agents.home.strategy": [plain, plain, smart],
        "market.agents.lab.strategy": [plain, smart, smart],
        **{"all_ms": [1.0, 2.0, 2.0], "web_ms": [1.0] * 3, "knob_ms": [1.0, 3.0, 2.0]},
        **{name: [0.0] * 3 for name in ("voice_late", "all_asked_mbps", "all_marking")},
    }
    knob = {
        "network.links.bottleneck.marking.max_threshold": [72.0, 72.0],
        "sources.knob.transport.flows": [1.0, 2.0],
        **{"knob_ms": [2.0, 1.0], "web_ms": [2.0, 3.0], "voice_late": [0.0, 0.0]},
        **{"knob_mbps": [1.0, 1.0], "web_mbps": [1.0, 1.0]},
    }
    found = smart_ftp.figures(studies("smart-ftp", agents) | studies("knob", knob))
    assert found["times_over_none.all.72"] == pytest.approx([2])
    assert found["times_over_none.half.smart.72"] == pytest.approx([3])
    assert found["times_over_none.half.others.72"] == pytest.approx([1])
    assert found["knob.users_over_before.72"] == pytest.approx([0.5])
    assert found["knob.others_over_before.72"] == pytest.approx([1.5])
