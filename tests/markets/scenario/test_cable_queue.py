# SPDX-License-Identifier: Apache-2.0
"""`scheduler: {kind: docsis}` in scenarios: its keys, its classes, and what `check` says."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Law
from one_queue import plan, scenario

QUEUE = "scheduler: {kind: docsis}"


def test_the_keys_are_the_parameters_of_the_law() -> None:
    """The keys have the defaults of DOCSIS. Times, sizes and rates are written with units."""
    made = plan(QUEUE).links[0].scheduler
    assert made is not None
    assert made.law.law == "docsis" and made.law.params["aging_rate_bps"] == 3906250
    assert (made.classes, made.names) == ([Law("codepoint-class", {})] * 2, ["l4s", "classic"])
    written = "ramp: 1 ms, frame: 1.5 kB, protection: false, aging_rate: 2 Mbps, buckets: 8"
    own = plan(f"scheduler: {{kind: docsis, {written}}}").links[0].scheduler
    assert own is not None
    chosen = ("ramp_s", "frame_bytes", "protection", "aging_rate_bps", "buckets")
    assert [own.law.params[name] for name in chosen] == [0.001, 1500, 0, 2e6, 8]
    assert [plan(QUEUE, sender).sources[0].classes for sender in ("prague", "reno")] == [[0], [1]]


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        ("{law: prague}", []),
        ("{law: reno}", []),
        ("{law: cubic, ecn: off}", []),
        ("{law: wtp, weight: 4, codepoint: ect-1}", []),
        ("{law: bbr, sack: true}", []),
        (
            "{law: wtp, weight: 4, codepoint: ect-0}",
            [
                "source s: no link on its path marks, so its window law slows down only after "
                "losses",
                "source s: wtp sends ECT(0), so link link drops it as classic traffic. With "
                "'codepoint: ect-1' it is L4S traffic",
            ],
        ),
    ],
)
def test_check_knows_that_classic_packets_are_not_marked(sender: str, expected: list[str]) -> None:
    """Drops instead of marks are expected, but a sender that depends on marks needs ECT(1)."""
    document = scenario(QUEUE, f"transport: {sender}")
    said = [line for line in warnings(document, make_plan(document)) if "source s" in line]
    assert [line for line in said if "windows settle" not in line] == expected


def test_a_fault_is_named_with_its_place() -> None:
    """If a number replaces a rate, the message says how to write a rate."""
    with pytest.raises(ScenarioError, match="scheduler.aging_rate: .*expected a rate") as error:
        plan("scheduler: {kind: docsis, aging_rate: 4}")
    assert "such as 4 Mbps" in str(error.value)
