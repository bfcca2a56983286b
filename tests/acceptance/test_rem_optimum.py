# SPDX-License-Identifier: Apache-2.0
"""REM with `auto` reaches the promised proportionally fair optimum on five networks.

The error of a run is the mean over sources of |rate / optimum - 1|, of packets acknowledged after
the warm-up. The paper's fixed steps have a far larger error on the same networks.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from rem_networks import NETWORKS, RemNetwork
from tiers import in_full, rare, seeds

WARMUP_S = 40
DURATION_S = 100 if in_full() else 70
AUTO = ("phi: auto, gamma: auto, alpha: auto", "auto")
PS = 10**12


def rates(network: RemNetwork, steps: str, phi: str, seed: int) -> np.ndarray:
    """Packets per second of each source after the warm-up."""
    text = network.yaml(steps, phi, duration=DURATION_S, warmup=WARMUP_S)
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text, seed=seed), out=Path(folder) / "run").flow_epochs
    table = table[table["t_ps"] >= WARMUP_S * PS].set_index(["flow", "t_ps"])["acked_bytes"]
    grown = table.groupby("flow").last() - table.groupby("flow").first()
    times = table.index.get_level_values("t_ps")
    return grown.to_numpy(float) / 1000 / ((times.max() - times.min()) / PS)


SOME = [rare("one-link"), "three-in-a-row", "random-six", rare("ring")]


def error(network: RemNetwork, steps: str, phi: str, seed: int) -> float:
    """The mean relative error over sources."""
    return float(np.abs(rates(network, steps, phi, seed) / network.optimum() - 1).mean())


@pytest.mark.parametrize("name", [*SOME, "unequal"])
def test_auto_comes_within_5_percent_of_the_optimum(name: str) -> None:
    """In every seed, the mean relative error over sources is at most 5 %."""
    errors = [error(NETWORKS[name], *AUTO, seed) for seed in seeds(10)]
    print(name, np.round(errors, 4))
    assert max(errors) <= 0.05


@pytest.mark.parametrize("name", SOME)
def test_the_papers_steps_miss_where_delays_are_long(name: str) -> None:
    """gamma 0.005 and alpha 0.1, with the phi of figure 7, have an error above 8 %."""
    missed = error(NETWORKS[name], "phi: 1.4, gamma: 0.005, alpha: 0.1", "1.4", 1)
    print(name, round(missed, 4))
    assert missed > 0.08


CROWDS = [rare("one-link"), rare("three-in-a-row"), rare("random-six"), "ring"]


@pytest.mark.parametrize("name", CROWDS)
def test_slow_flows_come_within_6_percent_of_the_optimum(name: str) -> None:
    """With three flows for each, delays of ACKs exceed timeouts while the prices settle.

    Retransmissions are marked as data are, so the sources do not mistake them for a low price.
    """
    errors = [error(NETWORKS[name].flows_times(3), *AUTO, seed) for seed in seeds(10)]
    print(name, np.round(errors, 4))
    assert max(errors) <= 0.06


def test_an_aggregate_gets_what_its_flows_would_get() -> None:
    """One REM source for a gateway's aggregate has the rate of three sources of a third its weight.

    So REM controls the aggregates of a private subnetwork (athuraliya2000 section VIII).
    """
    network = NETWORKS["three-in-a-row"]
    for seed in seeds(10):
        whole = rates(network.flows_times(1, weight=3), *AUTO, seed)
        parts = rates(network.flows_times(3), *AUTO, seed).reshape(-1, 3).sum(axis=1)
        print(np.round(whole / parts, 4))
        assert whole == pytest.approx(parts, rel=0.05)
