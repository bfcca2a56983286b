# SPDX-License-Identifier: Apache-2.0
"""Admission by a number of lines: lost calls by Engset's or Erlang's formula."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import full, seeds

SEEDS = seeds(10)
CALL_S, EPOCH_S, WARMUP_S, DURATION_S = 12, 10, 200, 2300  # ends count at once, not per epoch
TEXT = """\
version: 1
duration: {duration} s
network:
  links: [{{name: trunk, from: a, to: b, rate: 10 Mbps, delay: 4 ms}}]
sources:
  - name: callers
    count: {users}
    rows: each
    from: a
    to: b
    traffic: {{kind: voip, {pause} s, call: {call} s, interval: 1 s}}
    transport: {{law: udp, payload: 100 bytes}}
market:
  epoch: {epoch} s
  price_per_mark: 0.001 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: exchange
      role: guaranteed-stream-provider
      sources: callers
      tariff: {{price: 0.1 money, max_delay: 15 ms, max_delay_rate: 0.01}}
      strategy: {{kind: lines, lines: {lines}}}
"""


TARIFF = "{{price: 0.1 money, max_delay: 15 ms, max_delay_rate: 0.01}}"
PER_TARIFF = TARIFF.replace("}}", ", strategy: {{kind: lines, lines: {lines}}}}}")
SOURCE = TEXT[TEXT.index("  - name: callers") : TEXT.index("market:")]


def of_two(tariff: str) -> str:
    """The text with a second source, each with its own tariff."""
    each = "".join(
        f"        {who}: {tariff.replace('price', f'sources: {who}, price')}\n"
        for who in ("callers", "others")
    )
    text = TEXT.replace("market:", SOURCE.replace("callers", "others") + "market:")
    return text.replace(
        f"      sources: callers\n      tariff: {TARIFF}\n", f"      tariffs:\n{each}"
    )


def calls(
    users: int, pause: str, lines: int, seed: int, text: str = TEXT
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return acceptance and start of calls after the warm-up, and the most calls at a time."""
    text = text.format(
        duration=DURATION_S, users=users, pause=pause, call=CALL_S, epoch=EPOCH_S, lines=lines
    )
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").raw.calls
    let_in = table[table.accepted == 1]
    turns = sorted([*((t, 1) for t in let_in.start_ps), *((t, -1) for t in let_in.end_ps)])
    most = int(np.max(np.cumsum([step for _, step in turns])))
    late = table[table.start_ps >= WARMUP_S * 10**12]
    return late.accepted.to_numpy() == 1, late.start_ps.to_numpy(), most


def engset(users: int, load: float, lines: int) -> float:
    """The share of calls lost with `users` sources of `load` erlang each when idle."""
    terms = [math.comb(users - 1, k) * load**k for k in range(lines + 1)]
    return terms[-1] / sum(terms)


def erlang_b(load: float, lines: int) -> float:
    """Erlang's B by the recursion B(c) = A B(c-1) / (c + A B(c-1))."""
    lost = 1.0
    for line in range(1, lines + 1):
        lost = load * lost / (line + load * lost)
    return lost


@pytest.mark.parametrize(
    ("users", "pause", "lines", "expected"),
    [
        pytest.param(30, "idle: 60", 5, engset(30, CALL_S / 60, 5), id="30 users", marks=full),
        pytest.param(25, "interarrival: 2", 6, erlang_b(CALL_S / 2, 6), id="anyone"),
    ],
)
def test_the_share_of_lost_calls_is_the_formulas(
    users: int, pause: str, lines: int, expected: float
) -> None:
    """Shares agree within four standard errors, and 25 lines for 25 users are never all busy."""
    lost, batches = [], []
    for seed in SEEDS:
        let_in, start_ps, most = calls(users, pause, lines, seed)
        assert most == lines
        lost.append(1 - let_in.mean())
        batch = (start_ps // (150 * 10**12)).astype(int)
        batches += [1 - let_in[batch == b].mean() for b in np.unique(batch)]
    error = np.std(batches) / math.sqrt(len(batches))
    print(f"lost {np.mean(lost):.4f} +- {error:.4f}, by the formula {expected:.4f}")
    assert np.mean(lost) == pytest.approx(expected, abs=4 * error)
    assert error < 0.06 * expected + 0.005


@pytest.mark.parametrize(
    ("tariff", "most", "expected"),
    [(TARIFF, 6, erlang_b(CALL_S / 2, 6)), (PER_TARIFF, 12, erlang_b(CALL_S / 4, 6))],
    ids=["shared", "apart"],
)
def test_tariffs_share_the_lines_but_with_their_own_strategy(
    tariff: str, most: int, expected: float
) -> None:
    """Two tariffs with half of the calls each have six lines together, or six each."""
    let_in, _, found = calls(25, "interarrival: 4", 6, 1, of_two(tariff))
    assert 6 <= found <= most and (found == 6) == (most == 6)
    assert 1 - let_in.mean() == pytest.approx(expected, abs=0.05)
