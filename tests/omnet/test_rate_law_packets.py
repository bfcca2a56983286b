# SPDX-License-Identifier: Apache-2.0
"""The REM source, Vegas and primal control on OMNeT++: packet for packet the built-in engine's."""

from __future__ import annotations

import pytest

import drive_omnet
import plans
from tcp_pairs import dumbbell, last_of, newreno, same

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-tcp"),
]

REM = dict(w=120, phi=1.05, min_rate=10, max_rate=600)
SURFING = plans.Law(
    "web",
    dict(
        reading_mean_s=0.4, size=2.0, size_mean_bytes=3e4, size_min_bytes=6e3,
        size_max_bytes=1e6, size_shape=1.2, reading=0.0, patience_s=-1.0, lasting=0.0,
    ),
)  # fmt: skip


def rem(**other):
    """TCP with a REM source for a link of 1250 packets/s."""
    options = {k: other.pop(k) for k in ("sack", "delayed_acks", "initial_mark_rate") if k in other}
    return plans.tcp(plans.rem_source(**REM | other), **options)


def test_rem_sources() -> None:
    """REM sources agree: plain, smoothed, quadratic, with RTT errors, per second, under RED."""
    sources = {
        "plain": rem(),
        "unit": rem(smoothed=1, samples=128),
        "fraction": rem(smoothed=2, initial_fraction=0.3),
        "quadratic": rem(utility=1, w=30.0, max_rate=300),
        "noisy": rem(rtt_error_s=-0.001, rtt_error_std_s=0.002),
        "second": rem(initial_mark_rate=6.0),
        "delayed": rem(delayed_acks=2),
    }
    marking = plans.red(5, 15)
    outcome = same(dumbbell({n: (t, dict(count=2)) for n, t in sources.items()}, 12, buffer=80,
                            marking=marking))  # fmt: skip
    for source, name in enumerate(sources):
        assert last_of(outcome, "ce", source).sum() > 10, name


def test_rem_sources_that_lose_packets() -> None:
    """REM sources agree in recoveries with and without SACK, in timeouts and with files."""
    sources = {
        "plain": (rem(), dict(count=3)),
        "selective": (rem(sack=True), dict(count=3)),
        "delayed": (rem(delayed_acks=2, smoothed=1), dict(count=2)),
        "files": (rem(), dict(count=3, traffic=SURFING)),
        "newreno": (plans.tcp(newreno(), echo="off"), dict(count=3)),
    }
    outcome = same(dumbbell(sources, 12, buffer=12))
    lost = outcome.reports[-1].flows["lost"]
    assert lost.sum() > 500 and outcome.reports[-1].flows["timeouts"].sum() > 0
    assert last_of(outcome, "lost", 1).sum() > 0


def test_vegas() -> None:
    """Vegas agrees over drop-tail, with marks, files and delayed ACKs."""
    sources = {
        "alone": (plans.tcp(plans.vegas(), echo="off"), dict(count=2)),
        "marked": (plans.tcp(plans.vegas(alpha=2, beta=4)), dict(count=2)),
        "selective": (plans.tcp(plans.vegas(), sack=True, delayed_acks=2), dict(count=2)),
        "files": (plans.tcp(plans.vegas()), dict(count=3, traffic=SURFING)),
        "newreno": (plans.tcp(newreno(), echo="off"), dict(count=2)),
    }
    outcome = same(dumbbell(sources, 15, buffer=25, marking=plans.fixed(0.004)))
    assert outcome.reports[-1].flows["retransmitted"].sum() > 100
    assert last_of(outcome, "ece", 1).sum() > 5


def test_cubic_and_dctcp() -> None:
    """CUBIC and DCTCP agree, with marks, losses, files, delayed ACKs and idle flows."""
    capped = plans.Law("rate-capped", {"rate_bps": 8e5, "until_s": 6.0})
    sources = {
        "cubic": (plans.tcp(plans.cubic()), dict(count=2)),
        "selective": (plans.tcp(plans.cubic(), sack=True, delayed_acks=2), dict(count=2)),
        "capped": (plans.tcp(plans.cubic(), echo="off"), dict(count=2, traffic=capped)),
        "dctcp": (plans.tcp(plans.dctcp()), dict(count=2)),
        "coarse": (plans.tcp(plans.dctcp(), echo="rfc3168"), dict(count=2)),
        "files": (plans.tcp(plans.dctcp(), sack=True), dict(count=3, traffic=SURFING)),
        "early": (plans.tcp(plans.cubic(hystart=1, beta_ecn=0.85)), dict(count=2, start_s=3.0)),
    }
    outcome = same(dumbbell(sources, 15, buffer=25, marking=plans.red(5, 15)))
    assert outcome.reports[-1].flows["retransmitted"].sum() > 20
    assert last_of(outcome, "ece", 3).sum() > 50


def test_primal_control() -> None:
    """Primal control agrees, with weights of the plan and the market, losses, caps and files."""
    capped = plans.Law("rate-capped", {"rate_bps": 8e5, "until_s": 6.0})
    sources = {
        "own": (plans.tcp(plans.primal(4.0, 10.0)), dict(count=3)),
        "second": (plans.tcp(plans.primal(), initial_mark_rate=6.0), dict(count=3)),
        "fast": (plans.tcp(plans.primal(8.0, 60.0, initial_rate=400), sack=True), dict(count=2)),
        "capped": (plans.tcp(plans.primal(9.0)), dict(count=2, traffic=capped)),
        "files": (plans.tcp(plans.primal(5.0)), dict(count=8, traffic=SURFING)),
    }
    outcome = same(dumbbell(sources, 15, buffer=20, marking=plans.red(5, 15)))
    assert outcome.reports[-1].flows["retransmitted"].sum() > 20
    for source, name in enumerate(sources):
        assert last_of(outcome, "ce", source).sum() > 0, name
