# SPDX-License-Identifier: Apache-2.0
"""Formats the text of the live page as HTML: numbers with units, and escaped names.

Numbers have the attributes `data-figure` (the quantity and its subject) and `data-value` (the
unrounded value in base units), so that programs can read them from the page.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Final

from ecnomy.analysis.dashboard.figures import AccountState, CarrierState, GroupState, MarketState
from ecnomy.analysis.run.network_loads import LinkLoad
from ecnomy.analysis.run_pictures.network_list import link_facts

__all__ = ["accounts_table", "carrier_facts", "clock", "congested_list", "group_facts", "name_tag"]

_LONGEST_LIST: Final = 6
Fact = tuple[str, str, float, str]  # quantity, key, value in base units, words


def clock(state: MarketState, duration_s: float) -> str:
    """Return the simulated time, and the window of the means."""
    t = _figure("time", state.t_s, f"{state.t_s:g} s of {duration_s:g} s")
    window = f"means over the last {state.window_s:g} s"
    return f"{t} simulated; {window if state.window_s else 'nothing has been sent yet'}"


def name_tag(name: str, colour: str, beside: str) -> str:
    """Return a name with a note, and a dot in the colour of its line in the pictures."""
    dot = f'<span class="ec-dot" style="background:{colour}"></span>'
    return f'{dot}<b>{html.escape(name)}</b> <span class="ec-beside">{html.escape(beside)}</span>'


def group_facts(group: GroupState) -> str:
    """Return the rates, marks and costs of a group."""
    facts: list[Fact] = [
        ("rate of a flow", "rate", group.each_bps, f"{_number(group.each_bps / 1e6)} Mbps"),
        ("all together", "total", group.goodput_bps, f"{_number(group.goodput_bps / 1e6)} Mbps"),
        ("marks", "marks", group.marks_per_s, f"{_number(group.marks_per_s)} /s"),
        ("marks cost", "charge", group.charge_per_s, f"{_number(group.charge_per_s)} money/s"),
    ]
    if group.service:
        facts.append(("class fees", "fee", group.fee_per_s, f"{_number(group.fee_per_s)} money/s"))
    return _facts(group.name, facts)


def carrier_facts(carrier: CarrierState) -> str:
    """Return the utilisation of a carrier's busiest link, its marks and its income."""
    used = carrier.utilization
    busiest = f"use of {carrier.link}" if carrier.link else "use of its busiest link"
    facts: list[Fact] = [
        (busiest, "utilization", used, f"{100 * used:.1f} %"),
        ("marks", "marks", carrier.marks_per_s, f"{_number(carrier.marks_per_s)} /s"),
        ("income", "income", carrier.income_per_s, f"{_number(carrier.income_per_s)} money/s"),
    ]
    return _facts(carrier.name or "network", facts)


def congested_list(links: Sequence[LinkLoad], badges: Mapping[int, str]) -> str:
    """Return the list of congested links with their badges, in the order of the badges."""
    if not links:
        return "<p>Nothing has been sent yet: press Step or \N{BLACK RIGHT-POINTING TRIANGLE}.</p>"
    if not badges:
        return "<p>No link is congested.</p>"
    by_link = {link.link: link for link in links}
    shown = list(badges.items())[:_LONGEST_LIST]
    rows = "".join(_congested(by_link[link], badge) for link, badge in shown)
    more = len(badges) - len(shown)
    return f'<ul class="ec-list">{rows}</ul>' + (f"<p>and {more} more</p>" if more else "")


def _congested(link: LinkLoad, badge: str) -> str:
    ends = link.between(" \N{RIGHTWARDS ARROW} ")
    mark = f'<span class="ec-badge">{html.escape(badge)}</span>'
    return f"<li>{mark}<span><b>{html.escape(ends)}</b>: {link_facts(link)}</span></li>"


def accounts_table(accounts: Sequence[AccountState]) -> str:
    """Return a table of each account's balance and its change per second."""
    head = "<tr><th>account</th><th>balance<br>[money]</th><th>change<br>[money/s]</th></tr>"
    rows = "".join(
        f"<tr><td>{html.escape(a.name)}<small>{html.escape(a.role or 'no agent')}</small></td>"
        f"<td>{_figure(f'balance {a.name}', a.balance, f'{a.balance:,.1f}')}</td>"
        f"<td>{a.change_per_s:+,.2f}</td></tr>"
        for a in accounts
    )
    return f'<table class="ec-table">{head}{rows}</table>'


def _facts(who: str, facts: Sequence[Fact]) -> str:
    cells = "".join(
        f"<div><dt>{html.escape(what)}</dt><dd>{_figure(f'{key} {who}', value, words)}</dd></div>"
        for what, key, value, words in facts
    )
    return f'<dl class="ec-facts">{cells}</dl>'


def _figure(name: str, value: float, words: str) -> str:
    said = html.escape(words).replace(" ", "&nbsp;") if len(words) < 16 else html.escape(words)
    return f'<span data-figure="{html.escape(name)}" data-value="{value!r}">{said}</span>'


def _number(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
