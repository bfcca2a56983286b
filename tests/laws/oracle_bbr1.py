# SPDX-License-Identifier: Apache-2.0
"""An oracle of BBR version 1: the steps and names of Linux's tcp_bbr.c, in packets and seconds.

Where the law's header says that it differs from Linux, the oracle follows the header. All samples
of the rate are kept in a list, and each maximum is taken over the list.
"""

from __future__ import annotations

import math
from typing import Final

from law_api import PathState, WindowState
from oracle_delivery import PS, Connection, Packet, Sample

__all__ = ["Bbr1Oracle"]

CWND_MIN_TARGET: Final = 4.0
CYCLE_LEN: Final = 8
BW_RTTS: Final = 10
FULL_BW_THRESH: Final = 1.25
FULL_BW_COUNT: Final = 3
EXTRA_ACKED_WIN_RTTS: Final = 5
EXTRA_ACKED_MAX_S: Final = 0.1


class Bbr1Oracle:
    """The window and the pacing rate of one flow."""

    now: int  # time of the last event

    def __init__(self, window: WindowState, values: dict[str, float]) -> None:
        self.v = values
        self.cwnd, _, self.least, self.most = window
        self.path: PathState = (0, 0, 0, 0, 0, 0, False)

    def window(self) -> float:
        """The window within the host's limits."""
        return min(max(self.cwnd, self.least), self.most)

    # ---- events
    def see(self, path: PathState) -> None:
        """The host's counters."""
        self.path = path

    def begin(self) -> None:
        """bbr_init."""
        self.now, _, _, acked, sent, *_ = self.path
        self.c, self.rs = Connection(sent), Sample()
        self.init_cwnd, self.first_acked = self.cwnd, acked
        self.prior_cwnd, self.has_seen_rtt, self.state = 0.0, False, "STARTUP"
        self.bw_samples: list[tuple[int, float]] = [(0, 0.0)]
        self.rtt_cnt, self.next_rtt_delivered, self.round_start = 0, 0, False
        self.min_rtt, self.min_rtt_stamp = math.inf, self.now
        self.probe_rtt_done_stamp, self.probe_rtt_round_done = 0, False
        self.full_bw, self.full_bw_cnt, self.full_bw_reached = 0.0, 0, False
        self.cycle_idx, self.cycle_stamp = 0, 0
        self.idle_restart, self.restore_later = False, False
        self.ca_recovery, self.high_seq, self.packet_conservation = False, 0, False
        self.rs_losses = 0
        self.ack_epoch, self.ack_epoch_acked = self.now, 0.0
        self.extra_acked, self.extra_acked_win_rtts = [0.0], 0
        self.pacing_rate = self.rate(self.v["startup_gain"], self.cwnd / 0.001)

    def sent(self, path: PathState, seq: int) -> None:
        """bbr_cwnd_event at a packet that leaves an idle flow, then the packet's record."""
        self.now = path[0]
        self.init_pacing_rate_from_rtt(path)
        limited = path[6] and path[3] > self.first_acked
        if self.c.inflight == 0 and (limited or self.c.app_limited):
            self.restart_from_idle()
        earlier = self.c.packets.get(seq)
        if earlier and not (earlier.is_lost or earlier.is_delivered):
            self.lose(earlier)
        self.c.sent(seq, self.now, limited)

    def delivered(self, first: int, end: int) -> None:
        """Packets of a cumulative or selective ACK."""
        for seq in range(first, end):
            self.c.arrived(self.c.packets[seq])

    def losses(self, below: int, _selective: bool) -> None:
        """Packets that the host's loss detection finds."""
        for packet in self.c.outstanding():
            if packet.seq < below and not packet.again:
                self.lose(packet)

    def lose(self, packet: Packet) -> None:
        """One lost packet."""
        packet.is_lost = True
        self.c.inflight -= 1
        self.c.lost += 1
        self.rs_losses += 1

    def loss(self) -> None:
        """bbr_ssthresh, and the first ACK in TCP_CA_Recovery of Linux."""
        self.enter()
        self.packet_conservation = True
        self.next_rtt_delivered = self.c.delivered
        self.cwnd = self.capped(self.c.inflight + self.rs.newly_acked)

    def timeout(self) -> None:
        """bbr_ssthresh and bbr_set_state(TCP_CA_Loss)."""
        self.enter()
        for packet in self.c.outstanding():
            self.lose(packet)
        self.rs_losses, self.full_bw, self.cwnd = 0, 0.0, 1.0

    def enter(self) -> None:
        """The begin of a recovery."""
        self.now, self.cwnd = self.path[0], self.window()
        self.save_cwnd()
        self.ca_recovery, self.high_seq = True, self.path[4]

    def ack(self, _marks: int) -> None:
        """bbr_main."""
        self.now, _, min_rtt, acked, *_ = self.path
        self.cwnd = self.window()
        if self.restore_later:
            self.cwnd = max(self.cwnd, self.prior_cwnd)
        self.restore_later = False
        self.rs = self.c.sample(self.now, min_rtt)
        for packet in self.c.outstanding():
            if packet.seq < acked:
                self.lose(packet)
        self.c.forget(acked)
        if not self.rs.newly_acked:
            return
        self.update_bw()
        self.update_ack_aggregation()
        if self.state == "PROBE_BW" and self.is_next_cycle_phase():
            self.cycle_idx, self.cycle_stamp = (self.cycle_idx + 1) % CYCLE_LEN, self.now
        self.check_full_bw_reached()
        self.check_drain()
        self.update_min_rtt()
        self.init_pacing_rate_from_rtt(self.path)
        self.set_pacing_rate(self.pacing_gain())
        self.set_cwnd()
        self.rs_losses = 0

    # ---- model
    def max_bw(self) -> float:
        """The maximum over the rounds up to that of the newest sample."""
        newest = self.bw_samples[-1][0]
        return max(bw for round_, bw in self.bw_samples if newest - round_ <= BW_RTTS)

    def inflight(self, gain: float) -> float:
        """bbr_inflight."""
        return self.quantization_budget(self.bdp(gain))

    def bdp(self, gain: float) -> float:
        """bbr_bdp."""
        if self.min_rtt == math.inf:
            return self.init_cwnd
        return gain * self.max_bw() * (self.min_rtt / PS)

    def quantization_budget(self, cwnd: float) -> float:
        """bbr_quantization_budget without offload."""
        return cwnd + 2 * (self.state == "PROBE_BW" and self.cycle_idx == 0)

    def update_bw(self) -> None:
        """bbr_update_bw without long-term sampling."""
        self.round_start = False
        if self.rs.delivery_rate == 0:
            return
        if self.rs.prior_delivered >= self.next_rtt_delivered:
            self.next_rtt_delivered = self.c.delivered
            self.rtt_cnt += 1
            self.round_start = True
            self.packet_conservation = False
        if not self.rs.is_app_limited or self.rs.delivery_rate >= self.max_bw():
            self.bw_samples.append((self.rtt_cnt, self.rs.delivery_rate))

    def update_ack_aggregation(self) -> None:
        """bbr_update_ack_aggregation."""
        if self.rs.delivery_rate == 0:
            return
        if self.round_start:
            self.extra_acked_win_rtts += 1
            if self.extra_acked_win_rtts >= EXTRA_ACKED_WIN_RTTS:
                self.extra_acked_win_rtts = 0
                self.extra_acked.append(0.0)
        expected = self.max_bw() * ((self.now - self.ack_epoch) / PS)
        if self.ack_epoch_acked <= expected:
            self.ack_epoch_acked = expected = 0.0
            self.ack_epoch = self.now
        self.ack_epoch_acked += self.rs.newly_acked
        extra = min(self.ack_epoch_acked - expected, self.cwnd)
        self.extra_acked[-1] = max(self.extra_acked[-1], extra)

    def is_next_cycle_phase(self) -> bool:
        """bbr_is_next_cycle_phase."""
        gain = self.pacing_gain()
        is_full_length = self.now - self.cycle_stamp > self.min_rtt
        prior_in_flight = self.c.inflight + self.rs.newly_acked + self.rs_losses
        if gain == 1:
            return is_full_length
        if gain > 1:
            enough = self.rs_losses > 0 or prior_in_flight >= self.inflight(gain)
            return is_full_length and enough
        return is_full_length or prior_in_flight <= self.inflight(1)

    def check_full_bw_reached(self) -> None:
        """bbr_check_full_bw_reached."""
        if self.full_bw_reached or not self.round_start or self.rs.is_app_limited:
            return
        if self.max_bw() >= self.full_bw * FULL_BW_THRESH:
            self.full_bw, self.full_bw_cnt = self.max_bw(), 0
            return
        self.full_bw_cnt += 1
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_COUNT

    def check_drain(self) -> None:
        """bbr_check_drain."""
        if self.state == "STARTUP" and self.full_bw_reached:
            self.state = "DRAIN"
        if self.state == "DRAIN" and self.c.inflight <= self.inflight(1):
            self.reset_probe_bw_mode()

    def reset_probe_bw_mode(self) -> None:
        """bbr_reset_probe_bw_mode, with the time in ps for the random number."""
        self.state = "PROBE_BW"
        self.cycle_idx = (CYCLE_LEN - 1 - self.now % 7 + 1) % CYCLE_LEN
        self.cycle_stamp = self.now

    def update_min_rtt(self) -> None:
        """bbr_update_min_rtt."""
        window = round(self.v["min_rtt_window_s"] * PS)
        filter_expired = self.now > self.min_rtt_stamp + window
        if self.rs.rtt >= 0 and (self.rs.rtt <= self.min_rtt or filter_expired):
            self.min_rtt, self.min_rtt_stamp = self.rs.rtt, self.now
        if filter_expired and not self.idle_restart and self.state != "PROBE_RTT":
            self.save_cwnd()
            self.state = "PROBE_RTT"
            self.probe_rtt_done_stamp = 0
        if self.state == "PROBE_RTT":
            self.c.app_limited = max(self.c.delivered + self.c.inflight, 1)
            if self.probe_rtt_done_stamp:
                self.probe_rtt_round_done |= self.round_start
                if self.probe_rtt_round_done and self.check_probe_rtt_done():
                    self.cwnd = max(self.cwnd, self.prior_cwnd)
            elif self.c.inflight <= CWND_MIN_TARGET:
                self.probe_rtt_done_stamp = self.now + round(self.v["probe_rtt_duration_s"] * PS)
                self.probe_rtt_round_done = False
                self.next_rtt_delivered = self.c.delivered
        if self.rs.delivered > 0:
            self.idle_restart = False

    def check_probe_rtt_done(self) -> bool:
        """bbr_check_probe_rtt_done; the caller restores the window."""
        if not self.probe_rtt_done_stamp or self.now <= self.probe_rtt_done_stamp:
            return False
        self.min_rtt_stamp = self.now
        if self.full_bw_reached:
            self.reset_probe_bw_mode()
        else:
            self.state = "STARTUP"
        return True

    def restart_from_idle(self) -> None:
        """bbr_cwnd_event(CA_EVENT_TX_START)."""
        self.idle_restart = True
        self.ack_epoch, self.ack_epoch_acked = self.now, 0.0
        if self.state == "PROBE_BW":
            self.set_pacing_rate(1.0)
        elif self.state == "PROBE_RTT" and self.check_probe_rtt_done():
            self.restore_later = True

    # ---- control
    def pacing_gain(self) -> float:
        """bbr_update_gains."""
        cycle = [self.v["up_gain"], self.v["down_gain"]] + 6 * [1.0]
        gains = {"STARTUP": self.v["startup_gain"], "DRAIN": 1 / self.v["startup_gain"]}
        gains |= {"PROBE_BW": cycle[self.cycle_idx], "PROBE_RTT": 1.0}
        return gains[self.state]

    def rate(self, gain: float, bw: float) -> float:
        """bbr_bw_to_pacing_rate."""
        return bw * gain * (1 - self.v["pacing_margin"])

    def init_pacing_rate_from_rtt(self, path: PathState) -> None:
        """bbr_init_pacing_rate_from_rtt."""
        srtt, min_rtt = path[1], path[2]
        if self.has_seen_rtt or not srtt:
            return
        self.has_seen_rtt = True
        self.min_rtt = min_rtt if self.min_rtt == math.inf else self.min_rtt
        self.pacing_rate = self.rate(self.v["startup_gain"], self.cwnd / (srtt / PS))

    def set_pacing_rate(self, gain: float) -> None:
        """bbr_set_pacing_rate."""
        rate = self.rate(gain, self.max_bw())
        if rate > 0 and (self.full_bw_reached or rate > self.pacing_rate):
            self.pacing_rate = rate

    def capped(self, cwnd: float) -> float:
        """The cap of ProbeRTT."""
        return min(cwnd, CWND_MIN_TARGET) if self.state == "PROBE_RTT" else cwnd

    def set_cwnd(self) -> None:
        """bbr_set_cwnd, with bbr_set_cwnd_to_recover_or_restore."""
        acked = self.rs.newly_acked
        self.cwnd = max(self.cwnd - self.rs_losses, 1.0)
        if self.ca_recovery and self.path[3] >= self.high_seq:
            self.ca_recovery = self.packet_conservation = False
            self.cwnd = max(self.cwnd, self.prior_cwnd)
        if self.packet_conservation:
            self.cwnd = self.capped(max(self.cwnd, self.c.inflight + acked))
            return
        gain = {"PROBE_BW": self.v["cwnd_gain"], "PROBE_RTT": 1.0}
        target = self.bdp(gain.get(self.state, self.v["startup_gain"]))
        if self.full_bw_reached:
            target += min(max(self.extra_acked[-2:]), EXTRA_ACKED_MAX_S * self.max_bw())
        target = self.quantization_budget(target)
        if self.full_bw_reached:
            self.cwnd = min(self.cwnd + acked, target)
        elif self.cwnd < target or self.c.delivered < self.init_cwnd:
            self.cwnd += acked
        self.cwnd = self.capped(max(self.cwnd, CWND_MIN_TARGET))

    def save_cwnd(self) -> None:
        """bbr_save_cwnd."""
        if not self.ca_recovery and self.state != "PROBE_RTT":
            self.prior_cwnd = self.cwnd
        else:
            self.prior_cwnd = max(self.prior_cwnd, self.cwnd)
