# SPDX-License-Identifier: Apache-2.0
"""Under `direct`, users pay what they bid also after congestion has moved to another carrier.

Four users cross the links of two carriers, whose marks cost 0.5 and 0.05 money. Other users keep
the cheap link busy until 250 s, and the dear one from then on. A mark costs the four users ten
times more than before, so each bid buys fewer of them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import seeds

SEEDS: Final = seeds(10)
PS: Final = 10**12
USERS: Final = 4
BID: Final = 0.5  # money/s
SETTLED_S: Final = ((100, 250), (300, 500))  # before the shift, and 50 s after it
SCENARIO: Final = f"""
version: 1
duration: 500 s
network:
  marking: {{law: load-based, threshold: 0.5, slope: 0.4}}
  links:
    - {{name: dear, from: a, to: b, rate: 8 Mbps, delay: 10 ms, buffer: 300 packets}}
    - {{name: cheap, from: b, to: c, rate: 8 Mbps, delay: 10 ms, buffer: 300 packets}}
sources:
  - {{name: both, count: {USERS}, from: a, to: c, transport: {{law: wtp, mss: 960 bytes}}}}
  - {{name: later, count: 6, from: a, to: b, start: 250 s, transport: {{law: wtp, mss: 960 bytes}}}}
  - {{name: first, count: 6, from: b, to: c, stop: 250 s, transport: {{law: wtp, mss: 960 bytes}}}}
market:
  price_per_mark: 0.1 money
  settlement: direct
  agents:
    - {{name: d, role: connectivity-provider, links: dear, price_per_mark: 0.5 money}}
    - {{name: c, role: connectivity-provider, links: cheap, price_per_mark: 0.05 money}}
    - {{name: users, role: price-handler, sources: both,
        strategy: {{kind: constant-charge, charge: {BID} money/s}}}}
    - {{name: l, role: price-handler, sources: later,
        strategy: {{kind: constant-charge, charge: 2 money/s}}}}
    - {{name: f, role: price-handler, sources: first,
        strategy: {{kind: constant-charge, charge: 0.4 money/s}}}}
"""


def paid(seed: int) -> list[float]:
    """The money/s that each of the four pays in each period, summed from the ledger."""
    with tempfile.TemporaryDirectory() as folder:
        result = run(scenario_from_text(SCENARIO), seed=seed, out=Path(folder) / "run")
        ledger = result.raw.ledger
    mine = ledger[(ledger.kind == "marks") & (ledger.debit == "users")]
    found = []
    for first, last in SETTLED_S:
        inside = (mine.t_ps > first * PS) & (mine.t_ps <= last * PS)
        found.append(float(mine.amount_micro[inside].sum()) / 1e6 / (last - first) / USERS)
    return found


def test_users_pay_their_bid_on_either_side_of_a_shift() -> None:
    """Payments agree with bids within 5 % in each run, and within 2 % on average."""
    ratio = np.array([paid(seed) for seed in SEEDS]) / BID
    print(ratio.round(3))
    assert (np.abs(ratio - 1) < 0.05).all()
    assert (np.abs(ratio.mean(axis=0) - 1) < 0.02).all()
