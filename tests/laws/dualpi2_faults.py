# SPDX-License-Identifier: Apache-2.0
"""Faults planted in DualPI2 and in the classification of its packets."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["DUALPI2_MUTATIONS"]

_LAW: Final = "scheduling/dualpi2.h"
_TURNS: Final = "scheduling/codepoint_turns.h"
_CLASS: Final = "scheduling/codepoint_class.h"
_PACKET: Final = "marking/marking.h"

DUALPI2_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "dualpi2": [
        Mutation("sign", _LAW, "beta_ * (delay_s - last_s_)", "beta_ * (last_s_ - delay_s)"),
        Mutation("delay", _LAW, "linux_ ? std::max(classic, l4s) : classic", "classic"),
        Mutation("target", _LAW, "(delay_s - target_s_)", "delay_s"),
        Mutation("before", _LAW, "    last_s_ = delay_s;\n", ""),
        Mutation("clamp", _LAW, "std::clamp(base_, 0.0, most)", "std::min(base_, most)"),
        Mutation("at-least", _LAW, "before >= step_at_least_", "before > step_at_least_"),
        Mutation("noted", _LAW, "is_l4s && first.noted && ", "is_l4s && "),
        Mutation("most", _LAW, "drop_overload_ ? 1.0 : std::min(1.0, 1 / k_)", "1.0"),
        Mutation(
            "rest", _LAW, "if (empty() && base_ == base && last_s_ == last_s)", "if (empty())"
        ),
        Mutation("slow", _LAW, "if (empty() && base_ == base", "if (false && base_ == base"),
        Mutation("period", _LAW, "/ update_ * update_;", "/ update_ * update_ + update_;"),
        Mutation("late", _LAW, "for (; due_ <= now;", "for (; due_ < now;"),
        Mutation("tie", _TURNS, "credit_bytes_ <= 0)", "credit_bytes_ < 0)"),
        Mutation("both", _LAW, "!= Action::drop && both)", "!= Action::drop)"),
        Mutation("charge", _LAW, "if (action != Action::drop && both)", "if (both)"),
        Mutation("weight", _TURNS, "classic_share_ : classic_share_ - 1)", "1 : -1)"),
        Mutation("idle", _LAW, "if (!busy && empty()) turns", "if (empty()) turns"),
        Mutation("credit", _TURNS, "(2 * classic_share_ - 1);", "(1 - 2 * classic_share_);"),
        Mutation("square", _LAW, "uniform() < base_ && uniform() < base_", "uniform() < base_"),
        Mutation("coupling", _LAW, "uniform() < k_ * base_", "uniform() < base_"),
        Mutation("spared", _LAW, ">= 2 * mtu_bytes_", ">= mtu_bytes_"),
        Mutation("step", _LAW, "waited > step_;", "waited >= step_;"),
        Mutation("overload", _LAW, "overload || !first.packet.ect", "!first.packet.ect"),
        Mutation("overload-l4s", _LAW, "classic() ? Action::drop", "!classic() ? Action::drop"),
        Mutation("overload-rfc", _LAW, "1 / (k_ * k_))", "1 / k_)"),
        Mutation("threshold-rfc", _LAW, "if (coupled >= 1)", "if (coupled >= 2)"),
        Mutation("alone", _LAW, ".packets() <= 1;", ".packets() < 1;"),
        Mutation("ramp", _LAW, "std::clamp(late_ps / ramp_ps_, 0.0, 1.0)", "late_ps > 0"),
        Mutation("combine", _LAW, "std::max(own, coupled)", "(own + coupled)"),
        Mutation("count", _LAW, "count_[n] -= 1;", "count_[n] = 0;"),
        Mutation("reversed", _LAW, "if (!overflow || arrived", "if (overflow || arrived"),
        Mutation("settle", _LAW, "advance(now);\n    arrived_ = kNone;", "advance(now);"),
        Mutation("range", _LAW, "classes.size() != queues_", "classes.size() > queues_"),
    ],
    "codepoint-class": [
        Mutation("reversed", _CLASS, "l4s() ? kL4s : kClassic", "l4s() ? kClassic : kL4s"),
        Mutation("guard", _PACKET, "if (!ect) return Codepoint::not_ect;", ""),
        Mutation("case", _PACKET, "if (ce) return Codepoint::ce;", ""),
        Mutation(
            "sign", _PACKET, "ect_1 ? Codepoint::ect_1 : Codepoint::ect_0", "Codepoint::ect_0"
        ),
    ],
}
