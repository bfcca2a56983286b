# SPDX-License-Identifier: Apache-2.0
"""Calls that ask for admission while real packets go on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from linux_world import LINK, by_source, columns, facts, machine_lacks, simulated

pytestmark = [
    pytest.mark.skipif(bool(machine_lacks()), reason=machine_lacks()),
    pytest.mark.xdist_group("linux"),  # two at a time would delay each other's packets
]
ASKING: Final = f"""{LINK}
  - name: noise
    from: here
    to: there
    traffic: {{kind: poisson, rate: 300 packets/s}}
    transport: {{law: udp, payload: 160 bytes, ecn: ect}}
  - name: phones
    count: 20
    from: here
    to: there
    traffic: {{kind: voip, idle: 400 ms, call: 400 ms, interval: 20 ms}}
    transport: {{law: udp, payload: 160 bytes, ecn: ect}}
market:
  epoch: 1 s
  price_per_mark: 0.125 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: gsp
      role: guaranteed-stream-provider
      sources: phones
      strategy: {{kind: every_other:EveryOther}}
      tariff: {{price: 2 money}}
record: {{calls: true}}
"""
STRATEGY: Final = '''
import time
from dataclasses import dataclass, field
from typing import ClassVar

from ecnomy.agents import Call


@dataclass
class EveryOther:
    """Admits every other call, after a long thought."""

    roles: ClassVar[tuple[str, ...]] = ("guaranteed-stream-provider",)
    admits: bool = field(default=False, init=False)

    def admit(self, call: Call) -> bool:
        time.sleep(0.02)
        self.admits = not self.admits
        return self.admits
'''


def test_calls_ask_and_packets_do_not_wait(tmp_path: Path) -> None:
    """Each call has its verdict, refused calls send nothing, and packets do not wait."""
    (tmp_path / "every_other.py").write_text(STRATEGY)
    results = simulated(ASKING, tmp_path)
    calls = columns(results, "calls")
    rows = sorted(zip(calls["id"], calls["accepted"], calls["sent"], strict=True))
    assert len(rows) > 30
    assert [row[:2] for row in rows] == [(k, 1 - k % 2) for k in range(len(rows))]
    assert all(sent == 0 for _, accepted, sent in rows if not accepted)
    assert sum(calls["sent"]) == by_source(results, "sent")["phones"] > 300
    assert all(end >= start for start, end in zip(calls["start_ps"], calls["end_ps"], strict=True))
    ledger = columns(results, "ledger")
    kinds = zip(ledger["kind"], ledger["amount_micro"], strict=True)
    paid = sum(amount for kind, amount in kinds if kind == "call")
    assert paid == 2_000_000 * sum(calls["accepted"])
    assert facts(results)["late_p99_s"] < 0.01 < facts(results)["slowest_decision_s"]
