# SPDX-License-Identifier: Apache-2.0
"""Check the rows, indices and ranges in messages against a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ecnomy.agents.errors import ProtocolError
from ecnomy.agents.observation import Truths
from ecnomy.markets.bridge import columns as tables
from ecnomy.markets.bridge.messages import Column, Columns, Decide, Record, Report, Request

__all__ = [
    "PlanSizes",
    "ReportTimes",
    "check_counts",
    "check_decide",
    "check_finite",
    "check_names",
    "check_record",
    "check_report",
    "check_request",
]


@dataclass(frozen=True)
class PlanSizes:
    """The sizes of a plan, against which messages are checked.

    Attributes:
        n_flows: total number of rows of flows.
        n_links: number of links.
        n_pairs: number of rows of `report.pairs`.
        n_sources: number of sources; -1 if unknown.
        late: number of delay thresholds.
        params: number of parameters of each link's law; () leaves this check to the engine.
    """

    n_flows: int
    n_links: int
    n_pairs: int
    late: int = 0
    params: tuple[int, ...] = ()
    n_sources: int = -1


@dataclass(frozen=True)
class ReportTimes:
    """The times of reports: 0, multiples of the epoch, the ends of the warm-up and of the run."""

    epoch_ps: int
    warmup_ps: int
    duration_ps: int

    def after(self, t_ps: int) -> int | None:
        """Return the time of the next report after `t_ps`, or None after the last report."""
        if t_ps >= self.duration_ps:
            return None
        due = min((t_ps // self.epoch_ps + 1) * self.epoch_ps, self.duration_ps)
        return min(due, self.warmup_ps) if self.warmup_ps > t_ps else due


_TRACE_EVENTS: Final = 6


def check_names(
    where: str, data: Mapping[str, object], table: tables.Table, *, newer: bool = False
) -> None:
    """Check that all columns of the table are present and, unless `newer`, that no others are.

    Raises:
        ProtocolError: column-name.
    """
    if not newer and data.keys() == table.keys():
        return
    for name in table:
        if name not in data:
            raise ProtocolError("column-name", f"{where}.{name} is missing")
    for name in data:
        if name not in table and not newer:
            raise ProtocolError("column-name", f"{where} has the unknown column {name[:60]!r}")


def check_finite(where: str, data: Columns) -> None:
    """Check that no float column contains NaN or infinity.

    Raises:
        ProtocolError: not-finite.
    """
    for name, values in data.items():
        if values.dtype == tables.FLOAT and not np.isfinite(values).all():
            _refuse("not-finite", f"{where}.{name}", values, ~np.isfinite(values))


def check_counts(where: str, data: Columns) -> None:
    """Check that no column contains a negative number.

    Raises:
        ProtocolError: out-of-range.
    """
    for name, values in data.items():
        _where("out-of-range", f"{where}.{name}", values, lambda v: v < 0)


def check_table(where: str, data: Columns, table: tables.Table) -> None:
    """Check column names, dtypes, equal lengths and finite floats.

    Raises:
        ProtocolError: column-name, wrong-type, column-length, not-finite.
    """
    check_names(where, data, table)
    length: int | None = None
    for name, dtype in table.items():
        values = data[name]
        if values.dtype != dtype or values.ndim != 1:
            raise ProtocolError("wrong-type", f"{where}.{name} is {values.dtype}, not {dtype}")
        length = len(values) if length is None else length
        if len(values) != length:
            raise ProtocolError(
                "column-length", f"{where}.{name} has {len(values)} rows, expected {length}"
            )
    check_finite(where, data)


def check_report(report: Report, limits: PlanSizes) -> None:
    """Check the indices and probabilities in a report. Other checks are part of decoding.

    Raises:
        ProtocolError: unknown-link, out-of-range.
    """
    probability = report.links["probability"]
    _where("out-of-range", "links.probability", probability, lambda v: v > 1)
    _known("unknown-link", "pairs.link", report.pairs["link"], limits.n_links)
    most = limits.n_sources if limits.n_sources >= 0 else np.iinfo(np.int64).max
    source = report.pairs["source"]
    _where("out-of-range", "pairs.source", source, lambda v: (v < 0) | (v >= most))


def check_request(request: Request, limits: PlanSizes) -> None:
    """Raise ProtocolError unknown-flow or out-of-range for an invalid request."""
    if not 0 <= request.flow < limits.n_flows:
        fault = f"request.flow = {request.flow}, expected 0 to {limits.n_flows - 1}"
        raise ProtocolError("unknown-flow", fault)
    if request.duration_ps < 0:
        fault = f"request.duration_ps = {request.duration_ps}, expected 0 ps or more"
        raise ProtocolError("out-of-range", fault)


def check_record(record: Record, limits: PlanSizes) -> None:
    """Check the indices and codes in a record.

    Raises:
        ProtocolError: unknown-flow, unknown-link, out-of-range.
    """
    data = record.columns
    if "flow" in data:
        _known("unknown-flow", f"{record.table}.flow", data["flow"], limits.n_flows)
    if record.table == "classes":
        _known("unknown-link", "classes.link", data["link"], limits.n_links)
        _where("out-of-range", "classes.class", data["class"], lambda v: v < 0)
    if record.table == "trace":
        _known("unknown-link", "trace.link", data["link"], limits.n_links, low=-1)
        _known("out-of-range", "trace.event", data["event"], _TRACE_EVENTS)
        _known("out-of-range", "trace.ce", data["ce"], 2)


def check_decide(decide: Decide, limits: PlanSizes) -> None:
    """Check a decision by the rules that engines apply.

    Raises:
        ProtocolError: column-name, wrong-type, column-length, not-finite, unknown-flow,
            unknown-link, out-of-range (also if a flow occurs twice).
    """
    if decide.flows:
        check_table("flows", decide.flows, tables.decide_flows(decide.flows))
        _check_flows(decide.flows, limits)
    if decide.links:
        check_table("links", decide.links, tables.DECIDE_LINKS)
        _check_links(decide.links, limits)


def _check_flows(flows: Columns, limits: PlanSizes) -> None:
    flow = flows["flow"]
    _known("unknown-flow", "flows.flow", flow, limits.n_flows)
    times = np.bincount(flow, minlength=1)
    if len(flow) and times.max() > 1:
        raise ProtocolError("out-of-range", f"flow {int(times.argmax())} has two decisions")
    for name in ("mark_rate", "rate_cap_bps", "weight"):
        if name not in flows:
            continue
        _where("out-of-range", f"flows.{name}", flows[name], lambda v: (v < 0) & (v != -1))
    _where("out-of-range", "flows.mark_cap", flows["mark_cap"], lambda v: v < -1)
    _known("out-of-range", "flows.active", flows["active"], 2)


def _check_links(links: Columns, limits: PlanSizes) -> None:
    link, param = links["link"], links["param"]
    _known("unknown-link", "links.link", link, limits.n_links)
    _where("out-of-range", "links.param", param, lambda v: v < 0)
    if limits.params:
        most = np.asarray(limits.params, dtype=np.int64)[link]
        _where("out-of-range", "links.param", param, lambda v: v >= most)


def _known(name: str, where: str, values: Column, count: int, low: int = 0) -> None:
    if len(values) and (values.min() < low or values.max() >= count):
        wrong = (values < low) | (values >= count)
        _refuse(name, where, values, wrong, f", expected {low} to {count - 1}")


def _where(name: str, where: str, values: Column, bad: Callable[[Column], Truths]) -> None:
    wrong = bad(values)
    if wrong.any():
        _refuse(name, where, values, wrong)


def _refuse(name: str, where: str, values: Column, wrong: Truths, after: str = "") -> None:
    row = int(wrong.argmax())
    raise ProtocolError(name, f"{where}[{row}] = {values[row]}{after}")
