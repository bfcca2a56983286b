# SPDX-License-Identifier: Apache-2.0
"""Creates the tables that a run's page queries, with DuckDB, from the run's Parquet files.

payments   a posting of the ledger: t_ps, phase (its number in `phases`), payer, payee, kind,
           source (whose flow it concerns, or ''), quantity, price_micro, amount_micro
phases     phase, label, to_ps; a posting at t belongs to the first phase with t <= to_ps
marked     marks that links set: source, link, packets (of the source, at the link), marks,
           lost (with packets dropped later), underway (on packets that have not arrived);
           the source `others` covers packets without a source
accounts   balances from the manifest: account, micro
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ecnomy.analysis.pages.queries import Queries, literal
from ecnomy.analysis.run.phases import Phase, phases_of
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["OTHERS", "WARM_UP", "RunDatabase", "open_run_database", "periods_of"]

WARM_UP: Final = "warm-up"
OTHERS: Final = "others"
_PAYMENTS: Final = """\
create table payments as select l.t_ps,
    (select min(phase) from phases as p where l.t_ps <= p.to_ps) as phase,
    l.debit::varchar as payer, l.credit::varchar as payee, l.kind::varchar as kind,
    coalesce(f.source, '') as source, l.quantity, l.price_micro, l.amount_micro
  from read_parquet({ledger}) as l left join read_parquet({flows}) as f on l.flow = f.flow;
"""
_NO_PAYMENTS: Final = """\
create table payments (t_ps bigint, phase bigint, payer varchar, payee varchar, kind varchar,
  source varchar, quantity bigint, price_micro bigint, amount_micro bigint);
"""
_MARKED: Final = """\
create table marked as select source_name as source, link_name as link,
    sum(arrivals)::bigint as packets, sum(marks)::bigint as marks,
    sum(ce_dropped)::bigint as lost, sum(ce_in_flight)::bigint as underway
  from read_parquet({pairs}, file_row_number = true) where file_row_number not in ({acks})
  group by all having sum(marks) > 0
  union all by name
  select '{others}' as source, l.name::varchar as link,
    (e.packets - p.packets)::bigint as packets, (e.marks - p.marks)::bigint as marks,
    (e.lost - p.lost)::bigint as lost, 0::bigint as underway
  from read_parquet({links}) as l join (
    select link, max(arrivals) as packets, max(marks) as marks, max(ce_dropped) as lost
    from read_parquet({link_epochs}) group by all) as e using (link) join (
    select link_name, sum(arrivals) as packets, sum(marks) as marks, sum(ce_dropped) as lost
    from read_parquet({pairs}) group by all) as p on l.name = p.link_name
  where e.marks > p.marks;
"""
_NO_MARKS: Final = """\
create table marked (source varchar, link varchar, packets bigint, marks bigint, lost bigint,
  underway bigint);
"""
_FILES: Final = ("ledger", "flows", "pairs", "links", "link_epochs")
_PAIRS: Final = ("source_name", "link_name", "arrivals", "marks", "ce_dropped", "ce_in_flight")


class RunDatabase(Queries):
    """The tables for a page on a run.

    Attributes:
        run: the run that the page is about.
        periods: the warm-up and the phases, for which money is reported.
    """

    def __init__(self, run: RawRun, prelude: str, periods: tuple[Phase, ...]) -> None:
        self.run, self.periods = run, periods
        super().__init__(run.path, prelude)


def periods_of(run: RawRun) -> tuple[Phase, ...]:
    """Return the warm-up (if any) and the phases of a run.

    Each posting belongs to one of these periods.
    """
    t_ps = run.flow_epochs["t_ps"].to_numpy(dtype=np.int64)
    reached = int(t_ps.max(initial=0))
    if not run.ledger.empty:
        reached = max(reached, int(run.ledger["t_ps"].max()))
    phases = phases_of(run.plan, reached)
    warm = min(run.plan.warmup_ps, reached)
    first = (Phase(0, WARM_UP, 0, warm, 0),) if warm > 0 else ()
    return (*first, *(phase for phase in phases if phase.to_ps > phase.from_ps))


def open_run_database(run: RawRun) -> RunDatabase:
    """Create the tables for the page on a run.

    Raises:
        InputError: DuckDB is not installed.
        ResultsError: a table of the run is missing or unreadable.
    """
    periods = periods_of(run)
    rows = [(i, phase.label, phase.to_ps) for i, phase in enumerate(periods)]
    if rows:  # calls at the very end of a run are posted after the last report
        rows[-1] = (*rows[-1][:2], 2**63 - 1)
    prelude = _table("phases", ("phase", "label", "to_ps"), rows or [(0, "", 2**63 - 1)])
    balances = run.manifest.balances_micro or {}
    prelude += _table("accounts", ("account", "micro"), list(balances.items()) or [("", 0)])
    path = {name: literal(str(run.file(name))) for name in _FILES}
    prelude += _NO_PAYMENTS if run.ledger.empty else _PAYMENTS.format(**path)
    if set(_PAIRS) <= set(run.pairs.columns) and len(run.pairs):
        prelude += _MARKED.format(
            **{name: path[name] for name in ("pairs", "links", "link_epochs")},
            acks=_acks(run),
            others=OTHERS,
        )
    else:
        prelude += _NO_MARKS
    return RunDatabase(run, prelude, periods)


def _acks(run: RawRun) -> str:
    """Return, as text, the row numbers in `pairs` of marks on ACKs, which are free, or "-1"."""
    on_data = [
        way for s in run.plan.sources for way in (True,) * len(s.path) + (False,) * len(s.ack_path)
    ]
    marks = run.pairs["marks"].to_numpy()
    numbers = [i for i, data in enumerate(on_data) if not data and marks[i]]
    return ", ".join(map(str, numbers)) or "-1"


def _table(name: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    values = ",\n  ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
    return (
        f"create table {name} as select * from (values\n  {values}) as t({', '.join(columns)});\n"
    )
