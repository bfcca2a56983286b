# SPDX-License-Identifier: Apache-2.0
"""The type of a planted fault, and the faults of link controllers and rate-setting laws.

The faults of all other laws are in test_mutations.py, which plants them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["MARKING_MUTATIONS", "RATE_MUTATIONS", "SCHEDULING_MUTATIONS", "Mutation"]


class Mutation(NamedTuple):
    """One replacement; `old` occurs exactly once in the file."""

    kind: str
    file: str
    old: str
    new: str


MARKING_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "rem": [
        Mutation("sign", "marking/rem.h", "(backlog_ - target_)", "(backlog_ + target_)"),
        Mutation(
            "reversed",
            "marking/rem.h",
            "at_departure_ = values[9] == 0",
            "at_departure_ = values[9] != 0",
        ),
        Mutation(
            "clamp",
            "marking/rem.h",
            "std::max(price_ + gamma_ * excess, 0.0)",
            "price_ + gamma_ * excess",
        ),
        Mutation("case", "marking/rem.h", "arrived_ = 0.0;\n    updated_", "updated_"),
        Mutation(
            "period", "marking/rem.h", "* packets_per_s) * seconds(interval_)", "* packets_per_s)"
        ),
        Mutation(
            "guard",
            "marking/rem.h",
            "return at_departure_ && packet.ect ? draw",
            "return at_departure_ ? draw",
        ),
        Mutation(
            "not-ect",
            "marking/rem.h",
            "return at_departure_ && packet.ect ? Decision",
            "return at_departure_ ? Decision",
        ),
    ],
    "pi": [
        Mutation("sign", "marking/pi.h", "- b_ * (before_", "+ b_ * (before_"),
        Mutation("case", "marking/pi.h", "before_ = length;", ""),
        Mutation(
            "clamp",
            "marking/pi.h",
            "std::clamp(probability_ + change / packet_, 0.0, 1.0)",
            "std::max(probability_ + change / packet_, 0.0)",
        ),
        Mutation("range", "marking/pi.h", '{{"a", "b"}}', '{{"a", "a"}}'),
        Mutation("unit", "marking/pi.h", "change / packet_", "change"),
    ],
    "adaptive-virtual-queue": [
        Mutation(
            "sign", "marking/adaptive_virtual_queue.h", "refilled - alpha_", "refilled + alpha_"
        ),
        Mutation(
            "threshold",
            "marking/adaptive_virtual_queue.h",
            "packet.bytes > limit_bytes_",
            "packet.bytes > 2 * limit_bytes_",
        ),
        Mutation(
            "clamp",
            "marking/adaptive_virtual_queue.h",
            "std::min(share_ + alpha_ * utilization_ * gap_s, 1.0)",
            "share_ + alpha_ * utilization_ * gap_s",
        ),
        Mutation(
            "floor",
            "marking/adaptive_virtual_queue.h",
            "std::max(refilled - alpha_ * packet.bytes / bytes_per_s, 0.0)",
            "refilled - alpha_ * packet.bytes / bytes_per_s",
        ),
        Mutation(
            "order",
            "marking/adaptive_virtual_queue.h",
            "if (!lost) backlog_bytes_ +=",
            "backlog_bytes_ +=",
        ),
    ],
    "adaptive-threshold": [
        Mutation("sign", "marking/adaptive_threshold.h", "risen - alpha_", "risen + alpha_"),
        Mutation(
            "threshold", "marking/adaptive_threshold.h", "> threshold_bytes", ">= threshold_bytes"
        ),
        Mutation(
            "clamp",
            "marking/adaptive_threshold.h",
            "std::min(share_ + alpha_ * utilization_ * gap_s, 1.0)",
            "share_ + alpha_ * utilization_ * gap_s",
        ),
        Mutation(
            "floor",
            "marking/adaptive_threshold.h",
            "std::max(risen - alpha_ * packet.bytes / bytes_per_s, 0.0)",
            "risen - alpha_ * packet.bytes / bytes_per_s",
        ),
        Mutation("scope", "marking/adaptive_threshold.h", "mark, kAllFlows", "mark, kNoFlow"),
    ],
    "flow-projection": [
        Mutation(
            "sign", "marking/flow_projection.h", "arrived - bytes_per_ps", "arrived + bytes_per_ps"
        ),
        Mutation(
            "threshold",
            "marking/flow_projection.h",
            "excess_bytes_; excess > 0;",
            "excess_bytes_; excess > 1000;",
        ),
        Mutation("clamp", "marking/flow_projection.h", "* std::max(tau_ps, 0.0)", "* tau_ps"),
        Mutation("case", "marking/flow_projection.h", "marked = marked || packet.ce;", ""),
        Mutation("loss", "marking/flow_projection.h", "leaves();\n    marked = true;", "leaves();"),
        Mutation(
            "order", "marking/flow_projection.h", "return a.waiting > 0;", "return b.waiting > 0;"
        ),
        Mutation("forget", "marking/rounds.h", "(now - last_) > rules", "(now - start_) > rules"),
        Mutation("safeguard", "marking/rounds.h", "window_ <= previous_", "window_ < previous_"),
        Mutation("gap", "marking/rounds.h", "gap > rtt_ps_ / rules.gap_divisor", "gap > rtt_ps_"),
        Mutation("screen", "marking/rounds.h", "(by_gap && gap <=", "(gap <="),
    ],
    "flow-projection-heuristic": [
        Mutation(
            "sign",
            "marking/followed_flows.h",
            "sums.flows - sums.marked",
            "sums.flows + sums.marked",
        ),
        Mutation(
            "threshold",
            "marking/multistage_filter.h",
            "(counter) > least_bytes_",
            "(counter) > 2 * least_bytes_",
        ),
        Mutation(
            "clamp",
            "marking/followed_flows.h",
            "static_cast<double>(now), 0.0)",
            "static_cast<double>(now), -1e18)",
        ),
        Mutation("case", "marking/followed_flows.h", "filter_.clear();", ""),
        Mutation(
            "stages",
            "marking/multistage_filter.h",
            "least_bytes / static_cast<double>(stages)",
            "least_bytes",
        ),
        Mutation("parallel", "marking/multistage_filter.h", "(through || parallel_)", "through"),
        Mutation(
            "rho",
            "marking/followed_flows.h",
            "return rho_ * (unmarked",
            "return (unmarked",
        ),
        Mutation(
            "count",
            "marking/flow_projection_heuristic.h",
            "std::ceil(excess_bytes_",
            "std::floor(excess_bytes_",
        ),
        Mutation("drops", "marking/followed_flows.h", "arrived_bytes_ -= uncounted;", ""),
        Mutation(
            "list",
            "marking/followed_flows.h",
            "if (flow.waiting == 0) unlist(flow);\n    return",
            "return",
        ),
    ],
}

RATE_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "rem-source": [
        Mutation("sign", "window/rem_source.h", "rtt_s_ + error_s, 0.0", "rtt_s_ - error_s, 0.0"),
        Mutation("threshold", "window/rem_source.h", "(round) < window.cwnd", "(round) < 1"),
        Mutation(
            "clamp",
            "window/rem_source.h",
            "std::clamp(x, setup_->min_rate, setup_->max_rate)",
            "std::min(x, setup_->max_rate)",
        ),
        Mutation("round", "window/rem_source.h", "std::ceil(rate()", "std::round(rate()"),
        Mutation("base", "window/rem_source.h", "/ samples) / ln_phi", "/ samples)"),
        Mutation(
            "case",
            "window/rem_source.h",
            "(setup_->samples)) return setup_->min_rate;",
            "(setup_->samples)) return setup_->max_rate;",
        ),
        Mutation(
            "ring",
            "window/rem_source.h",
            "marked ? word | bit : word & ~bit",
            "marked ? word | bit : word",
        ),
        Mutation("loss", "window/rem_source.h", "packets - ack.marks", "packets"),
    ],
    "vegas": [
        Mutation(
            "sign", "window/vegas.h", "window.set(window.cwnd - 1)", "window.set(window.cwnd)"
        ),
        Mutation("threshold", "window/vegas.h", "queued > setup_->beta", "queued > setup_->gamma"),
        Mutation(
            "clamp",
            "window/vegas.h",
            "std::max(setup_->decrease * used, setup_->min_ssthresh)",
            "setup_->decrease * used",
        ),
        Mutation("case", "window/vegas.h", "window.in_slow_start() && grows_", "grows_"),
        Mutation("guard", "window/vegas.h", "grows_ = !grows_;", ""),
        Mutation("base", "window/vegas.h", "std::min(base_, rtt)", "rtt"),
    ],
    "cubic": [
        Mutation("sign", "window/cubic.h", "t_s - own_->k_s", "t_s + own_->k_s"),
        Mutation("threshold", "window/cubic.h", "at(t_s) < own_->w_est", "at(t_s) > own_->w_est"),
        Mutation("clamp", "window/cubic.h", "cwnd, 1.5 * cwnd)", "cwnd, 2 * cwnd)"),
        Mutation("guard", "window/cubic.h", "path.app_limited && ", ""),
        Mutation("case", "window/cubic.h", "own_->w_max = 0;", ""),
        Mutation(
            "abe", "window/cubic.h", "reduce(window, own_->beta_ecn", "reduce(window, own_->beta"
        ),
        Mutation(
            "rounds", "window/hystart.h", "++css_rounds_ < kRounds", "++css_rounds_ <= kRounds"
        ),
        Mutation("back", "window/hystart.h", "if (!css_) css_rounds_ = 0;", ""),
        Mutation("baseline", "window/hystart.h", "current_ >= baseline_", "current_ >= last_"),
        Mutation("first", "window/cubic.h", "own_->start.end();", ""),
    ],
    "dctcp": [
        Mutation("sign", "window/dctcp.h", "1 - own_->alpha / 2", "1 - own_->alpha"),
        Mutation(
            "threshold", "window/dctcp.h", "acked_now <= own_->round", "acked_now < own_->round"
        ),
        Mutation("clamp", "window/dctcp.h", "std::min(share, 1.0)", "share"),
        Mutation(
            "guard",
            "window/dctcp.h",
            "own_->reduced_until = own_->sent_now;\n      window",
            "window",
        ),
    ],
    "primal": [
        Mutation("sign", "window/primal.h", "n * w_ / x_ - k", "n * w_ / x_ + k"),
        Mutation("case", "window/primal.h", "n * w_ / x_", "n * w_ / window.cwnd"),
        Mutation("clamp", "window/primal.h", "std::clamp(x, min_, max_)", "std::max(x, min_)"),
        Mutation("scale", "window/primal.h", "x_ < low ? ", "x_ < 0 ? "),
        Mutation("inverse", "window/primal.h", "at / low - 1", "at / low"),
        Mutation("threshold", "window/primal.h", "std::min(x_, 1 / rtt_s_)", "1 / rtt_s_"),
        Mutation("weight", "window/primal.h", "(sample_s - rtt_s_) / 8", "(sample_s - rtt_s_) / 4"),
    ],
}

SCHEDULING_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "class-based": [
        Mutation(
            "scale",
            "scheduling/class_scheduler.h",
            "(state.rate_bps * delay_.weight[n])",
            "delay_.weight[n]",
        ),
        Mutation(
            "sign",
            "scheduling/class_scheduler.h",
            "normal(n) * classes / sum - 1.0",
            "1.0 - normal(n) * classes / sum",
        ),
        Mutation(
            "threshold",
            "scheduling/class_scheduler.h",
            "!overflow && sum <= capacity_bps_",
            "!overflow && sum <= 2 * capacity_bps_",
        ),
        Mutation(
            "clamp",
            "scheduling/class_scheduler.h",
            "std::min(std::max(state.least_bps, needed), capacity_bps_)",
            "std::max(state.least_bps, needed)",
        ),
        Mutation(
            "order",
            "scheduling/class_scheduler.h",
            "loss_order(n) < loss_order(chosen)",
            "loss_order(chosen) < loss_order(n)",
        ),
        Mutation(
            "weight", "scheduling/class_scheduler.h", "{0, loss / loss_.weight[n]}", "{0, loss}"
        ),
        Mutation(
            "bound", "scheduling/class_scheduler.h", "if (spares(n)) return", "if (true) return"
        ),
        Mutation("late", "scheduling/class_scheduler.h", "&& spares(n) &&", "&&"),
        Mutation(
            "credit",
            "scheduling/class_scheduler.h",
            "state.credit_bytes += credit / others;",
            "state.credit_bytes += 0 * credit / others;",
        ),
        Mutation(
            "share",
            "scheduling/class_scheduler.h",
            "rest_bps * takes(n, all) / shares",
            "rest_bps / shares",
        ),
        Mutation(
            "busy",
            "scheduling/class_scheduler.h",
            "if (!busy && waiting() == 0)",
            "if (waiting() == 0)",
        ),
        Mutation("eq12", "scheduling/class_regulator.h", "* 8.0 - view.rate_bps * tau_s_", "* 8.0"),
        Mutation(
            "age",
            "scheduling/class_regulator.h",
            "promised.delay_s - view.delay_s",
            "promised.delay_s",
        ),
        Mutation(
            "buffer",
            "scheduling/class_regulator.h",
            "return excess_bytes_ <= 0 && needed",
            "return needed",
        ),
        Mutation(
            "classes",
            "scheduling/class_regulator.h",
            "<= promised[n].rate_bps) continue",
            "<= capacity_bps) continue",
        ),
        Mutation("rho", "marking/followed_flows.h", "return rho_ * (", "return ("),
        Mutation(
            "list",
            "marking/followed_flows.h",
            "if (flow.waiting == 0) unlist(flow);\n    return",
            "return",
        ),
    ],
    "service-class": [
        Mutation(
            "sign",
            "scheduling/service_class.h",
            "if (tied) weight[n] = ratios[n] * weight[n + 1];",
            "if (tied) weight[n] = weight[n + 1] / ratios[n];",
        ),
        Mutation(
            "threshold",
            "scheduling/service_class.h",
            "i == 1 ? values[i] >= 0 : values[i] > 0",
            "values[i] >= 0",
        ),
        Mutation(
            "guard",
            "scheduling/service_class.h",
            "n + 1 < ratios.size() && ratios[n] > 0",
            "n + 1 < ratios.size()",
        ),
    ],
}
