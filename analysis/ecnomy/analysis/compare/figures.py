# SPDX-License-Identifier: Apache-2.0
"""The outcomes of a run that `compare` compares, over the measured window.

    source   goodput_bps           IP bits/s acknowledged for the first time, over all its flows
             goodput_share         its goodput / goodput of all sources
             marks_per_s           CE packets delivered per second, over all its flows
             marking_probability   CE packets delivered / packets delivered
             mean_delay_s          one-way delay of packets delivered
    link     throughput_bps        IP bits/s of packets whose transmission began
             marks_per_s           CE marks set per second
             marking_probability   CE set / packets offered
             drop_probability      packets dropped / packets offered
             mean_queue_packets    packets waiting, the frame in service excluded
    money    money_per_s           postings, in total and per kind, payer and payee
             money_share           money of one kind, payer and payee / money of all postings

Links that carry only ACKs are omitted. A value with a denominator of 0 is None (e.g. if no packet
was delivered). A run has rows only for postings that occurred in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ALL_MONEY",
    "LINK",
    "MONEY",
    "QUANTITIES",
    "SOURCE",
    "Figures",
    "Row",
    "figures_of",
    "filled",
    "rows_of",
    "rows_of_money",
]

SOURCE: Final = "source"
LINK: Final = "link"
MONEY: Final = "money"
QUANTITIES: Final = {
    SOURCE: (
        "goodput_bps",
        "goodput_share",
        "marks_per_s",
        "marking_probability",
        "mean_delay_s",
    ),
    LINK: (
        "throughput_bps",
        "marks_per_s",
        "marking_probability",
        "drop_probability",
        "mean_queue_packets",
    ),
    MONEY: ("money_per_s", "money_share"),
}
Figures = dict[str, float | None]  # by the key of a row


class Row(msgspec.Struct, frozen=True):
    """One quantity of a source, a link or a kind of posting."""

    kind: str
    name: str
    quantity: str

    @property
    def key(self) -> str:
        """The key `<kind>/<name>/<quantity>`."""
        return f"{self.kind}/{self.name}/{self.quantity}"

    @property
    def subject(self) -> str:
        """The source, link or kind of posting, in words."""
        return f"{self.kind} {self.name}"


ALL_MONEY: Final = Row(MONEY, "all postings", "money_per_s")


def rows_of(plan: Plan) -> list[Row]:
    """Return the rows of a plan's sources, then those of its links, in plan order."""
    crossed = {link for source in plan.sources for link in source.path}
    subjects = [(SOURCE, source.name) for source in plan.sources]
    subjects += [(LINK, link.name) for i, link in enumerate(plan.links) if i in crossed]
    return [Row(kind, name, what) for kind, name in subjects for what in QUANTITIES[kind]]


def rows_of_money(runs: Iterable[Figures]) -> list[Row]:
    """Return the row of all postings, then those of each kind in any run; [] without postings."""
    parts = (key.partition("/") for key in {key for figures in runs for key in figures})
    names = {name.rpartition("/")[0] for kind, _, name in parts if kind == MONEY}
    if not names:
        return []
    sorts = sorted(names - {ALL_MONEY.name})
    return [ALL_MONEY, *(Row(MONEY, name, what) for name in sorts for what in QUANTITIES[MONEY])]


def filled(runs: Sequence[Figures]) -> list[Figures]:
    """Return the outcomes of each run, with 0 for postings that occur only in the other runs."""
    nothing: Figures = {row.key: 0.0 for row in rows_of_money(runs)}
    return [nothing | figures for figures in runs]


def figures_of(run: RawRun) -> Figures:
    """Return the outcomes of a complete run, by row key.

    Raises:
        ResultsError: the run is partial, or a table is unreadable.
    """
    if run.note is not None:
        raise ResultsError(f"{run.path}: {run.note}")
    window_s = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    outcomes = _of_sources(run.flows, window_s) | _of_links(run.links, window_s)
    figures = {row.key: _finite(outcomes[row.key]) for row in rows_of(run.plan)}
    return figures | _of_money(run, window_s)


def _of_sources(flows: pd.DataFrame, window_s: float) -> dict[str, float]:
    counted = ["acked_bytes", "ce", "delivered", "delay_sum_ps"]
    # Python integers, because the sum of a source's delays may exceed int64, although the sum of
    # each flow does not.
    exact = flows.assign(delay_sum_ps=flows["delay_sum_ps"].astype(object))
    sums = exact.groupby("source")[counted].sum()
    everything = float(sums["acked_bytes"].sum())
    figures: dict[str, float] = {}
    for name, row in sums.iterrows():
        delivered = float(row["delivered"])
        values = (
            8 * float(row["acked_bytes"]) / window_s,
            _over(float(row["acked_bytes"]), everything),
            float(row["ce"]) / window_s,
            _over(float(row["ce"]), delivered),
            _over(float(row["delay_sum_ps"]) / PS_PER_S, delivered),
        )
        figures |= _keyed(SOURCE, str(name), values)
    return figures


def _of_links(links: pd.DataFrame, window_s: float) -> dict[str, float]:
    figures: dict[str, float] = {}
    for row in links.to_dict("records"):
        arrivals = float(row["arrivals"])
        values = (
            8 * float(row["departed_bytes"]) / window_s,
            float(row["marks"]) / window_s,
            _over(float(row["marks"]), arrivals),
            _over(float(row["drops"]), arrivals),
            float(row["queue_integral"]) / window_s,
        )
        figures |= _keyed(LINK, str(row["name"]), values)
    return figures


def _of_money(run: RawRun, window_s: float) -> Figures:
    ledger = run.ledger
    if ledger.empty:
        return {}
    total, share = QUANTITIES[MONEY]
    ledger = ledger[ledger["t_ps"].between(run.measured.from_ps, run.measured.to_ps, "right")]
    whole = int(ledger["amount_micro"].sum())
    figures: Figures = {ALL_MONEY.key: whole / MICRO / window_s}
    sums = ledger.groupby(["kind", "debit", "credit"], as_index=False)["amount_micro"].sum()
    for kind, payer, payee, amount in sums.itertuples(index=False):
        name = f"{kind}: {payer} to {payee}"
        figures[Row(MONEY, name, total).key] = int(amount) / MICRO / window_s
        figures[Row(MONEY, name, share).key] = _finite(_over(int(amount), whole))
    return figures


def _keyed(kind: str, name: str, values: tuple[float, ...]) -> dict[str, float]:
    quantities = QUANTITIES[kind]
    return {Row(kind, name, what).key: v for what, v in zip(quantities, values, strict=True)}


def _over(amount: float, base: float) -> float:
    return amount / base if base > 0 else math.nan


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
