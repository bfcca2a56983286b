# SPDX-License-Identifier: Apache-2.0
"""Abilene against the optimum of its users: rates, willingness after the step, the ledger."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from ecnomy.analysis import Run, open_run, phases_of
from ecnomy.analysis.network_loads import NetworkLoads, network_loads
from ecnomy.analysis.windows import Epochs
from ecnomy.markets import load, run

pytest.importorskip("topohub", reason="topohub is not installed: pip install topohub")

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "abilene.yaml"
PS = 10**12
STEP_S = 150


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run of the example, seed 1."""
    folder = tmp_path_factory.mktemp("abilene") / "run"
    run(load(CONFIG, seed=1), out=folder)
    return open_run(folder)


def measured(results: Run) -> list[NetworkLoads]:
    """Links and pairs in each phase, settling left out."""
    epochs = Epochs(results.flow_epochs, "flow", sum(s.count for s in results.plan.sources))
    windows = [epochs.window(p.settled_ps, p.to_ps) for p in phases_of(results.plan)]
    return [network_loads(results, window) for window in windows if window is not None]


def optimum(crossing: np.ndarray, capacity: np.ndarray, demand: np.ndarray) -> np.ndarray:
    """max sum log(1 + x/d) over 0 <= x <= d and R x <= c, by its dual: x = 1/(R'mu) - d, clipped.

    Independent of the packages: prices mu >= 0 by L-BFGS-B on the dual function.
    """

    def rates(mu: np.ndarray) -> np.ndarray:
        return np.clip(1 / np.maximum(crossing.T @ mu, 1e-12) - demand, 0, demand)

    def dual(mu: np.ndarray) -> tuple[float, np.ndarray]:
        x = rates(mu)
        value = np.log1p(x / demand).sum() - (crossing.T @ mu) @ x + mu @ capacity
        return float(value), capacity - crossing @ x

    start, options = np.full(len(capacity), 0.01), {"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-7}
    bounds = [(0, None)] * len(capacity)
    found = minimize(dual, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    x = rates(found.x)
    assert (crossing @ x <= capacity * (1 + 1e-3) + 1e-3).all()
    return x


def test_every_pair_gets_its_part_of_the_optimum(results: Run) -> None:
    """Each at least 80 % of its rate in the optimum, before and after the crowd came.

    A congested link's capacity is the rate it served, since marking keeps some of it free.
    """
    phases = measured(results)
    assert len(phases) == 2
    for loads in phases:
        on = [i for i, pair in enumerate(loads.pairs) if pair.goodput_bps > 0]
        got = np.array([loads.pairs[i].goodput_bps for i in on]) / 1e6
        demand = np.array([loads.pairs[i].wanted_bps for i in on]) / 1e6
        crossing = np.zeros((len(loads.links), len(on)))
        for column, source in enumerate(on):
            crossing[results.plan.sources[source].path, column] = 1
        rate = np.array([link.rate_bps for link in loads.links]) / 1e6
        full = np.array([link.congested for link in loads.links])
        best = optimum(crossing, np.where(full, crossing @ got, rate), demand)
        assert full.any()
        assert best.min() > 0
        assert (got / best).min() >= 0.8
        assert (best < 0.9 * demand).any()  # somebody is short, or the test says nothing


def test_willingness_follows_the_step_and_settles(results: Run) -> None:
    """Of a pair on the first bottleneck: it moves by more than a tenth, then varies by less."""
    flow = [s.name for s in results.plan.sources].index("demand-Chicago-Houston")
    table = results.agents
    mine = table[(table["flow"] == flow) & (table["name"] == "willingness_micro_per_s")]
    pay, at_s = mine["value"].to_numpy(), mine["t_ps"].to_numpy() / PS
    before, after = pay[(at_s > 60) & (at_s < STEP_S)], pay[at_s > STEP_S + 50]
    assert min(len(before), len(after)) >= 3
    assert np.std(pay[at_s > 60]) / np.mean(pay[at_s > 60]) > 0.1
    assert abs(after.mean() / before.mean() - 1) > 0.1
    assert after.std() / after.mean() < 0.05


def test_the_ledger_is_exact(results: Run) -> None:
    """Every CE packet delivered is paid for once, at the price, by the cities to the ISP."""
    ledger = results.ledger
    price = results.manifest.scenario["market"]["price_per_mark"]
    assert price == "0.02 money"
    last = results.flow_epochs["t_ps"].max()
    ce = results.flow_epochs[results.flow_epochs["t_ps"] == last]["ce"].sum()
    assert ledger["amount_micro"].sum() == 20_000 * ce
    assert ledger["quantity"].sum() == ce
    assert set(ledger["debit"]) == {"cities"}
    assert set(ledger["credit"]) == {"isp"}
