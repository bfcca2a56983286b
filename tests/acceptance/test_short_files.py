# SPDX-License-Identifier: Apache-2.0
"""configs/examples/short-files.yaml: pages begin with the known cost of their rate."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from flow_rates import Rates
from tiers import seeds

SEEDS = seeds(3, fast=1)
PAYLOAD = 960 / 1000  # bytes of a packet
CALM, CROWDED, CALM_AGAIN = (30, 100), (120, 200), (220, 300)
STRATEGY = (
    "market.agents.readers.strategy={{kind: price-memory, rate: 1 Mbps, "
    "memory: 10 s, cost: {} money/MB}}"
)


@functools.cache
def made(seed: int, *overrides: str) -> Rates:
    return Rates("short-files.yaml", seed, *overrides)


def willingness(run: Rates, flow: int, at_s: np.ndarray) -> np.ndarray:
    """The willingness to pay of a flow at these times, money/s."""
    said = run.agents.query(f"name == 'willingness_micro_per_s' and flow == {flow}")
    row = np.searchsorted(said["t_ps"].to_numpy(), at_s * 10**12, side="right") - 1
    return said["value"].to_numpy()[row] / 1e6


def cost_of_1_mbps(run: Rates, source: str, first_s: int, last_s: int) -> float:
    """The cost of a source's marks per 1 Mbps of payload, money/s."""
    paid = run.charge(source, first_s, last_s).sum()
    return float(paid / (PAYLOAD * run.mbps(source, first_s, last_s).sum()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("span", [CALM, CROWDED, CALM_AGAIN])
def test_pages_begin_at_what_their_rate_costs(span: tuple[int, int], seed: int) -> None:
    """Pages begin within 5 % of the price per bit for pages."""
    run = made(seed)
    begun = run.transfers.query("flow < 8")["start_ps"].to_numpy() / 1e12
    begun = begun[(begun >= span[0]) & (begun < span[1])]
    first = [willingness(run, flow, begun).mean() for flow in range(8)]
    assert len(begun) > 100
    assert first == pytest.approx([cost_of_1_mbps(run, "pages", *span)] * 8, rel=0.05)
    assert first == pytest.approx([cost_of_1_mbps(run, "others", *span)] * 8, rel=0.2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_price_is_known_within_two_memories(seed: int) -> None:
    """In the 10 s from 20 s after the crowd comes or leaves, w is within 15 % of its later mean.

    A single w varies by 5 to 8 %, because it depends on only a few files.
    """
    for first, last in ((120, 200), (220, 300)):
        pay = willingness(made(seed), 0, np.arange(first, last))
        assert pay[:10].mean() == pytest.approx(pay[10:].mean(), rel=0.15)
    crowd, calm = (willingness(made(seed), 0, np.arange(*s)).mean() for s in (CROWDED, CALM))
    assert crowd > 1.5 * calm


def test_the_guess_is_forgotten() -> None:
    """After a guess ten times too low or too high, w is the same within 10 % from 60 s on."""
    times = np.arange(60, 100)
    found = [willingness(made(1, STRATEGY.format(g)), 0, times).mean() for g in (0.12, 12)]
    assert found[0] == pytest.approx(found[1], rel=0.1)
