# SPDX-License-Identifier: Apache-2.0
"""Abilene, seed by seed, against its users' optimum: rates, willingness to pay, ledger."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize

from ecnomy.analysis import phases_of
from ecnomy.analysis.run.network_loads import NetworkLoads, network_loads
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets import load, run
from ecnomy.markets.results.rawrun import RawRun, open_raw
from tiers import seeds

pytest.importorskip("topohub", reason="topohub is not installed: pip install topohub")

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "abilene.yaml"
PS = 10**12
WARM_S, STEP_S, END_S = 50, 150, 300


def measured(results: RawRun) -> list[NetworkLoads]:
    """Links and pairs in each phase, without the time to settle."""
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
    minimum = minimize(dual, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    x = rates(minimum.x)
    assert (crossing @ x <= capacity * (1 + 1e-3) + 1e-3).all()
    return x


class Phase(NamedTuple):
    """Pairs that send in a phase: rate, demand and rate at the optimum, Mbit/s."""

    names: list[str]
    got: np.ndarray
    demand: np.ndarray
    best: np.ndarray

    def willingness(self) -> dict[str, float]:
        """x U'(x) / a of each at the optimum."""
        paid = self.best / (self.demand + self.best)
        return dict(zip(self.names, paid.tolist(), strict=True))


def solved(results: RawRun) -> list[Phase]:
    """Each phase and its optimum.

    A congested link's capacity is the rate it served, since marking keeps some of it free.
    """
    found = []
    for loads in measured(results):
        on = [i for i, pair in enumerate(loads.pairs) if pair.goodput_bps > 0]
        got = np.array([loads.pairs[i].goodput_bps for i in on]) / 1e6
        demand = np.array([loads.pairs[i].wanted_bps for i in on]) / 1e6
        crossing = np.zeros((len(loads.links), len(on)))
        for column, source in enumerate(on):
            crossing[results.plan.sources[source].path, column] = 1
        rate = np.array([link.rate_bps for link in loads.links]) / 1e6
        full = np.array([link.congested for link in loads.links])
        assert full.any()
        best = optimum(crossing, np.where(full, crossing @ got, rate), demand)
        found.append(Phase([loads.pairs[i].name for i in on], got, demand, best))
    return found


def check_rates(phases: list[Phase]) -> None:
    """Check that each pair has at least 80 % of its optimal rate, before and in the crowd."""
    assert [len(phase.names) for phase in phases] == [132, 143]
    for phase in phases:
        assert phase.best.min() > 0
        assert (phase.got / phase.best).min() >= 0.8
        assert (phase.best < 0.9 * phase.demand).any()  # else no pair is short of rate


def willingness(results: RawRun, name: str) -> np.ndarray:
    """A pair's willingness to pay in each second of the measured window, micro-units per s."""
    flow = [s.name for s in results.plan.sources].index(name)
    table = results.raw.agents
    mine = table[(table["flow"] == flow) & (table["name"] == "willingness_micro_per_s")]
    seconds = np.arange(WARM_S, END_S) * PS
    last = np.searchsorted(mine["t_ps"].to_numpy(), seconds, side="right") - 1
    return mine["value"].to_numpy()[last]


def variation(values: np.ndarray) -> float:
    """Coefficient of variation."""
    return float(values.std() / values.mean())


def check_willingness(results: RawRun, phases: list[Phase]) -> None:
    """If the optimal w changes by 15 %, w changes too. It always ends at the new optimum.

    A change by a factor r in the middle has a coefficient of variation of |1 - r| / (1 + r). The
    measured window must show at least nine tenths of that variation, and the last quarter of the
    run, when w has settled, at most a fifth.
    """
    before, after = (phase.willingness() for phase in phases)
    change = {name: after[name] / before[name] for name in before if name in after}
    assert min(change.values()) < 0.85
    for name, ratio in change.items():
        pay = willingness(results, name)
        late = pay[END_S * 3 // 4 - WARM_S :]
        if abs(ratio - 1) > 0.15:
            assert variation(pay) > 0.9 * abs(1 - ratio) / (1 + ratio), name
            assert variation(late) < variation(pay) / 5, name
        if abs(ratio - 1) > 0.01:
            early = pay[(STEP_S - WARM_S) // 2 : STEP_S - WARM_S]
            assert abs(late.mean() / early.mean() / ratio - 1) < 0.05, name


def check_ledger(results: RawRun) -> None:
    """The cities pay the ISP the price once for every CE packet delivered."""
    ledger = results.raw.ledger
    price = results.manifest.scenario["market"]["price_per_mark"]
    assert price == "0.02 money"
    last = results.flow_epochs["t_ps"].max()
    ce = results.flow_epochs[results.flow_epochs["t_ps"] == last]["ce"].sum()
    assert ledger["amount_micro"].sum() == 20_000 * ce
    assert ledger["quantity"].sum() == ce
    assert set(ledger["debit"]) == {"cities"}
    assert set(ledger["credit"]) == {"isp"}


@pytest.mark.parametrize("seed", seeds(10, fast=1))
def test_abilene_against_its_optimum(seed: int, tmp_path: Path) -> None:
    """Rates, willingness to pay and ledger agree with the optimum, seed by seed."""
    run(load(CONFIG, seed=seed), out=tmp_path / "run")
    results = open_raw(tmp_path / "run")
    phases = solved(results)
    check_rates(phases)
    check_willingness(results, phases)
    check_ledger(results)
