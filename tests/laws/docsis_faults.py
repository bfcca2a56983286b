# SPDX-License-Identifier: Apache-2.0
"""Faults planted in DOCSIS's dual queue, its PIE and its queue protection."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["DOCSIS_MUTATIONS"]

_LAW: Final = "scheduling/docsis.h"
_PIE: Final = "scheduling/docsis_pie.h"
_PROTECT: Final = "scheduling/queue_protection.h"
_TURNS: Final = "scheduling/codepoint_turns.h"

DOCSIS_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "docsis": [
        Mutation(
            "floor", _LAW, "std::max(values[4] - values[5], floor_s)", "(values[4] - values[5])"
        ),
        Mutation("frames", _LAW, "20 * frame_bytes) - frame_bytes;", "20 * frame_bytes);"),
        Mutation(
            "least",
            _LAW,
            "std::max(values[9] * rate_bps_ / 8, 20 * frame_bytes)",
            "values[9] * rate_bps_ / 8",
        ),
        Mutation("own", _LAW, "queues_[n].bytes() + packet.bytes);", "queues_[n].bytes());"),
        Mutation("root", _LAW, "std::sqrt(pie_.probability())", "pie_.probability()"),
        Mutation("coupling", _LAW, "k_ * root()", "root()"),
        Mutation("certain", _LAW, "std::min(1.0, k_ * root())", "k_ * root()"),
        Mutation("combine", _LAW, "count_ += std::max(native,", "count_ += (native +"),
        Mutation("count", _LAW, "count_ -= 1;", "count_ = 0;"),
        Mutation("ejects", _LAW, "      n = CodepointClass::kClassic;\n", ""),
        Mutation("off", _LAW, "if (protects_ && ", "if ("),
        Mutation(
            "judged", _LAW, "refused_ = n == CodepointClass::kClassic && pie_", "refused_ = pie_"
        ),
        Mutation("full", _LAW, "pie_.overflowed();", "{}"),
        Mutation("room", _LAW, "waiting < room_[n]", "waiting <= room_[n]"),
        Mutation("share", _LAW, "(1 - classic_share_) * rate_bps_", "rate_bps_ - 1"),
        Mutation("rate", _LAW, "rate_bps_ - std::min(l4s_bps, most_bps)", "rate_bps_"),
        Mutation("sent", _LAW, "if (n == CodepointClass::kL4s) l4s_bytes_", "l4s_bytes_"),
        Mutation("interval", _LAW, "      l4s_bytes_ = 0;\n", ""),
        Mutation("late", _LAW, "for (; due_ <= now;", "for (; due_ < now;"),
        Mutation("rest", _LAW, "if (!changed && empty())", "if (empty())"),
        Mutation("both", _LAW, "if (both) turns_", "turns_"),
        Mutation("idle", _LAW, "if (!busy && empty()) turns", "if (empty()) turns"),
        Mutation("settle", _LAW, "advance(now);\n    arrived_ = kNone;", "advance(now);"),
        Mutation("range", _LAW, "classes.size() != queues_", "classes.size() > queues_"),
        Mutation("critical", _LAW, "values[14] > 0 ? values[14] : ramp_end_s", "ramp_end_s"),
        Mutation("pass", _PIE, "it.p = it.pass > 0 ? 0.0 : ", "it.p = "),
        Mutation("scale", _PIE, "p < 1 ? 2.0", "p < 1 ? 1.0"),
        Mutation("most", _PIE, "if (p >= 0.1) change", "if (p >= 10) change"),
        Mutation("decay", _PIE, "next *= 0.98;", ""),
        Mutation("high", _PIE, "next += 0.02;", ""),
        Mutation("third", _PIE, "bounds_.buffer_bytes / 3)", "bounds_.buffer_bytes / 2)"),
        Mutation("size", _PIE, "state_.p * packet_bytes / bounds_.mean_bytes", "state_.p"),
        Mutation("low", _PIE, "if (low(state_.delay_s) && state_.p < 0.2)", "if (state_.p < 0.2)"),
        Mutation("few", _PIE, "waiting <= 2 * bounds_.mean_bytes", "waiting <= 0"),
        Mutation("sum", _PIE, "if (sum_ < kLow || (", "if (("),
        Mutation("always", _PIE, "(sum_ < kHigh && uniform() >= q)", "uniform() >= q"),
        Mutation("burst", _PIE, "state_.pass = bounds_.max_burst;", ""),
        Mutation("again", _PIE, "it.burst = Burst::begun;", "it.burst = Burst::none;"),
        Mutation("calm", _PIE, "++it.calm_updates > reset", "++it.calm_updates >= reset"),
        Mutation("reset", _PIE, "if (state_.p == 0) sum_ = 0.0;", ""),
        Mutation("owner", _PROTECT, "if (buckets_[n].flow == flow)", "if (false)"),
        Mutation("spare", _PROTECT, "chosen == bounds_.buckets && ", ""),
        Mutation("expired", _PROTECT, "buckets_[n].empty_at <= now)", "true)"),
        Mutation("claim", _PROTECT, "    bucket.flow = flow;\n", ""),
        Mutation("since", _PROTECT, "bucket.empty_at = std::max(bucket.empty_at, now);", ""),
        Mutation("cap", _PROTECT, "std::min(now + bounds_.most_score,", "std::max(now,"),
        Mutation("native", _PROTECT, "native * bytes * 8", "bytes * 8.0"),
        Mutation("above", _PROTECT, "return delay > bounds_.critical_delay &&", "return"),
        Mutation(
            "product",
            _PROTECT,
            "static_cast<double>(delay) * static_cast<double>(score)",
            "static_cast<double>(bounds_.critical_delay) * static_cast<double>(score)",
        ),
        Mutation("hash", _PROTECT, "++i, hash /= bounds_.buckets)", "++i)"),
        Mutation("tie", _TURNS, "credit_bytes_ <= 0)", "credit_bytes_ < -3000)"),
    ],
}
