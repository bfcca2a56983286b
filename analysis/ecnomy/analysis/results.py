# SPDX-License-Identifier: Apache-2.0
"""Opening a results folder (format 1): manifest.json and its Parquet tables, read on first use.

Times are integer picoseconds of simulated time, money is integer micro-units, as written.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.plan import PLAN_VERSION, Plan
from ecnomy.markets.results.runtables import RunTables

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMAT", "Manifest", "Measured", "Run", "open_run"]

FORMAT: Final = 1

_EMPTY_COLUMNS: Final[dict[str, list[str]]] = {
    "ledger": [
        "t_ps",
        "debit",
        "credit",
        "amount_micro",
        "kind",
        "flow",
        "quantity",
        "price_micro",
    ],
    "agents": ["t_ps", "agent", "flow", "name", "value"],
    "series": ["t_ps", "name", "subject", "value"],
    "transfers": [
        "flow",
        "number",
        "start_ps",
        "end_ps",
        "bytes",
        "retransmitted",
        "ece",
        "complete",
    ],  # fmt: skip
    "histograms": ["name", "subject", "bin", "low", "count"],
    "counts": ["t_ps", "name", "subject", "count"],
    "classes": ["t_ps", "link", "class", "link_name", "class_name"],
    "calls": [
        "id",
        "flow",
        "user",
        "start_ps",
        "end_ps",
        "accepted",
        "complete",
        "sent",
        "delivered",
        "late",
        "ce",
        "lost",
        "delay_sum_ps",
        "charge_micro",
        "reimbursement_micro",
    ],
    "flows": ["flow", "name", "source", "class"],
    "links": ["link", "name"],
    "pairs": ["source", "link"],
}


class Measured(msgspec.Struct, frozen=True):
    """The window the summary columns cover: [from_ps, to_ps]."""

    from_ps: int
    to_ps: int


class Manifest(msgspec.Struct, frozen=True):
    """manifest.json. Keys of a later minor addition are ignored."""

    format: int
    complete: bool
    title: str
    plan: Plan
    plan_digest: str
    seed: int
    measured: Measured | None = None
    reason: str | None = None
    scenario: Any = None
    balances_micro: dict[str, int] | None = None
    versions: dict[str, Any] = {}


class _Header(msgspec.Struct, frozen=True):
    """What is read first: the rest is only understood when the format is ours."""

    format: int


class Run(RunTables):
    """One run's results; tables are pandas frames, read when first asked for.

    Attributes:
        path: the results folder.
        manifest: its manifest.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @property
    def plan(self) -> Plan:
        """The plan the engine was given."""
        return self.manifest.plan

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self.manifest.title

    @property
    def note(self) -> str | None:
        """One line on what is missing of a partial run, None for a complete one."""
        if self.manifest.complete:
            return None
        return f"partial results: {self.manifest.reason or 'the run did not finish'}"

    @property
    def measured(self) -> Measured:
        """The measured window; where a partial run states none, warm-up to duration."""
        if self.manifest.measured is not None:
            return self.manifest.measured
        return Measured(self.plan.warmup_ps, self.plan.duration_ps)

    def table(self, name: str) -> pd.DataFrame:
        """Read `<name>.parquet` anew.

        Raises:
            ResultsError: the table is unreadable, or missing where a run must have it. Tables
                that a run may do without (no market, nothing to record) and those a partial
                run never got to come back empty.
        """
        import pandas as pd

        file = self.path / f"{name}.parquet"
        if not file.is_file():
            if name in _EMPTY_COLUMNS:
                return pd.DataFrame(columns=_EMPTY_COLUMNS[name])
            note = f" ({self.note})" if self.note else ""
            raise ResultsError(f"{self.path}: {file.name} is missing{note}")
        try:
            return pd.read_parquet(file)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise ResultsError(f"{file}: not a readable Parquet file ({reason})") from error


def open_run(path: str | Path) -> Run:
    """Open the results folder of a run; a partial one opens too (see `Run.note`).

    Raises:
        ResultsError: there is no such folder, it holds no results, or another format.
    """
    folder = Path(path)
    if not folder.exists():
        raise ResultsError(f"{folder}: no such results folder")
    file = folder / "manifest.json"
    if not folder.is_dir() or not file.is_file():
        raise ResultsError(f"{folder}: not a results folder (it has no manifest.json)")
    raw = file.read_bytes()
    try:
        found = msgspec.json.decode(raw, type=_Header).format
        if found != FORMAT:
            raise ResultsError(
                f"{file}: results format {found}, this version of ecnomy reads format {FORMAT}"
            )
        manifest = msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError as error:
        raise ResultsError(f"{file}: not a results manifest ({error})") from error
    if manifest.plan.plan != PLAN_VERSION:
        raise ResultsError(
            f"{file}: plan version {manifest.plan.plan}, this version reads {PLAN_VERSION}"
        )
    return Run(folder, manifest)
