# SPDX-License-Identifier: Apache-2.0
"""Shows rates of sources and loads of links, phase by phase, as in `ecnomy show`."""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.pages.parts import Block, Cell, Table, Words, percent
from ecnomy.analysis.run.summary import GroupRow, LinkRow, PhaseSummary, Summary
from ecnomy.analysis.support.number_text import significant

__all__ = ["traffic_blocks"]

_MOST_PHASES: Final = 6
_MOST_LINKS: Final = 12
_LEAST: Final = 0.01  # smallest number of packets or ms that is shown
_WHO: Final = (
    *("who", "flows", "Mbps per flow", "lowest to highest", "of all", "marks/s per flow", "marked"),
    *("one-way delay", "round trip"),
)
_LINK: Final = ("link", "used", "marked", "queue", "wait", "dropped")


def traffic_blocks(summary: Summary) -> list[Block]:
    """Return the tables of flows and links by phase or, for many phases, over the whole window."""
    shown = summary.phases
    if (len(shown) > _MOST_PHASES or not shown) and summary.whole is not None:
        shown = (summary.whole,)
    if not shown:
        return [Words.of("The run ended before the measured window began.")]
    blocks: list[Block] = []
    for one in shown:
        blocks += [_flows(one), _links(one)]
    return blocks


def _heading(one: PhaseSummary) -> str:
    span = f"{one.phase.from_ps / PS_PER_S:g} s to {one.phase.to_ps / PS_PER_S:g} s"
    if one.phase.number == 0:
        return f"{one.phase.label[:1].upper()}{one.phase.label[1:]}, {span}"
    return f"Phase {one.phase.number}, {span}: {one.phase.label}"


def _flows(one: PhaseSummary) -> Table:
    settled = (
        f"Without the first {one.phase.settling_s:g} s, in which flows settle. "
        if one.phase.settling_s > 0
        else ""
    )
    return Table(
        id=f"who-{one.phase.number}",
        caption=_heading(one),
        of="flow_epochs",
        head=_WHO,
        rows=tuple(_flow_row(row) for row in one.groups),
        note=f"{settled}Means over the flows of a row. marked: share of arriving data packets "
        f"that are marked; one-way delay: mean delay of packets, including queues.",
        wide=True,
    )


def _flow_row(row: GroupRow) -> tuple[Cell, ...]:
    flows = f"{row.group.size}"
    if row.active is not None:
        flows = f"{row.active:.1f} of {flows}"
    low, high = (significant(v / 1e6) for v in (row.goodput_low_bps, row.goodput_high_bps))
    return (
        Cell(row.group.label),
        Cell(flows),
        Cell(significant(row.goodput_bps / 1e6), value=row.goodput_bps / 1e6),
        Cell(low if low == high else f"{low} to {high}"),
        Cell(percent(row.share), value=row.share),
        Cell(significant(row.marks_per_s), value=row.marks_per_s),
        Cell(percent(row.marking_probability), value=row.marking_probability),
        Cell(_ms(row.delay_s)),
        Cell(_ms(row.rtt_s)),
    )


def _ms(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{_short(1e3 * seconds)} ms"


def _short(value: float) -> str:
    """Return a number as text; `< 0.01` for smaller positive values."""
    return f"< {_LEAST}" if 0 < value < _LEAST else significant(value, 1)


def _links(one: PhaseSummary) -> Table:
    shown = one.links
    if len(shown) > _MOST_LINKS:
        shown = tuple(link for link in shown if link.congested_by) or shown[:_MOST_LINKS]
        shown = tuple(sorted(shown, key=lambda link: -(link.marks + link.drops))[:_MOST_LINKS])
    rest = len(one.links) - len(shown)
    more = f" {rest} more links, less congested, are left out." if rest else ""
    return Table(
        id=f"links-{one.phase.number}",
        caption=f"Links in phase {one.phase.number}" if one.phase.number else "Links",
        of="link_epochs, pairs",
        head=_LINK,
        rows=tuple(_link_row(row) for row in shown),
        note="used: share of the capacity; marked: share of data packets arriving at the link that "
        f"are marked; queue: mean number of waiting packets; wait: a packet's mean time in the "
        f"queue.{more}",
        wide=True,
    )


def _link_row(row: LinkRow) -> tuple[Cell, ...]:
    return (
        Cell(row.name),
        Cell(percent(row.utilization), value=row.utilization),
        Cell(percent(row.marking_probability), value=row.marking_probability),
        Cell(f"{_short(row.queue_packets)} packets", value=row.queue_packets),
        Cell(_ms(row.wait_s)),
        Cell(f"{row.drops:,}", value=row.drops),
    )
