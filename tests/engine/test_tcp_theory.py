# SPDX-License-Identifier: Apache-2.0
"""Window laws on the engine against their fixed points and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import run
from tiers import full, in_full

RTT_S = 0.04


def paced_wtp_ratio(probability: float, weight: float, form: int) -> float:
    """Measured x p T / w of a paced WTP flow under fixed random marking."""
    settle_s = 12 * RTT_S / (0.5 * probability) * (weight if form == 1 else 1) + 20
    measured_s = max(400.0, 6 * settle_s)
    links = plans.duplex("l", 0, 1, 1e10, RTT_S / 2, marking=plans.fixed(probability))
    flows = plans.source("w", [0], [1], plans.tcp(plans.wtp(weight, form=form)))
    settle_s, measured_s = round(settle_s), round(measured_s)
    outcome = run(plans.plan(links, [flows], settle_s + measured_s, warmup_s=settle_s, epoch_s=1e5))
    over = outcome.over(settle_s, settle_s + measured_s)
    round_trip_s = RTT_S + (1000 + 40) * 8 / 1e10
    return float(np.mean(over["sent"]) / measured_s * probability * round_trip_s / weight)


@pytest.mark.parametrize(
    ("probability", "weight", "form"),
    [
        pytest.param(0.003, 1.0, 0, marks=full),
        pytest.param(0.003, 4.0, 0, marks=full),
        (0.03, 1.0, 0),
        (0.03, 4.0, 1),
        (0.3, 1.0, 0),
        (0.3, 4.0, 1),
    ],
)
def test_paced_wtp_fixed_point(probability: float, weight: float, form: int) -> None:
    """Paced WTP sends x = w / (p T), siris2002 Eq. 4 to 6, within 2 %."""
    assert paced_wtp_ratio(probability, weight, form) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    "probability",
    [pytest.param(1e-4, marks=full), pytest.param(3e-4, marks=full), 1e-3],
)
def test_reno_square_root_law(probability: float) -> None:
    """Reno's time-average window under independent marking is 1.31 / sqrt(p), within 3 %."""
    links = plans.duplex("l", 0, 1, 1e10, RTT_S / 2, marking=plans.fixed(probability))
    flows = plans.source("r", [0], [1], plans.tcp(), count=8)
    end_s = 1600 if in_full() else 900
    outcome = run(plans.plan(links, [flows], end_s, warmup_s=100, epoch_s=1e5))
    window = np.mean(outcome.over(100, end_s)["cwnd_integral"]) / (end_s - 100)
    assert window * probability**0.5 == pytest.approx(1.31, rel=0.03)


def single_reno(buffer_packets: int) -> float:
    """Busy fraction of a 200-packet pipe with one greedy Reno flow, whole cycles after three."""
    links = plans.duplex("l", 0, 1, 1e7, 0.0796, buffer=buffer_packets)
    reno = plans.tcp(echo="off", slow_start=False, initial_window=40.0)
    outcome = run(plans.plan(links, [plans.source("r", [0], [1], reno)], 600))
    drops = np.array([r.links["drops"][0] for r in outcome.reports])
    from_s = int(np.argmax(drops >= 3))
    to_s = int(np.argmax(drops == drops[-1]))
    assert drops[-1] >= 6 and outcome.over(from_s, to_s)["timeouts"][0] == 0
    return float(outcome.over(from_s, to_s, "links")["busy_ps"][0] / 1e12 / (to_s - from_s))


def test_one_reno_flow_fills_a_buffered_link() -> None:
    """With a buffer of one bandwidth-delay product, the link is over 99 % busy."""
    assert single_reno(200) > 0.99


def test_one_reno_flow_with_a_quarter_buffer() -> None:
    """With a buffer of a quarter BDP, the link is busy as in the closed form, 0.8929."""
    low, high = 1.25 / 2, 1.25
    idle_time, idle_sent = 1 - low, (1 - low**2) / 2
    busy = (high**2 - 1) / 2
    closed_form = (idle_sent + busy) / (idle_time + busy)
    assert closed_form == pytest.approx(0.8929, abs=1e-4)
    assert single_reno(50) == pytest.approx(closed_form, rel=0.02)


@pytest.mark.parametrize("weight", [8.0, pytest.param(32.0, marks=full)])
def test_mark_rate_per_second_is_independent_of_the_round_trip(weight: float) -> None:
    """A flow set to m marks per second receives m, with a round trip of 20 ms or of 200 ms."""
    links = plans.duplex("a", 0, 1, 1e9, 0.01) + plans.duplex("b", 0, 1, 1e9, 0.1)
    links += plans.duplex("c", 1, 2, 1e9, 0.0, marking=plans.fixed(0.05))
    transport = plans.tcp(plans.wtp(), initial_mark_rate=weight)
    sources = [
        plans.source("near", [0, 4], [5, 1], transport, count=4),
        plans.source("far", [2, 4], [5, 3], transport, count=4),
    ]
    outcome = run(plans.plan(links, sources, 1300, warmup_s=100, epoch_s=1e5))
    ce = outcome.over(100, 1300)["ce"].reshape(2, 4).mean(axis=1) / 1200
    assert ce == pytest.approx([weight, weight], rel=0.03)
