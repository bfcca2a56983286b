# SPDX-License-Identifier: Apache-2.0
"""An oracle of SCReAM 2: the pseudocode of its draft, in bytes and with the draft's names.

draft-ietf-ccwg-rfc8298bis-screamv2 (August 2026), sections 4.2 and 4.4; data units of 1,000 bytes.
The parts that the law's header leaves out are left out here.
"""

from __future__ import annotations

import math
from typing import Final

from law_api import PathState, WindowState

__all__ = ["ScreamOracle"]

MSS: Final = 1000
L4S_AVG_G_UP, L4S_AVG_G_DOWN, QDELAY_AVG_G = 1 / 8, 1 / 128, 1 / 4
BYTES_IN_FLIGHT_HEAD_ROOM: Final = 1.5
PS: Final = 10**12


class ScreamOracle:
    """One sender; windows come and go in packets."""

    def __init__(self, start: WindowState, *values: float) -> None:
        (classic, self.BETA_LOSS, self.BETA_ECN, self.qdelay_target, self.VIRTUAL_RTT) = values[:5]
        self.MUL_INCREASE_FACTOR, self.POST_CONGESTION_DELAY_RTTS, least = values[5:]
        self.IS_L4S, self.MIN_REF_WND = not classic, least * MSS
        self.floor, self.ceiling = start[2], start[3]
        self.now_ps, self.s_rtt, self.base, self.path = 0, 0.0, 0, (0, 0, 0)
        self.sample = 0  # the latest round trip [ps]
        self.begin(start[0])

    def begin(self, cwnd: float) -> None:
        """A connection, whose reference window is its initial window."""
        self.ref_wnd, self.ref_wnd_i, self.ref_wnd_i_update_allowed = cwnd * MSS, 1.0, True
        self.l4s_alpha = self.qdelay = self.qdelay_avg = 0.0
        self.units, self.units_ce = 0, 0
        self.last_alpha = self.last_avg = self.last_reaction = self.last_detected = self.now_ps
        self.loss_detected = self.data_units_marked = False
        self.max_in_flight = self.max_in_flight_prev = 0.0
        self.acked_before, self.round_ends = self.path[:2]

    def see(self, path: PathState) -> None:
        """Takes the path; the flight before the ACK counts what the ACK answers."""
        now, srtt, least, acked, sent, flight, _ = path
        self.now_ps, self.s_rtt, self.base = now, srtt / PS, least
        self.path = (acked, sent, flight)

    def rtt(self, sample_ps: int) -> None:
        """A sample of the queueing delay, relative to the smallest round trip."""
        self.sample = sample_ps

    def elapsed(self, since_ps: int) -> float:
        """Seconds since a time."""
        return (self.now_ps - since_ps) / PS

    def ack(self, units: int, marks: int) -> None:
        """Feedback: estimates, then the reduction, then the increase."""
        self.qdelay = max(0, self.sample - self.base) / PS
        acked, sent, flight = self.path
        in_flight = (flight + acked - self.acked_before) * MSS
        self.acked_before = acked
        self.max_in_flight = max(self.max_in_flight, in_flight)
        if acked >= self.round_ends:
            self.max_in_flight_prev, self.max_in_flight = self.max_in_flight, flight * MSS
            self.round_ends = sent
        if marks:
            self.data_units_marked = True
        self.units, self.units_ce = self.units + units, self.units_ce + marks
        if self.units and self.elapsed(self.last_alpha) >= min(0.01, self.s_rtt):
            fraction = min(1.0, self.units_ce / self.units)
            if fraction >= self.l4s_alpha:
                self.l4s_alpha = L4S_AVG_G_UP * fraction + (1 - L4S_AVG_G_UP) * self.l4s_alpha
            else:
                self.l4s_alpha = (1 - L4S_AVG_G_DOWN) * self.l4s_alpha
            self.last_alpha, self.units, self.units_ce = self.now_ps, 0, 0
        if self.elapsed(self.last_avg) >= min(self.VIRTUAL_RTT, self.s_rtt):
            slow = QDELAY_AVG_G * self.qdelay + (1 - QDELAY_AVG_G) * self.qdelay_avg
            self.qdelay_avg = self.qdelay if self.qdelay < self.qdelay_avg else slow
            self.last_avg = self.now_ps
        scl = self.scl()
        self.reduce(scl)
        self.increase(scl, max(units - marks, 0) * MSS)

    def scl(self) -> float:
        """scl_t."""
        near = (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i * 8
        return max(0.1, min(1.0, near * near))

    def reduce(self, scl: float) -> None:
        """Section 4.2.2.1."""
        if self.loss_detected or self.data_units_marked:
            self.last_detected = self.now_ps
        is_loss = is_ce = is_virtual = False
        half = self.qdelay_target / 2
        if self.elapsed(self.last_reaction) >= min(self.VIRTUAL_RTT, self.s_rtt):
            is_loss = self.loss_detected
            is_ce = not is_loss and self.data_units_marked
            is_virtual = not is_loss and not is_ce and self.qdelay_avg > half
        if not (is_loss or is_ce or is_virtual):
            return
        if self.ref_wnd_i_update_allowed:
            self.ref_wnd_i, self.ref_wnd_i_update_allowed = self.ref_wnd, False
        if is_loss:
            self.ref_wnd *= self.BETA_LOSS
        if is_ce and not self.IS_L4S:
            self.ref_wnd *= self.BETA_ECN
        if is_ce and self.IS_L4S:
            backoff = self.l4s_alpha / 2 / max(1.0, self.s_rtt / self.VIRTUAL_RTT)
            if self.qdelay < self.qdelay_target * 0.25:
                backoff *= max(0.25, scl)
            if self.elapsed(self.last_reaction) > 100 * max(self.VIRTUAL_RTT, self.s_rtt):
                self.ref_wnd = min(self.ref_wnd, self.max_in_flight_prev)
            self.ref_wnd = (1 - backoff) * self.ref_wnd
        if is_virtual:
            alpha_v = min(1.0, max(0.0, (self.qdelay_avg - half) / half))
            self.ref_wnd *= 1 - alpha_v / 2 / max(1.0, self.s_rtt / self.VIRTUAL_RTT)
        self.ref_wnd = max(self.MIN_REF_WND, self.ref_wnd)
        self.last_reaction = self.now_ps
        self.loss_detected = self.data_units_marked = False

    def increase(self, scl: float, unmarked_bytes: float) -> None:
        """Section 4.2.2.2."""
        trips = self.POST_CONGESTION_DELAY_RTTS * max(self.VIRTUAL_RTT, self.s_rtt)
        post = max(0.0, min(1.0, self.elapsed(self.last_detected) / trips))
        increment = unmarked_bytes * min(1.0, MSS / self.ref_wnd)
        increment *= min(1.0, self.s_rtt / self.VIRTUAL_RTT) * max(0.25, scl)
        increment *= 1 + self.MUL_INCREASE_FACTOR * self.ref_wnd / MSS * post * scl
        most = max(self.max_in_flight, self.max_in_flight_prev) * BYTES_IN_FLIGHT_HEAD_ROOM
        before = self.ref_wnd
        if self.ref_wnd + increment <= MSS + most:
            self.ref_wnd = min(self.ref_wnd + increment, self.ceiling / 1.5 * MSS)
        if self.ref_wnd > before:
            self.ref_wnd_i_update_allowed = True

    def loss(self) -> None:
        """A lost data unit."""
        self.qdelay = max(0, self.sample - self.base) / PS
        self.loss_detected = True
        self.reduce(self.scl())

    def timeout(self) -> None:
        """The host's timer, which the draft does not have."""
        self.loss()
        self.ref_wnd = self.MIN_REF_WND

    @property
    def cwnd(self) -> float:
        """Half of the flight's limit, three reference windows, within the bounds."""
        return min(max(1.5 * self.ref_wnd / MSS, self.floor), self.ceiling)

    def target(self) -> float:
        """target_bitrate in data units/s (section 4.4), with the factor 1.2 alone."""
        ratio = min(1.0, MSS / self.ref_wnd)
        scale = (1 - min(0.2, max(0.0, ratio - 0.1))) / 1.2
        return scale * self.ref_wnd / MSS / (self.s_rtt if self.s_rtt > 0 else 0.1)

    def settled(self) -> bool:
        """Whether every number is finite."""
        return math.isfinite(self.ref_wnd + self.l4s_alpha + self.qdelay_avg)
