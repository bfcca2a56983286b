# SPDX-License-Identifier: Apache-2.0
"""Plans with a class scheduler, and its rows of classes; values as of `ecnomy-engine describe`."""

from __future__ import annotations

from typing import Unpack

import msgspec
import numpy as np

import plans
from ecnomy.markets.plan import Law, Link, Plan, Scheduler, Source
from ecnomy.markets.plan.laws import law

__all__ = [
    "TABLE_1",
    "by_class",
    "by_flow",
    "classed",
    "dual",
    "in_classes",
    "line",
    "scheduler",
    "weights",
]

# christin2003 Table 1.
TABLE_1 = [
    dict(delay_s=0.01, loss=0.01, rate_bps=5e6),
    dict(delay_ratio=0.25, loss_ratio=0.5),
    dict(delay_ratio=0.25, loss_ratio=0.5),
    {},
]


def scheduler(classes: list[dict[str, float]], **values: float | str) -> Scheduler:
    """A class scheduler. Its projection has a buffer of 100 packets by default."""
    return Scheduler(
        law=law("scheduling", "class-based", {"buffer_packets": 100.0} | values),
        classes=[law("service", "service-class", one) for one in classes],
        names=[str(n + 1) for n in range(len(classes))],
    )


def weights(
    classes: list[dict[str, float]], marking: list[Law | None] | None = None, **values: float
) -> Scheduler:
    """Deficit round robin. A class without a law is drop-tail."""
    laws = marking or [None] * len(classes)
    return Scheduler(
        law=law("scheduling", "deficit-round-robin", values),
        classes=[law("service", "weighted-class", one) for one in classes],
        names=[str(n + 1) for n in range(len(classes))],
        marking=[one or Law("drop-tail", {}) for one in laws],
    )


def dual(law_name: str = "dualpi2", **values: float | str) -> Scheduler:
    """DualPI2 or DOCSIS: a class of L4S traffic and one of all other traffic."""
    return Scheduler(
        law=law("scheduling", law_name, values),
        classes=[Law("codepoint-class", {}) for _ in range(2)],
        names=["l4s", "classic"],
    )


def by_flow(**values: float | str) -> Scheduler:
    """FQ-CoDel: one class with a queue for each flow."""
    return Scheduler(
        law=law("scheduling", "fq-codel", values),
        classes=[Law("flow-class", {})],
        names=["flows"],
    )


def classed(link: Link, of: Scheduler) -> Link:
    """The link with a scheduler."""
    return msgspec.structs.replace(link, scheduler=of)


def line(
    of: Scheduler,
    traffic: list[tuple[int, int, Law, int]],
    *,
    duration_s: float,
    rate_bps: float = 1e7,
    every_s: float = 0.1,
    ect: bool = True,
    seed: int = 1,
    trace: bool = False,
    **kind: Unpack[plans.LinkOptions],
) -> Plan:
    """One link of classes between two fast ones.

    Args:
        of: scheduler of the link.
        traffic: class, packet bytes, traffic law and number of flows of each source of datagrams.
        kind: kind of the link, as for plans.link.
    """
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex(
        "classes", 1, 2, rate_bps, 0.005, **kind
    )
    links[2] = classed(links[2], of)
    sources = [
        in_classes(
            plans.source(
                f"s{i}",
                [0, 2],
                [3, 1],
                plans.udp(size, ect=ect),
                kind_of,
                count=count,
                spread_s=0.05,
            ),
            [-1, service],
        )
        for i, (service, size, kind_of, count) in enumerate(traffic)
    ]
    return plans.plan(
        links, sources, duration_s, seed=seed, trace=trace, classes_every_ps=round(every_s * 1e12)
    )


def in_classes(source: Source, classes: list[int]) -> Source:
    """The source with a class for each link of its path."""
    return msgspec.structs.replace(source, classes=classes)


def by_class(table: dict[str, np.ndarray], from_s: float = 0.0) -> dict[str, np.ndarray]:
    """Sums by class over the bins of one link from `from_s` on; of delays, the largest."""
    kept = table["t_ps"] >= from_s * 1e12
    count = int(table["class"].max()) + 1
    sums = {}
    for name, column in table.items():
        parts = [column[kept & (table["class"] == n)] for n in range(count)]
        pick = np.max if name == "delay_max_ps" else np.sum
        sums[name] = np.array([pick(part) for part in parts])
    return sums
