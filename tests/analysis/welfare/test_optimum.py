# SPDX-License-Identifier: Apache-2.0
"""The distance from the optimum, anticipated prices and margins, by a solver and by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, minimize

import welfare_world as world
from ecnomy.analysis.welfare.welfare import welfare_of
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import RawRun, open_raw
from undigested import undigested

EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"
S, MARGIN = world.S, 1 / math.e
FRAMING = {"first": 20, "second": 0}  # bytes, of packets of 1,000
SQRT = "{kind: sqrt, a: 3 money/s, x0: 0.2 Mbps}"


@pytest.fixture(scope="module")
def lot(tmp_path_factory: pytest.TempPathFactory) -> RawRun:
    """Two links in a row, framing on one of them; other traffic on the first until 40 s."""
    return world.made(world.PARKING_LOT, tmp_path_factory.mktemp("lot"))


def grown(a_run: RawRun, table: str, key: str, name: str, row: int, ends: tuple[int, int]) -> float:
    """The growth of a counter between two times, from the table."""
    frame = getattr(a_run, table)
    own = frame[frame[key] == row].set_index("t_ps")[name]
    return float(own[ends[1] * S] - own[ends[0] * S])


def room_mbps(a_run: RawRun, link: int, flows: tuple[int, ...], ends: tuple[int, int]) -> float:
    """A link's rate less framing and all departures other than these flows' goodput."""
    seconds, framing = ends[1] - ends[0], FRAMING[a_run.plan.links[link].name]
    wire = grown(a_run, "link_epochs", "link", "departed_bytes", link, ends)
    wire += framing * grown(a_run, "link_epochs", "link", "departures", link, ends)
    acked = [grown(a_run, "flow_epochs", "flow", "acked_bytes", flow, ends) for flow in flows]
    others_bps = 8 * (wire - sum(acked) * (1 + framing / 1000)) / seconds
    left_bps = (a_run.plan.links[link].rate_bps - others_bps) / (1 + framing / 1000)
    return max(left_bps, 8 * sum(acked) / seconds) / 1e6  # their rates were available


def test_the_optimum_is_that_of_a_general_solver(lot: RawRun) -> None:
    """Rates and utilities by part equal a general solver's, with capacities by hand."""
    welfare = welfare_of(lot)
    assert welfare is not None
    parts, total = welfare.distance.parts, 0.0
    assert [(p.from_ps // S, p.to_ps // S) for p in parts] == [(10, 40), (40, 60)]
    furthest = 0.0
    for part in parts:
        ends = part.from_ps // S, part.to_ps // S
        index = {link.name: i for i, link in enumerate(lot.plan.links)}
        first = room_mbps(lot, index["first"], (0, 1, 2), ends)
        second = room_mbps(lot, index["second"], (0, 1, 3), ends)

        def loss(x: np.ndarray) -> float:
            return -float(2 * np.log1p(x[:2]).sum() + 0.5 * np.sqrt(x[2:] / 0.4).sum())

        full = [
            {"type": "ineq", "fun": lambda x, c=first: c - x[0] - x[1] - x[2]},
            {"type": "ineq", "fun": lambda x, c=second: c - x[0] - x[1] - x[3]},
        ]
        start, options = np.full(4, 0.5), {"ftol": 1e-14, "maxiter": 500}
        best = minimize(loss, start, bounds=[(1e-6, 9)] * 4, constraints=full, options=options)
        assert part.best_bps / 1e6 == pytest.approx(best.x, rel=2e-4)
        assert part.optimum_per_s == pytest.approx(-best.fun, rel=1e-7)
        had = [np.mean(world.rates_bps(lot, flow, *ends)) for flow in range(4)]
        assert part.rates_bps == pytest.approx(had)
        assert part.utility_per_s == pytest.approx(-loss(np.array(had) / 1e6))
        assert part.utility_per_s <= part.optimum_per_s
        assert first < 4 / 1.02 - (0.4 if ends[0] == 10 else 0)  # other traffic is subtracted
        apart = [abs(x - 1e6 * b) / max(x, 1e6 * b) for x, b in zip(had, best.x, strict=True)]
        furthest = max(furthest, *apart)
        total -= best.fun * (ends[1] - ends[0])
    assert welfare.distance.optimum_per_s == pytest.approx(total / 50, rel=1e-7)
    assert welfare.distance.furthest == pytest.approx(furthest, abs=1e-3)
    assert welfare.optimum_ratio == pytest.approx(welfare.welfare_micro / 1e6 / total, rel=1e-7)
    assert math.isnan(welfare.distance.nash_per_s)  # two links limit rates


def test_users_who_come_and_go(tmp_path: Path) -> None:
    """For users who come and go, the optimum has their fixed shares of time."""
    short = ["duration=60 s", "warmup=10 s", "seed=2"]
    a_run = open_raw(run(EXAMPLES / "switching.yaml", overrides=short, out=tmp_path / "r").folder)
    welfare = welfare_of(a_run)
    assert welfare is not None
    (part,) = welfare.distance.parts
    table = a_run.flow_epochs.sort_values(["t_ps", "flow"])
    on = table["active"].to_numpy().reshape(-1, 24)[11:61].mean(axis=0)
    assert 0 < on[on > 0].min() < 1  # a user changed
    rows = np.flatnonzero(on)
    assert part.rows.tolist() == rows.tolist()
    lines = [(rows < 12, 4.0), (rows >= 12, 8.0)]

    def loss(y: np.ndarray) -> float:
        return -float((on[rows] * np.log1p(y / on[rows] / 0.2)).sum())

    full = [{"type": "ineq", "fun": lambda y, m=m, c=c: c - y[m].sum()} for m, c in lines]
    best = minimize(loss, on[rows] * 0.3, bounds=[(0, 9)] * len(rows), constraints=full)
    assert part.optimum_per_s == pytest.approx(-best.fun, rel=2e-3)  # a little is sent again
    assert part.best_bps / 1e6 == pytest.approx(best.x / on[rows], rel=1e-2)
    for mine, _ in lines:
        assert np.ptp(part.best_bps[mine]) < 1e-3  # equal users get the same while they are on


def capped(folder: Path, traffic: str) -> RawRun:
    """Two equal users, one with capped traffic."""
    text = world.ONE_LINK.replace("MARKING", world.BY_LOAD).replace("ROLE", "price-handler")
    for name in ("FIRST", "SECOND"):
        text = text.replace(name, world.ELASTIC.replace("UTILITY", world.LOG))
    return world.made(text.replace("{name: one,", f"{{name: one, traffic: {traffic},"), folder)


def test_caps_of_traffic_limit_the_optimum(tmp_path: Path) -> None:
    """A flow with a small demand gets it, and the other flow gets the rest."""
    welfare = welfare_of(capped(tmp_path, "{kind: rate-capped, rate: 300 kbps}"))
    assert welfare is not None
    (part,) = welfare.distance.parts
    assert part.best_bps[0] == pytest.approx(3e5, rel=2e-3)
    assert part.best_bps[1] == pytest.approx(2e6 - part.best_bps[0], rel=2e-3)
    assert math.isnan(part.nash_per_s)  # a cap is binding
    assert 0.9 < welfare.optimum_ratio < 1


def test_a_cap_that_is_lifted_limits_no_more(tmp_path: Path) -> None:
    """Before the lift the flow's best rate is its cap; afterwards both get the same."""
    welfare = welfare_of(capped(tmp_path, "{kind: rate-capped, rate: 300 kbps, until: 15 s}"))
    assert welfare is not None
    before, after = welfare.distance.parts
    assert before.to_ps == after.from_ps == 15 * S
    assert before.best_bps[0] == pytest.approx(3e5, rel=2e-2)
    assert after.best_bps == pytest.approx([1e6, 1e6], rel=1e-2)


def test_users_who_anticipate_prices(tmp_path: Path) -> None:
    """Two users on a link: (1 - x/C) U'(x) is the same for both."""
    a_run = world.one_link(tmp_path, utilities=(world.LOG, SQRT))
    welfare = welfare_of(a_run)
    assert welfare is not None
    (part,) = welfare.distance.parts
    ends = (5, 30)
    wire = grown(a_run, "link_epochs", "link", "departed_bytes", 0, ends) * 8 / 25e6
    own = (
        sum(grown(a_run, "flow_epochs", "flow", "acked_bytes", f, ends) for f in (0, 1)) * 8 / 25e6
    )
    c = 2 - (wire - own)

    def slopes(x: float) -> float:
        log, root = 2 / (1 + x), 3 / 2 / math.sqrt(0.2 * (c - x))
        return (1 - x / c) * log - (x / c) * root

    x = brentq(slopes, 1e-9, c - 1e-9)
    utility = 2 * math.log1p(x) + 3 * math.sqrt((c - x) / 0.2)
    assert part.nash_per_s == pytest.approx(utility, rel=1e-6)
    assert 0.75 < part.nash_per_s / part.optimum_per_s < 0.999
    assert welfare.distance.nash_per_s == part.nash_per_s
    without = welfare_of(a_run, nash=False)
    assert without is not None and math.isnan(without.distance.nash_per_s)
    assert without.optimum_ratio == welfare.optimum_ratio


def test_without_marks_nobody_anticipates_a_price(tmp_path: Path) -> None:
    """The same users on a link that only drops."""
    a_run = world.one_link(tmp_path, marking="{law: drop-tail}", utilities=(world.LOG, SQRT))
    welfare = welfare_of(a_run)
    assert welfare is not None and welfare.distance.optimum_per_s > 0
    assert math.isnan(welfare.distance.nash_per_s)


def test_margin_of_a_law_by_load(lot: RawRun) -> None:
    """The margin follows from gain (p + x s/C), in the part with the smallest margin."""
    welfare = welfare_of(lot)
    assert welfare is not None
    index = {link.name: i for i, link in enumerate(lot.plan.links)}
    assert {one.link for one in welfare.margins} == {"first", "second"}
    assert list(welfare.margins) == sorted(welfare.margins, key=lambda one: one.margin)
    for one in welfare.margins:
        flows = (0, 1, 2) if one.link == "first" else (0, 1, 3)
        left = []
        for ends in ((10, 40), (40, 60)):
            link = index[one.link]
            marks, arrived = (
                grown(lot, "link_epochs", "link", name, link, ends)
                for name in ("marks", "arrivals")
            )
            x = sum(grown(lot, "flow_epochs", "flow", "acked", f, ends) for f in flows)
            x /= ends[1] - ends[0]
            c_pps = lot.plan.links[link].rate_bps / 8 / (1000 + FRAMING[one.link])
            left.append(0.2 * (marks / arrived + x * 0.5 / c_pps))
        assert one.left == pytest.approx(max(left)) and one.from_law
        assert one.margin == pytest.approx(MARGIN / max(left))


def test_margin_of_fixed_marking(tmp_path: Path) -> None:
    """A fixed probability does not depend on load, so the margin comes from gain p."""
    welfare = welfare_of(world.one_link(tmp_path, marking="{law: fixed, probability: 0.05}"))
    assert welfare is not None
    (one,) = welfare.margins
    assert one.slope_s == 0 and one.left == pytest.approx(0.2 * one.probability)
    assert one.probability == pytest.approx(0.05, abs=0.01)


def test_margin_of_a_law_by_queue_is_read_off_reports(tmp_path: Path) -> None:
    """The margin follows from a line through (arrivals/s, share marked), if correlated."""
    red = "{law: red, min_threshold: 5 packets, max_threshold: 15 packets, max_probability: 0.1}"
    a_run = world.one_link(tmp_path, marking=red)
    file = undigested(a_run.path) / "link_epochs.parquet"
    table = pd.read_parquet(file).sort_values(["t_ps", "link"])
    own = (table["link"] == 0).to_numpy()
    seconds = np.arange(own.sum())
    each = np.where(seconds > 0, 1000 + 10 * (seconds * 7 % 10), 0)  # arrivals per second
    for shares, slope in (
        (0.02 + 5e-4 * (each - 1000), 5e-4),
        (np.where(seconds % 2 == 0, 0.1, 0.12), math.nan),
        (0.2 - 5e-4 * (each - 1000), math.nan),
    ):
        table.loc[own, "arrivals"] = np.cumsum(each)
        table.loc[own, "marks"] = np.cumsum(np.round(each * shares)).astype(np.int64)
        table.to_parquet(file, index=False)
        welfare = welfare_of(open_raw(a_run.path))
        assert welfare is not None
        assert bool(welfare.margins) == (not math.isnan(slope))
        for one in welfare.margins:
            assert one.slope_s == pytest.approx(slope, rel=0.02) and not one.from_law


def test_margin_by_form(tmp_path: Path) -> None:
    """w_dec is 1, the marks paid for per round trip, or the parameter."""
    for form, w_dec in (
        ("inverse-decrease", None),
        ("general, w_inc: 1 marks, w_dec: 4 marks", 4.0),
    ):
        text = world.ONE_LINK.replace("MARKING", world.BY_LOAD).replace("ROLE", "price-handler")
        for name in ("FIRST", "SECOND"):
            text = text.replace(name, world.ELASTIC.replace("UTILITY", world.LOG))
        text = text.replace("gain: 0.2,", f"gain: 0.2, form: {form},")
        a_run = world.made(text, tmp_path / form[:3])
        welfare = welfare_of(a_run)
        assert welfare is not None
        (one,) = welfare.margins
        if w_dec is None:
            flows = a_run.flow_epochs[a_run.flow_epochs["t_ps"] > 5 * S]
            rtt = [flows[flows["flow"] == f]["srtt_s"].mean() for f in (0, 1)]
            marks = [grown(a_run, "flow_epochs", "flow", "ce", f, (5, 30)) / 25 for f in (0, 1)]
            w_dec = min(m * t for m, t in zip(marks, rtt, strict=True))
        plain = 0.2 * (one.probability + one.rate_pps * one.slope_s)
        assert one.left == pytest.approx(plain / w_dec)


def test_users_who_are_sated_have_their_optimum(tmp_path: Path) -> None:
    """If a link has capacity for all, each rate saturates U = a, at a price of 0."""
    wants = [f"{{kind: quadratic, a: {a} money/s, x0: {x0} Mbps}}" for a, x0 in ((2, 1), (1, 0.5))]
    welfare = welfare_of(world.one_link(tmp_path, utilities=(wants[0], wants[1])))
    assert welfare is not None
    (part,) = welfare.distance.parts
    assert part.best_bps == pytest.approx([1e6, 0.5e6], rel=1e-6)
    assert welfare.distance.optimum_per_s == pytest.approx(3.0, rel=1e-9)
    assert 0.9 < welfare.optimum_ratio <= 1


def test_a_step_has_no_optimum(tmp_path: Path) -> None:
    """All slopes of a step are 0; only the utility itself shows the jump."""
    config = Path(__file__).parents[3] / "configs" / "examples" / "strategy-menu.yaml"
    run(str(config), overrides=("duration=10 s", "warmup=2 s"), out=tmp_path / "r")
    welfare = welfare_of(open_raw(tmp_path / "r"))
    assert welfare is not None
    assert welfare.distance.why == "the utility of viewers is not concave"
