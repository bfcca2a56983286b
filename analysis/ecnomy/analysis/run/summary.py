# SPDX-License-Identifier: Apache-2.0
"""The summary of a run: rates and payments phase by phase, links, and account balances."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.activity import flows_on
from ecnomy.analysis.run.background import background_rows
from ecnomy.analysis.run.balances import Balance, balances_of
from ecnomy.analysis.run.congestion import congested_by
from ecnomy.analysis.run.families import MOST_GROUPS, family_of
from ecnomy.analysis.run.link_marking import (
    Crossings,
    LinkShares,
    activity_of,
    crossings_of,
    link_shares,
)
from ecnomy.analysis.run.phases import Phase, phases_of
from ecnomy.analysis.run.windows import Epochs, Window, fees_by_flow, marks_by_flow
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

__all__ = [
    "CHANGING",
    "FlowGroup",
    "GroupRow",
    "LinkRow",
    "PhaseSummary",
    "Summary",
    "groups_of",
    "summarize",
]

CHANGING: Final = "*"  # class of a group whose flows changed class


class FlowGroup(msgspec.Struct, frozen=True):
    """A group of flows of one source (or family) and, if there are classes, of one class.

    `source` is the source of the first flow.
    """

    label: str
    source: str
    service_class: str  # "" without a class, or CHANGING
    flows: tuple[int, ...]  # rows in the tables
    size: int = 0  # number of flows in these rows; 0: one flow per row

    def __post_init__(self) -> None:
        if self.size == 0:
            msgspec.structs.force_setattr(self, "size", len(self.flows))


class GroupRow(msgspec.Struct, frozen=True):
    """The results of a group in a window; rates and amounts are means per flow, NaN if unknown.

    If agents switched flows off, the means cover only the time when flows were active, and `active`
    is the mean number of active flows.
    """

    group: FlowGroup
    goodput_bps: float
    goodput_low_bps: float  # lowest mean goodput per flow in a row of the tables
    goodput_high_bps: float
    share: float  # share of all goodput
    marks_per_s: float
    marking_probability: float
    delay_s: float  # one way
    rtt_s: float
    fee_per_s: float  # money/s
    charge_per_s: float  # money/s for marks
    price_per_mark: float  # mean price paid for a mark, money
    active: float | None = None  # mean number of active flows; None if agents kept all on

    @property
    def counted(self) -> float:
        """Return the number of flows that the means cover."""
        return float(self.group.size) if self.active is None else self.active


class LinkRow(msgspec.Struct, frozen=True):
    """The results of a link in a window."""

    link: int
    name: str
    utilization: float
    marking_probability: float  # of ECN-capable data; NaN without such data
    queue_packets: float
    wait_s: float
    drops: int
    law_drops: int
    not_ect_drops: int
    drop_probability: float
    marks: int

    @property
    def congested_by(self) -> tuple[str, ...]:
        """Return the signs of congestion of the link: marks, drops, waiting."""
        return congested_by(
            utilization=self.utilization,
            marked=self.marking_probability,
            dropped=self.drop_probability,
            queue_packets=self.queue_packets,
            wait_s=self.wait_s,
        )


class PhaseSummary(msgspec.Struct, frozen=True):
    """The results of a phase, or of all phases together; `window` is the measured part."""

    phase: Phase
    window: Window
    groups: tuple[GroupRow, ...]
    links: tuple[LinkRow, ...]
    charge_per_s: float = 0.0  # money/s for the marks of all flows
    background_per_s: float = 0.0  # the part of `charge_per_s` for background traffic, money/s


class Summary(msgspec.Struct, frozen=True):
    """The rates, payments, links and balances of a run, as printed by `ecnomy show`.

    `whole` covers the measured window, [warm-up, end], like the output of `ecnomy run` and the
    tables `flows` and `links`; it is None if nothing was measured.
    """

    title: str
    note: str | None
    phases: tuple[PhaseSummary, ...]
    balances: tuple[Balance, ...]
    priced: bool  # whether any payment was made
    whole: PhaseSummary | None = None


def _movers(run: RawRun) -> set[int]:
    """Return the flows whose class changed between reports."""
    table = run.flow_epochs
    if "class_index" not in table.columns or table.empty:
        return set()
    class_counts = table.groupby("flow")["class_index"].nunique()
    return {int(flow) for flow in class_counts.index[class_counts > 1]}


def groups_of(run: RawRun) -> list[FlowGroup]:
    """Return the groups of a run in plan order.

    If flows of a source changed class, the whole source is one group of the class `CHANGING`. If
    groups are many, a family of sources (see ecnomy.analysis.run.families) is one group per class.
    """
    sources = run.plan.row_sources()
    names = [source.name for source in sources]
    classes = [""] * len(names)
    if "class" in run.flows.columns:
        for flow, name in zip(run.flows["flow"], run.flows["class"], strict=True):
            classes[int(flow)] = str(name) if isinstance(name, str) else ""
    moved = {names[flow] for flow in _movers(run)}
    members: dict[tuple[str, str], list[int]] = {}
    for flow, (source, name) in enumerate(zip(names, classes, strict=True)):
        key = (source, CHANGING if source in moved else name)
        members.setdefault(key, []).append(flow)
    if len(members) > MOST_GROUPS:
        members = _merged(members, family_of(run))
    return [
        FlowGroup(
            label=f if c in ("", f, CHANGING) else f"{f} in {c}",
            source=names[flows[0]],
            service_class=c,
            flows=tuple(flows),
            size=sum(sources[flow].row_flows for flow in flows),
        )
        for (f, c), flows in members.items()
    ]


def _merged(
    members: dict[tuple[str, str], list[int]], families: dict[str, str]
) -> dict[tuple[str, str], list[int]]:
    merged: dict[tuple[str, str], list[int]] = {}
    for (source, name), flows in members.items():
        merged.setdefault((families[source], name), []).extend(flows)
    return merged


def _divide(top: float, bottom: float) -> float:
    return top / bottom if bottom else float("nan")


def _group_row(
    group: FlowGroup,
    epochs: Epochs,
    window: Window,
    fee: Floats,
    paid: Floats,
    on: Floats,
) -> GroupRow:
    """Return the row of a group; `on` is the mean number of active flows of each row."""
    member = list(group.flows)
    count = float(on[member].sum())

    def grown(name: str) -> Floats:
        return np.asarray(epochs.difference(name, window), dtype=np.float64)

    goodput = 8 * grown("acked_bytes") / window.seconds
    each = [goodput[row] / on[row] for row in member if on[row]]
    marks, delivered = float(grown("ce")[member].sum()), float(grown("delivered")[member].sum())
    rtts = epochs.mean_while("srtt_s", "acked_bytes", window)[member]
    known = rtts[np.isfinite(rtts)]
    scale = _divide(1, window.seconds * count)
    return GroupRow(
        group=group,
        goodput_bps=_divide(float(goodput[member].sum()), count),
        goodput_low_bps=float(min(each, default=0.0)),
        goodput_high_bps=float(max(each, default=0.0)),
        share=_divide(float(goodput[member].sum()), float(goodput.sum())),
        marks_per_s=marks * scale,
        marking_probability=_divide(marks, delivered),
        delay_s=_divide(float(grown("delay_sum_ps")[member].sum()) / PS_PER_S, delivered),
        rtt_s=float(known.mean()) if known.size else float("nan"),
        fee_per_s=float(fee[member].sum()) * scale,
        charge_per_s=float(paid[member].sum()) * scale,
        price_per_mark=_divide(float(paid[member].sum()), marks),
        active=None if count == group.size else count,
    )


_COUNTED: Final = (
    *("arrivals", "marks", "drops", "law_drops", "not_ect_drops", "departures", "departed_bytes"),
)


def _link_rows(
    run: RawRun, epochs: Epochs, window: Window, shares: LinkShares
) -> tuple[LinkRow, ...]:
    """Return the rows of links on data paths and of other links that marked or dropped packets."""
    grown = {name: epochs.difference(name, window) for name in (*_COUNTED, "queue_integral")}
    data = {link for source in run.plan.sources for link in source.path}
    rows = []
    for i, link in enumerate(run.plan.links):
        at = {name: float(values[i]) for name, values in grown.items()}
        if not at["arrivals"] or not (i in data or at["marks"] or at["drops"]):
            continue
        bits = 8 * (at["departed_bytes"] + at["departures"] * link.framing_bytes)
        rows.append(
            LinkRow(
                link=i,
                name=link.name,
                utilization=bits / (link.rate_bps * window.seconds),
                marking_probability=_divide(
                    at["marks"] * float(shares.marks[0, i]),
                    at["arrivals"] * float(shares.arrivals[0, i]),
                ),
                queue_packets=at["queue_integral"] / window.seconds,
                wait_s=_divide(at["queue_integral"], at["departures"]),
                drops=int(at["drops"]),
                law_drops=int(at["law_drops"]),
                not_ect_drops=int(at["not_ect_drops"]),
                drop_probability=_divide(at["drops"], at["arrivals"]),
                marks=int(at["marks"]),
            )
        )
    return tuple(rows)


class _Parts(msgspec.Struct, frozen=True, eq=False):
    """The data for the summaries of all windows of a run."""

    run: RawRun
    flows: Epochs
    links: Epochs
    groups: list[FlowGroup]
    crossings: Crossings
    background: Truths  # per row of flows

    def over(self, phase: Phase) -> PhaseSummary | None:
        """Summarise the settled part of a phase; None if it has fewer than two reports."""
        window = self.flows.window(phase.settled_ps, phase.to_ps)
        if window is None:
            return None
        ledger, rows = self.run.ledger, self.run.plan.row_count
        edges = np.array([window.from_ps, window.to_ps], dtype=np.int64)
        fee = fees_by_flow(ledger, rows, edges)[0]
        paid = marks_by_flow(ledger, rows, edges)[0]
        on = flows_on(self.run, edges)[0]
        shares = link_shares(self.crossings, activity_of(self.run, self.flows, edges))
        return PhaseSummary(
            phase=phase,
            window=window,
            groups=tuple(
                _group_row(group, self.flows, window, fee, paid, on) for group in self.groups
            ),
            links=_link_rows(self.run, self.links, window, shares),
            charge_per_s=float(paid.sum()) / window.seconds,
            background_per_s=float(paid[self.background].sum()) / window.seconds,
        )


def summarize(run: RawRun | Results) -> Summary:
    """Summarise a run phase by phase, and as a whole.

    The summary of a partial run ends at the run's last report. A phase with fewer than two reports
    after its settling time is omitted.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    plan, ledger = run.plan, run.ledger
    parts = _Parts(
        run=run,
        flows=Epochs(run.flow_epochs, "flow", plan.row_count),
        links=Epochs(run.link_epochs, "link", len(plan.links)),
        groups=groups_of(run),
        crossings=crossings_of(run),
        background=background_rows(ledger, plan.row_count),
    )
    reached = int(parts.flows.t_ps[-1]) if len(parts.flows.t_ps) else 0
    phases = [parts.over(phase) for phase in phases_of(plan, reached)]
    from_ps, to_ps = run.measured.from_ps, min(run.measured.to_ps, reached)
    return Summary(
        title=run.title,
        note=run.note,
        phases=tuple(one for one in phases if one is not None),
        balances=balances_of(run),
        priced=not ledger.empty,
        whole=parts.over(Phase(0, "all phases together", from_ps, to_ps, from_ps)),
    )
