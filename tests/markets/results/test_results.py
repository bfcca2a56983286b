# SPDX-License-Identifier: Apache-2.0
"""Results folders: the contents of tables, the ownership of folders, and identical bytes."""

from __future__ import annotations

import fcntl
import json
import math
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import market_world as world
from ecnomy.agents.errors import InputError
from ecnomy.markets.model.market import Market
from ecnomy.markets.results.table_writer import ROWS_PER_GROUP, TableWriter, Taken
from ecnomy.markets.results.writer import ResultsWriter
from market_world import PS
from small_results import CLASSES, scene, write


def rows(folder: Path, table: str) -> list[dict]:
    """A table as a list of rows."""
    return pq.read_table(folder / f"{table}.parquet").to_pylist()


def manifest(folder: Path) -> dict:
    """The folder's manifest."""
    return json.loads((folder / "manifest.json").read_text())


def test_flows_over_the_measured_window(tmp_path: Path) -> None:
    """Flows have the differences over 3 s after a warm-up of 1 s, and their rates."""
    gold, web = rows(write(tmp_path / "r"), "flows")
    assert (gold["name"], gold["source"], gold["class"]) == ("gold.0", "gold", "gold")
    assert (web["class"], web["provider"], gold["provider"]) == ("", "", "shop")
    assert gold["delivered"] == 300 and gold["ce"] == 30 and gold["cwnd"] == 7.0
    assert gold["goodput_bps"] == 800_000.0
    assert gold["marks_per_s"] == 10.0
    assert gold["marking_rate"] == 0.1 and web["marking_rate"] == 0.0
    assert gold["mean_delay_s"] == pytest.approx(0.02)
    assert gold["mean_cwnd"] == 5.0
    assert gold["fee_micro"] == 12_000_000 and web["fee_micro"] == 0
    assert gold["mark_charge_micro"] == 30_000


def test_links_over_the_measured_window(tmp_path: Path) -> None:
    """Framing counts for the utilisation of the wire; the maximum is that of the whole run."""
    (link,) = rows(write(tmp_path / "r"), "links")
    assert link["departures"] == 450 and link["queue_max"] == 9
    assert link["utilization"] == pytest.approx(8 * (450_000 + 450 * 10) / (1e7 * 3))
    assert link["mean_queue_packets"] == 3.0
    assert link["mean_wait_s"] == pytest.approx(9 / 450)
    assert link["marking_probability"] == pytest.approx(0.1)


def test_epochs_hold_every_report(tmp_path: Path) -> None:
    """Cumulative counters, the class and the money so far, per report and flow."""
    epochs = rows(write(tmp_path / "r"), "flow_epochs")
    keys = [(t * PS, flow) for t in range(5) for flow in (0, 1)]
    assert [(e["t_ps"], e["flow"]) for e in epochs] == keys
    assert [e["delivered"] for e in epochs[::2]] == [0, 100, 200, 300, 400]
    assert [e["fee_micro"] for e in epochs[::2]] == [t * 4_000_000 for t in range(5)]
    assert [e["class_index"] for e in epochs[:2]] == [0, -1]
    assert len(rows(tmp_path / "r", "link_epochs")) == 5


def test_ledger_table_names_its_accounts(tmp_path: Path) -> None:
    """The ledger has marks and fees of four epochs, between accounts by name."""
    ledger = rows(write(tmp_path / "r"), "ledger")
    fees = [r for r in ledger if r["kind"] == "class-fee"]
    marks = [r for r in ledger if r["kind"] == "marks"]
    assert len(fees) == len(marks) == 4
    assert {(r["debit"], r["credit"]) for r in fees} == {("source:gold", "shop")}
    assert {(r["debit"], r["credit"]) for r in marks} == {("shop", "isp")}
    assert sum(r["quantity"] for r in marks) == 40
    assert all(r["amount_micro"] == r["quantity"] * r["price_micro"] for r in marks)
    assert all(r["quantity"] == PS and r["flow"] == 0 for r in fees)
    assert manifest(tmp_path / "r")["balances_micro"]["isp"] == 40_000


def test_other_tables_are_there(tmp_path: Path) -> None:
    """Agents and pairs have tables, and series and transfers only if requested."""
    folder = write(tmp_path / "r")
    assert {r["name"] for r in rows(folder, "agents")} == {
        "price_micro_per_mark",
        "willingness_micro_per_s",
        "mark_rate",
    }
    assert [r["source_name"] for r in rows(folder, "pairs")] == ["gold", "web"]
    assert [r["value"] for r in rows(folder, "series")] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert not (folder / "transfers.parquet").exists()


def test_complete_manifest(tmp_path: Path) -> None:
    """The manifest has the plan, the versions, the classes and the measured window."""
    document = manifest(write(tmp_path / "r"))
    assert document["format"] == 1 and document["complete"] is True and document["reason"] is None
    assert document["measured"] == {"from_ps": PS, "to_ps": 4 * PS}
    assert document["plan_digest"] == scene().digest == document["plan"]["digest"]
    assert document["versions"]["engine"] == "fake 1.0"
    assert document["classes"][0]["name"] == "gold"


def test_equal_runs_are_equal_in_every_byte(tmp_path: Path) -> None:
    """Manifest and tables are equal; machine.json and the log are not compared."""
    first, second = write(tmp_path / "a"), write(tmp_path / "b")
    names = sorted(p.name for p in first.iterdir())
    assert names == sorted(p.name for p in second.iterdir())
    assert "flow_epochs.parquet" in names
    for name in set(names) - {"machine.json", "log.txt"}:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


@pytest.mark.parametrize("chunk", [1000, 7777, 3 * ROWS_PER_GROUP])
def test_bytes_do_not_depend_on_how_rows_arrive(tmp_path: Path, chunk: int) -> None:
    """The same rows in other batches make the same file, in row groups of the same size."""
    values = np.arange(3 * ROWS_PER_GROUP - 5, dtype=np.int64)
    schema = pa.schema([("x", pa.int64()), ("name", pa.string())])

    def table(name: str, size: int) -> Path:
        writer = TableWriter(tmp_path, name, schema)
        for start in range(0, len(values), size):
            part = values[start : start + size]
            writer.write({"x": part, "name": [f"n{v % 7}" for v in part.tolist()]})
        writer.close()
        return tmp_path / f"{name}.parquet"

    whole, parts = table("whole", 50_000), table("parts", chunk)
    assert whole.read_bytes() == parts.read_bytes()
    info = pq.read_metadata(parts)
    sizes = [info.row_group(i).num_rows for i in range(info.num_row_groups)]
    assert sizes == [ROWS_PER_GROUP, ROWS_PER_GROUP, ROWS_PER_GROUP - 5]


def test_later_batches_may_have_more_names(tmp_path: Path) -> None:
    """An account can be opened during a run, for example for a source that starts later."""
    writer = TableWriter(tmp_path, "t", pa.schema([("name", pa.string())]))
    for names in (["isp"], ["isp", "shop"], ["isp", "shop", "home"]):
        writer.write({"name": Taken(names, np.array([len(names) - 1]))})
    writer.close()
    assert [row["name"] for row in rows(tmp_path, "t")] == ["isp", "shop", "home"]


def test_partial_run_says_so_and_can_be_read(tmp_path: Path) -> None:
    """A run stopped at 2 s has a window that ends there, and the reason in its manifest."""
    folder = write(tmp_path / "r", until=2, reason="the engine died")
    document = manifest(folder)
    assert document["complete"] is False and document["reason"] == "the engine died"
    assert document["measured"] == {"from_ps": PS, "to_ps": 2 * PS}
    assert rows(folder, "flows")[0]["delivered"] == 100


def test_run_without_a_report_has_empty_rates(tmp_path: Path) -> None:
    """An engine that dies before its first report leaves readable tables of zeros."""
    plan = scene()
    market = Market(plan, world.shop(CLASSES))
    writer = ResultsWriter(tmp_path / "r", plan, {})
    writer.finish(market, {}, reason="died")
    writer.close()
    flows = rows(tmp_path / "r", "flows")
    assert [f["goodput_bps"] for f in flows] == [0.0, 0.0]
    assert math.isnan(flows[0]["mean_delay_s"])


def test_manifest_is_incomplete_while_a_run_goes_on(tmp_path: Path) -> None:
    """A killed run leaves such a manifest, and no table under its final name."""
    writer = ResultsWriter(tmp_path / "r", scene(), {})
    assert manifest(tmp_path / "r")["complete"] is False
    assert list((tmp_path / "r").glob("*.parquet")) == []
    writer.close()


def test_complete_results_are_never_written_over(tmp_path: Path) -> None:
    """Only `force` replaces complete results."""
    folder = write(tmp_path / "r")
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="already exists"):
        write(folder)
    assert (folder / "manifest.json").read_bytes() == before
    write(folder, until=2, reason="cut", force=True)
    assert manifest(folder)["reason"] == "cut"


def test_incomplete_results_are_replaced(tmp_path: Path) -> None:
    """A second run needs no `force`, and removes the files of the first."""
    folder = write(tmp_path / "r", until=2, reason="cut")
    (folder / "trace.parquet.tmp").write_text("left over")
    write(folder)
    assert manifest(folder)["complete"] is True
    assert not (folder / "trace.parquet.tmp").exists()


@pytest.mark.parametrize("force", [False, True])
def test_foreign_files_are_never_touched(tmp_path: Path, force: bool) -> None:
    """A folder with other files is refused; with `force` these files stay."""
    (tmp_path / "thesis.tex").write_text("years of work")
    if force:
        write(tmp_path, force=True)
    else:
        with pytest.raises(InputError, match="already exists"):
            write(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize("force", [False, True])
def test_a_run_does_not_go_into_a_sweep(tmp_path: Path, force: bool) -> None:
    """Otherwise its folder would be both a sweep and a run, and readers would find either."""
    (tmp_path / "sweep.json").touch()
    with pytest.raises(InputError, match="found a sweep; choose another folder for the run$"):
        write(tmp_path, force=force)
    assert [one.name for one in tmp_path.iterdir() if one.name != "log.txt"] == ["sweep.json"]


def between(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object]) -> None:
    """Run `deed` just before the next lock is taken."""
    lock = fcntl.flock

    def flock(*words: Any) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        deed()
        lock(*words)

    monkeypatch.setattr(fcntl, "flock", flock)


def test_results_that_end_after_the_look_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results that another run completes before the lock is taken are kept."""
    folder = write(tmp_path / "r", until=2, reason="cut")
    between(monkeypatch, lambda: write(folder))
    with pytest.raises(InputError, match="already exists"):
        write(folder)
    assert manifest(folder)["complete"] is True and len(rows(folder, "flows")) == 2


def test_nothing_is_left_in_a_folder_that_fills_after_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder gets another user's file before the lock is taken, and keeps only that."""
    between(monkeypatch, lambda: (tmp_path / "thesis.tex").write_text("years of work"))
    with pytest.raises(InputError, match="already exists"):
        write(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_run_killed_before_its_manifest_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """A run killed before its manifest leaves only an empty log, and can be replaced."""
    (tmp_path / "log.txt").touch()
    assert manifest(write(tmp_path))["complete"] is True


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """The refusal names the file."""
    (tmp_path / "r").write_text("")
    with pytest.raises(InputError, match="found a file, expected a folder"):
        write(tmp_path / "r")


def test_two_runs_cannot_write_one_folder(tmp_path: Path) -> None:
    """The second is refused while the first is running, even with force."""
    writer = ResultsWriter(tmp_path / "r", scene(), {})
    with pytest.raises(InputError, match="another run"):
        write(tmp_path / "r", force=True)
    writer.close()


def test_what_is_written_leaves(tmp_path: Path) -> None:
    """After a full row group is written, almost all of its memory is freed."""
    names = [f"c{i}" for i in range(8)]
    writer = TableWriter(tmp_path, "t", pa.schema([(name, pa.int64()) for name in names]))
    batch, held = ROWS_PER_GROUP // 64 + 1, []
    tracemalloc.start()
    try:
        arrow = pa.total_allocated_bytes()
        for _ in range(4):
            for _ in range(64):  # a few rows more than a group
                writer.write({name: np.arange(batch) for name in names})
            held.append(tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes() - arrow)
    finally:
        tracemalloc.stop()
    writer.close()
    assert max(held) < ROWS_PER_GROUP * len(names) * 8 / 4
    written = pq.read_metadata(tmp_path / "t.parquet")
    groups = [written.row_group(i).num_rows for i in range(written.num_row_groups)]
    assert groups == [ROWS_PER_GROUP] * 4 + [4 * 64 * batch - 4 * ROWS_PER_GROUP]
