# SPDX-License-Identifier: Apache-2.0
"""Users who may leave keep their knowledge, whatever rows their flows are in."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ecnomy.agents.arrays import Floats
from ecnomy.agents.strategies.leaving import Leaving
from ecnomy.agents.utilities.find import utility_of
from flow_world import posted

EVERY_S = 7.0
STEPS = 250


class Life:
    """Users on prices that come and go; between decisions their rows may change."""

    def __init__(self, users: int) -> None:
        self.leaving = Leaving(utility_of({"kind": "log", "a": 1.0, "x0": 1e6}), 20.0)
        self.leaving.meet(np.full(users, np.inf), np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.on = np.zeros(users, np.bool_)

    def move(self, count: int, new: Floats, old: Floats) -> None:
        """Rows `new` of `count` were rows `old`."""
        self.leaving.meet(np.full(count, np.inf), new, old)
        on = np.zeros(count, np.bool_)
        on[new] = self.on[old]
        self.on = on

    def step(self, t_s: float, price: Floats, fee: Floats, packets: Floats) -> Floats:
        """Return what a decision does: away, probing, begins a trial, contract."""
        use = price * EVERY_S * (packets > 0)
        columns = {"bill_micro": use + fee * EVERY_S, "standing_micro": fee * EVERY_S}
        micro = {name: np.rint(1e6 * each) for name, each in columns.items()}
        flows = SimpleNamespace(
            **micro,
            posted_standing_micro=np.zeros(len(price)),
            weight_micro=np.zeros(len(price)),
            charge_micro=np.rint(0.8e6 * use),
            marks=packets // 10,
            active=np.ones(len(price)),
            delivered=packets,
        )
        observation = SimpleNamespace(flows=flows, dt_s=EVERY_S)
        sent = self.on & ~self.leaving.away
        used_s = np.where(packets > 0, EVERY_S, 0.0)
        self.leaving.learn(observation, used_s, sent)  # type: ignore[arg-type]
        back = self.leaving.turn(
            t_s, np.ones(len(price)), np.zeros(len(price)), sent, posted(len(price))
        )
        self.on = ~self.leaving.away
        state = (self.leaving.away, self.leaving.probing, back, self.leaving.contract())
        return np.array(state, dtype=np.float64)


@pytest.mark.parametrize(("seed", "phase", "dear"), [(4, 9, 0.5), (6, 1, 0.7), (5, 2, 0.7)])
def test_users_do_the_same_in_whatever_rows_their_flows_are(
    seed: int, phase: int, dear: float
) -> None:
    """Two users among others, with new rows at each decision, decide like the same two alone."""
    rng = np.random.default_rng(seed)
    alone, moved, rows = Life(2), Life(2), np.arange(2)
    kept = []
    for number in range(STEPS):
        price = np.where(rng.random(2) < (number // phase % 3 == 2), 3.0, 0.1)
        fee, packets = np.where(rng.random(2) < 0.2, dear, 0.01), rng.integers(0, 60, 2)
        t_s = (number + 1) * EVERY_S
        kept.append(alone.step(t_s, price, fee, packets))
        count = int(rng.integers(2, 5))
        new = rng.permutation(count)[:2]
        moved.move(count, new, rows)
        rows = new
        others = rng.random((3, count))
        others[2] = np.rint(90 * others[2])
        others[:, rows] = price, fee, packets
        assert moved.step(t_s, *others)[:, rows] == pytest.approx(kept[-1]), number
    away, probing, back, contract = np.array(kept).sum(axis=(0, 2))
    assert min(away, probing, back, contract) > 4


@pytest.mark.parametrize("fee", [0.0, 0.05])
def test_trials_with_a_fee_are_decided_soon(fee: float) -> None:
    """Until a flow has stayed for `retry`, 20 s, or while it doubts; never without a fee."""
    life, packets = Life(1), np.array([60])
    dear = [False] * 6 + [True] * 5  # from the seventh decision on, the price is above the highest
    hurries = []
    for number, high in enumerate(dear):
        life.step(
            (number + 1) * EVERY_S, np.array([3.0 if high else 0.1]), np.array([fee]), packets
        )
        hurries.append(life.leaving.hurries)
    begun = [EVERY_S * (number + 1) < 20 for number in range(6)]
    assert hurries[:6] == [one and fee > 0 for one in begun]
    assert any(hurries[6:]) == (fee > 0)
