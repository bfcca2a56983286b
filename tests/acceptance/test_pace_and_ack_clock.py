# SPDX-License-Identifier: Apache-2.0
"""With large windows a paced WTP flow uses the link like an ACK-clocked one.

The use is the same at rest. Over a virtual queue, which marks nothing or all, both oscillate at
high gains, and the paced flow loses more: 16 % of its use at a gain of 0.5, 3 % at 0.1, nothing at
0.02.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import full

TEXT = """\
version: 1
duration: 40 s
warmup: 15 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 50 Mbps, delay: 20 ms, buffer: 500 packets,
       marking: {law}}}
sources:
  - {{name: s, from: a, to: b, count: 5,
     transport: {{law: wtp, gain: 0.5, weight: 2, send: {send}, mss: 960 bytes}}}}
"""
LAWS = {
    "load-based": "{law: load-based, threshold: 0.6, slope: 0.5, interval: 100 ms}",
    "red": "{law: red, min_threshold: 20 packets, max_threshold: 100 packets,"
    " max_probability: 0.5}",
    "fixed": "{law: fixed, probability: 0.05}",
}


@pytest.mark.parametrize(
    "law", [n if n == "load-based" else pytest.param(n, marks=full) for n in LAWS]
)
def test_the_link_is_used_alike(law: str, tmp_path: Path) -> None:
    """The link's use agrees within 2 %, at windows of at least twenty packets."""
    used = {}
    for send in ("paced", "ack-clocked"):
        result = run(
            scenario_from_text(TEXT.format(law=LAWS[law], send=send)),
            out=tmp_path / send,
        )
        used[send] = float(result.raw.links["utilization"].iloc[0])
        assert result.raw.flows["mean_cwnd"].min() > 20
    print(law, used)
    assert used["paced"] == pytest.approx(used["ack-clocked"], rel=0.02)
