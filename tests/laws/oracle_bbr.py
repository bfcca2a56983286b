# SPDX-License-Identifier: Apache-2.0
"""An oracle of BBRv3: the pseudocode of draft-ietf-ccwg-bbr by its names, in packets and seconds.

The response to marks is that of Linux's branch v3. Where the law's header says that it differs
from the draft, the oracle follows the header. Packets are kept in a dict, and filters keep all
their values, of which only the last count.
"""

from __future__ import annotations

import math
from typing import Final

from law_api import PathState
from oracle_bbr_model import INFINITY, MIN_PIPE_CWND, BbrPathModel
from oracle_delivery import PS, Packet, Sample

__all__ = ["BbrOracle"]

IN_PROBE_BW: Final = ("DOWN", "CRUISE", "REFILL", "UP")


class BbrOracle(BbrPathModel):
    """The window and the pacing rate of one flow."""

    # ---- events
    def see(self, path: PathState) -> None:
        """The host's counters."""
        self.path = path

    def sent(self, path: PathState, seq: int) -> None:
        """OnTransmit, then OnPacketSent."""
        self.now, srtt, acked, limited = path[0], path[1], path[3], path[6]
        if srtt and not self.knows_rtt:
            self.knows_rtt = True
            if self.min_rtt == INFINITY:
                self.min_rtt = self.probe_rtt_min_delay = srtt
            self.pacing_rate = self.v["startup_gain"] * self.cwnd / (srtt / PS)
        limited = limited and acked > self.first_acked
        if self.c.inflight == 0 and (limited or self.c.app_limited):
            self.handle_restart_from_idle()
        earlier = self.c.packets.get(seq)
        if earlier and not (earlier.is_lost or earlier.is_delivered):
            self.handle_lost_packet(earlier)
        self.c.sent(seq, self.now, limited)
        if self.c.inflight >= math.floor(self.cwnd):
            self.limited_rounds[-1] = True

    def delivered(self, first: int, end: int) -> None:
        """Packets of a cumulative or selective ACK."""
        for seq in range(first, end):
            self.c.arrived(self.c.packets[seq])

    def losses(self, below: int, selective: bool) -> None:
        """Packets that the host's loss detection finds."""
        self.has_selective_acks = selective
        for packet in self.c.outstanding():
            if packet.seq < below and not packet.again:
                self.handle_lost_packet(packet)

    def loss(self) -> None:
        """OnEnterFastRecovery."""
        self.now, self.recovery_point = self.path[0], self.path[4]
        self.cwnd = self.window()
        self.save_cwnd()
        self.in_recovery = self.in_fast_recovery = True

    def timeout(self) -> None:
        """OnEnterRTO."""
        self.loss()
        self.in_fast_recovery = False
        for packet in self.c.outstanding():
            self.handle_lost_packet(packet)
        self.cwnd = self.c.inflight + 1.0

    def ack(self, marks: int) -> None:
        """UpdateOnACK."""
        self.now, _, min_rtt, acked, *_ = self.path
        self.cwnd = self.window()
        self.c.delivered_ce += marks
        self.rs = self.c.sample(self.now, min_rtt)
        for packet in self.c.outstanding():
            if packet.seq < acked:
                self.handle_lost_packet(packet)
        self.c.forget(acked)
        self.ecn_in_round |= self.ecn_eligible and marks > 0
        if self.in_recovery and acked >= self.recovery_point:
            self.in_recovery = False
            self.cwnd = max(self.cwnd, self.prior_cwnd)
        if self.restore_later:
            self.restore_later = False
            self.cwnd = max(self.cwnd, self.prior_cwnd)
        if self.rs.newly_acked:
            self.update_model_and_state()
            gains = {"STARTUP": "startup_gain", "DRAIN": "drain_gain", "DOWN": "down_gain"}
            gains["UP"] = "up_gain"
            gain = gains.get(self.state)
            self.set_pacing_rate_with_gain(self.v[gain] if gain else 1.0)
            self.set_cwnd()

    # ---- model
    def update_model_and_state(self) -> None:
        """All steps of an ACK that delivers packets."""
        self.update_latest_delivery_signals()
        self.update_congestion_signals()
        self.update_ack_aggregation()
        self.check_full_bw_reached()
        self.check_startup_done()
        if self.state == "DRAIN" and (
            self.c.inflight <= self.inflight(self.bw)
            or self.round_count > self.drain_start_round + 3
        ):
            self.start_down()
        self.update_probe_bw_cycle_phase()
        self.update_min_rtt()
        self.check_probe_rtt()
        if self.loss_round_start:
            self.bw_latest, self.inflight_latest = self.rs.delivery_rate, self.rs.delivered
        self.bw = min(self.max_bw(), self.bw_shortterm)

    def check_startup_done(self) -> None:
        """CheckStartupHighLoss and CheckStartupDone."""
        if not self.full_bw_reached and self.in_recovery and self.in_fast_recovery:
            many = self.loss_round_start and self.loss_ranges >= 6
            if not self.has_selective_acks or (many and self.is_inflight_too_high(self.rs)):
                self.handle_queue_too_high_in_startup()
        if self.loss_round_start:
            self.loss_ranges = 0
        if self.state == "STARTUP" and self.full_bw_reached:
            self.state, self.drain_start_round = "DRAIN", self.round_count

    # ---- losses
    def is_inflight_too_high(self, rs: Sample) -> bool:
        """IsInflightTooHigh by losses."""
        if not self.has_selective_acks:
            return rs.lost > 0
        return rs.lost > rs.tx_in_flight * self.v["loss_threshold"]

    def handle_lost_packet(self, packet: Packet) -> None:
        """HandleLostPacket, with NoteLoss and InflightAtLoss."""
        packet.is_lost = True
        self.c.inflight -= 1
        self.c.lost += 1
        if not self.is_loss_in_round:
            self.loss_round_delivered = self.c.delivered
        self.is_loss_in_round = True
        self.loss_ranges += packet.seq != self.last_lost + 1
        self.last_lost = packet.seq
        if not self.is_bw_probe_sample:
            return
        rs = Sample(
            tx_in_flight=packet.tx_in_flight,
            lost=self.c.lost - packet.lost,
            is_app_limited=packet.is_app_limited,
        )
        if not self.is_inflight_too_high(rs):
            return
        threshold = self.v["loss_threshold"]
        inflight_prev, lost_prev = rs.tx_in_flight - 1, rs.lost - 1
        lost_prefix = (threshold * inflight_prev - lost_prev) / (1 - threshold)
        self.handle_inflight_too_high(inflight_prev + max(0.0, lost_prefix), rs.is_app_limited)

    def handle_inflight_too_high(self, tx_in_flight: float, is_app_limited: bool) -> None:
        """HandleInflightTooHigh."""
        self.prev_probe_too_high, self.is_bw_probe_sample = True, False
        if not is_app_limited:
            target = min(self.bdp_multiple(self.bw, 1.0), self.cwnd)
            least = target * self.v["beta"]
            self.inflight_longterm = float(math.floor(max(tx_in_flight, least)))
        if self.state == "UP":
            self.start_down()

    # ---- ProbeBW
    def start_down(self) -> None:
        """StartProbeBW_DOWN."""
        self.is_loss_in_round = self.ecn_in_round = False
        self.bw_latest = self.inflight_latest = 0.0
        self.probe_up_acked_per_inc = INFINITY
        self.rounds_since_probe_up = 0
        self.cycle_stamp = self.now
        self.ack_phase = "PROBE_STOPPING"
        self.start_round()
        self.state = "DOWN"

    def start_refill(self) -> None:
        """StartProbeBW_REFILL."""
        self.bw_shortterm = self.inflight_shortterm = INFINITY
        self.bw_probe_up_rounds, self.bw_probe_up_acked = 0, 0.0
        self.prev_probe_precautionary = False
        self.ack_phase = "REFILLING"
        self.start_round()
        self.state = "REFILL"

    def start_up(self) -> None:
        """StartProbeBW_UP."""
        self.ack_phase = "PROBE_STARTING"
        self.start_round()
        self.reset_full_bw()
        self.full_bw = self.rs.delivery_rate
        self.state = "UP"
        self.raise_slope()

    def raise_slope(self) -> None:
        """RaiseInflightLongtermSlope."""
        growth_this_round = 1 << self.bw_probe_up_rounds
        self.bw_probe_up_rounds = min(self.bw_probe_up_rounds + 1, 30)
        self.probe_up_acked_per_inc = max(self.cwnd / growth_this_round, 1.0)

    def update_probe_bw_cycle_phase(self) -> None:
        """UpdateProbeBWCyclePhase."""
        if not self.full_bw_reached or self.adapt_long_term_model():
            return
        if self.state in ("DOWN", "CRUISE"):
            waited = self.now > self.cycle_stamp + round(self.v["probe_wait_s"] * PS)
            if waited or self.rounds_since_probe_up >= min(self.target_inflight(), 63):
                self.start_refill()
            elif self.c.inflight <= self.inflight_with_headroom():
                if self.c.inflight <= self.inflight(self.max_bw()):
                    self.state = "CRUISE"
        elif self.state == "REFILL":
            if self.round_start:
                self.is_bw_probe_sample = True
                self.start_up()
        elif self.state == "UP" and self.is_time_to_go_down():
            self.prev_probe_too_high = False
            self.start_down()

    def is_time_to_go_down(self) -> bool:
        """IsTimeToGoDown."""
        prior_in_flight = self.c.inflight + self.rs.newly_acked
        if self.prev_probe_too_high and prior_in_flight >= self.inflight_longterm:
            self.prev_probe_precautionary = True
            return True
        if any(self.limited_rounds) and self.cwnd >= self.inflight_longterm:
            self.reset_full_bw()
            self.full_bw = self.rs.delivery_rate
            return False
        return self.full_bw_now

    def inflight_with_headroom(self) -> float:
        """InflightWithHeadroom."""
        if self.inflight_longterm == INFINITY:
            return INFINITY
        headroom = max(1.0, self.v["headroom"] * self.inflight_longterm)
        return max(self.inflight_longterm - headroom, MIN_PIPE_CWND)

    def adapt_long_term_model(self) -> bool:
        """AdaptLongTermModel; marks as bbr_adapt_upper_bounds of Linux."""
        if self.ack_phase == "PROBE_STARTING" and self.round_start:
            self.ack_phase = "PROBE_FEEDBACK"
        if self.ack_phase == "PROBE_STOPPING" and self.round_start:
            self.is_bw_probe_sample = False
            self.ack_phase = "INIT"
            if self.state in IN_PROBE_BW and not self.rs.is_app_limited and self.max_bw_filter[-1]:
                self.max_bw_filter.append(0.0)
            careful = self.prev_probe_precautionary and not self.prev_probe_too_high
            if self.state in IN_PROBE_BW and careful:
                self.start_refill()
                return True
        marks = self.rs.delivered_ce if self.ecn_eligible else 0
        if marks > 0 and marks > self.rs.delivered * self.v["ecn_threshold"]:
            if self.is_bw_probe_sample:
                self.handle_inflight_too_high(self.rs.tx_in_flight, self.rs.is_app_limited)
        elif not self.is_inflight_too_high(self.rs) and self.inflight_longterm < INFINITY:
            self.inflight_longterm = max(self.inflight_longterm, self.rs.tx_in_flight)
            if self.state == "UP":
                self.probe_inflight_longterm_upward()
        return False

    def probe_inflight_longterm_upward(self) -> None:
        """ProbeInflightLongtermUpward."""
        if not any(self.limited_rounds) or self.cwnd < self.inflight_longterm:
            return
        self.bw_probe_up_acked += self.rs.newly_acked
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc:
            delta = math.floor(self.bw_probe_up_acked / self.probe_up_acked_per_inc)
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc
            self.inflight_longterm += delta
        if self.round_start:
            self.raise_slope()

    # ---- ProbeRTT
    def check_probe_rtt(self) -> None:
        """CheckProbeRTT."""
        if self.state != "PROBE_RTT" and self.probe_rtt_expired and not self.idle_restart:
            self.save_cwnd()
            self.state = "PROBE_RTT"
            self.probe_rtt_done_stamp = 0
            self.ack_phase = "PROBE_STOPPING"
            self.start_round()
        if self.state == "PROBE_RTT":
            self.handle_probe_rtt()
        if self.rs.delivered > 0:
            self.idle_restart = False

    def probe_rtt_cwnd(self) -> float:
        """ProbeRTTCwnd."""
        return max(self.bdp_multiple(self.bw, self.v["probe_rtt_cwnd_gain"]), MIN_PIPE_CWND)

    def handle_probe_rtt(self) -> None:
        """HandleProbeRTT."""
        self.c.app_limited = max(self.c.delivered + self.c.inflight, 1)
        if self.probe_rtt_done_stamp == 0 and self.c.inflight <= self.probe_rtt_cwnd():
            self.probe_rtt_done_stamp = self.now + round(self.v["probe_rtt_duration_s"] * PS)
            self.probe_rtt_round_done = False
            self.start_round()
        elif self.probe_rtt_done_stamp != 0:
            self.probe_rtt_round_done |= self.round_start
            if self.probe_rtt_round_done and self.check_probe_rtt_done():
                self.cwnd = max(self.cwnd, self.prior_cwnd)

    def check_probe_rtt_done(self) -> bool:
        """CheckProbeRTTDone and ExitProbeRTT; the caller restores the window."""
        if self.probe_rtt_done_stamp == 0 or self.now <= self.probe_rtt_done_stamp:
            return False
        self.probe_rtt_min_stamp = self.now
        self.bw_shortterm = self.inflight_shortterm = INFINITY
        if self.full_bw_reached:
            self.start_down()
            self.state = "CRUISE"
        else:
            self.state = "STARTUP"
        return True

    def handle_restart_from_idle(self) -> None:
        """HandleRestartFromIdle."""
        self.idle_restart = True
        self.extra_acked_interval_start = self.now
        if self.state in IN_PROBE_BW:
            self.set_pacing_rate_with_gain(1.0)
        elif self.state == "PROBE_RTT" and self.check_probe_rtt_done():
            self.restore_later = True

    # ---- control
    def set_pacing_rate_with_gain(self, gain: float) -> None:
        """SetPacingRateWithGain."""
        rate = gain * self.bw * (1 - self.v["pacing_margin"])
        if rate > 0 and (self.full_bw_reached or rate > self.pacing_rate):
            self.pacing_rate = rate

    def set_cwnd(self) -> None:
        """SetCwnd, BoundCwndForProbeRTT and BoundCwndForModel."""
        gains = {"PROBE_RTT": "probe_rtt_cwnd_gain", "UP": "up_cwnd_gain"}
        gain = self.v[gains.get(self.state, "cwnd_gain")]
        extra = max(self.extra_acked_filter[-2:])
        max_inflight = self.quantization_budget(self.bdp_multiple(self.bw, gain) + extra)
        if self.full_bw_reached:
            self.cwnd = min(self.cwnd + self.rs.newly_acked, max_inflight)
        elif self.cwnd < max_inflight or self.c.delivered < self.initial_cwnd:
            self.cwnd += self.rs.newly_acked
        self.cwnd = max(self.cwnd, MIN_PIPE_CWND)
        if self.state == "PROBE_RTT":
            self.cwnd = min(self.cwnd, self.probe_rtt_cwnd())
        cap = INFINITY
        if self.state in ("PROBE_RTT", "CRUISE"):
            cap = self.inflight_with_headroom()
        elif self.state in IN_PROBE_BW:
            cap = self.inflight_longterm
        cap = max(min(cap, self.inflight_shortterm), MIN_PIPE_CWND)
        self.cwnd = min(self.cwnd, cap)

    def save_cwnd(self) -> None:
        """SaveCwnd."""
        if not self.in_recovery and self.state != "PROBE_RTT":
            self.prior_cwnd = self.cwnd
        else:
            self.prior_cwnd = max(self.prior_cwnd, self.cwnd)
