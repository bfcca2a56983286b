# SPDX-License-Identifier: Apache-2.0
"""The verdict on whether a steered price has settled: known series, and the output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import carrier_world as world
from ecnomy.analysis.run.carriers import Prices
from ecnomy.analysis.run.price_settling import (
    Settling,
    by_slope,
    scheduled_prices,
    settling_in_words,
    settling_of,
    verdict_of,
)
from ecnomy.analysis.run.priced_out import priced_out
from ecnomy.analysis.run.profit_slope import fitted_slope, noted_slope, slope_of
from ecnomy.analysis.show.command import show_command
from ecnomy.markets.results.rawrun import open_raw

MakeRun = Callable[..., Path]
S = world.S
COUNT = 120  # prices of a whole run, 10 s each
AT = np.arange(COUNT)
TRIES = np.where(AT % 2, 1.1, 1 / 1.1)  # above and below in turn


def _verdict(money: np.ndarray) -> str | None:
    times = np.arange(len(money), dtype=np.int64) * 10 * S
    end = len(money) * 10 * S
    one = verdict_of("up", Prices(times, money), end // 2, end)
    return None if one is None else one.verdict


def _noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(COUNT)


@pytest.mark.parametrize("seed", range(5))
def test_exploration_about_a_rest_point_is_settled(seed: int) -> None:
    """Prices that only explore around a rest point have settled."""
    random = np.random.default_rng(seed)
    listed = 0.1 * np.geomspace(0.5, 2, 9)[random.choice(9, COUNT, p=_binomial())]
    walk, steps = 0.0, []
    for _ in range(COUNT):
        walk += 1 if random.random() < 0.5 - 0.12 * walk else -1
        steps.append(0.1 + 0.006 * walk)
    assert _verdict(0.1 * TRIES * np.exp(0.02 * _noise(seed))) == "settled"
    assert _verdict(listed) == "settled"
    assert _verdict(np.array(steps)) == "settled"


def _binomial() -> np.ndarray:
    return np.array([1, 8, 28, 56, 70, 56, 28, 8, 1]) / 256


def test_a_price_that_runs_away_is_rising_or_falling() -> None:
    """A price that changes by 3 % per try is rising or falling, despite exploration."""
    away = 0.02 * np.exp(0.03 * AT) * TRIES
    assert _verdict(away) == "rising"
    assert _verdict(away[::-1].copy()) == "falling"


def test_a_slow_drift_counts_once_it_is_a_tenth() -> None:
    """15 % over the last half is a drift despite tries of 10 % and noise; 5 % is not."""
    for seed in range(5):
        tried = 0.1 * TRIES * np.exp(0.01 * _noise(seed))
        assert _verdict(tried * np.exp(0.15 * AT / (COUNT / 2))) == "rising"
        assert _verdict(tried * np.exp(0.05 * AT / (COUNT / 2))) == "settled"


@pytest.mark.parametrize("period", [30, 60, 240])
def test_a_cycle_is_swinging_or_on_its_way(period: int) -> None:
    """A price that moves in a cycle is swinging, or still on its way."""
    at = np.arange(960)
    verdict = _verdict(0.1 * np.exp(np.log(3) * np.sin(2 * np.pi * at / period)))
    assert verdict == "swinging"


def test_undercutting_that_starts_anew_is_swinging() -> None:
    """An Edgeworth cycle is swinging: down in steps of 4 %, then back to the highest price."""
    assert _verdict(0.1 * 0.96 ** (np.arange(960) % 40)) == "swinging"


def test_few_changes_say_nothing_and_a_price_at_rest_is_settled() -> None:
    """Seven changes in the last half are too few; a price that stopped moving has settled."""
    money = np.full(COUNT, 0.1)
    money[:30] = 0.1 * 1.05 ** np.arange(30)
    assert _verdict(money) == "settled"
    money[60:67] = 0.1 * 1.1 ** np.arange(7)
    one = verdict_of("up", Prices(AT * 10 * S, money), COUNT * 5 * S, COUNT * 10 * S)
    assert one is not None and (one.verdict, one.few) == ("unclear", 7)
    words = "settles: it changed only 7 times from 600 s to 1200 s, 0.104 money on average"
    assert words in settling_in_words(one)


@pytest.mark.parametrize(
    ("best", "words"),
    [
        (4, "This is the highest price that it tried. A higher price may earn more"),
        (0, "This is the lowest price that it tried. A lower price may earn more"),
        (2, ""),
    ],
)
def test_a_price_at_the_end_of_its_list_is_settled_with_a_notice(best: int, words: str) -> None:
    """Of five prices each is tried; finally the best one has four tries in five."""
    tries = np.where(AT % 5 == 4, AT // 5 % 5, best)
    money = np.where(AT < 20, 0.1 * 1.2 ** (AT % 5), 0.1 * 1.2**tries)
    one = verdict_of("up", Prices(AT * 10 * S, money), COUNT * 5 * S, COUNT * 10 * S)
    assert one is not None and one.verdict == "settled"
    assert settling_in_words(one).endswith(words or "from 600 s to 1200 s")


def test_a_price_at_zero_is_no_trouble() -> None:
    """Floors of 0 money are allowed: steps off 0 and back, and a price of 0 throughout."""
    assert _verdict(np.zeros(COUNT)) == "settled"
    assert _verdict(np.where(AT % 2, 0.0, 0.01)) == "settled"


def test_a_price_at_rest_is_settled_only_where_its_profit_is() -> None:
    """A price at rest has settled only if its noted slopes are around 0."""
    steps, still = np.array([1.0, -1.0, 1.0, -1.0]), np.zeros(4)

    def judged(slopes: np.ndarray, log_prices: np.ndarray, curvature: float) -> str:
        return by_slope(noted_slope(slopes, log_prices, curvature))

    assert judged(0.02 * steps, still, 0.25) == "settled"
    assert judged(0.3 + 0.02 * steps, still, 0.25) == "climbing"
    assert judged(0.2 * steps, still, 0.25) == "unclear"
    assert judged(0.02 * steps[:2], still[:2], 0.25) == "unclear"
    assert judged(0.002 * steps, still, 0.2) == "unclear"  # too flat to tell
    assert judged(-0.2 * steps, 0.1 * steps, 2.0) == "settled"  # c explains all of it


def test_a_noted_slope_is_that_of_the_price_of_the_round_that_ended() -> None:
    """At a report one round ends with its slope and the next begins with its price.

    c explains the slopes. The slope of the first round was noted before the window.
    """
    log_prices = 0.1 * np.array([0.0, 1.0, -1.0, 3.0, -2.0, 2.0])
    begins = np.arange(6) * 10 * S
    columns = {
        "profit_slope": (begins + 10 * S, 0.3 - 2 * (log_prices - log_prices[1:].mean())),
        "own_price": (begins, np.exp(log_prices)),
        "profit_curvature": (begins[1:], np.full(5, 2.0)),
    }
    agents = pd.concat(
        pd.DataFrame({"agent": "up", "name": name, "t_ps": t_ps, "value": values})
        for name, (t_ps, values) in columns.items()
    )
    run, prices = SimpleNamespace(agents=agents), Prices(begins, np.exp(log_prices))
    slope = slope_of(run, "up", prices, 10 * S, 60 * S)  # type: ignore[arg-type]
    assert slope is not None and (slope.slope, slope.curvature) == (pytest.approx(0.3), 2.0)
    assert slope.error == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("off", "noise", "verdict"),
    [(0.0, 0.01, "settled"), (0.3, 0.01, "climbing"), (0.1, 0.2, "unclear")],
)
def test_a_fitted_slope_finds_how_far_the_price_is_off(
    off: float, noise: float, verdict: str
) -> None:
    """A profit of 1 - x^2 is sampled around x = -off: s = 2 off, c = 2, a gain of off^2."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        x = random.choice([-0.2, -0.1, 0.0, 0.1, 0.2], 60) - off
        profits = 5 * (1 - x**2 + noise * random.standard_normal(60))
        lengths = random.uniform(5, 15, 60)
        fit = fitted_slope(x, profits, lengths)
        assert fit is not None
        assert by_slope(fit) == verdict
        if noise < 0.1:
            middle, mean = np.average([x, profits / 5], axis=1, weights=lengths)
            assert fit.slope == pytest.approx(-2 * middle / mean, abs=2 * fit.error)
            assert fit.curvature == pytest.approx(2 / mean, rel=0.3)


@pytest.mark.parametrize(("best", "verdict"), [(0.0, "settled"), (0.3, "unclear")])
def test_a_search_among_two_prices_is_judged_by_those_before_it(
    steered: Path, best: float, verdict: str
) -> None:
    """Five prices are tried in the first half, and then two, which have no slope."""
    count, times = 36, np.arange(0, 180, 5)
    logs = np.resize([-0.2, 0.1, -0.1, 0.2, 0.0], count)
    logs[18:] = np.resize([0.0, 0.1], 18)
    table = pd.read_parquet(steered / "agents.parquet")
    own = (table["agent"] == "left-net") & (table["name"] == "price_micro_per_mark")
    table.loc[own, "value"] = np.rint(1e5 * np.exp(logs))
    table.to_parquet(steered / "agents.parquet", index=False)
    earned = np.rint(1e6 * (1 - (logs - best) ** 2)).astype(int)
    sales = pd.concat([pd.read_parquet(steered / "ledger.parquet").iloc[:1]] * count)
    sales = sales.assign(
        t_ps=(times + 5) * S, debit="users", credit="left-net", amount_micro=earned
    )
    sales.to_parquet(steered / "ledger.parquet", index=False)
    (one,) = settling_of(open_raw(steered))
    assert one.verdict == verdict


def test_prices_too_far_apart_for_a_slope_have_not_settled(steered: Path) -> None:
    """Steps of 0.8 of the mean price leave no three prices within a factor of 1.5."""
    table = pd.read_parquet(steered / "agents.parquet")
    own = (table["agent"] == "left-net") & (table["name"] == "price_micro_per_mark")
    table.loc[own, "value"] = 1e5 * np.resize([1.0, 1.8, 1.0, 0.2], int(own.sum()))
    table.to_parquet(steered / "agents.parquet", index=False)
    count = 36
    sales = pd.concat([pd.read_parquet(steered / "ledger.parquet").iloc[:1]] * count)
    times = (np.arange(0, 180, 5) + 5) * S
    sales = sales.assign(t_ps=times, debit="users", credit="left-net", amount_micro=5)
    sales.to_parquet(steered / "ledger.parquet", index=False)
    (one,) = settling_of(open_raw(steered))
    assert one.verdict == "unclear"


def test_few_prices_or_far_ones_have_no_slope() -> None:
    """Seven reports, two prices, or prices a factor of two apart give no slope."""
    ones = np.ones(12)
    x = np.linspace(-0.1, 0.1, 12)
    assert fitted_slope(x, ones, ones) is not None
    assert fitted_slope(x[:7], ones[:7], ones[:7]) is None
    assert fitted_slope(np.sign(x), ones, ones) is None
    assert fitted_slope(50 * x, ones, ones) is None


@pytest.fixture
def steered(make_run: MakeRun) -> Path:
    """A run with two carriers: left-net steers a rising price, right-net's is constant."""
    folder = world.two_carriers(make_run())
    agents = [{**world.AGENTS[0], "strategy": {"kind": "revenue-gradient"}}]
    agents += [{**world.AGENTS[1], "strategy": {"kind": "stay"}}, world.AGENTS[2]]
    world.scenario(folder, market={"agents": agents})
    table = pd.read_parquet(folder / "agents.parquet")
    table = table[(table["agent"] != "left-net")]
    times = np.arange(0, 180, 5)
    own = pd.DataFrame(
        {
            "t_ps": times * S,
            "agent": "left-net",
            "flow": -1,
            "name": "price_micro_per_mark",
            "value": np.rint(10_000 * np.exp(0.01 * times)),
        }
    )
    table = pd.concat([table, own]).sort_values("t_ps", kind="stable")
    table.to_parquet(folder / "agents.parquet", index=False)
    return folder


def _show(folder: Path, *more: str) -> str:
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(folder), *more])
    assert done.exit_code == 0, done.output
    return done.output


def test_show_says_so_in_one_line(steered: Path) -> None:
    """The line names the steering carrier, its first and last price, the time and direction."""
    text = " ".join(_show(steered, "--no-plot").split())
    words = "carrier left-net: its price does not settle: "
    assert words in text
    assert "from 90 s to 180 s, rising" in text
    assert "carrier right-net: its price" not in text


def test_a_price_at_rest_beside_the_best_one_is_said_to_be_too_low(steered: Path) -> None:
    """Prices alternate from 0.09 to 0.11 money, with profit 1 - (x - 0.3)^2 at log price x."""
    table = pd.read_parquet(steered / "agents.parquet")
    own = (table["agent"] == "left-net") & (table["name"] == "price_micro_per_mark")
    count = int(own.sum())
    money = 0.1 * np.exp(np.resize([0.1, 0.0, -0.1, 0.0], count))
    table.loc[own, "value"] = np.rint(1e6 * money)
    table.to_parquet(steered / "agents.parquet", index=False)
    times = table.loc[own, "t_ps"].to_numpy() + 5 * S
    earned = 1 - (np.log(money / 0.1) - 0.3) ** 2
    sales = pd.read_parquet(steered / "ledger.parquet").iloc[:1]
    sales = pd.concat([sales] * count, ignore_index=True)
    sales = sales.assign(
        t_ps=times, debit="users", credit="left-net", amount_micro=np.rint(1e6 * earned).astype(int)
    )
    sales.to_parquet(steered / "ledger.parquet", index=False)
    text = " ".join(_show(steered, "--no-plot").split())
    words = "carrier left-net: its price is not the best yet: 0.0905 to 0.111 money"
    assert words in text
    assert "a higher price would earn about 10 % more" in text


def test_far_from_the_best_price_no_figure_is_given() -> None:
    """A parabola through prices near each other says nothing of a price far from them."""
    times = {"from_s": 60.0, "to_s": 120.0}
    one = Settling("net", "climbing", 0.09, 0.11, 0.1, **times, gain=0.4, better="higher")
    assert "a higher price would earn about 40 % more" in settling_in_words(one)
    assert "a higher price would earn much more" in settling_in_words(
        msgspec.structs.replace(one, gain=12.6)
    )


def test_json_has_the_same(steered: Path) -> None:
    """JSON has the same verdict, with the 10th and 90th percentiles of the prices."""
    (one,) = json.loads(_show(steered, "--json"))["settling"]
    assert (one["carrier"], one["verdict"]) == ("left-net", "rising")
    prices = np.rint(10_000 * np.exp(0.01 * np.arange(90, 180, 5))) / 1e6
    assert (one["low"], one["high"]) == (pytest.approx(prices[1]), pytest.approx(prices[16]))
    assert one["mean"] == pytest.approx(prices.mean())


def test_a_carrier_that_receives_nothing_has_not_settled(steered: Path) -> None:
    """A payment before the last half of the run does not count. One within that half does."""
    sales = pd.read_parquet(steered / "ledger.parquet").iloc[:2]
    sales = sales.assign(debit="users", credit=["left-net", "right-net"], amount_micro=5)

    def verdict(second: int) -> tuple[str, str]:
        table = sales.assign(t_ps=[second * S, 170 * S])
        table.to_parquet(steered / "ledger.parquet", index=False)
        (one,) = settling_of(open_raw(steered))
        return one.verdict, settling_in_words(one)

    assert verdict(100)[0] == "rising"
    state, words = verdict(90)
    assert state == "unpaid"
    assert words.startswith("carrier left-net: it received nothing from 90 s to 180 s; its price")


@pytest.mark.parametrize(
    ("strategy", "off_s", "source", "away"),
    [
        ("elastic-utility", 130, "gold", 0.56),
        ("elastic-utility", 140, "gold", None),
        ("price-demand", 92, "gold", 0.98),
        ("price-demand", 96, "gold", None),
        ("best-offer", 92, "gold", None),
        ("elastic-utility", 130, "silver", None),
    ],
)
def test_users_who_are_away_most_of_the_time_are_named(
    steered: Path, strategy: str, off_s: int, source: str, away: float | None
) -> None:
    """Gold's flows are off from that second to the end, within the half from 90 to 180 s."""
    leaver = {"name": "gold-users", "role": "price-handler", "sources": [source]}
    agents = [{**one, "strategy": {"kind": "revenue-gradient"}} for one in world.AGENTS[:1]]
    agents += [world.AGENTS[1], {**leaver, "strategy": {"kind": strategy}}]
    world.scenario(steered, market={"agents": agents})
    table = pd.read_parquet(steered / "agents.parquet")
    table = table[table["name"] != "active"]
    off = [(off_s * S, "gold-users", flow, "active", 0.0) for flow in (0, 1)]
    table = pd.concat([table, pd.DataFrame(off, columns=table.columns)])
    table.sort_values("t_ps", kind="stable").to_parquet(steered / "agents.parquet", index=False)
    (one,) = settling_of(open_raw(steered))
    assert [user.source for user in one.away] == (["gold"] if away else [])
    if away:
        assert one.away[0].away == pytest.approx(away, abs=0.005)
        words = f"rising. Users of gold were away for {100 * away:.0f} % of this time"
        assert words in settling_in_words(one)
        assert priced_out(open_raw(steered), (), 90 * S, 180 * S) == ()


def test_schedules_and_fixed_prices_are_left_out(make_run: MakeRun) -> None:
    """Carriers without a strategy, or with prices known in advance, have no verdict."""
    folder = world.two_carriers(make_run())
    assert settling_of(open_raw(folder)) == ()
    agents = [{**one, "strategy": {"kind": "price-schedule"}} for one in world.AGENTS[:2]]
    world.scenario(folder, market={"agents": agents})
    assert settling_of(open_raw(folder)) == ()


def test_prices_that_a_schedule_changes_in_a_window(make_run: MakeRun) -> None:
    """They begin with the price at the start of the window; equal prices in a row are one."""
    folder = world.two_carriers(make_run())
    agents = [{**one, "strategy": {"kind": "price-schedule"}} for one in world.AGENTS[:2]]
    world.scenario(folder, market={"agents": agents})
    posted = [("left-net", 0, 0.1), ("left-net", 50, 0.1), ("left-net", 100, 0.3)]
    posted += [("left-net", 170, 0.2), ("right-net", 0, 0.1), ("right-net", 160, 0.5)]
    rows = [(t * S, who, -1, "price_micro_per_mark", 1e6 * money) for who, t, money in posted]
    pd.DataFrame(rows, columns=["t_ps", "agent", "flow", "name", "value"]).sort_values(
        "t_ps", kind="stable"
    ).to_parquet(folder / "agents.parquet", index=False)
    prices = scheduled_prices(open_raw(folder), 60 * S, 150 * S)
    assert list(prices) == ["left-net"]
    assert prices["left-net"].t_ps.tolist() == [60 * S, 100 * S]
    assert prices["left-net"].money.tolist() == pytest.approx([0.1, 0.3])
    assert list(scheduled_prices(open_raw(folder), 0, 180 * S)) == ["left-net", "right-net"]


@pytest.mark.parametrize(("last", "verdict"), [(0.2, "unclear"), (0.1, "settled")])
def test_beside_a_price_that_changed_once_a_verdict_is_unclear(
    make_run: MakeRun, last: float, verdict: str
) -> None:
    """left-net tries about 0.1 money; one change of right-net is too few for a verdict on it."""
    folder = world.two_carriers(make_run())
    agents = [{**one, "strategy": {"kind": "revenue-gradient"}} for one in world.AGENTS[:2]]
    world.scenario(folder, market={"agents": agents})
    times = np.arange(0, 180, 5)
    posted = [("left-net", t, 0.1 * TRIES[k]) for k, t in enumerate(times)]
    posted += [("right-net", 0, 0.1), ("right-net", 150, last)]
    rows = [(t * S, who, -1, "price_micro_per_mark", 1e6 * money) for who, t, money in posted]
    for k, t in enumerate(times):  # the search knows that it is at the best price
        noted = {"own_price": 0.1, "profit_slope": 0.01 * (-1) ** k, "profit_curvature": 2.0}
        rows += [(t * S, "left-net", -1, name, value) for name, value in noted.items()]
    pd.DataFrame(rows, columns=["t_ps", "agent", "flow", "name", "value"]).sort_values(
        "t_ps", kind="stable"
    ).to_parquet(folder / "agents.parquet", index=False)
    verdicts = {one.carrier: one.verdict for one in settling_of(open_raw(folder))}
    assert verdicts["left-net"] == verdict
