# SPDX-License-Identifier: Apache-2.0
"""Replaces indices with names in an engine's records for histograms, counts and classes.

The quantities `delay`, `sent`, `delivered` and `ce` belong to sources. All other quantities belong
to links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import ProtocolError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.messages import Columns, Record
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.table_writer import Taken

__all__ = ["Naming"]

_OF_SOURCES: Final = ("delay", "sent", "delivered", "ce")


class Naming:
    """Converts an engine's records to columns of Parquet tables, with names instead of indices."""

    def __init__(self, plan: Plan) -> None:
        self._links = [link.name for link in plan.links]
        self._sources = [source.name for source in plan.sources]
        self._subjects = self._links + self._sources
        self._counts = _Names(plan.record.counts, len(self._links), len(self._sources))
        histograms = plan.record.histograms
        self._histograms = _Names([h.of for h in histograms], len(self._links), len(self._sources))
        self._width = np.array([h.width for h in histograms])
        self._unit = np.array([PS_PER_S if h.of == "delay" else 1 for h in histograms])
        self._classes: list[str] = []
        first: list[int] = []
        for entry in plan.links:
            first.append(len(self._classes))
            self._classes += entry.scheduler.names if entry.scheduler else []
        self._first_class = np.array([*first, len(self._classes)], dtype=np.int64)

    def of(self, record: Record) -> dict[str, Any]:
        """Return the columns of a record, with names instead of indices.

        Raises:
            ProtocolError: out-of-range, if an index is not in the plan.
        """
        columns = record.columns
        if record.table == "histograms":
            named = self._named(self._histograms, columns)
            name = columns["name"]
            return {
                **columns,
                **named,
                "low": self._width[name] * columns["bin"] / self._unit[name],
            }
        if record.table == "counts":
            return {**columns, **self._named(self._counts, columns)}
        if record.table == "classes":
            return {**columns, **self._class_names(columns)}
        return dict(columns)

    def _named(self, names: _Names, columns: Columns) -> dict[str, Any]:
        name, subject = columns["name"], columns["subject"]
        _within("name", name, np.int64(len(names.words)))
        _within("subject", subject, names.subjects[name])
        shifted = (subject + names.shift[name]).astype(np.int64, copy=False)
        return {
            "name": Taken(names.words, name.astype(np.int64, copy=False)),
            "subject": Taken(self._subjects, shifted),
        }

    def _class_names(self, columns: Columns) -> dict[str, Any]:
        link, service = columns["link"].astype(np.int64), columns["class"].astype(np.int64)
        _within("link", link, np.int64(len(self._links)))
        _within("class", service, np.diff(self._first_class)[link])
        return {
            "link_name": Taken(self._links, link),
            "class_name": Taken(self._classes, self._first_class[link] + service),
        }


class _Names:
    """For each quantity: its name, its number of subjects and the index of its first subject."""

    def __init__(self, words: Sequence[str], links: int, sources: int) -> None:
        of_source = np.array([word in _OF_SOURCES for word in words], dtype=np.bool_)
        self.words = words
        self.subjects = np.where(of_source, sources, links)
        self.shift = np.where(of_source, links, 0)


def _within(what: str, index: npt.NDArray[Any], count: Integers | np.int64) -> None:
    wrong = (index < 0) | (index >= count)
    if wrong.any():
        raise ProtocolError("out-of-range", f"{what} = {index[int(wrong.argmax())]}")
