# SPDX-License-Identifier: Apache-2.0
"""Broken promises as judged by the provider, by the subscriber, or by both."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets import load, run
from tiers import full

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "two-gsps.yaml"
SHORT = (
    "duration=120 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=50 s", "sources.rush.stop=90 s",
    "market.agents.handy.tariffs.voice.price=0.001 money",
    "market.agents.handy.tariffs.voice.max_delay_rate=0.004",
)  # fmt: skip
HANDY = 1


def outcome(tmp_path: Path, seen_by: str, overclaims: float):
    """Calls of `handy`, whose callers claim that this share of kept promises was broken."""
    more = (
        f"market.agents.handy.tariffs.voice.quality_seen_by={seen_by}",
        f"market.agents.people.strategy={{kind: cheapest-call, overclaims: {overclaims}}}",
    )
    folder = tmp_path / f"{seen_by}-{overclaims}"
    calls = run(load(CONFIG, overrides=(*SHORT, *more), seed=4), out=folder).calls
    return calls[(calls.tariff == HANDY) & (calls.complete == 1)]


def paid(calls) -> set[int]:
    """Calls that were refunded."""
    return set(calls.id[calls.reimbursement_micro > 0])


def bad(calls) -> set[int]:
    """Calls with more bad packets than the promise allows."""
    return set(calls.id[calls.late + calls.lost > 0.004 * calls.sent])


@pytest.mark.parametrize(
    "seen_by", ["subscriber", *(pytest.param(s, marks=full) for s in ("gsp", "both"))]
)
def test_honest_subscribers_are_paid_what_they_are_owed(tmp_path, seen_by) -> None:
    """Honest subscribers get exactly the refunds due, under each kind of judge."""
    calls = outcome(tmp_path, seen_by, 0.0)
    assert len(calls) > 200 and 10 < len(bad(calls)) < len(calls) - 10
    assert paid(calls) == bad(calls)


def test_overclaiming_costs_a_provider_that_does_not_see_quality(tmp_path) -> None:
    """A provider that does not measure also pays for kept promises."""
    calls = outcome(tmp_path, "subscriber", 0.3)
    kept = set(calls.id) - bad(calls)
    assert bad(calls) < paid(calls)
    share = len(paid(calls) & kept) / len(kept)
    assert abs(share - 0.3) < 4 * (0.3 * 0.7 / len(kept)) ** 0.5
    for seen_by in ("gsp", "both"):
        calls = outcome(tmp_path, seen_by, 0.3)
        assert paid(calls) == bad(calls)
