# SPDX-License-Identifier: Apache-2.0
"""Recovery without SACK: each segment sent, against simple implementations of the RFCs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import plans
from drive import run
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law
from losses import BACK, FEED, LOSSES, LOSSY, RTT_S, dropping, first_window, repeats, sends
from tiers import full, in_full

WINDOW = 40
NEWRENO = Law("newreno", plans.RENO.params)
RENO, OTHERS = ("one",), ("first", "two together", "every third")  # in the fast tier
PLAIN = dict(echo="off", slow_start=False)


@dataclass
class Sender:
    """RFC 5681 section 3.2 and, with `newreno`, RFC 6582, in segments; growth of n / cwnd.

    In recovery the window is inflated by a segment for each duplicate, and a partial ACK deflates
    it by the segments that it covers less one.
    """

    window: float
    newreno: bool
    una: int = 0
    next: int = 0
    highest: int = 0
    duplicates: int = 0
    recovering: bool = False
    recover: int = -1
    recoveries: int = 0

    def acknowledged(self, upto: int) -> list[int]:
        """The segments that an ACK releases."""
        out: list[int] = []
        if upto > self.una:
            newly, self.una, self.next = upto - self.una, upto, max(self.next, upto)
            if self.recovering and self.newreno and upto < self.recover:
                self.duplicates = max(0, self.duplicates - newly + 1)
                out.append(upto)
            else:
                healing = upto <= self.recover
                grown = 0 if self.recovering else min(newly, 1) if healing else newly
                self.window += grown / self.window
                self.recovering, self.duplicates = False, 0
        elif self.next > self.una:
            self.duplicates += 1
            if self.duplicates == 3 and not self.recovering and self.una > self.recover:
                used = min(self.window, self.next - self.una)
                self.window, self.recovering = max(2.0, used / 2), True
                self.recoveries += 1
                self.recover = self.highest if self.newreno else self.recover
                out.append(self.una)
        return out + self.allowed()

    def timed_out(self) -> list[int]:
        """Send everything again from the oldest segment on, one segment first."""
        self.window, self.recovering, self.recover = 1.0, False, self.highest
        self.duplicates, self.next = 0, self.una
        return self.allowed()

    def allowed(self) -> list[int]:
        """The segments that fit the window."""
        inflated = int(self.window) + (self.duplicates if self.recovering else 0)
        upto = max(self.next, self.una + inflated)
        out = list(range(self.next, upto))
        self.next, self.highest = upto, max(self.highest, upto)
        return out


@pytest.mark.parametrize(
    ("window", "lost"),
    [
        pytest.param(window, lost, id=f"{law}-{name}", marks=[] if name in fast else full)
        for law, window, fast in (("reno", plans.RENO, RENO), ("newreno", NEWRENO, OTHERS))
        for name, lost in LOSSES.items()
    ],
)
def test_losses_of_one_window_step_by_step(window: Law, lost: list[int]) -> None:
    """After one, two and many losses, NewReno repairs a hole per round trip. Reno stops early."""
    transport = plans.tcp(window, initial_window=float(WINDOW), **PLAIN)
    outcome = dropping(first_window(lost), transport, 5.0 if in_full() else 2.0)
    sender = Sender(float(WINDOW), newreno=window is NEWRENO)
    (_, _, first), *rest = sends(outcome)
    timeouts = 0
    assert first == sender.allowed()
    for t_ps, said, sent in rest:
        timeouts += said is None
        expected = sender.timed_out() if said is None else sender.acknowledged(said[0])
        assert sent == expected, f"at {t_ps / plans.PS} s, {said}: window {sender.window}"
    flows = outcome.reports[-1].flows
    assert flows["timeouts"][0] == timeouts
    assert flows["cwnd"][0] == pytest.approx(sender.window, rel=1e-12)
    assert flows["lost"][0] == len(lost) and set(lost) <= set(repeats(outcome))
    if len(lost) == 1:
        assert timeouts == 0 and sender.recoveries == 1 and repeats(outcome) == {lost[0]: 1}


def test_the_timer_backs_off_and_recovers_its_value() -> None:
    """The RTO doubles up to its maximum while no packet gets through. A new sample resets it."""
    transport = plans.tcp(NEWRENO, initial_window=4.0, max_window=4.0, max_rto_ps=plans.PS, **PLAIN)
    path = [
        plans.link("feed", 0, 1, 8e6, 0.0),
        plans.link("there", 1, 2, 8e7, RTT_S / 2, marking=plans.fixed(0.0)),
        plans.link("back", 2, 0, 8e6, RTT_S / 2),
    ]

    def outage(report: Report) -> Decide:
        value = float(2 * plans.PS <= report.t_ps < 7 * plans.PS)
        rows = {"link": np.array([LOSSY]), "param": np.array([0]), "value": np.array([value])}
        return Decide(report.epoch, {}, rows)

    flow = plans.source("f", [FEED, LOSSY], [BACK], transport)
    outcome = run(plans.plan(path, [flow], 12, trace=True), outage)
    timers = [(t / plans.PS, sent) for t, said, sent in sends(outcome) if said is None]
    gaps = np.diff([t for t, _ in timers])
    # The round trip is 0.1 s and hardly varies: the minimum of 0.2 s, then 0.4, 0.8 and 1 s.
    assert gaps[:3] == pytest.approx([0.4, 0.8, 1.0], abs=0.001)
    assert gaps[3:] == pytest.approx(1.0, abs=0.001) and len(gaps) >= 5
    assert len({sent[0] for _, sent in timers}) == 1 and all(len(sent) == 1 for _, sent in timers)
    assert outcome.reports[-1].flows["acked"][0] > 4 * 4 / RTT_S
