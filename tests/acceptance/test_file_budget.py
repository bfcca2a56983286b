# SPDX-License-Identifier: Apache-2.0
"""configs/examples/file-budget.yaml: budgets hold, and promises are kept as often as stated."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.markets import load, run
from tiers import rare, seeds

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "file-budget.yaml"
SEEDS = seeds(3, fast=1)
DEADLINE_PS, BUDGET_MICRO, PROMISE = 20 * 10**12, 12_000_000, 0.8
TIGHT = "market.agents.lab.strategy={kind: file-budget, deadline: 20 s, budget: 4 money}"
RISING = (
    "market.agents.isp.strategy={kind: 'recording_strategies:Seesaw', "
    "low: 0.01 money, high: 0.02 money}"
)


class Sent:
    """The lab's side of a run.

    Attributes:
        files: a row per completed file: flow, number, bytes, start_ps, end_ps.
        paid: payments of its flows: flow, t_ps, amount_micro.
        promised: (flow, number of the file).
    """

    def __init__(self, seed: int, *overrides: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            given = load(EXAMPLE, overrides=overrides, seed=seed)
            result = run(given, out=Path(folder) / "run")
            own = result.raw.flows.query("source == 'upload'")["flow"]
            self.files = result.transfers[result.transfers["flow"].isin(own)]
            self.paid = result.raw.ledger.query("debit == 'lab'")
            self.epochs = result.flow_epochs[result.flow_epochs["flow"].isin(own)]
            said = result.raw.agents[result.raw.agents["name"].str.startswith("promise:upload.")]
            at = [int(own.min()) + int(name.rpartition(".")[2]) for name in said["name"]]
            self.promised = list(zip(at, said["value"].astype(int), strict=True))


@functools.cache
def sent(seed: int, *overrides: str) -> Sent:
    return Sent(seed, *overrides)


def overspent(run_of: Sent, budget_micro: int) -> list[tuple[int, int]]:
    """(flow, time) of bookings beyond the budgets of the files that had begun by then."""
    found = []
    for flow, rows in run_of.paid.groupby("flow"):
        begins = np.sort(run_of.files.query("flow == @flow")["start_ps"].to_numpy())
        paid = rows.sort_values("t_ps")["amount_micro"].cumsum().to_numpy()
        ended = np.searchsorted(begins, rows["t_ps"].sort_values().to_numpy())
        last = run_of.files.query("flow == @flow")["end_ps"].max() if len(begins) else -1
        open_now = rows["t_ps"].sort_values().to_numpy() > last  # the one that never ended
        allowed = budget_micro * (ended + open_now)
        found += [(int(flow), int(t)) for t in rows["t_ps"].to_numpy()[paid > allowed]]
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("price", "overrides", "budget_micro"),
    [
        rare((), (), BUDGET_MICRO),
        ((RISING,), (), BUDGET_MICRO),
        ((), (TIGHT,), 4_000_000),
        rare((RISING,), (TIGHT,), 4_000_000),
    ],
)
def test_no_budget_is_ever_passed(
    seed: int, overrides: tuple[str, ...], budget_micro: int, price: tuple[str, ...]
) -> None:
    """No posting exceeds a budget, with much or little money, at any price."""
    whole = ("duration=200 s", *overrides, *price)
    assert overspent(sent(seed, *whole), budget_micro) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spent_budget_is_spent(seed: int) -> None:
    """With 4 money per file, flows exhaust their budget: less than two marks are left."""
    tight = sent(seed, "duration=200 s", TIGHT)
    begun = tight.files.groupby("flow").size().reindex(range(6), fill_value=0) + 1
    left = begun * 4_000_000 - tight.paid.groupby("flow")["amount_micro"].sum()
    assert (left >= 0).all() and (left < 20_000).any()
    at = tight.epochs.pivot(index="t_ps", columns="flow", values="sent")
    stopped = at.columns[left.to_numpy() < 20_000]
    assert (at[stopped].iloc[-1] == at[stopped].iloc[-5]).all()


def test_promises_are_kept_as_often_as_promised() -> None:
    """Promises are kept as stated over all seeds, by the table of transfers."""
    kept, files = [], 0
    for seed in SEEDS:
        table = sent(seed).files.set_index(["flow", "number"])
        in_time = (table["end_ps"] - table["start_ps"] <= DEADLINE_PS).to_dict()
        ends = [key for key in sent(seed).promised if key in in_time]
        kept += [in_time[key] for key in ends]
        files += len(table)
    assert len(kept) > 40 / 3 * len(SEEDS) and len(kept) < files
    assert np.mean(kept) >= PROMISE


@pytest.mark.parametrize("seed", SEEDS)
def test_most_files_are_in_time_at_an_even_pace(seed: int) -> None:
    """At least four in five files are in time. Medium files take most of T."""
    files = sent(seed).files
    took_s = (files["end_ps"] - files["start_ps"]) / 1e12
    assert (took_s <= 20).mean() >= 0.8
    middling: pd.Series = took_s[files["bytes"].between(2_000_000, 6_000_000)]
    assert 14 < middling.median() < 20


@pytest.mark.parametrize("seed", SEEDS)
def test_a_larger_budget_is_sooner(seed: int) -> None:
    """Without a deadline, files are as fast as the budget allows, and never exceed it."""
    one = ("sources.upload.count=1", "sources.upload.traffic={kind: file, size: 30 MB}")
    ends = []
    for budget in (2, 68, 240):
        how = f"market.agents.lab.strategy={{kind: file-budget, budget: {budget} money}}"
        found = sent(seed, "duration=150 s", *one, how)
        assert found.paid["amount_micro"].sum() <= budget * 1_000_000
        done = found.files["end_ps"]
        ends.append(float(done.iloc[0]) / 1e12 if len(done) else np.inf)
    assert ends[0] == np.inf and ends[0] > ends[1] > ends[2] > 0
