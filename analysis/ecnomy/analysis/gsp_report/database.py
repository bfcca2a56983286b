# SPDX-License-Identifier: Apache-2.0
"""Creates the tables for a page's queries with DuckDB, from the Parquet files of its results.

The first query (prelude), which the page shows too, creates the tables for all other queries.

    runs      a run: run (its number on the page), folder, seed, hours, k1, k2, ... (varied keys)
    sellers   a provider with a tariff or test streams in a run: run, provider
    calls     a call request to a provider: run, provider, tariff, flow, start_ps, end_ps,
              accepted, complete, sent, bad (late or lost), ce, broken (ended, promise broken)
    postings  a posting to a provider's account: run, provider, t_ps, line (its purpose), kind,
              flow, quantity, micro (positive if received, negative if paid), party (the other
              account), tariff (of its call or file, or null), start_ps (of its call, or null);
              its call is the last one that the provider sold to the flow before the posting
    deals     a call sold: run, provider, tariff, flow, start_ps, complete, micro (the sum of its
              postings: charge, reimbursement, marks)
    accounts  a provider in a run: asked, sold, blocked, ended (null in a sweep without results),
              broken, revenue_micro, refunds_micro, profit_micro, hours, seed, k1, k2, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun
from ecnomy.analysis.gsp_report.swept_terms import swept_providers
from ecnomy.analysis.gsp_report.tariffs import Tariff, Tariffs, tariffs_of
from ecnomy.analysis.pages.queries import Queries, columns_of, literal

__all__ = ["LINES", "Database", "open_database"]

# The lines of an account in the order of a statement; other kinds of postings follow.
LINES: Final = (
    *("calls", "reimbursements", "marks of calls"),
    *("files", "reimbursements of files", "marks of files"),
    *("marks of test streams", "fixed costs"),
)
_TABLES: Final = """\
create table ledger as select runs.run, t_ps, debit, credit, amount_micro, kind, flow, quantity
  from read_parquet({ledgers}, filename = 'file') as l
  join runs on l.file = runs.folder || '/ledger.parquet';
create table asked as {calls};
create table flows as select runs.run, f.flow, f.source
  from read_parquet({flows}, filename = 'file') as f
  join runs on f.file = runs.folder || '/flows.parquet';
create table calls as select c.run, o.provider, o.tariff, c.flow, c.start_ps, c.end_ps,
    {sold} as accepted, c.complete = 1 as complete, c.sent, c.late + c.lost as bad, c.ce,
    {sold} and c.complete = 1 and c.late + c.lost > o.max_delay_rate * c.sent as broken
  from asked as c join flows as f on c.run = f.run and c.flow = f.flow
  join offers as o on c.run = o.run and f.source = o.source{asked};
create table postings as with own as (
    select l.run, p.provider, l.t_ps, l.kind, l.flow, l.quantity,
      case when l.credit = p.provider then amount_micro else -amount_micro end as micro,
      case when l.credit = p.provider then l.debit else l.credit end as party,
      l.t_ps - case when l.kind = 'call' then 0 else 1 end as before_ps,
      l.kind = 'marks' and exists (from flows as f
        join streams as s on f.source = s.source and f.run = s.run
        where f.run = l.run and f.flow = l.flow and s.provider = p.provider) as of_streams,
      (select any_value(e.tariff) from flows as f join files as e on f.source = e.source
        and f.run = e.run where f.run = l.run and f.flow = l.flow and e.provider = p.provider)
        as of_files
    from ledger as l join sellers as p
      on l.run = p.run and p.provider in (l.debit, l.credit)),
  sold as (select run, provider, tariff, flow, start_ps from calls where accepted)
  select own.* exclude (before_ps, of_streams, of_files),
    case when kind = 'call' then 'calls' when kind = 'transfer' then 'files'
      when kind = 'reimbursement' and of_files is not null then 'reimbursements of files'
      when kind = 'reimbursement' then 'reimbursements'
      when of_streams then 'marks of test streams'
      when kind = 'marks' and of_files is not null then 'marks of files'
      when kind = 'marks' then 'marks of calls'
      when kind = 'fixed-cost' then 'fixed costs' else kind end as line,
    coalesce(sold.tariff, of_files) as tariff, sold.start_ps
  from own asof left join sold on own.run = sold.run and own.provider = sold.provider
    and own.flow = sold.flow and own.before_ps >= sold.start_ps;
create table deals as select c.run, c.provider, c.tariff, c.flow, c.start_ps, c.complete,
    coalesce(sum(p.micro), 0)::bigint as micro
  from calls as c left join postings as p on p.run = c.run and p.provider = c.provider
    and p.flow = c.flow and p.start_ps = c.start_ps and p.line <> 'marks of test streams'
  where c.accepted group by all;
create table accounts as select o.provider, runs.*, n.asked, n.sold, n.blocked, n.ended,
    n.broken,
    coalesce(m.revenue_micro, 0)::bigint as revenue_micro,
    coalesce(m.refunds_micro, 0)::bigint as refunds_micro,
    coalesce(m.profit_micro, 0)::bigint as profit_micro
  from runs join sellers as o using (run)
  left join (select run, provider, count(*) as asked, count(*) filter (accepted) as sold,
    count(*) filter (not accepted) as blocked, count(*) filter (accepted and complete) as ended,
    count(*) filter (broken) as broken
    from calls group by all) as n using (run, provider)
  left join (select run, provider, sum(micro) filter (line = 'calls') as revenue_micro,
    -sum(micro) filter (line = 'reimbursements') as refunds_micro, sum(micro) as profit_micro
    from postings group by all) as m using (run, provider);
"""
_SELLERS: Final = """\
create table sellers as select run, provider from offers union select run, provider from files
  union select run, provider from streams;
"""
_ALL_CALLS: Final = """\
select runs.run, c.* exclude (file)
  from read_parquet({files}, filename = 'file', union_by_name = true) as c
  join runs on c.file = runs.folder || '/calls.parquet'"""
_SWEPT: Final = """\
create table runs as select * from (values {rows}) as t({names});
create table made as select distinct on (run) * from read_parquet({shards}, union_by_name = true);
create table accounts as {selects};
"""
_OF_SWEEP: Final = """select {provider} as provider, runs.*,
    {name}.calls_asked"::bigint as asked, {name}.calls_sold"::bigint as sold,
    {name}.calls_blocked"::bigint as blocked, null::bigint as ended,
    {name}.calls_broken"::bigint as broken,
    round({name}.revenue" * 1e6)::bigint as revenue_micro,
    round({name}.reimbursed" * 1e6)::bigint as refunds_micro,
    round({name}.profit" * 1e6)::bigint as profit_micro
  from runs join made on made.run = runs.key"""


class Database(Queries):
    """The tables for a page on a business."""

    def __init__(self, material: Material, prelude: str, tariffs: dict[int, Tariffs]) -> None:
        """Create the tables; `tariffs` maps the number of each run to its tariffs."""
        self._tariffs = tariffs
        super().__init__(material.folder, prelude)

    def tariffs(self, provider: str, runs: Sequence[ReportRun]) -> tuple[Tariff, ...]:
        """Return a provider's tariffs in runs of one case; () if it does not sell calls.

        If the results were not kept, tariffs contain only names, prices, refunds, and whether
        refunds are tied.
        """
        return self._tariffs.get(runs[0].number, {}).get(provider, ())


def open_database(material: Material) -> Database:
    """Create the tables for a report.

    Raises:
        InputError: DuckDB is not installed.
        ResultsError: a table of a run is missing or unreadable.
    """
    if not material.kept:
        return Database(
            material, _prelude_of_sweep(material), tariffs_of(swept_providers(material))
        )
    providers = {made.number: material.providers_in(made) for made in material.made}
    tariffs = tariffs_of(providers)
    offers: list[tuple[Any, ...]] = []
    streams: list[tuple[Any, ...]] = []
    files: list[tuple[Any, ...]] = []
    for made in material.made:
        for provider in providers[made.number]:
            offers += [
                _offer(made, provider.name, tariff, source)
                for tariff in tariffs[made.number][provider.name]
                for source in tariff.sources
            ]
            streams += [(made.number, provider.name, s) for s in provider.stream_sources]
            files += [
                (made.number, provider.name, name, source)
                for name, sources in provider.file_sources.items()
                for source in sources
            ]
    prelude = _values("runs", _names(material, "folder"), [_run(m, m.label) for m in material.made])
    prelude += _values("offers", _OFFER, offers) + _values("streams", _STREAM, streams)
    prelude += _values("files", _FILES, files) + _SELLERS
    sold, requested = _sold(material)
    prelude += _TABLES.format(
        ledgers=_files(material.made, "ledger"),
        calls=_all_calls(material),
        flows=_files(material.made, "flows"),
        sold=sold,
        asked=requested,
    )
    return Database(material, prelude, tariffs)


_OFFER: Final = ("run", "provider", "tariff", "number", "source", "max_delay_rate")
_STREAM: Final = ("run", "provider", "source")
_CALL_NAMES: Final = (
    *("flow", "start_ps", "end_ps", "complete", "sent", "late", "lost", "ce"),
    *("tariff", "refused_by"),
)
_TYPES: Final = {"run": "bigint", "number": "bigint", "max_delay_rate": "double"}
_FILES: Final = ("run", "provider", "tariff", "source")


def _offer(made: ReportRun, provider: str, tariff: Tariff, source: str) -> tuple[Any, ...]:
    return (made.number, provider, tariff.name, tariff.index, source, tariff.max_delay_rate)


def _all_calls(material: Material) -> str:
    """Return SQL for the rows of the runs' tables `calls`, or for no rows if none exist."""
    made = [one for one in material.made if one.run and one.run.plan.record.calls]
    if made:
        return _ALL_CALLS.format(files=_files(made, "calls"))
    columns = ", ".join(f"null::bigint as {name}" for name in ("run", *_CALL_NAMES))
    return f"select {columns} where false"


def _sold(material: Material) -> tuple[str, str]:
    """Return SQL conditions: an offer sold the call; the offer's provider received the request.

    A provider receives the requests for all calls that it sells or refuses. Tables from versions of
    ecnomy with a single tariff lack this information.
    """
    names = [
        columns_of(str(made.run.file("calls")))
        for made in material.made
        if made.run and made.run.plan.record.calls
    ]
    if not all("refused_by" in each for each in names):
        return "c.accepted = 1", ""
    refused = "(c.refused_by >> o.number) & 1 = 1"
    return "c.tariff = o.number", f"\n    and (c.tariff = o.number or {refused})"


def _run(made: ReportRun, where: str) -> tuple[Any, ...]:
    return (made.number, where, made.seed, made.seconds / 3600, *made.case)


def _names(material: Material, where: str) -> tuple[str, ...]:
    return ("run", where, "seed", "hours", *(f"k{i}" for i in range(1, len(material.keys) + 1)))


def _prelude_of_sweep(material: Material) -> str:
    rows = [_run(made, str(made.row["run"])) for made in material.made]
    quoted = {name: '"' + name.replace('"', '""') for name in material.providers}
    selects = [_OF_SWEEP.format(provider=literal(n), name="made." + q) for n, q in quoted.items()]
    listed = literal(f"{material.folder}/shards/*.parquet")
    values = ",\n  ".join(_row(row) for row in rows)
    names = ", ".join(_names(material, "key"))
    return _SWEPT.format(
        rows=values, names=names, shards=listed, selects="\nunion all\n".join(selects)
    )


def _files(runs: Sequence[ReportRun], table: str) -> str:
    for made in runs:
        if made.run is not None:
            made.run.file(table)
    return "[" + ", ".join(literal(f"{made.label}/{table}.parquet") for made in runs) + "]"


def _values(table: str, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    if not rows:
        columns = ", ".join(f"null::{_TYPES.get(n, 'varchar')} as {n}" for n in names)
        return f"create table {table} as select {columns} where false;\n"
    values = ",\n  ".join(_row(row) for row in rows)
    return f"create table {table} as select * from (values\n  {values}) as t({', '.join(names)});\n"


def _row(row: tuple[Any, ...]) -> str:
    return "(" + ", ".join(literal(value) for value in row) + ")"
