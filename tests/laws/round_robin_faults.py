# SPDX-License-Identifier: Apache-2.0
"""Faults planted in deficit round robin."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["ROUND_ROBIN_MUTATIONS"]

_LAW: Final = "scheduling/deficit_round_robin.h"
_CLASS: Final = "scheduling/weighted_class.h"

ROUND_ROBIN_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "deficit-round-robin": [
        Mutation("sign", _LAW, "deficit_bytes -= first", "deficit_bytes += first"),
        Mutation(
            "threshold", _LAW, "packet.bytes <= state.deficit", "packet.bytes < state.deficit"
        ),
        Mutation("forget", _LAW, "    state.deficit_bytes = 0;\n", ""),
        Mutation("quantum", _LAW, "state.own.share / smallest", "state.own.share"),
        Mutation("turn", _LAW, "if (!in_turn_) state.deficit", "state.deficit"),
        Mutation("order", _LAW, "turns_.begin() + 1, turns_.end()", "turns_.begin(), turns_.end()"),
        Mutation("guard", _LAW, "if (!busy && turns_.empty())", "if (turns_.empty())"),
        Mutation("leave", _LAW, "if (state.queue.empty()) turns_.pop_back();", ""),
        Mutation(
            "settle",
            _LAW,
            "settle(Time) noexcept { arrived_ = kNone; }",
            "settle(Time) noexcept {}",
        ),
        Mutation("idle", _LAW, "state.idle_since = now + ", "state.idle_since = 0 * now + "),
        Mutation("free", _LAW, "(!busy_ || ", "("),
    ],
    "weighted-class": [
        Mutation("threshold", _CLASS, "(packets) <= buffer", "(packets) < buffer"),
        Mutation("case", _CLASS, "buffer_packets < 0 || ", ""),
        Mutation("guard", _CLASS, "(bytes) <= buffer_bytes", "(packets) <= buffer_bytes"),
        Mutation("range", _CLASS, "NAN, 1e-6, 1,", "NAN, 0, 2,"),
        Mutation("sum", _LAW, "sum > 1.0 + 1e-9", "sum > 2.0"),
    ],
}
