# SPDX-License-Identifier: Apache-2.0
"""Faults planted in FQ-CoDel, in CoDel's control law under it, and in the hash of flows."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["FQ_CODEL_MUTATIONS"]

_LAW: Final = "scheduling/fq_codel.h"
_CLASS: Final = "scheduling/flow_class.h"
_DELAY: Final = "marking/controlled_delay.h"

FQ_CODEL_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "fq-codel": [
        Mutation("idle", _LAW, "if (!busy && packets_ == 0) rest();", ""),
        Mutation("busy", _LAW, "if (!busy && packets_ == 0)", "if (packets_ == 0)"),
        Mutation("again", _LAW, "    if (flow.turn) return;\n", ""),
        Mutation("quantum", _LAW, "flow.deficit_bytes = quantum_bytes_;", "//"),
        Mutation("asked", _LAW, "if (!overflow || !arrived_)", "if (!overflow)"),
        Mutation("batch", _LAW, "kMostDrops = 64", "kMostDrops = 63"),
        Mutation("half", _LAW, "queue.bytes() / 2;", "queue.bytes();"),
        Mutation("enough", _LAW, "queue.bytes() <= fattest", "queue.bytes() < fattest"),
        Mutation("told", _LAW, "    flow.delay.overflowed(1);\n", ""),
        Mutation("fattest", _LAW, "a.queue.bytes() < b", "a.queue.packets() < b"),
        Mutation("settle", _LAW, "settle(Time) noexcept { arrived_ = false; }", "settle(Time) {}"),
        Mutation("new", _LAW, "fresh_.empty() ? old_ : fresh_;", "old_.empty() ? fresh_ : old_;"),
        Mutation("credit", _LAW, "deficit_bytes <= 0", "deficit_bytes < 0"),
        Mutation("refill", _LAW, "deficit_bytes += quantum_bytes_;", "deficit_bytes = 1;"),
        Mutation("emptied", _LAW, "        flow.delay.empty();\n", ""),
        Mutation("starved", _LAW, "if (was_new && !old_.empty())", "if (!old_.empty())"),
        Mutation("old", _LAW, "if (was_new && !old_.empty())", "if (false)"),
        Mutation("charge", _LAW, "    flow.deficit_bytes -= packet.bytes;\n", ""),
        Mutation("not-ect", _LAW, "if (struck && !packet.ect)", "if (struck)"),
        Mutation("backlog", _LAW, "bytes_ <= largest_", "flow.queue.bytes() <= largest_"),
        Mutation("largest", _LAW, "std::max(largest_, packet.bytes)", "packet.bytes"),
        Mutation("step", _LAW, "waited > step_ &&", "waited >= step_ / 2 &&"),
        Mutation("off", _LAW, "step_ > 0 && waited", "waited"),
        Mutation("selector", _LAW, "(step_for_all_ || packet.ect_1)", "packet.ect_1"),
        Mutation("selected", _LAW, "(step_for_all_ || packet.ect_1)", "true"),
        Mutation("lost", _LAW, "      total_.note_dropped(packet.bytes);\n", ""),
        Mutation("counted", _LAW, "    total_.note_arrived(packet.bytes);\n", ""),
        Mutation("rest", _LAW, "    total_.begin_busy_period();\n", ""),
        Mutation("asleep", _LAW, "        flows_[turns->first].delay.empty();\n", ""),
        Mutation("withdraw", _DELAY, "if (dropped_ && repeated_) next_", "if (false) next_"),
        Mutation("marked", _DELAY, "if (dropped_ && repeated_)", "if (repeated_)"),
        Mutation("first", _DELAY, "if (dropped_ && repeated_)", "if (dropped_)"),
        Mutation("above", _DELAY, "    withdraw();\n    ok_from_ = kNever;", "    withdraw();"),
        Mutation("overflow", _DELAY, "count_ += packets;", "count_ += 0 * packets;"),
        Mutation("range", _LAW, "classes.size() != 1", "classes.size() > 1"),
    ],
    "flow-class": [
        Mutation("salt", _CLASS, "mix64(salt ^ mix64(", "mix64(mix64("),
        Mutation("range", _CLASS, "% queues;", "% (queues / 2);"),
        Mutation("mixed", _CLASS, "mix64(salt ^ mix64(", "(salt ^ ("),
    ],
}
