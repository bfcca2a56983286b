# SPDX-License-Identifier: Apache-2.0
"""The tables `histograms`, `counts` and `classes`: an engine's rows, its indices turned into names.

Delays and what is sent or delivered are a source's, queues and what arrives, is marked or dropped a
link's.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge.messages import Columns, Record
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.tables import taken_names

__all__ = ["with_names"]

_PS_PER_S: Final = 10**12
_OF_SOURCES: Final = ("delay", "sent", "delivered", "ce")


def with_names(plan: Plan, record: Record) -> dict[str, Any]:
    """The columns of a record as its Parquet table has them.

    Raises:
        ProtocolError: out-of-range, an index that the plan does not have.
    """
    if record.table == "histograms":
        return _histograms(plan, record.columns)
    if record.table == "counts":
        return {**record.columns, **_named(plan, plan.record.counts, record.columns)}
    if record.table == "classes":
        return {**record.columns, **_class_names(plan, record.columns)}
    return dict(record.columns)


def _class_names(plan: Plan, columns: Columns) -> dict[str, Any]:
    names: list[str] = []
    first: list[int] = []
    for entry in plan.links:
        first.append(len(names))
        names += entry.scheduler.names if entry.scheduler else []
    beginnings = np.array([*first, len(names)], dtype=np.int64)
    link, service = columns["link"].astype(np.int64), columns["class"].astype(np.int64)
    _within("link", link, np.int64(len(first)))
    _within("class", service, np.diff(beginnings)[link])
    return {
        "link_name": taken_names([entry.name for entry in plan.links], link),
        "class_name": taken_names(names, beginnings[link] + service),
    }


def _histograms(plan: Plan, columns: Columns) -> dict[str, Any]:
    asked = plan.record.histograms
    named = _named(plan, [histogram.of for histogram in asked], columns)
    width = np.array([h.width for h in asked])[columns["name"]]
    unit = np.array([_PS_PER_S if h.of == "delay" else 1 for h in asked])[columns["name"]]
    return {**columns, **named, "low": width * columns["bin"] / unit}


def _named(plan: Plan, names: list[str], columns: Columns) -> dict[str, Any]:
    """The columns `name` and `subject` in words."""
    links = [link.name for link in plan.links]
    sources = [source.name for source in plan.sources]
    name, subject = columns["name"], columns["subject"]
    _within("name", name, np.int64(len(names)))
    of_source = np.array([n in _OF_SOURCES for n in names])[name]
    _within("subject", subject, np.where(of_source, len(sources), len(links)))
    shifted = np.where(of_source, subject + len(links), subject)
    return {
        "name": taken_names(names, name.astype(np.int64)),
        "subject": taken_names(links + sources, shifted.astype(np.int64)),
    }


def _within(what: str, index: npt.NDArray[Any], count: npt.NDArray[np.int64] | np.int64) -> None:
    wrong = (index < 0) | (index >= count)
    if wrong.any():
        raise ProtocolError("out-of-range", f"{what} = {index[int(wrong.argmax())]}")
