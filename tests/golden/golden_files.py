# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of this version of ecnomy, once, before it is released.

    python tests/golden/golden_files.py

The folder of the version (tests/golden/0.1.0) already holds the users' YAML files. From these
ecnomy writes `run` and `plain` (results folders), `sweep` (a sweep's folder with a shard and a
loose record), `tune` (a search's folder), plan.json, and expected.json (the files' contents as read
by pyarrow and json, without ecnomy's readers). Files of a released version never change.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ecnomy.analysis.tune.run_search import tuned
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import load
from ecnomy.markets.session.runner import run
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.executors import ExecutorPool
from ecnomy.markets.sweep.making import _Silent, run_sweep
from ecnomy.markets.sweep.store import Store

HERE: Final = Path(__file__).parent
CHANGELOG: Final = HERE.parents[1] / "CHANGELOG.md"
WRITTEN: Final = ("run", "plain", "sweep", "tune")
SCENARIOS: Final = ("keys.yaml", "market.yaml", "link.yaml")
PRICE: Final = "market.agents.isp.price_per_mark"
PLAIN: Final = ("duration=2 s", "warmup=500 ms", "record.trace=true")  # changes to base.yaml


def folder_of(name: str, changelog: str) -> Path:
    """The folder of a version; refused if the version is released or has no YAML files yet."""
    if f"\n## [{name}]" in changelog:
        raise SystemExit(f"{name} is released: its golden files never change")
    folder = HERE / name
    if not (folder / "market.yaml").is_file():
        raise SystemExit(f"{folder}: copy the YAML files of the last version here, and extend them")
    return folder


def write(folder: Path) -> None:
    """Writes all of ecnomy's files, replacing those of an earlier call."""
    for name in WRITTEN:
        shutil.rmtree(folder / name, ignore_errors=True)
    os.chdir(folder)  # the files must not name folders of this machine
    with mock.patch.multiple(platform, node=lambda: "golden", platform=lambda: "Linux"):
        run(load("market.yaml"), out=folder / "run")
        run(load("base.yaml", overrides=PLAIN), out=folder / "plain", market=False)
    with ThreadPoolExecutor(1) as executor:
        _sweep(folder / "sweep", executor)
        search, pool = load_sweep(Path("tune.yaml")), ExecutorPool(executor, 1)
        tuned(search, folder / "tune", pool, lambda sweep, missing: _Silent())
    for left in (*folder.rglob("lock"), *folder.rglob("log.txt")):  # nothing reads it
        left.unlink()
    (folder / "plan.json").write_bytes(make_plan(load("keys.yaml")).to_json())
    (folder / "expected.json").write_text(_lines(expected(folder), 3) + "\n")


def _lines(what: Any, depth: int) -> str:
    """JSON with one line per table."""
    if not depth or not isinstance(what, dict):
        return json.dumps(what, sort_keys=True)
    inside = (f"{json.dumps(key)}: {_lines(value, depth - 1)}" for key, value in what.items())
    return "{\n" + ",\n".join(inside) + "\n}"


def _sweep(folder: Path, executor: ThreadPoolExecutor) -> None:
    """Make a sweep whose last record is not in a shard yet, as after an interruption."""
    whole = Store.compact

    def all_but_one(store: Store) -> None:
        store._loose -= {max(store._loose, default="")}
        whole(store)

    with mock.patch.object(Store, "compact", all_but_one):
        run_sweep("sweep.yaml", folder, executor=executor, workers=1)


def expected(folder: Path) -> dict[str, Any]:
    """The contents of the files by pyarrow and json alone, and the resolved scenarios."""
    return {
        "resolved": {name: load(folder / name).resolved() for name in SCENARIOS},
        "run": _run(folder / "run"),
        "plain": _run(folder / "plain", only="trace"),
        "sweep": _runs(folder / "sweep"),
        "tune": _runs(folder / "tune"),
    }


def _run(folder: Path, only: str = "*") -> dict[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text())
    tables = {file.stem: pq.read_table(file) for file in sorted(folder.glob("*.parquet"))}
    return {
        "title": manifest["title"],
        "seed": manifest["seed"],
        "balances_micro": manifest["balances_micro"],
        "tables": {n: _table(t) for n, t in tables.items() if fnmatch(n, only)},
        "flows": {
            row["name"]: [row["goodput_bps"], row["fee_micro"], row["mark_charge_micro"]]
            for row in tables["flows"].to_pylist()
        },
        "paid_micro": dict(_paid(tables["ledger"])),
    }


def _table(table: pa.Table) -> dict[str, Any]:
    """The number of rows, and for each column its unit and its sum (or its number of texts)."""
    columns = {}
    for field in table.schema:
        unit = (field.metadata or {}).get(b"unit", b"").decode()
        columns[field.name] = [unit, _figure(table.column(field.name))]
    return {"rows": table.num_rows, "columns": columns}


def _figure(column: pa.ChunkedArray) -> float | int | None:
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return len(pc.unique(column))
    if pa.types.is_floating(kind):
        column = column.filter(pc.invert(pc.is_nan(column)))
    else:
        column = pc.cast(column, pa.int64())
    total: float | int | None = pc.sum(column).as_py()
    return total


def _paid(ledger: pa.Table) -> Iterator[tuple[str, int]]:
    for kind in pc.unique(ledger.column("kind")).to_pylist():
        amounts = ledger.filter(pc.equal(ledger.column("kind"), kind)).column("amount_micro")
        yield kind, pc.sum(amounts).as_py()


def _runs(folder: Path) -> list[dict[str, Any]]:
    """Seed, parameters and outcomes of the runs of a sweep, from its shards and its records."""
    rows = [row for file in folder.glob("shards/*") for row in pq.read_table(file).to_pylist()]
    for file in folder.glob("outcomes/*.json"):
        record = json.loads(file.read_text())
        rows.append(record["params"] | record["values"] | {k: record[k] for k in ("point", "seed")})
    points = json.loads((folder / "sweep.json").read_text())["points"]
    rows.sort(key=lambda row: points.index(row["point"]))
    return [
        {
            "seed": row["seed"],
            PRICE: amount(row[PRICE]),
            "balance.isp": row["balance.isp"],
            "gold.goodput_bps": row["gold.goodput_bps"],
        }
        for row in rows
    ]


def amount(value: float | str) -> float:
    """A number, or the number in a text such as `0.1 money`, as in records and sweep files."""
    return float(str(value).split()[0])


if __name__ == "__main__":
    found = folder_of(version("ecnomy"), CHANGELOG.read_text())
    write(found)
    sizes = sum(file.stat().st_size for file in found.rglob("*") if file.is_file())
    print(f"{found}: {sizes / 1000:.0f} kB", file=sys.stderr)
