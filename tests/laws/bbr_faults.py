# SPDX-License-Identifier: Apache-2.0
"""Faults planted in BBRv3, its path model and its delivery rate."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["BBR_MUTATIONS"]

_MODEL: Final = "window/bbr_model.h"
_PARTS: Final = "window/bbr_parts.h"
_RATE: Final = "window/delivery_rate.h"

BBR_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "bbr": [
        Mutation("sign", _MODEL, "(1 - set_.pacing_margin)", "(1 + set_.pacing_margin)"),
        Mutation("threshold", _MODEL, "rs_.rate >= max_bw() || !rs_.limited", "true"),
        Mutation("clamp", _MODEL, "std::min(of_path(bw_, 1), cwnd_)", "of_path(bw_, 1)"),
        Mutation("interval", _RATE, "std::max(packet.at - packet.first_at, ", "std::max(Time{0}, "),
        Mutation("smallest", _RATE, "interval >= min_rtt && ", ""),
        Mutation("again", _RATE, "if (!packet.again) ", ""),
        Mutation("newest", _RATE, "if (newly_++ > 0 && !newest)", "if (newly_++ > 0 && newest)"),
        Mutation("idle", _RATE, "if (out_ == 0) ", "if (out_ < 0) "),
        Mutation("plateau", _PARTS, "1.25 * rate_", "1.5 * rate_"),
        Mutation("two-cycles", _MODEL, "{bw_filter_[1], 0}", "{0, 0}"),
        Mutation("reno", _MODEL, "std::min(target(), 63.0)", "63.0"),
        Mutation("prefix", _MODEL, "std::max(prefix, 0.0)", "prefix"),
        Mutation("ranges", _MODEL, "loss_ranges_ >= kLossRanges && ", ""),
        Mutation(
            "once", _MODEL, "    is_probe_sample_ = false;\n    if (!limited)", "    if (!limited)"
        ),
        Mutation("slope", _PARTS, "std::int64_t{1} << rounds_", "std::int64_t{1}"),
        Mutation("headroom", _PARTS, "std::max(1.0, share * inflight_)", "share * inflight_"),
        Mutation("refill", _MODEL, "    short_.reset();\n    long_.start();", "    long_.start();"),
        Mutation("shortterm", _PARTS, "std::max(latest_bw_, kept * bw_)", "kept * bw_"),
        Mutation("expired", _PARTS, " || rtt < recent_ || expired_)", " || rtt < recent_)"),
        Mutation("alpha", _PARTS, "(1 - gain) * alpha_ + gain * share", "gain * share"),
        Mutation("ecn-rtt", _MODEL, "rtt_.get() <= set_.ecn_max_rtt", "true"),
        Mutation("ecn-startup", _MODEL, "ecn_rounds_ >= kEcnRounds", "ecn_rounds_ > kEcnRounds"),
        Mutation("precaution", _MODEL, "prev_too_high_ && before >=", "before >="),
        Mutation(
            "restore",
            _MODEL,
            "      recovering_ = false;\n      restore_cwnd();",
            "      recovering_ = false;",
        ),
        Mutation("before", _MODEL, "const double before = in_flight() +", "const double before ="),
    ],
}
