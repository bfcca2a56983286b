# SPDX-License-Identifier: Apache-2.0
"""Writes a results folder, format 1.

    manifest.json   inputs, state and digests of the tables
    *.parquet       the tables (columns.py, table_writer.py)
    machine.json    place, time and speed of the run
    log.txt         messages
    omnet/          inputs, log and result files of a run on OMNeT++

Only the manifest and the tables identify the run. The manifest states `complete: false` from the
start and is replaced when the run has ended, so a killed run can be recognised. Tables and JSON
files get their final names only when they are complete. The final manifest is written after all
other files, and holds the digests of the tables (see ecnomy.markets.support.intact). The log is
locked while a run writes to the folder.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec
import numpy as np

from ecnomy.agents.errors import EcnomyError, FolderTakenError, InputError
from ecnomy.markets.bridge.messages import Record, Report
from ecnomy.markets.economy.ledger import Postings
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.omnet.export import FOLDER, WRITTEN
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.columns import ALL_TABLES, schemas
from ecnomy.markets.results.flows_and_links import Measuring
from ecnomy.markets.results.manifest import FORMAT, MANIFEST, SWEEP
from ecnomy.markets.results.record_names import Naming
from ecnomy.markets.results.table_writer import TableWriter, Taken
from ecnomy.markets.support.intact import sealed, sync_file, write_synced
from ecnomy.markets.support.locking import locked
from ecnomy.markets.support.printable import say

__all__ = ["UNFINISHED", "ResultsWriter", "claim", "ended_by", "manifest_head"]

UNFINISHED: Final = "the run has not ended: it is still running or was killed"
_LOG: Final = "log.txt"


def claim(folder: Path, *, force: bool = False, same: Mapping[str, Any] | None = None) -> TextIO:
    """Claim `folder` for writing and return its locked log.

    Only files of the replaced run are removed.

    Args:
        folder: folder for the results.
        force: whether to replace any complete run, and to accept a folder with other files.
        same: manifest values that identify complete runs to replace. Its key `by_hand` states
            whether to replace even a run in which a user set values. None protects complete runs
            unless `force` is true.

    Raises:
        InputError: the folder is a file, another run is writing to it, it holds a sweep, or it
            holds anything except an incomplete run of ecnomy or a run that `same` identifies,
            unless `force` is true.
    """

    def judge() -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: found a file, expected a folder")
        if (folder / SWEEP).exists():
            raise InputError(f"{folder}: found a sweep; choose another folder for the run")
        if not force and not _empty(folder) and not _ours(folder, same):
            raise FolderTakenError(folder)

    log = locked(
        folder / _LOG,
        judge,
        f"{folder}: another run is writing to it; close that run, or choose another folder",
    )
    log.truncate(0)
    if (folder / MANIFEST).exists():  # a power loss could otherwise restore it beside new tables
        (folder / MANIFEST).unlink()
        sync_file(folder)
    for name in ALL_TABLES:
        for suffix in (".parquet", ".parquet.tmp"):
            (folder / (name + suffix)).unlink(missing_ok=True)
    for name in ("machine.json", *(f"{FOLDER}/{file}" for file in WRITTEN)):
        (folder / name).unlink(missing_ok=True)
    return log


def ended_by(error: BaseException) -> str:
    """Return the reason that the manifest of a run states if this error ended the run."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, SystemExit):
        return "terminated"
    text = " ".join(str(error).split())
    return text if isinstance(error, EcnomyError) else f"{type(error).__name__}: {text}"


def manifest_head(plan: Plan, scenario: dict[str, Any]) -> dict[str, Any]:
    """Return the initial content of a run's manifest. `scenario` consists of plain values."""
    return {
        "format": FORMAT,
        "title": plan.title,
        "scenario": scenario,
        "plan": msgspec.to_builtins(plan),
        "plan_digest": plan.digest,
        "seed": plan.seed,
        "versions": {"ecnomy": _version()},
    }


class ResultsWriter:
    """Writes the output of a run to a folder, message by message."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        scenario: dict[str, Any],
        *,
        force: bool = False,
        again: str = "",
        by_hand: bool = False,
        market: bool = True,
        synced: bool = True,
    ) -> None:
        """Claim the folder and open its tables.

        Args:
            folder: folder for the results.
            plan: plan of the run.
            scenario: the scenario as plain values, for the manifest.
            force: whether to replace any complete run.
            again: name of an engine. A complete run of the same scenario, seed and version on this
                engine is replaced. "" protects such a run.
            by_hand: whether that run is replaced even if a user set values in it.
            market: whether that run has a market.
            synced: whether to sync files; False if the results need not outlive the process.

        Raises:
            InputError: the folder cannot be claimed (see claim).
            OSError: the folder cannot be written.
        """
        self.folder, self._synced = folder, synced
        self._plan, self._measuring, self._naming = plan, Measuring(plan), Naming(plan)
        self._head = manifest_head(plan, scenario)
        self._log = claim(folder, force=force, same=self._same(again, by_hand, market))
        try:
            self._write_manifest(complete=False, reason=UNFINISHED)
            self._tables = {n: TableWriter(folder, n, s) for n, s in schemas(plan).items()}
        except BaseException as error:
            self._write_manifest(complete=False, reason=ended_by(error))
            raise

    def _same(self, engine: str, by_hand: bool, market: bool) -> dict[str, Any] | None:
        """Return the manifest values of an equal run, read from JSON, or None without an engine."""
        if not engine:
            return None
        versions = {**self._head["versions"], "engine": engine}
        ending = {"balances_micro": market, "by_hand": by_hand}
        head = {**self._head, "versions": versions, **ending}
        return msgspec.json.decode(msgspec.json.encode(head), type=dict[str, Any])

    def log(self, line: str) -> None:
        """Add a line to the log."""
        say(line, self._log)

    def engine(self, name: str, version: str) -> None:
        """Record the name and version of the engine."""
        self._head["versions"]["engine"] = f"{name} {version}"

    def other_network(self, differing: list[str]) -> None:
        """Record the differences between the network of this plan and that of the scenario."""
        self._head["network_differs"] = differing
        self._write_manifest(complete=False, reason=UNFINISHED)
        for line in differing:
            self.log(f"warning: {line}")

    def report(self, report: Report, market: MarketLike) -> None:
        """Store a report, and the state of the market after the answer to it."""
        self._measuring.report(report, market)
        flows, links = len(market.offer), len(self._plan.links)
        flow_epochs = {
            **report.flows,
            "t_ps": np.full(flows, report.t_ps, dtype=np.int64),
            "flow": np.arange(flows, dtype=np.int64),
            "class_index": market.offer.copy(),
            "fee_micro": market.fee_micro,
            "mark_charge_micro": market.charge_micro,
        }
        link_epochs = {
            **report.links,
            "t_ps": np.full(links, report.t_ps, dtype=np.int64),
            "link": np.arange(links, dtype=np.int64),
        }
        self._tables["flow_epochs"].write(flow_epochs)
        self._tables["link_epochs"].write(link_epochs)
        self._take(market)

    def record(self, record: Record) -> None:
        """Store the rows of a table that the plan requests, and ignore other tables.

        Raises:
            ProtocolError: out-of-range, if an index is not in the plan.
        """
        if record.table in self._tables:
            self._tables[record.table].write(self._naming.of(record))

    def finish(
        self, market: MarketLike, machine: dict[str, Any], *, reason: str | None = None
    ) -> dict[str, Any]:
        """Close all tables and record the end of the run.

        Args:
            market: the market at the end.
            machine: content of machine.json.
            reason: why the run is incomplete; None for a complete run.

        Returns:
            The columns of the table `flows`.
        """
        self._take(market)
        measured = self._measuring.tables(market)
        for name, rows in measured.items():
            self._tables[name].write(rows)
        digests = {name: t.close(synced=self._synced) for name, t in self._tables.items()}
        self._head |= {**self._measuring.ending(market), "tables": digests}
        _replace(self.folder / "machine.json", sealed(machine), synced=self._synced)
        self._sync_folder()
        self._write_manifest(complete=reason is None, reason=reason, synced=self._synced)
        self._sync_folder()
        return measured["flows"]

    def close(self) -> None:
        """Close the log, which unlocks the folder."""
        self._log.close()

    def _take(self, market: MarketLike) -> None:
        for rows in market.ledger.take():
            self._tables["ledger"].write(_ledger_columns(rows, market.ledger.names))
        for entry in market.journal.take():
            count = len(entry.flow)
            self._tables["agents"].write(
                {
                    "t_ps": np.full(count, entry.t_ps, dtype=np.int64),
                    "agent": [entry.agent] * count,
                    "flow": entry.flow,
                    "name": [entry.name] * count,
                    "value": entry.value,
                }
            )

    def _write_manifest(self, *, complete: bool, reason: str | None, synced: bool = False) -> None:
        manifest = {**self._head, "complete": complete, "reason": reason}
        _replace(self.folder / MANIFEST, sealed(manifest), synced=synced)

    def _sync_folder(self) -> None:
        if self._synced:
            sync_file(self.folder)


def _ledger_columns(rows: Postings, names: Any) -> dict[str, Any]:
    count = len(rows.debit)
    return {
        "t_ps": np.broadcast_to(np.asarray(rows.t_ps, dtype=np.int64), count),
        "debit": Taken(names, rows.debit),
        "credit": Taken(names, rows.credit),
        "amount_micro": rows.amount_micro,
        "kind": [rows.kind] * count,
        "flow": rows.flow,
        "quantity": rows.quantity,
        "price_micro": rows.price_micro,
    }


def _empty(folder: Path) -> bool:
    """Return whether a folder is missing or holds at most an empty log, such as this run's lock."""
    if not folder.is_dir():
        return True
    return all(file.name == _LOG and file.stat().st_size == 0 for file in folder.iterdir())


def _ours(folder: Path, same: Mapping[str, Any] | None) -> bool:
    """Return whether a folder holds an incomplete run of ecnomy, or a run that matches `same`."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return False
    if "plan_digest" not in manifest:
        return False
    if manifest.get("complete") is False:
        return True
    if same is None or (manifest.get("by_hand") and not same["by_hand"]):
        return False
    return _identity(manifest) == _identity(same)


def _identity(manifest: Mapping[str, Any]) -> list[Any]:
    """Return the values by which equal runs are recognised: inputs, version, engine and market."""
    inputs = [manifest.get(key) for key in ("title", "scenario", "plan_digest", "seed")]
    versions = manifest.get("versions") or {}
    engine = str(versions.get("engine", "")).partition(" ")[0]
    market = bool(manifest.get("balances_micro"))
    return [*inputs, versions.get("ecnomy"), engine, market]


def _replace(file: Path, text: bytes, *, synced: bool = False) -> None:
    write_synced(file, msgspec.json.format(text, indent=2) + b"\n", synced=synced)


def _version() -> str:
    try:
        return importlib.metadata.version("ecnomy")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
