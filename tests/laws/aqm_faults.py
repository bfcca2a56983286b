# SPDX-License-Identifier: Apache-2.0
"""Faults planted in CoDel, PIE, Blue and self-configuring RED."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["AQM_MUTATIONS"]

_CODEL: Final = "marking/codel.h"
_DELAY: Final = "marking/controlled_delay.h"
_PIE: Final = "marking/pie.h"
_BLUE: Final = "marking/blue.h"
_SELF: Final = "marking/self_configuring_red.h"
_SFB: Final = "marking/sfb.h"
_CHOKE: Final = "marking/choke.h"
_SRED: Final = "marking/sred.h"

AQM_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "codel": [
        Mutation("threshold", _DELAY, "waited < bounds.target", "waited <= bounds.target"),
        Mutation("few", _DELAY, " || last) {", ") {"),
        Mutation("bytes", _CODEL, "queue.bytes <= largest_", "queue.bytes < largest_"),
        Mutation("at-once", _DELAY, "return now >= ok_from_;", "return true;"),
        Mutation("due", _DELAY, "!striking_ || now >= next_", "!striking_ || now > next_"),
        Mutation("case", _DELAY, "count_ = strikes > 1 && ", "count_ = "),
        Mutation("soon", _DELAY, " && now - next_ < 16 * bounds.interval ?", " ?"),
        Mutation("count", _DELAY, "      ++count_;\n", ""),
        Mutation("late", _DELAY, "next_ += step(bounds);", "next_ = now + step(bounds);"),
        Mutation("clamp", _CODEL, "std::max(largest_, packet.bytes)", "packet.bytes"),
        Mutation("withdraw", "marking/waiting_times.h", "--tail_;", "++head_;"),
    ],
    "pie": [
        Mutation("sign", _PIE, "beta_ * (delay - before_)", "beta_ * (before_ - delay)"),
        Mutation("threshold", _PIE, "probability_ <= mark_p_", "probability_ < mark_p_"),
        Mutation("clamp", _PIE, "std::clamp(p, 0.0, 1.0)", "std::max(p, 0.0)"),
        Mutation("cap", _PIE, "if (probability_ >= 0.1) change", "change"),
        Mutation("decay", _PIE, " p *= 0.98;", " ;"),
        Mutation("scale", "marking/pie_scale.h", "k *= 4", "k *= 2"),
        Mutation("half", "marking/pie_scale.h", "probability < 0.1 ? 0.5 : 1.0", "1.0"),
        Mutation("burst", _PIE, "burst_ - update_", "burst_"),
        Mutation("again", _PIE, " && low(before_)) burst_", ") burst_"),
        Mutation("calm", _PIE, "low(before_) && probability_ < 0.2", "low(before_)"),
        Mutation("few", _PIE, "few_bytes_ = 2 * values[6]", "few_bytes_ = values[6]"),
        Mutation("early", _PIE, "    if (sum_ < 0.85) return false;\n", ""),
        Mutation("certain", _PIE, "sum_ >= 8.5 || ", ""),
        Mutation("drop", _PIE, "Time) noexcept { sum_ = 0.0; }", "Time) noexcept {}"),
    ],
    "blue": [
        Mutation("sign", _BLUE, "change(-decrement_", "change(decrement_"),
        Mutation("threshold", _BLUE, "now - changed_ <= freeze_", "now - changed_ < freeze_"),
        Mutation("clamp", _BLUE, "std::clamp(probability_ + by, 0.0, 1.0)", "probability_ + by"),
        Mutation("freeze", _BLUE, "    changed_ = now;\n", ""),
        Mutation("limit", _BLUE, "packets) > limit_)", "packets) >= limit_)"),
        Mutation("time", _BLUE, "queue.idle_since);", "now);"),
    ],
    "choke": [
        Mutation("sign", _CHOKE, "== packet.flow", "!= packet.flow"),
        Mutation("threshold", _CHOKE, "average() > own_->min", "average() >= own_->min - 1"),
        Mutation("flowless", _CHOKE, " && packet.flow != kNoFlow", ""),
        Mutation("position", _CHOKE, "static_cast<std::int32_t>(at)}", "0}"),
        Mutation("erased", _CHOKE, "        flows.erase(flows.begin() + at);\n", ""),
        Mutation("refused", _CHOKE, "flows.pop_back();", "break;"),
        Mutation("oldest", _CHOKE, "flows.pop_front();", "flows.pop_back();"),
        Mutation("gentle", _CHOKE, "red[5] = red[6] = 0;", "red[6] = 0;"),
        Mutation("wait", _CHOKE, "red[5] = red[6] = 0;", "red[5] = 0;"),
        Mutation(
            "mean", _CHOKE, "from_first_five(values, values[5])", "from_first_five(values, 1000)"
        ),
        Mutation(
            "configure",
            _CHOKE,
            "    own_->min = values[1];\n",
            "    own_->min = std::max(own_->min, values[1]);\n",
        ),
    ],
    "sfb": [
        Mutation("sign", _SFB, "bin.p - decrement_", "bin.p + decrement_"),
        Mutation("threshold", _SFB, "packets) >= full_", "packets) > full_"),
        Mutation("clamp", _SFB, "std::min(1.0, bin.p + increment_)", "bin.p + increment_"),
        Mutation("least", _SFB, "std::min(least.p, bin.p)", "std::max(least.p, bin.p)"),
        Mutation("most", _SFB, "(least) >= max_", "(least) > max_"),
        Mutation("early", _SFB, "u < 2 * p - 1", "u < p - 0.5"),
        Mutation("penalty", _SFB, "own_->tokens -= 1;", ""),
        Mutation("clock", _SFB, "own_->penalised = now;\n    }", "}"),
        Mutation("refused", _SFB, "    keep(queue.packets);\n", ""),
        Mutation("warm", _SFB, "in = {true, true};", ""),
        Mutation("rehash", _SFB, "own_->active = 1 - own_->active;", ""),
        Mutation("oldest", _SFB, "waiting.front(), -1", "waiting.back(), -1"),
        Mutation("level", _SFB, "mix64(hash + level)", "mix64(hash)"),
    ],
    "sred": [
        Mutation("sign", _SRED, " - hits_);", " + hits_);"),
        Mutation("threshold", _SRED, "6 * bytes < buffer", "6 * bytes <= buffer"),
        Mutation("clamp", _SRED, "std::min(p, 1.0)", "p"),
        Mutation("quarter", _SRED, "max_probability_ / 4", "max_probability_ / 2"),
        Mutation("square", _SRED, "few * few", "few"),
        Mutation("more", _SRED, "few > 1) p", "few > 0) p"),
        Mutation("hit", _SRED, "favours_small_ && hit", "favours_small_"),
        Mutation("memory", _SRED, "zombies_.size() < memory_", "zombies_.size() <= memory_"),
        Mutation("draw", _SRED, "!hit && uniform()", "uniform()"),
        Mutation("simple", _SRED, "if (favours_small_ && ", "if ("),
        Mutation("shorter", _SRED, "zombies_.resize(memory_)", "zombies_.clear()"),
    ],
    "self-configuring-red": [
        Mutation("sign", _SELF, "max_p_ / decrease_", "max_p_ * decrease_"),
        Mutation("case", _SELF, " && side_ != Side::below", ""),
        Mutation("clamp", _SELF, "std::min(1.0, max_p_ * increase_)", "max_p_ * increase_"),
        Mutation("between", _SELF, "side_ = Side::between;\n    }", "}"),
        Mutation("order", _SELF, "    adapt(red_.average());\n", ""),
        Mutation(
            "size", _SELF, "from_first_five(values, values[7])", "from_first_five(values, 1000)"
        ),
        Mutation("kept", _SELF, "if (values[3] != first_) max_p_", "max_p_"),
    ],
}
