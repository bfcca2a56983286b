# SPDX-License-Identifier: Apache-2.0
"""Faults planted in Prague."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["PRAGUE_MUTATIONS"]

_LAW: Final = "window/prague.h"
_SCORE: Final = "window/classic_score.h"

PRAGUE_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "prague": [
        Mutation("sign", _LAW, "(1 - reduction() / 2)", "(1 + reduction() / 2)"),
        Mutation("half", _LAW, "(1 - reduction() / 2)", "(1 - reduction())"),
        Mutation("always", _LAW, "if (own_->falls_back) own_->score.sample", "own_->score.sample"),
        Mutation("share", _LAW, "0.625 * own_->score", "0.5 * own_->score"),
        Mutation("fresh-score", _LAW, "    own_->score = {};\n", ""),
        Mutation("no-slow-start", _LAW, "window.ssthresh : kUnlimited", "window.ssthresh : 1.0"),
        Mutation("first-sample", _SCORE, "      return;\n", ""),
        Mutation("gains", _SCORE, "gain_ / 2 * (", "gain_ * ("),
        Mutation("depth", _SCORE, "if (depth > 2e-3) step", "step"),
        Mutation("variation", _SCORE, "/ 750e-6", "/ 75e-6"),
        Mutation("most-score", _SCORE, "kMost = 17", "kMost = 9"),
        Mutation("between", _SCORE, "score_ - 8, 0.0, 1.0", "score_ - 7, 0.0, 1.0"),
        Mutation("scale", _SCORE, "i + std::floor(i / 2) + 1", "i + 1"),
        Mutation("square", _LAW, "a * a * n", "a * n"),
        Mutation("small", _LAW, "std::max(window.cwnd, a)", "window.cwnd"),
        Mutation("fresh", _LAW, "    new_round(false);\n", ""),
        Mutation("unmarked", _LAW, "ack.newly_acked - ack.marks, 0)", "ack.newly_acked, 0)"),
        Mutation(
            "clamp",
            _LAW,
            "std::max<std::int64_t>(ack.newly_acked - ack.marks, 0)",
            "(ack.newly_acked - ack.marks)",
        ),
        Mutation(
            "order",
            _LAW,
            "if (ack.marks > 0) marked(window, ack.marks);\n",
            "",
        ),
        Mutation("transition", _LAW, "rounds >= own_->transition", "rounds > own_->transition"),
        Mutation("long", _LAW, " || own_->srtt >= scaled) return 1;", ") return 1;"),
        Mutation("scaled", _LAW, "kLongestScaled + 1", "100 * kLongestScaled"),
        Mutation("rest", _LAW, "      n -= doubled;\n", "      n = 0;\n"),
        Mutation("threshold", _LAW, "std::min(n, window.ssthresh - window.cwnd)", "n"),
        Mutation("restart", _LAW, " || window.in_slow_start() || since", " || since"),
        Mutation("unknown", _LAW, " || own_->srtt == 0 ||", " ||"),
        Mutation(
            "target",
            _LAW,
            "own_->now - since >= own_->target;",
            "own_->now - since > own_->target;",
        ),
        Mutation("alpha-clock", _LAW, " && target_over(window, own_->alpha_at)) {", ") {"),
        Mutation("cut-clock", _LAW, "if (target_over(window, own_->reduced_at)) {", "{"),
        Mutation("once", _LAW, "if (own_->acked_now > own_->reduced_until) {", "{"),
        Mutation(
            "open",
            _LAW,
            "own_->acked_now > own_->reduced_until",
            "own_->acked_now >= own_->reduced_until",
        ),
        Mutation("first", _LAW, "if (!own_->saw_mark && own_->halves)", "if (own_->halves)"),
        Mutation("reduces", _LAW, "if (!own_->saw_mark && own_->halves)", "if (!own_->saw_mark)"),
        Mutation("ssthresh", _LAW, "if (window.cwnd < before) window.ssthresh = window.cwnd;", ""),
        Mutation("round", _LAW, "acked_now >= own_->round_ends", "acked_now > own_->round_ends"),
        Mutation("seen", _LAW, "    if (own_->saw_mark) {", "    {"),
        Mutation("most", _LAW, "own_->g * share, 1.0)", "own_->g * share, 2.0)"),
        Mutation("gain", _LAW, "+ own_->g * share", "+ 0.5 * own_->g * share"),
        Mutation("count", _LAW, "new_round(!window.in_slow_start());", "new_round(true);"),
        Mutation("forget", _LAW, "    own_->marked = 0;\n    if (counts)", "    if (counts)"),
        Mutation(
            "loss",
            _LAW,
            "double) noexcept {\n    note_reduction(window);\n    window.set(window.cwnd / 2);",
            "double used) noexcept {\n    note_reduction(window);\n    window.set(used / 2);",
        ),
        Mutation(
            "recovery",
            _LAW,
            "    own_->reduced_until = own_->sent_now;\n  }\n  void on_timeout",
            "  }\n  void on_timeout",
        ),
        Mutation("timeout", _LAW, "    window.set(1.0);\n", ""),
        Mutation("begin", _LAW, "own_->alpha = own_->initial_alpha;", ""),
    ],
}
