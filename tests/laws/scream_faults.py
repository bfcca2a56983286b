# SPDX-License-Identifier: Apache-2.0
"""Faults planted in SCReAM."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["SCREAM_MUTATIONS"]

_LAW: Final = "window/scream.h"

SCREAM_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "scream": [
        Mutation("sign", _LAW, ": 1 - by_share(near)", ": 1 + by_share(near)"),
        Mutation("half", _LAW, "own_->alpha / 2 / long_trip()", "own_->alpha / long_trip()"),
        Mutation("long-trip", _LAW, "own_->alpha / 2 / long_trip()", "own_->alpha / 2"),
        Mutation("late-trip", _LAW, "excess / 2 / long_trip()", "excess / 2"),
        Mutation("near-cut", _LAW, "reduction * std::max(0.25, near)", "reduction"),
        Mutation("deep", _LAW, "delay() < own_->delay_target / 4", "true"),
        Mutation("once", _LAW, "if (since(own_->reacted_at) < response_interval()) return;", ""),
        Mutation("pending", _LAW, "    own_->lost = own_->marked = false;\n", ""),
        Mutation("classic", _LAW, "own_->classic ? own_->beta_ecn : ", ""),
        Mutation("loss-first", _LAW, "if (own_->lost) {", "if (own_->lost && !own_->marked) {"),
        Mutation("least", _LAW, "std::max(own_->ref_wnd, own_->min_ref_wnd)", "own_->ref_wnd"),
        Mutation("inflection", _LAW, "if (own_->grown) own_->inflection", "own_->inflection"),
        Mutation("flight", _LAW, "1 + kHeadroom * flight", "kHeadroom * flight"),
        Mutation(
            "last-flight",
            _LAW,
            "std::max(own_->max_flight, own_->last_max_flight)",
            "own_->max_flight",
        ),
        Mutation("restart-flight", _LAW, "own_->max_flight = own_->flight;", ""),
        Mutation("before", _LAW, "own_->flight + own_->acked - own_->acked_before", "own_->flight"),
        Mutation("long-calm", _LAW, "> 100 * trip", "> 1000 * trip"),
        Mutation("up", _LAW, "kUp = 1.0 / 8", "kUp = 1.0 / 16"),
        Mutation("down", _LAW, "kDown = 1.0 / 128", "kDown = 1.0 / 8"),
        Mutation("interval", _LAW, "kInterval = 0.01", "kInterval = 0.025"),
        Mutation("average", _LAW, "kGain = 0.25", "kGain = 0.5"),
        Mutation("fast-decay", _LAW, "q < average ? q : ", ""),
        Mutation("unmarked", _LAW, "ack.newly_acked - ack.marks, 0)", "ack.newly_acked, 0)"),
        Mutation(
            "short-trip", _LAW, "std::min(1.0, t / own_->virtual_rtt)", "t / own_->virtual_rtt"
        ),
        Mutation(
            "recovered", _LAW, "own_->multiplicative * w * recovered", "own_->multiplicative * w"
        ),
        Mutation(
            "congested",
            _LAW,
            "if (own_->lost || own_->marked) own_->congested_at",
            "own_->congested_at",
        ),
        Mutation(
            "ceiling", _LAW, "std::min(w + growth, window.max / kFlightOfWindow)", "w + growth"
        ),
        Mutation("few", _LAW, "share_of_packet(w) - 0.1, 0.0, 0.2", "share_of_packet(w), 0.0, 0.2"),
        Mutation("headroom", _LAW, "kHeadroom = 1.2", "kHeadroom = 1.1"),
        Mutation("timeout", _LAW, "own_->ref_wnd = own_->min_ref_wnd;\n    show", "show"),
        Mutation("forget", _LAW, "    own_->forget();\n", ""),
    ],
}
