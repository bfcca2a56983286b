# SPDX-License-Identifier: Apache-2.0
"""Explains the loss of a provider, and shows which changes could avoid it.

The amounts are sums over the provider's ledger and calls, or follow from the scenario:

    delay of a full buffer = bytes that it holds x 8 / rate
    packets that fit       = (promised delay - delay without a queue) x rate / (8 x packet size)

The changes are counterfactual. They assume that the same calls are requested and carried.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import owned
from ecnomy.analysis.gsp_report.maps import promised_otherwise
from ecnomy.analysis.gsp_report.opened_runs import ReportRun
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.gsp_report.statement import period_s
from ecnomy.analysis.gsp_report.tariffs import Tariff
from ecnomy.analysis.pages.parts import Cell, Section, Words, money, number, percent

__all__ = ["Queueing", "queueing_of", "why_it_loses"]

_COSTS: Final = (
    ("marks of calls", "for its marks"),
    ("reimbursements", "paid back"),
    ("marks of test streams", "for test streams"),
    ("fixed costs", "of fixed costs"),
)
_MS: Final = 1000


class Queueing(NamedTuple):
    """The buffer on the path of a call that delays a packet most when it is full."""

    link: str
    rate_bps: int
    packet_bytes: int
    packets: int
    full_s: float
    way_s: float  # without a queue

    def fitting(self, promised_s: float) -> int:
        """Return the number of queued packets that use up the promised delay."""
        left = max(promised_s - self.way_s, 0.0)
        return math.floor(left * self.rate_bps / 8 / self.packet_bytes)


def why_it_loses(db: Database, answer: Answer) -> Section | None:
    """Explain the loss of a provider; None without a loss, sold calls or tariffs for calls."""
    if answer.by_files or answer.unsold or not answer.per_call.value < 0:
        return None
    tariffs = db.tariffs(answer.provider, answer.runs)
    own = owned(answer.provider, answer.runs)
    blocks = [_money(db, own), *(_promise(db, answer, own, t) for t in tariffs), _price(answer)]
    blocks += [one for one in (_looser(db, answer), _admission(db, answer, own)) if one is not None]
    title = "Why it loses money" if answer.verdict < 0 else "Why it may lose money"
    return Section(f"{answer.provider}-why", title, tuple(blocks))


def _money(db: Database, own: str) -> Words:
    each = ", ".join(
        f"-coalesce(sum(micro) filter (line = '{line}'), 0) / 1e6 / n" for line, _ in _COSTS
    )
    query = db.ask(
        f"select sum(micro) filter (line = 'calls') / 1e6 / n, {each},\n  sum(micro) / 1e6 / n, "
        f"sum(micro) filter (line <> 'reimbursements') / 1e6 / n,\n"
        f"  coalesce(sum(quantity) filter (line = 'marks of calls'), 0) / n as marks\n"
        f"from postings, (select sum(sold) as n from accounts where {own}) where {own} group by n"
    )
    row = query.rows[0]
    parts = [Cell("A call sold brings "), query.cell(0, 0, money(row[0] or math.nan))]
    costs = [(float(row[i]), i, words) for i, (_, words) in enumerate(_COSTS, 1) if row[i] > 0]
    for k, (value, i, words) in enumerate(sorted(costs, reverse=True)):
        text = f" {words}" + (f" ({number(row[-1])} of them)" if i == 1 else "")
        parts += [Cell(", " if k else " and costs "), query.cell(0, i, money(value)), Cell(text)]
    parts += [Cell(". That leaves "), query.cell(0, 5, money(row[5])), Cell(" money per call.")]
    if row[2] > 0:
        parts += [Cell(" Without refunds the profit per call would be ")]
        parts += [query.cell(0, 6, money(row[6])), Cell(".")]
    return Words(tuple(parts), (query,))


def _promise(db: Database, answer: Answer, own: str, tariff: Tariff) -> Words:
    query = db.ask(
        f"select count(*), count(*) filter (broken), sum(bad) / nullif(sum(sent), 0)\n"
        f"from calls where {own} and accepted and complete and tariff = '{tariff.name}'"
    )
    ended, broken, bad = query.rows[0]
    promised_s = tariff.max_delay_ps / PS_PER_S
    promise = f"{promised_s * _MS:g} ms"
    of = f"{tariff.name}: " if tariff.name != "calls" else ""
    were = "promise was" if broken == 1 else "promises were"
    text = f"{of}{number(broken)} {were} broken, of {number(ended)} calls that ended."
    if bad is not None:
        text += f" {percent(bad)} of the packets of these calls were lost or later than {promise}"
        text += f". The promise allows {100 * tariff.max_delay_rate:g} % of a call's packets."
    queueing = queueing_of(answer.runs[0], tariff) if broken else None
    if queueing is not None:
        fit = queueing.fitting(promised_s)
        holds = f"{queueing.packets:,} packets of {queueing.packet_bytes:,} bytes"
        text += f" A full buffer of {queueing.link} ({holds} at {queueing.rate_bps / 1e6:g} Mbps) "
        text += f"delays a packet by {queueing.full_s * _MS:.3g} ms. The promise was {promise}. "
        text += f"Without a queue, a packet takes {queueing.way_s * _MS:.3g} ms of it; "
        text += f"{fit:,} queued packets use up the rest."
        if fit < queueing.packets:
            text += f" A buffer of {fit:,} packets, or a promise of "
            text += f"{(queueing.full_s + queueing.way_s) * _MS:.3g} ms, would leave no packet "
            text += "late there; packets that do not fit into a smaller buffer are lost "
            text += "and count as well."
    return Words.of(text, queries=(query,))


def queueing_of(made: ReportRun, tariff: Tariff) -> Queueing | None:
    """Return the buffer that can delay a tariff's calls most; None if unknown or unlimited."""
    if made.run is None:
        return None
    plan = made.run.plan
    source = next((s for s in plan.sources if s.name in tariff.sources), None)
    if source is None or not source.path:
        return None
    links = [(i, plan.links[i]) for i in source.path]
    way_ps = sum(link.delay_ps for _, link in links)
    queues = []
    for index, link in links:
        packet = max(s.packet_bytes for s in plan.sources if index in s.path)
        held = link.buffer_packets * packet if link.buffer_packets >= 0 else link.buffer_bytes
        way_ps += source.packet_bytes * 8 * PS_PER_S // link.rate_bps
        if held > 0 and packet > 0:
            queues.append((held * 8 / link.rate_bps, link, packet, held // packet))
    if not queues:
        return None
    full_s, link, packet, packets = max(queues, key=lambda one: one[0])
    return Queueing(link.name, link.rate_bps, packet, packets, full_s, way_ps / PS_PER_S)


def _price(answer: Answer) -> Words:
    even = answer.break_even.estimate.mean if answer.measured is None else answer.measured
    if even.text.endswith("price"):
        return Words.of(f"Price: {even.text} breaks even for the same calls.")
    return Words.of("Price: a mean price of ", even, " per call breaks even for the same calls.")


def _looser(db: Database, answer: Answer) -> Words | None:
    """Return a paragraph on the strictest looser promise that earns money; None if none broke."""
    broken = answer.counts.rows[0][3]
    promises = promised_otherwise(db, answer) if broken else None
    if promises is None:
        return None
    query, own_limit = promises
    looser = [(i, q, v) for i, (q, v) in enumerate(query.rows) if q > own_limit and v is not None]
    earns = next(((i, q, v) for i, q, v in looser if v > 0), None)
    if earns is not None:
        i, limit, value = earns
        lead = f"Promise: the same calls earn money if {100 * limit:g} % of the packets may be late"
        lead += f" or lost, not {100 * own_limit:g} %: "
        return Words.of(
            lead, query.cell(i, 1, money(value, "+")), " money per hour.", queries=(query,)
        )
    last = f"{100 * looser[-1][1]:g} %" if looser else "any share"
    return Words.of(
        f"Promise: the same calls earn no money even if {last} of the packets may be late or lost.",
        queries=(query,),
    )


def _admission(db: Database, answer: Answer, own: str) -> Words | None:
    """Return a paragraph on the profit of ended calls by the period in which they began."""
    length_s = period_s(max(made.seconds for made in answer.runs))
    query = db.ask(
        f"select count(*) filter (left_micro < 0), count(*), "
        f"coalesce(sum(n) filter (left_micro < 0), 0),\n"
        f"  coalesce(sum(left_micro) filter (left_micro < 0), 0) / 1e6, "
        f"coalesce(sum(left_micro) filter (left_micro >= 0), 0) / 1e6\n"
        f"from (select count(*) as n, sum(micro) as left_micro from deals\n"
        f"  where {own} and complete group by run, start_ps // {length_s * PS_PER_S})"
    )
    losing, periods, calls, lost, earned = query.rows[0]
    if not periods:
        return None
    many = "periods" if periods > 1 else "period"
    lead = f"Admission: of {number(periods)} {many} of {length_s / 60:g} min, "
    if losing == periods:
        return Words.of(
            f"Admission: in each period of {length_s / 60:g} min ({number(periods)} in all), the "
            "calls that ended made a loss on calls alone, so no period was worth selling in: ",
            query.cell(0, 3, money(lost, "+")),
            f" money by {number(calls)} calls.",
            queries=(query,),
        )
    if not losing:
        return Words.of(
            f"{lead}no period made a loss on calls alone, so refusing calls at certain times does "
            "not help: the calls do not earn enough for test streams and fixed costs.",
            queries=(query,),
        )
    return Words.of(
        f"{lead}{number(losing)} made a loss on calls alone: {number(calls)} calls, ",
        query.cell(0, 3, money(lost, "+")),
        " money before test streams and fixed costs. The calls of the other periods left ",
        query.cell(0, 4, money(earned, "+")),
        ". A threshold that blocked the calls of the losing periods would avoid these losses.",
        queries=(query,),
    )
