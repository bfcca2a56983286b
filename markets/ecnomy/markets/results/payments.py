# SPDX-License-Identifier: Apache-2.0
"""Sums payments by payer, payee, kind and source, and divides mark charges among links.

Amounts are sums of the ledger over the whole run, exact to the micro-unit. The ledger does not
record which link set a charged mark, but the table `pairs` counts the marks of each link on a
source's packets. The marks and mark charges of a source are divided among the links in proportion
to these counts, in integer marks and micro-units. The largest fractions are rounded up, so that
sums stay exact. Because `pairs` covers the whole run, lost marks and price changes affect all links
alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import InputError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Truths
from ecnomy.agents.roles import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.results.frames import units_of_kinds
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.terms.ledger_kinds import MARKS
from ecnomy.markets.terms.ownership import Misowned, owners_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["payments_of"]


_KEYS: Final = ["payer", "payee", "kind", "source"]
_UNITS: Final = {
    **dict.fromkeys(("payer", "payee", "kind", "source", "link", "unit"), "text"),
    "quantity": "see unit",
    "price": "money per unit",
    "amount": "money",
}
_MOST_NAMED: Final = 12


def payments_of(raw: RawRun, who: str | None) -> pd.DataFrame:
    """See Results.payments."""
    chosen = _chosen(raw, who)
    units = units_of_kinds(raw.manifest)
    shares, owners = _marks_set(raw), _owners(raw)
    rows: list[dict[str, Any]] = []
    for (payer, payee, kind, source), own in chosen.groupby(_KEYS, sort=False):
        quantity, amount = int(own["quantity"].sum()), int(own["amount_micro"].sum())
        if kind != MARKS:
            links, quantities, amounts = [""], [quantity], [amount]
        else:
            links, weights = _by_link(shares.get(str(source), {}), owners, str(payee))
            quantities, amounts = shared(quantity, weights), shared(amount, weights)
        unit = units.get(str(kind), "")
        whole = quantity / PS_PER_S if unit == "s" else float(quantity)
        for link, number, micro in zip(links, quantities, amounts, strict=True):
            rows.append(
                {
                    **{"payer": payer, "payee": payee, "kind": kind, "source": source},
                    "link": link,
                    "quantity": number / PS_PER_S if unit == "s" else float(number),
                    "unit": unit,
                    "price": amount / MICRO / whole if whole else np.nan,
                    "amount": micro / MICRO,
                }
            )
    return _frame(rows)


def shared(whole: int, weights: Integers) -> list[int]:
    """Divide an integer in proportion to weights. The largest fractions are rounded up."""
    total = int(weights.sum())
    exact = [divmod(whole * int(weight), total) for weight in weights]
    parts = [part for part, _ in exact]
    order = sorted(range(len(exact)), key=lambda i: -exact[i][1])
    for i in order[: whole - sum(parts)]:
        parts[i] += 1
    return parts


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    order = ["payer", "payee", "kind", "source", "link", "quantity", "unit", "price", "amount"]
    frame = pd.DataFrame(rows, columns=order)
    frame["quantity"] = frame["quantity"].astype(float)
    frame["amount"] = frame["amount"].astype(float)
    frame["price"] = frame["price"].astype(float)
    frame = frame.sort_values("amount", ascending=False, kind="stable", ignore_index=True)
    frame.index.name = "payment"
    frame.attrs["units"] = dict(_UNITS)
    return frame


def _chosen(raw: RawRun, who: str | None) -> pd.DataFrame:
    """Return the postings paid by account `who` or for the flow, source or class `who`, or all."""
    table = raw.ledger
    flow = table["flow"].to_numpy(dtype=np.int64)
    sources = np.array([*(s.name for s in raw.plan.row_sources()), ""], dtype=object)
    chosen = table.assign(
        payer=table["debit"].astype(str),
        payee=table["credit"].astype(str),
        kind=table["kind"].astype(str),
        source=sources[flow],
    )
    if who is None:
        return chosen
    accounts = set(chosen["payer"]) | set(chosen["payee"]) | set(raw.manifest.balances_micro or ())
    flows = _flows(raw, who, table)
    if who not in accounts and flows is None:
        raise InputError(_unknown(raw, who, accounts))
    wanted = (chosen["payer"] == who).to_numpy(dtype=np.bool_)
    return chosen[wanted if flows is None else wanted | flows]


def _flows(raw: RawRun, who: str, ledger: pd.DataFrame) -> Truths | None:
    """Return a mask of the postings for the flow, source or class `who`, or None if unknown."""
    flow = ledger["flow"].to_numpy(dtype=np.int64)
    names = [raw.plan.flow_names(), [source.name for source in raw.plan.row_sources()]]
    named = [each for each in names if who in each]
    own = [np.array([*(name == who for name in each), False])[flow] for each in named]
    classes = [number for number, one in enumerate(raw.manifest.classes) if one.name == who]
    if classes:
        own.append(np.isin(_class_paid_for(raw, ledger), classes))
    return np.logical_or.reduce(own) if own else None


def _class_paid_for(raw: RawRun, ledger: pd.DataFrame) -> Integers:
    """Return the class index of each posting's flow in the interval of the posting, or -1."""
    epochs = raw.flow_epochs
    rows = raw.plan.row_count
    times = epochs["t_ps"].to_numpy(dtype=np.int64)[::rows]
    held = epochs["class_index"].to_numpy(dtype=np.int64)[: len(times) * rows].reshape(-1, rows)
    flow = ledger["flow"].to_numpy(dtype=np.int64)
    began = np.searchsorted(times, ledger["t_ps"].to_numpy(dtype=np.int64), side="left") - 1
    return np.where(flow >= 0, held[np.maximum(began, 0), flow], -1)


def _by_link(
    marks: dict[str, int], owners: dict[str, str] | None, payee: str
) -> tuple[list[str], Integers]:
    """Return marking links and how many marks each set; with `owners`, only the payee's links."""
    own = {link: n for link, n in marks.items() if owners is None or owners.get(link) == payee}
    return list(own) or [""], np.array(list(own.values()) or [1], dtype=np.int64)


def _owners(raw: RawRun) -> dict[str, str] | None:
    """Return the carrier of each link if users pay carriers directly for marks, or else None.

    The result is also None if the carriers' links cannot be determined here.
    """
    market: Any = (raw.manifest.scenario or {}).get("market") or {}
    if market.get("settlement") != "direct":
        return None
    carriers = [
        AgentSpec(
            agent["name"],
            agent["role"],
            links=tuple(agent.get("links") or ()),
            nodes=tuple(agent.get("nodes") or ()),
        )
        for agent in market["agents"]
        if _owns_links(agent)
    ]
    links = [(link.name, raw.plan.nodes[link.source]) for link in raw.plan.links]
    try:
        owned = zip(links, owners_of(links, carriers), strict=True)
    except Misowned:  # the class of a carrier's custom role cannot be imported here
        return None
    return {link: carriers[owner].name for (link, _), owner in owned}


def _owns_links(agent: dict[str, Any]) -> bool:
    """Return whether an agent is a carrier, judged by its keys if its role cannot be imported."""
    try:
        return preset_of(agent["role"]).owns_links
    except InputError:
        return bool(agent.get("links") or agent.get("nodes"))


def _marks_set(raw: RawRun) -> dict[str, dict[str, int]]:
    """Return the number of marks set on data packets, by source and link."""
    plan, pairs = raw.plan, raw.pairs
    if "marks" not in pairs.columns:
        return {}
    marks_by_source = {}
    for name, own in pairs[pairs["marks"] > 0].groupby(pairs["source_name"].astype(str)):
        path = {plan.links[link].name for s in plan.sources if s.name == name for link in s.path}
        data = own[own["link_name"].astype(str).isin(path)]
        if len(data):
            marks_by_source[str(name)] = dict(
                zip(data["link_name"].astype(str), data["marks"], strict=True)
            )
    return marks_by_source


def _unknown(raw: RawRun, who: str, accounts: set[str]) -> str:
    classes = {one.name for one in raw.manifest.classes}
    known = sorted(accounts | classes | {source.name for source in raw.plan.sources})
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"payments: found {who!r}, expected one of {', '.join(known[:_MOST_NAMED])}{more}"
