# SPDX-License-Identifier: Apache-2.0
"""Warnings about payers with packets of different sizes on one marking link."""

from __future__ import annotations

import pytest

from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

RED = "law: red, min_threshold: 5 packets, max_threshold: 15 packets"
TEXT = """\
version: 1
duration: 60 s
network:
  links:
    - {name: line, from: a, to: b, rate: 2 Mbps, marking: {MARKING}}
sources:
  - {name: small, from: a, to: b, transport: {law: wtp, mss: MSS bytes}}
  - {name: large, from: a, to: b, transport: {law: wtp, mss: 1460 bytes}}
market:
  price_per_mark: PRICE money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: users, role: price-handler, sources: [small, large],
       strategy: {kind: constant-charge, charge: 0.1 money/s}}
"""


@pytest.mark.parametrize(
    ("marking", "mss", "price", "times"),
    [
        ("law: load-based, threshold: 0.8", 460, 0.01, "3 times"),
        ("law: load-based, threshold: 0.8", 335, 0.01, "4 times"),
        ("law: load-based, threshold: 0.8", 1400, 0.01, ""),
        (RED, 460, 0.01, "3 times"),
        (f"{RED}, byte_mark: true", 460, 0.01, ""),
        ("law: drop-tail", 460, 0.01, ""),
    ],
)
def test_small_packets_pay_more_per_bit(marking: str, mss: int, price: float, times: str) -> None:
    """Sizes are those of IP packets, 40 bytes above the MSS; byte_mark charges by the byte."""
    text = TEXT.replace("MARKING", marking).replace("MSS", str(mss)).replace("PRICE", str(price))
    scenario = scenario_from_text(text)
    lines = [w for w in warnings(scenario, make_plan(scenario)) if "packet of any size" in w]
    assert [times in w and f"small (packets of {mss + 40} bytes)" in w for w in lines] == [True] * (
        len(times) > 0
    )
