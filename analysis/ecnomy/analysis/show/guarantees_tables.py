# SPDX-License-Identifier: Apache-2.0
"""Tables of `ecnomy show` for a guaranteed stream provider: money, calls and test streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.agents.call_tariff import DEFAULT_ADMISSION
from ecnomy.agents.money import MICRO
from ecnomy.agents.strategies import BUILT_IN
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.guaranteed_calls import CallOutcomes, StreamRow, all_streams
from ecnomy.analysis.run.guarantees import Guarantee, Item, ProfitAndLoss
from ecnomy.analysis.run.guarantors import Provider
from ecnomy.analysis.show.summary_tables import new_table
from ecnomy.analysis.support.number_text import exact, percent, significant

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "call_table",
    "money_table",
    "offer_in_words",
    "print_guarantee",
    "stream_table",
]

_BY_THRESHOLD: Final = "marking-quantile"  # only this built-in strategy has a threshold


def print_guarantee(one: Guarantee, console: Console) -> None:
    """Print the offers of a provider and its results in the whole run."""
    console.print()
    heading = f"{one.provider.name}, guaranteed stream provider (whole run)"
    console.print(heading, style="bold", markup=False)
    console.print(offer_in_words(one.provider), markup=False)
    console.print()
    console.print(money_table(one))
    if one.money.calls.count:
        console.print(_margin(one.money, bool(one.streams)), markup=False)
    if len(one.money.by_carrier) > 1:
        console.print(_by_carrier(one.money), markup=False)
    console.print()
    if not one.provider.offers:
        pass  # the provider sells only files
    elif one.calls is None:
        console.print(
            "calls were not recorded; to record them, set `record: {calls: true}`", markup=False
        )
    else:
        console.print(call_table(one))
        console.print(_admission(one.calls, one.provider), markup=False)
    if one.streams:
        console.print()
        console.print(stream_table(one))
        console.print(_reading(one), markup=False)


def offer_in_words(says: Provider) -> str:
    """Describe a provider's products, prices and promises in one paragraph."""
    one = len(says.offers) == 1
    calls = [
        f"{'A call' if one else f'A call on {offer.name}'} costs {offer.price}, regardless of "
        f"the price of marks. The promise: at most {100 * offer.max_delay_rate:g} % of its "
        f"packets are lost or later than {_milliseconds(offer.max_delay_ps)}. Otherwise "
        f"{offer.reimbursement} is reimbursed."
        for offer in says.offers
    ]
    files = [
        f"A file on {row.name} costs {row.price} and arrives within {row.deadline}. Otherwise "
        f"{row.reimbursement} is reimbursed."
        for row in says.files
    ]
    return " ".join([*calls, *files])


def money_table(one: Guarantee) -> Table:
    """Return the table of the profit and loss account, with sums exact to the micro-unit."""
    money = one.money
    table = new_table("profit and loss, money", "whole run", "per call sold", "per hour")

    def line(words: str, micro: int, style: str | None = None) -> None:
        cells = [exact(micro), significant(money.per_call(micro), 4, "+")]
        cells.append(significant(money.per_hour(micro), 2, "+"))
        table.add_row(words, *cells, style=style)

    # without the table `calls`, only paid calls are known
    sold = "sold" if one.calls is not None else "paid for"
    line(f"{_count(money.calls, 'call')} {sold}", money.calls.micro)
    line(_reimbursed(one), money.reimbursements.micro)
    line(f"{_count(money.call_marks, 'mark')} of its calls", money.call_marks.micro)
    if one.streams:
        streams = f"{_count(money.stream_marks, 'mark')} of its test streams"
        line(streams, money.stream_marks.micro)
    if one.provider.file_sources:
        line(f"{_count(money.files, 'file')} sold", money.files.micro)
        line(f"{_count(money.late_files, 'reimbursement')} for late files", money.late_files.micro)
        line(f"{_count(money.file_marks, 'mark')} of files", money.file_marks.micro)
    if money.fixed.count:
        line("fixed costs", money.fixed.micro)
    if money.other.count:
        line("all else", money.other.micro)
    table.add_section()
    line("profit, the balance of its account", money.profit_micro, "bold")
    return table


def _reimbursed(one: Guarantee) -> str:
    """Describe the reimbursements; some may be for promises that were kept."""
    back = _count(one.money.reimbursements, "reimbursement")
    kept = one.money.reimbursements.count - (one.calls.broken if one.calls else 0)
    if one.calls is None or kept <= 0:
        return f"{back} for broken promises"
    return f"{back}, {kept:,} of them for promises that were kept"


def _margin(money: ProfitAndLoss, streams: bool) -> str:
    marks, back = (-money.per_call(x.micro) for x in (money.call_marks, money.reimbursements))
    price, fixed = money.per_call(money.calls.micro), -money.per_hour(money.stream_marks.micro)
    text = (
        f"An average call brings {significant(price, 4)} and costs {significant(marks, 4)} in "
        f"marks and {significant(back, 4)} in reimbursements: "
        f"{significant(price - marks - back, 4, '+')}."
    )
    if not streams:
        return text
    return f"{text} The test streams cost {significant(fixed)} per hour, for any number of calls."


def _by_carrier(money: ProfitAndLoss) -> str:
    paid = [
        f"{name} {significant(-item.micro / MICRO, 4)} for {_count(item, 'mark')}"
        for name, item in money.by_carrier
    ]
    return f"For marks the provider paid {', '.join(paid[:-1])} and {paid[-1]}."


def call_table(one: Guarantee) -> Table:
    """Return the table of call requests, admissions, ended calls and broken promises."""
    calls = one.calls
    assert calls is not None
    table = new_table("calls", "number", "share")

    def line(words: str, number: int, of: int, what: str) -> None:
        share = f"{percent(number / of)} of {what}" if of else "-"
        table.add_row(words, f"{number:,}", share)

    table.add_row("requested", f"{calls.asked:,}", "")
    line("blocked", calls.blocked, calls.asked, "asked")
    line("accepted", calls.accepted, calls.asked, "asked")
    line("  under way at the end", calls.under_way, calls.accepted, "accepted")
    line("  ended", calls.ended, calls.accepted, "accepted")
    line("  promise broken", calls.broken, calls.ended, "ended")
    return table


def _admission(calls: CallOutcomes, provider: Provider) -> str:
    kinds = {str(o.strategy.get("kind", DEFAULT_ADMISSION)) for o in provider.offers}
    if calls.learnt_ps < 0:
        if not any(kind == _BY_THRESHOLD or _is_own(kind) for kind in kinds):
            return f"Calls are admitted by {' and '.join(sorted(kinds))}, without a threshold of M."
        return "The provider never had a blocking threshold."
    since = f"{calls.learnt_ps / PS_PER_S:g} s"
    if not calls.asked_learnt:
        return (
            f"The provider had a blocking threshold from {since} on. "
            "No call was requested after that."
        )
    share = percent(calls.blocked_learnt / calls.asked_learnt)
    return (
        f"Until {since} the provider observed its test streams and had no blocking threshold. "
        f"Since then, {calls.blocked_learnt:,} of {calls.asked_learnt:,} requests were blocked "
        f"({share})."
    )


def _is_own(kind: str) -> bool:
    """Return whether a strategy is custom; custom strategies may also record a threshold."""
    return kind not in BUILT_IN


def stream_table(one: Guarantee) -> Table:
    """Return the table of the shares M and L, by test stream and for ended calls."""
    table = new_table("sent by", "packets/s", "packets", "marked\nM", "bad\nL")
    for row in one.streams:
        kind = "Poisson" if row.poisson else "constant intervals"
        _stream_line(table, f"{row.name} ({kind})", row)
    if len(one.streams) > 1:
        _stream_line(table, "all test streams", all_streams(one.streams))
    calls = one.calls
    if calls is not None and calls.ended:
        table.add_section()
        cells = [f"{calls.packets:,}", percent(calls.marked, 2), percent(calls.bad, 2)]
        table.add_row("calls that ended, all packets", "", *cells)
        cells = [percent(calls.mean_marked, 2), percent(calls.mean_bad, 2)]
        table.add_row("calls that ended, mean of a call", "", "", *cells)
        table.add_row("call with most bad packets", "", "", "", percent(calls.worst_bad, 2))
    return table


def _stream_line(table: Table, name: str, row: StreamRow) -> None:
    shares = [percent(row.marked, 2), percent(row.bad, 2)]
    table.add_row(name, f"{row.packets_per_s:.1f}", f"{row.sent:,}", *shares)


def _reading(one: Guarantee) -> str:
    text = (
        "M: share of the packets sent that arrive marked. L: share lost or later than "
        f"{_milliseconds(one.provider.max_delay_ps)}. Test streams sample all times, calls only "
        "the times when they were admitted."
    )
    probes = [row.name for row in one.streams if row.poisson]
    if not probes:
        return text
    probe, sends = " and ".join(probes), "sends" if len(probes) == 1 else "send"
    return (
        f"{text} {probe} {sends} packets at random times (Poisson), so the shares are averages "
        "over time. Shares of packets sent at constant intervals may be biased."
    )


def _count(item: Item, noun: str) -> str:
    return f"{item.count:,} {noun}{'' if item.count == 1 else 's'}"


def _milliseconds(time_ps: int) -> str:
    return f"{time_ps / 1e9:g} ms"
