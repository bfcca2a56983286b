# SPDX-License-Identifier: Apache-2.0
"""The path model of BBR's oracle (oracle_bbr.py): rounds, bandwidth, bounds, round trips."""

from __future__ import annotations

import math
from typing import Final

from law_api import PathState, WindowState
from oracle_delivery import PS, Connection, Sample

__all__ = ["INFINITY", "MIN_PIPE_CWND", "BbrPathModel"]

INFINITY: Final = math.inf
MIN_PIPE_CWND: Final = 4.0


class BbrPathModel:
    """The variables of a connection, and the steps of an ACK that estimate its path."""

    now: int  # time of the last event

    def __init__(self, window: WindowState, values: dict[str, float]) -> None:
        self.v = values
        self.cwnd, _, self.least, self.most = window
        self.path: PathState = (0, 0, 0, 0, 0, 0, False)

    def window(self) -> float:
        """The window within the host's limits."""
        return min(max(self.cwnd, self.least), self.most)

    def begin(self) -> None:
        """OnInit."""
        now, _, _, acked, sent, *_ = self.path
        self.c, self.rs = Connection(sent), Sample()
        self.initial_cwnd, self.first_acked, self.knows_rtt = self.cwnd, acked, False
        self.max_bw_filter, self.extra_acked_filter, self.extra_rounds = [0.0], [0.0], 0
        self.min_rtt = self.probe_rtt_min_delay = INFINITY
        self.min_rtt_stamp = self.probe_rtt_min_stamp = now
        self.probe_rtt_expired = False
        self.probe_rtt_done_stamp, self.probe_rtt_round_done = 0, False
        self.prior_cwnd = 0.0
        self.in_recovery, self.in_fast_recovery, self.recovery_point = False, False, 0
        self.has_selective_acks, self.restore_later = True, False
        self.idle_restart = False
        self.extra_acked_interval_start, self.extra_acked_delivered = now, 0.0
        self.full_bw, self.full_bw_count, self.full_bw_now = 0.0, 0, False
        self.full_bw_reached = False
        self.bw = 0.0
        self.inflight_longterm = self.bw_shortterm = self.inflight_shortterm = INFINITY
        self.probe_up_acked_per_inc, self.bw_probe_up_acked = INFINITY, 0.0
        self.bw_probe_up_rounds = self.rounds_since_probe_up = 0
        self.is_bw_probe_sample = self.prev_probe_too_high = False
        self.prev_probe_precautionary = False
        self.ack_phase, self.cycle_stamp = "INIT", 0
        self.is_loss_in_round, self.ecn_in_round = False, False
        self.bw_latest, self.inflight_latest = 0.0, 0.0
        self.next_round_delivered = self.round_count = self.loss_round_delivered = 0
        self.round_start = self.loss_round_start = False
        self.loss_ranges, self.last_lost, self.drain_start_round = 0, -2, 0
        self.limited_rounds = [False, False]
        self.ecn_eligible, self.ecn_alpha, self.startup_ecn_rounds = False, 1.0, 0
        self.alpha_last = (0, 0)
        self.state = "STARTUP"
        self.pacing_rate = self.v["startup_gain"] * self.cwnd / 0.001

    def max_bw(self) -> float:
        """The largest sample of the last two cycles."""
        return max(self.max_bw_filter[-2:])

    def bdp_multiple(self, bw: float, gain: float) -> float:
        """BDPMultiple."""
        if self.min_rtt == INFINITY:
            return self.initial_cwnd
        return gain * bw * (self.min_rtt / PS)

    def quantization_budget(self, packets: float) -> float:
        """QuantizationBudget without offload."""
        return max(packets, MIN_PIPE_CWND) + 2.0 * (self.state == "UP")

    def inflight(self, bw: float) -> float:
        """Inflight(bw, 1.0)."""
        return self.quantization_budget(self.bdp_multiple(bw, 1.0))

    def target_inflight(self) -> float:
        """TargetInflight."""
        return min(self.bdp_multiple(self.bw, 1.0), self.cwnd)

    def update_latest_delivery_signals(self) -> None:
        """UpdateLatestDeliverySignals."""
        self.loss_round_start = self.rs.prior_delivered >= self.loss_round_delivered
        self.bw_latest = max(self.bw_latest, self.rs.delivery_rate)
        self.inflight_latest = max(self.inflight_latest, self.rs.delivered)
        if self.loss_round_start:
            self.loss_round_delivered = self.c.delivered

    def start_round(self) -> None:
        """StartRound."""
        self.next_round_delivered = self.c.delivered

    def update_congestion_signals(self) -> None:
        """UpdateCongestionSignals, with UpdateRound and Linux's update of alpha."""
        self.round_start = self.rs.prior_delivered >= self.next_round_delivered
        if self.round_start:
            self.start_round()
            self.round_count += 1
            self.rounds_since_probe_up += 1
            self.limited_rounds = [self.limited_rounds[-1], False]
        rate = self.rs.delivery_rate
        if rate > 0 and (rate >= self.max_bw() or not self.rs.is_app_limited):
            self.max_bw_filter[-1] = max(self.max_bw_filter[-1], rate)
        if self.round_start:
            self.update_ecn_alpha()
        if not self.loss_round_start:
            return
        if self.state not in ("STARTUP", "REFILL", "UP"):
            self.adapt_lower_bounds()
        self.is_loss_in_round = self.ecn_in_round = False

    def update_ecn_alpha(self) -> None:
        """bbr_update_ecn_alpha and bbr_check_ecn_too_high_in_startup of Linux."""
        if self.min_rtt <= round(self.v["ecn_max_rtt_s"] * PS):
            self.ecn_eligible = True
        delivered = self.c.delivered - self.alpha_last[0]
        if not self.ecn_eligible or delivered == 0:
            return
        ratio = (self.c.delivered_ce - self.alpha_last[1]) / delivered
        self.alpha_last = (self.c.delivered, self.c.delivered_ce)
        gain = self.v["ecn_alpha_gain"]
        self.ecn_alpha = min(1.0, (1 - gain) * self.ecn_alpha + gain * ratio)
        if self.full_bw_reached:
            return
        too_many = ratio >= self.v["ecn_threshold"]
        self.startup_ecn_rounds = self.startup_ecn_rounds + 1 if too_many else 0
        if self.startup_ecn_rounds >= 2:
            self.handle_queue_too_high_in_startup()

    def adapt_lower_bounds(self) -> None:
        """AdaptLowerBoundsFromCongestion, and bbr_adapt_lower_bounds of Linux for marks."""
        by_marks = INFINITY
        if (self.ecn_in_round or self.is_loss_in_round) and self.inflight_shortterm == INFINITY:
            self.inflight_shortterm = self.cwnd
        if self.ecn_in_round:
            by_marks = self.inflight_shortterm * (1 - self.ecn_alpha * self.v["ecn_factor"])
        if self.is_loss_in_round:
            if self.bw_shortterm == INFINITY:
                self.bw_shortterm = self.max_bw()
            beta = self.v["beta"]
            self.bw_shortterm = max(self.bw_latest, beta * self.bw_shortterm)
            self.inflight_shortterm = max(self.inflight_latest, beta * self.inflight_shortterm)
        self.inflight_shortterm = min(self.inflight_shortterm, by_marks)

    def update_ack_aggregation(self) -> None:
        """UpdateACKAggregation, its filter in periods of five rounds, of one in Startup."""
        if self.round_start:
            self.extra_rounds += 1
            if self.extra_rounds >= (5 if self.full_bw_reached else 1):
                self.extra_rounds = 0
                self.extra_acked_filter.append(0.0)
        expected = self.bw * ((self.now - self.extra_acked_interval_start) / PS)
        if self.extra_acked_delivered <= expected:
            self.extra_acked_delivered = expected = 0.0
            self.extra_acked_interval_start = self.now
        self.extra_acked_delivered += self.rs.newly_acked
        extra = min(self.extra_acked_delivered - expected, self.cwnd)
        self.extra_acked_filter[-1] = max(self.extra_acked_filter[-1], extra)

    def reset_full_bw(self) -> None:
        """ResetFullBW."""
        self.full_bw, self.full_bw_count, self.full_bw_now = 0.0, 0, False

    def check_full_bw_reached(self) -> None:
        """CheckFullBWReached."""
        if self.full_bw_now or not self.round_start or self.rs.is_app_limited:
            return
        if self.rs.delivery_rate >= self.full_bw * 1.25:
            self.reset_full_bw()
            self.full_bw = self.rs.delivery_rate
            return
        self.full_bw_count += 1
        self.full_bw_now = self.full_bw_count >= 3
        self.full_bw_reached |= self.full_bw_now

    def update_min_rtt(self) -> None:
        """UpdateMinRTT."""
        interval, window = (
            round(self.v[name] * PS) for name in ("probe_rtt_interval_s", "min_rtt_window_s")
        )
        self.probe_rtt_expired = self.now > self.probe_rtt_min_stamp + interval
        rtt = self.rs.rtt
        if rtt >= 0 and (rtt < self.probe_rtt_min_delay or self.probe_rtt_expired):
            self.probe_rtt_min_delay, self.probe_rtt_min_stamp = rtt, self.now
        min_rtt_expired = self.now > self.min_rtt_stamp + window
        if self.probe_rtt_min_delay < self.min_rtt or min_rtt_expired:
            self.min_rtt, self.min_rtt_stamp = self.probe_rtt_min_delay, self.probe_rtt_min_stamp

    def handle_queue_too_high_in_startup(self) -> None:
        """Startup ends by losses or marks."""
        self.full_bw_reached = True
        bdp = self.bdp_multiple(self.max_bw(), 1.0)
        self.inflight_longterm = float(math.floor(max(bdp, self.inflight_latest)))
