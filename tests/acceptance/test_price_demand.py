# SPDX-License-Identifier: Apache-2.0
"""`price-demand` on packets: the number of web users follows the demand curve at the price per MB.

The link marks a fixed share of packets, so the price per MB follows from the price per mark:
0.05 marks per packet with 960 bytes of data, except the last packet of a page.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from ecnomy.markets import load, run

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "price-reacting-web.yaml"
PS = 10**12
USERS = 80
CURVES = {
    "{kind: isoelastic, at: 0.26 money/MB, elasticity: 1}": lambda q: min(1.0, 0.26 / q),
    "{kind: linear, choke: 1.6 money/MB}": lambda q: 1 - q / 1.6,
}
PRICES = (0.01, 0.02)  # money per mark


@functools.cache
def simulated(curve: str, price: float) -> tuple[float, float, float]:
    """Means from 60 s on: users' estimate of the price per MB, users, Mbit/s of delivered data."""
    overrides = [
        f"market.agents.crowd.strategy.demand={curve}",
        f"market.price_per_mark={price} money",
        *("duration=150 s", "warmup=60 s"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        result = run(load(EXAMPLE, overrides=overrides), out=Path(folder) / "run")
        agents, goodput = result.raw.agents, result.raw.flows["goodput_bps"].sum()
    own = agents[(agents["agent"] == "crowd") & (agents["t_ps"] > 60 * PS)]
    means = own.groupby("name")["value"].mean()
    return float(means["price_per_mb"]), float(means["users"]), float(goodput) / 1e6


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("curve", sorted(CURVES))
def test_as_many_surf_as_the_curve_has(curve: str, price: float) -> None:
    """The number of users is the curve's at the price they know, within 5 % of all users."""
    known, users, _ = simulated(curve, price)
    print(f"{known:.4f} money/MB, {users:.1f} users, curve {USERS * CURVES[curve](known):.1f}")
    assert users == pytest.approx(USERS * CURVES[curve](known), abs=0.05 * USERS)


@pytest.mark.parametrize("price", PRICES)
def test_the_price_of_a_megabyte_is_that_of_its_marks(price: float) -> None:
    """0.05 marks for each of 1042 packets, plus 0 to 10 % for small last packets of pages."""
    known = simulated(sorted(CURVES)[0], price)[0]
    assert 1.0 <= known / (price * 0.05 * 1e6 / 960) * 1.03 <= 1.13


def test_dearer_marks_make_for_less_traffic() -> None:
    """Twice the price gives half of the users (elasticity 1) and half of the background."""
    (_, users, rate), (_, fewer, less) = (simulated(sorted(CURVES)[0], p) for p in PRICES)
    assert fewer / users == pytest.approx(0.5, abs=0.1)
    assert less / rate == pytest.approx(0.5, abs=0.12)
