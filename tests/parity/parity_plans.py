# SPDX-License-Identifier: Apache-2.0
"""Small plans that call every law, and decisions that change laws during the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

import plans
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law, Plan
from ecnomy.markets.plan.law_table import with_trait

__all__ = ["CHANGES", "DEPARTURES", "MARKING", "TIMERS", "WINDOWS", "crowded", "decisions"]


def _virtual(variant: int, service: int) -> Law:
    values = dict(theta=0.9, buffer_packets=15.0, mean_packet_bytes=1000.0)
    return Law("virtual-queue", values | dict(variant=float(variant), service=float(service)))


def _threshold(scope: int) -> Law:
    return Law("threshold", {"threshold_packets": 5.0, "scope": float(scope)})


def _rem(price: int, mark_at: int) -> Law:
    values = dict(phi=1.05, gamma=0.005, alpha=0.1, target_backlog_packets=5.0, capacity_share=1.0)
    values |= dict(interval_s=0.002, input_weight=0.1, backlog_weight=1.0, mean_packet_bytes=1000.0)
    return Law("rem", values | dict(price=float(price), mark_at=float(mark_at), unit=1.0))


_PROJECTION: Final = {
    "buffer_packets": 30.0,
    "mean_packet_bytes": 1000.0,
    "gap_divisor": 10.0,
    "rtt_memory": 0.9,
    "forget_rtts": 4.0,
    "estimator": 0.0,
}
_FILTER: Final = {"interval_s": 1.0, "least_bytes": 5000.0, "filter": 0.0, "stages": 3.0}

MARKING: Final = {
    "drop-tail": plans.DROP_TAIL,
    "fixed": plans.fixed(0.02),
    "red": plans.red(5, 15),
    "red-bytes": plans.red(4000, 12000, unit=1, byte_mark=1, above_max=1, wait=0),
    "virtual-queue": _virtual(0, 0),
    "virtual-queue-packets": _virtual(1, 1),
    "load-based": Law("load-based", {"interval_s": 0.2, "threshold": 0.6, "slope": 0.71}),
    "threshold": _threshold(0),
    "threshold-queue": _threshold(1),
    "threshold-departing": _threshold(2),
    "rem": _rem(2, 0),
    "rem-arrival": _rem(0, 1),
    "pi": Law(
        "pi",
        dict(
            unit=0.0, reference=8.0, a=1.8e-4, b=1.6e-4, interval_s=0.01, mean_packet_bytes=1000.0
        ),
    ),
    "adaptive-virtual-queue": Law(
        "adaptive-virtual-queue",
        dict(utilization=0.95, alpha=0.15, buffer_packets=15.0, mean_packet_bytes=1000.0),
    ),
    "adaptive-threshold": Law(
        "adaptive-threshold",
        dict(utilization=0.95, alpha=2.0, buffer_packets=15.0, mean_packet_bytes=1000.0),
    ),
    "flow-projection": Law("flow-projection", _PROJECTION | {"estimator": 1.0}),
    "flow-projection-heuristic": Law(
        "flow-projection-heuristic", _PROJECTION | _FILTER | {"buckets": 8.0}
    ),
    "codel": Law("codel", dict(target_s=0.003, interval_s=0.05)),
    "pie": Law(
        "pie",
        dict(
            target_s=0.005,
            update_s=0.01,
            alpha=0.125,
            beta=1.25,
            max_burst_s=0.05,
            mark_p=0.1,
            mean_packet_bytes=1000.0,
        ),
    ),
    "blue": Law("blue", dict(increment=0.02, decrement=0.002, freeze_s=0.1, limit_packets=12.0)),
    "sred": Law(
        "sred",
        dict(
            max_probability=0.15,
            flows=4.0,
            memory=20.0,
            overwrite=0.25,
            favours_small=1.0,
            buffer_packets=20.0,
            mean_packet_bytes=1000.0,
        ),
    ),
    "choke": Law(
        "choke",
        dict(
            unit=0.0,
            min_threshold=5.0,
            max_threshold=12.0,
            max_probability=0.05,
            weight=0.02,
            mean_packet_bytes=1000.0,
        ),
    ),
    "sfb": Law(
        "sfb",
        dict(
            levels=2.0,
            bins=5.0,
            increment=0.02,
            decrement=0.002,
            bin_packets=4.0,
            max_packets=12.0,
            penalty_rate=20.0,
            penalty_burst=5.0,
            rehash_s=3.0,
            warmup_s=1.0,
        ),
    ),
    "self-configuring-red": Law(
        "self-configuring-red",
        dict(
            unit=0.0,
            min_threshold=5.0,
            max_threshold=10.0,
            max_probability=0.05,
            weight=0.01,
            decrease=3.0,
            increase=2.0,
            mean_packet_bytes=1000.0,
        ),
    ),
}

DEPARTURES: Final = {  # plans whose law acts at departures
    "threshold-departing",
    "rem",
    "flow-projection",
    "flow-projection-heuristic",
    "codel",
    "choke",
    "sfb",
}
TIMERS: Final = with_trait("marking", "clock")

WINDOWS: Final = {
    "wtp": plans.tcp(plans.wtp(2.0)),
    "wtp-sender": plans.tcp(plans.wtp_sender(), echo="rfc3168"),
    "reno": plans.tcp(plans.RENO),
    "newreno": plans.tcp(Law("newreno", plans.RENO.params), sack=True),
    "tahoe": plans.tcp(plans.tahoe(), delayed_acks=2),
    "multcp": plans.tcp(plans.multcp(2)),
    "rem": plans.tcp(
        plans.rem_source(w=60, max_rate=300, min_rate=10, phi=1.05, rtt_error_std_s=0.001)
    ),
    "vegas": plans.tcp(plans.vegas(), sack=True),
    "primal": plans.tcp(plans.primal(), initial_mark_rate=8.0),
    "cubic": plans.tcp(plans.cubic(), sack=True),
    "dctcp": plans.tcp(plans.dctcp(), delayed_acks=2),
    "prague": plans.tcp(plans.prague(fallback=1)),
    "scream": plans.tcp(plans.scream()),
    "bbr": plans.tcp(plans.bbr(), sack=True, initial_window=10.0),
    "bbr1": plans.tcp(plans.bbr1(), sack=True, initial_window=10.0),
}

# Changes during the run: (parameter of the link's law, its values in turn).
CHANGES: Final = {
    "fixed": (0, (0.02, 0.05)),
    "red": (3, (0.1, 0.2)),
    "virtual-queue": (0, (0.9, 0.8)),
    "load-based": (2, (0.71, 0.5)),
    "threshold": (0, (5.0, 8.0)),
    "rem": (1, (1.05, 1.1)),
    "pi": (1, (8.0, 12.0)),
    "adaptive-virtual-queue": (0, (0.95, 0.9)),
    "adaptive-threshold": (0, (0.95, 0.9)),
    "flow-projection": (2, (10.0, 8.0)),
    "flow-projection-heuristic": (2, (10.0, 8.0)),
    "codel": (0, (0.003, 0.006)),
    "pie": (0, (0.005, 0.01)),
    "blue": (0, (0.02, 0.03)),
    "self-configuring-red": (3, (0.05, 0.1)),
    "sred": (0, (0.15, 0.3)),
    "choke": (3, (0.05, 0.1)),
    "sfb": (2, (0.02, 0.04)),
}


def crowded(marking: str, *, duration_s: float = 15.0, seed: int = 5) -> Plan:
    """Flows of every window law, two WTP flows with marks per second, on one overloaded link."""
    links = plans.duplex("link", 0, 1, 1e7, 0.01, buffer=25, marking=MARKING[marking])
    fair = plans.tcp(plans.wtp(2.0), reference_rtt_ps=plans.PS // 20, initial_mark_rate=10.0)
    flows = {**WINDOWS, "paid": fair}
    sources = [
        plans.source(name, [0], [1], flow, stagger_s=0.1, count=2, overhead_s=0.001)
        for name, flow in flows.items()
    ]
    return plans.plan(links, sources, duration_s, seed=seed, transfers=False)


def decisions(plan: Plan) -> Callable[[Report], Decide]:
    """In each epoch, the last source gets a new rate of marks, and the law a new value."""
    law = plan.links[0].marking.law
    flows = np.arange(plan.row_count - 2, plan.row_count)

    def decide(report: Report) -> Decide:
        turn = report.epoch % 2
        orders = flow_orders(flows, mark_rate=10.0 + 10.0 * turn)
        if law not in CHANGES:
            return Decide(report.epoch, flows=orders)
        parameter, values = CHANGES[law]
        changes = dict(link=[0], param=[parameter], value=[values[turn]])
        links = {name: np.array(column) for name, column in changes.items()}
        return Decide(report.epoch, flows=orders, links=links)

    return decide
