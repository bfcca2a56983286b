# SPDX-License-Identifier: Apache-2.0
"""BBRv3 against its oracle, on flows over a bottleneck with losses, marks and pauses."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable
from typing import Final, NamedTuple

from law_api import Laws, PathState, WindowState
from oracle_bbr import BbrOracle
from oracle_bbr1 import Bbr1Oracle

__all__ = ["BBR_CHECKS", "DEFAULTS", "Scene", "follow"]

PS: Final = 10**12
DEFAULTS: Final = {
    "startup_gain": 2.77,
    "drain_gain": 0.5,
    "up_gain": 1.25,
    "down_gain": 0.9,
    "cwnd_gain": 2.0,
    "up_cwnd_gain": 2.25,
    "pacing_margin": 0.01,
    "loss_threshold": 0.02,
    "beta": 0.7,
    "headroom": 0.15,
    "probe_wait_s": 2.5,
    "probe_rtt_interval_s": 5.0,
    "probe_rtt_duration_s": 0.2,
    "min_rtt_window_s": 10.0,
    "probe_rtt_cwnd_gain": 0.5,
    "ecn_max_rtt_s": 0.005,
    "ecn_alpha_gain": 0.0625,
    "ecn_factor": 1 / 3,
    "ecn_threshold": 0.5,
}
OTHERS: Final = DEFAULTS | {
    "startup_gain": 2.0,
    "drain_gain": 0.35,
    "up_gain": 1.5,
    "down_gain": 0.8,
    "cwnd_gain": 1.5,
    "up_cwnd_gain": 2.0,
    "pacing_margin": 0.05,
    "loss_threshold": 0.1,
    "beta": 0.5,
    "headroom": 0.3,
    "probe_wait_s": 0.6,
    "probe_rtt_interval_s": 1.5,
    "probe_rtt_duration_s": 0.1,
    "min_rtt_window_s": 3.0,
    "probe_rtt_cwnd_gain": 0.75,
    "ecn_max_rtt_s": 1.0,
    "ecn_alpha_gain": 0.25,
    "ecn_factor": 0.8,
    "ecn_threshold": 0.2,
}


class Scene(NamedTuple):
    """A bottleneck and a flow over it; times in seconds, rates in packets/s."""

    rate: float = 300.0
    rtt_s: float = 0.04
    buffer: int = 30
    loss: float = 0.0
    mark_above: float = math.inf  # packets in the queue
    burst: int = 1  # packets per burst of ACKs
    pauses: bool = False  # the application pauses
    steps: bool = False  # the rate changes
    selective: bool = True
    timeouts: float = 0.0  # per check of the timer
    end_s: float = 7.0
    most: float = 1e9  # packets, the largest window


class Flow:
    """A host with one flow, whose law and oracle get the same calls."""

    def __init__(
        self, laws: Laws, values: dict[str, float], scene: Scene, seed: int, name: str
    ) -> None:
        self.scene, self.draw = scene, random.Random(seed)
        self.window: WindowState = (min(10.0, scene.most), math.inf, 1.0, scene.most)
        self.law = laws.window(name, list(values.values()))
        self.oracle: BbrOracle | Bbr1Oracle = (
            BbrOracle(self.window, values) if name == "bbr" else Bbr1Oracle(self.window, values)
        )
        self.now = self.una = self.next = self.srtt = self.min_rtt = 0
        self.limited_until = 0
        self.held: set[int] = set()
        self.out: set[int] = set()
        self.again: set[int] = set()  # sent again in this recovery
        self.repair: list[int] = []
        self.recover = -1
        self.events: list[tuple[int, int, str, int, bool]] = []
        self.count = self.next_send = self.link_free = self.heard = 0
        self.woken = -1
        self.rate, self.writes = scene.rate, True
        self.law.see(self.path())
        self.oracle.see(self.path())
        self.window = self.law.begin(self.window)
        self.oracle.begin()
        self.srtt = self.min_rtt = round(scene.rtt_s * PS)

    def path(self) -> PathState:
        """Return the host's counters."""
        flight, limited = self.next - self.una, self.una <= self.limited_until
        return (self.now, self.srtt, self.min_rtt, self.una, self.next, flight, limited)

    def at(self, time: int, kind: str, seq: int = 0, ce: bool = False) -> None:
        """Schedule an event."""
        self.count += 1
        heapq.heappush(self.events, (time, self.count, kind, seq, ce))

    def same(self, what: str) -> None:
        """Assert that law and oracle agree on window and pacing rate."""
        where = f"{self.scene}, {self.now / PS} s, {what}, {self.oracle.state}"
        wanted = self.oracle.window()
        assert math.isclose(self.window[0], wanted, rel_tol=1e-9), (where, self.window, wanted)
        rate, wanted = self.law.send_rate(), self.oracle.pacing_rate
        assert math.isclose(rate, wanted, rel_tol=1e-9), (where, rate, wanted)

    def run(self) -> set[str]:
        """Process all events, and return the oracle's states."""
        states = set[str]()
        self.at(0, "wake")
        self.at(PS // 4, "timer")
        end = round(self.scene.end_s * PS)
        while self.events[0][0] < end:
            self.now, _, kind, seq, ce = heapq.heappop(self.events)
            if kind == "ack":
                self.on_ack(seq, ce)
            elif kind == "timer":
                self.on_timer()
            self.same(kind)
            self.send()
            states.add(self.oracle.state)
        return states

    def send(self) -> None:
        """Send all packets that window and pace allow now."""
        while len(self.out) < max(int(self.window[0]), 1):
            if not self.repair and not self.writes:
                self.limited_until = self.next
                return
            if self.now < self.next_send:
                if self.woken != self.next_send:
                    self.woken = self.next_send
                    self.at(self.next_send, "wake")
                return
            seq = self.repair.pop(0) if self.repair else self.next
            self.law.on_sent(self.path(), seq)
            self.oracle.sent(self.path(), seq)
            self.same("sent")
            if seq < self.next:
                self.again.add(seq)
            self.next = max(self.next, seq + 1)
            self.out.add(seq)
            self.transmit(seq)
            self.next_send = self.now + round(PS / self.law.send_rate())

    def transmit(self, seq: int) -> None:
        """Carry the packet through the bottleneck, and its ACK back."""
        scene, packet = self.scene, round(PS / self.rate)
        waiting = max(0, self.link_free - self.now) / packet
        if waiting > scene.buffer or self.draw.random() < scene.loss:
            return
        self.link_free = max(self.link_free, self.now) + packet
        back = self.link_free + round(scene.rtt_s * PS)
        if scene.burst > 1:
            every = scene.burst * packet
            back = (back // every + 1) * every
        self.at(back, "ack", seq, waiting > scene.mark_above)

    def on_ack(self, seq: int, ce: bool) -> None:
        """Process a packet's ACK as the hosts of both engines do."""
        if seq < self.una or seq in self.held:
            return
        self.heard = self.now
        before, self.held = self.una, self.held | {seq}
        while self.una in self.held:
            self.held.discard(self.una)
            self.una += 1
        sample = self.now % 7 * PS // 7000 + round(self.scene.rtt_s * PS)
        self.srtt, self.min_rtt = sample, min(self.min_rtt, sample)
        self.repair = [s for s in self.repair if s >= self.una and s != seq]
        if self.una > before:
            self.deliver(before, self.una)
        elif self.scene.selective:
            self.deliver(seq, seq + 1)
        recovering = self.una < self.recover
        if not recovering:
            self.again.clear()
        if recovering and self.scene.selective:
            self.lose()
        if recovering and not self.scene.selective and self.una > before:
            self.repair = [self.una]
        self.see()
        self.window = self.law.on_ack(self.window, self.una - before, int(ce))
        self.oracle.ack(int(ce))
        if not recovering and len(self.held) >= 3:
            self.recover = self.next
            self.see()
            self.window = self.law.on_loss(self.window, 1.0)
            self.oracle.loss()
            self.lose()

    def deliver(self, first: int, end: int) -> None:
        """Report packets that have arrived."""
        self.law.on_delivered(first, end)
        self.oracle.delivered(first, end)
        self.out -= set(range(first, end))

    def lose(self) -> None:
        """Report as lost the packets below three that have arrived."""
        selective, below = self.scene.selective, self.una + 1
        if selective and len(self.held) >= 3:
            below = max(below, sorted(self.held)[-3])
        self.law.on_lost(below, selective)
        self.oracle.losses(below, selective)
        lost = set(range(self.una, below)) - self.held - self.again - set(self.repair)
        self.repair = sorted({*self.repair, *lost})
        self.out -= lost

    def see(self) -> None:
        """Show the path to law and oracle."""
        self.law.see(self.path())
        self.oracle.see(self.path())

    def on_timer(self) -> None:
        """Process timeouts, pauses of the application and steps of the rate."""
        self.at(self.now + PS // 4, "timer")
        draw, scene = self.draw, self.scene
        silent = self.next > self.una and self.now - self.heard > PS
        if silent or (self.next > self.una and draw.random() < scene.timeouts):
            self.heard = self.now
            self.see()
            self.window = self.law.on_timeout(self.window, 1.0)
            self.oracle.timeout()
            self.recover = self.next
            self.again.clear()
            self.out.clear()
            self.repair = [s for s in range(self.una, self.next) if s not in self.held]
        if scene.pauses:
            self.writes = draw.random() < (0.8 if self.writes else 0.5)
        if scene.steps and draw.random() < 0.1:
            self.rate = scene.rate * draw.choice((0.3, 1.0, 3.0))


def follow(
    laws: Laws, values: dict[str, float], scene: Scene, seed: int = 1, name: str = "bbr"
) -> set[str]:
    """Compares law and oracle at each event; returns the states of the flow."""
    return Flow(laws, values, scene, seed, name).run()


def check_bbr_steady(laws: Laws) -> None:
    """With a large and a small buffer, all states except Startup occur repeatedly."""
    for buffer in (200, 4):
        states = follow(laws, DEFAULTS, Scene(buffer=buffer, end_s=12.0))
        assert states == {"STARTUP", "DRAIN", "DOWN", "CRUISE", "REFILL", "UP", "PROBE_RTT"}


def check_bbr_losses(laws: Laws) -> None:
    """BBR follows its oracle at losses of 1 % and 5 %, with and without SACK, and timeouts."""
    for seed, loss in enumerate((0.01, 0.05)):
        for selective in (True, False):
            scene = Scene(loss=loss, selective=selective, timeouts=0.02)
            follow(laws, DEFAULTS, scene, seed)
            follow(laws, OTHERS, scene._replace(buffer=6), seed)


def check_bbr_marks(laws: Laws) -> None:
    """Marks above a short queue count at 2 ms, and at 40 ms only with another ecn_max_rtt."""
    for rtt_s, values in ((0.002, DEFAULTS), (0.04, DEFAULTS), (0.04, OTHERS)):
        scene = Scene(rate=1000.0, rtt_s=rtt_s, mark_above=3, buffer=60, end_s=3.0)
        follow(laws, values, scene)
        follow(laws, values, scene._replace(loss=0.003, mark_above=0), 2)


def check_bbr_application_limited(laws: Laws) -> None:
    """BBR follows its oracle with pauses, steps of the rate, bursts of ACKs and a window limit."""
    for seed, values in enumerate((DEFAULTS, OTHERS)):
        follow(laws, values, Scene(pauses=True), seed)
        follow(laws, values, Scene(pauses=True, loss=0.02, steps=True), seed)
        follow(laws, values, Scene(burst=6, steps=True, loss=0.002), seed)
        follow(laws, values, Scene(most=9.0), seed)


BBR_CHECKS: Final[dict[str, list[Callable[[Laws], None]]]] = {
    "bbr": [
        check_bbr_steady,
        check_bbr_losses,
        check_bbr_marks,
        check_bbr_application_limited,
    ],
}
