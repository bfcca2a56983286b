# SPDX-License-Identifier: Apache-2.0
"""Mean prices as outcome columns, against direct reads of the table of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.analysis import open_sweep
from ecnomy.analysis.run.prices import price_columns
from ecnomy.analysis.sweeps.outcome_names import called, name_of
from ecnomy.markets import load, open_market, run
from sweep_world import SCENARIO, SWEEP, go, write

BARE = SCENARIO[: SCENARIO.index("market:")]
TWO = SCENARIO.replace(
    "    - {name: isp, role: connectivity-provider}",
    "    - {name: isp, role: connectivity-provider, links: wire}\n"
    "    - {name: far, role: connectivity-provider, links: wire.reverse, price_per_mark: 3 money}",
)


def run_with(folder: Path, scenario: str, prices: dict[float, float], carrier: str) -> Path:
    """A run of 3 s (1 s of warm-up) with prices posted by hand at these times [s]."""
    folder.mkdir()
    (folder / "scenario.yaml").write_text(scenario)
    out = folder / "out"
    with open_market(load(folder / "scenario.yaml"), seed=1, out=out) as market:
        at_s = 0.0
        while market.running:
            if at_s in prices:
                market.post_price(carrier, prices[at_s])
            market.step()
            at_s += 0.5
        market.close()
    return out


def test_means_are_over_the_time_of_the_measured_window(tmp_path: Path) -> None:
    """Prices of 0.2 and 0.5 money, each for half of the measured window, have the mean 0.35.

    The only carrier's price is also the market's.
    """
    out = run_with(tmp_path / "run", SCENARIO, {0.5: 0.2, 2.0: 0.5}, "isp")
    wanted = pytest.approx(0.35, rel=1e-12)
    assert price_columns(out) == {"price": wanted, "price.isp": wanted}


def test_each_carrier_has_its_own(tmp_path: Path) -> None:
    """Two carriers: 0.1 money, and 3, then 4 money from 2.5 s on; the market has no price."""
    out = run_with(tmp_path / "run", TWO, {2.5: 4.0}, "far")
    assert price_columns(out) == {"price.isp": 0.1, "price.far": pytest.approx(3.25, rel=1e-12)}


def test_a_price_that_is_held_is_its_own_mean(tmp_path: Path) -> None:
    """A constant price equals its mean to the last digit, also in sweeps."""
    text = SWEEP.replace("replicates: 3", "replicates: 1")
    file = write(tmp_path, text)
    _, _, watcher = go(file, tmp_path / "out")
    frame = open_sweep(tmp_path / "out")
    assert not watcher.failures and len(frame) == 4
    for column in ("price", "price.isp"):
        assert (frame[column] == frame["market.price_per_mark"]).all()


def test_a_sweep_has_what_its_tables_say(tmp_path: Path) -> None:
    """Prices set by a carrier's strategy: both ways give the same means to the last digit."""
    text = SWEEP.replace("replicates: 3", "replicates: 1") + "keep: results\n"
    steered = SCENARIO.replace(
        "{name: isp, role: connectivity-provider}",
        "{name: isp, role: connectivity-provider, strategy: {kind: price-schedule,"
        " prices: {0 s: 0.3 money, 2 s: 0.5 money}}}",
    )
    _, _, watcher = go(write(tmp_path, text, steered), tmp_path / "out")
    assert not watcher.failures
    frame = open_sweep(tmp_path / "out")
    assert (frame["price.isp"] != frame["market.price_per_mark"]).all()
    stored = [price_columns(folder)["price.isp"] for folder in (tmp_path / "out/runs").iterdir()]
    assert sorted(stored) == sorted(frame["price.isp"])


def test_a_run_without_a_market_has_no_price(tmp_path: Path) -> None:
    """The outcome of such a run has no column for a price."""
    file = write(tmp_path, SWEEP, BARE)
    run(load(file.parent / "scenario.yaml"), seed=1, out=tmp_path / "out")
    assert price_columns(tmp_path / "out") == {}


def test_prices_have_names_and_units() -> None:
    """Prices have names and units in pages and tables."""
    assert called("price.north-net") == "north-net: mean price per mark"
    assert name_of("price.isp").words == name_of("price").words == "mean price per mark [money]"
    assert name_of("price").subject == "all"
