# SPDX-License-Identifier: Apache-2.0
"""Faults planted in BBR version 1."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["BBR1_MUTATIONS"]

_LAW: Final = "window/bbr1.h"
_MODEL: Final = "window/bbr1_model.h"
_PARTS: Final = "window/bbr_parts.h"

BBR1_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "bbr1": [
        Mutation("sign", _MODEL, "(1 - set_.pacing_margin)", "(1 + set_.pacing_margin)"),
        Mutation("rounds", _MODEL, "kRounds = 10", "kRounds = 9"),
        Mutation("age", _MODEL, "slot(newest_ + 1) = 0", "slot(newest_ + 1) = rates_[0]"),
        Mutation("limited", _MODEL, "!rs_.limited || rs_.rate >= bw_.get()", "true"),
        Mutation("plateau", _PARTS, "1.25 * rate_", "1.5 * rate_"),
        Mutation("full", _MODEL, "    full_.restart(0);\n", ""),
        Mutation("drain", _MODEL, "1 / set_.startup_gain, phase_gain()", "1, phase_gain()"),
        Mutation("drained", _MODEL, "in_flight() <= budget(of_path(1))) s", "true) s"),
        Mutation("phases", _MODEL, "kPhases = 8", "kPhases = 7"),
        Mutation("first-phase", _MODEL, "now_ % (kPhases - 1)", "now_ % 1"),
        Mutation("full-length", _MODEL, "now_ - phase_at_ > min_rtt_", "now_ > phase_at_"),
        Mutation("probe", _MODEL, "full_length && (losses_ > 0", "full_length && (true"),
        Mutation("probe-losses", _MODEL, "losses_ > 0 || before", "before"),
        Mutation("yield", _MODEL, "(gain < 1 && before", "(gain < 0 && before"),
        Mutation(
            "before",
            _MODEL,
            "in_flight() + static_cast<double>(rs_.newly_acked) +",
            "in_flight() +",
        ),
        Mutation("short-path", _MODEL, "phase_ == 0 ? 2 : 0", "phase_ == 0 ? 0 : 0"),
        Mutation("equal-rtt", _MODEL, "rs_.rtt <= min_rtt_", "rs_.rtt < min_rtt_"),
        Mutation("expired", _MODEL, "rs_.rtt <= min_rtt_ || expired)", "rs_.rtt <= min_rtt_)"),
        Mutation("idle", _MODEL, "expired && !idle_restart_ &&", "expired &&"),
        Mutation("flight", _MODEL, "    if (in_flight() > kMinPipe) return;\n", ""),
        Mutation("round", _MODEL, "probe_rtt_round_done_ = false;\n      start", "start"),
        Mutation("duration", _MODEL, "now_ + set_.probe_rtt_duration", "now_"),
        Mutation("wait", _MODEL, "    min_rtt_at_ = now_;\n    state_", "    state_"),
        Mutation("hidden", _MODEL, "    packets_.mark_limited();\n", ""),
        Mutation("later", _MODEL, "check_probe_rtt_done()) restore_due_ = true", "false) return"),
        Mutation(
            "epoch", _PARTS, "    since_ = now;\n    delivered_ = 0;\n", "    since_ = now;\n"
        ),
        Mutation("conserve", _MODEL, "    conserving_ = true;\n", ""),
        Mutation("one-round", _MODEL, "      conserving_ = false;\n      extra", "      extra"),
        Mutation("new-round", _MODEL, "    start_round();\n    cwnd_ = std", "    cwnd_ = std"),
        Mutation("lost", _MODEL, "cwnd_ - static_cast<double>(losses_)", "cwnd_"),
        Mutation("twice", _MODEL, "    losses_ = 0;\n  }\n\n  double", "  }\n\n  double"),
        Mutation("timeout-losses", _MODEL, "    losses_ = 0;\n    cwnd_ = 1;", "    cwnd_ = 1;"),
        Mutation("restore", _MODEL, "cwnd_ = std::max(cwnd_, prior_cwnd_);\n    }", "}"),
        Mutation("save", _MODEL, "!recovering_ && state_ != State::probe_rtt;", "!recovering_;"),
        Mutation("gain", _MODEL, "target = of_path(cwnd_gain())", "target = of_path(2)"),
        Mutation("extra", _MODEL, "kLongestExtra * bw_.get()", "bw_.get()"),
        Mutation("extra-rounds", _MODEL, "kExtraRounds = 5", "kExtraRounds = 10"),
        Mutation("least", _MODEL, "    cwnd_ = std::max(cwnd_, kMinPipe);\n", ""),
        Mutation("most", _MODEL, "? kMinPipe : kNoBound", "? kNoBound : kNoBound"),
        Mutation("timeout", _LAW, "own_->model.on_timeout", "own_->model.on_loss"),
    ],
}
