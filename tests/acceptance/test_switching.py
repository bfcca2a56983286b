# SPDX-License-Identifier: Apache-2.0
"""configs/examples/switching.yaml: users choose between two carriers by surplus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from ecnomy.markets.results.results import Results

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "switching.yaml"
USERS = 12


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The example as it is shipped."""
    return run(load(EXAMPLE), out=tmp_path_factory.mktemp("switching") / "r")


def test_each_user_sends_over_one_carrier(result: Results) -> None:
    """After each decision one flow of each pair is on and the other off."""
    changes = result.raw.agents[result.raw.agents["name"] == "active"]
    on = np.ones(2 * USERS)
    for _, rows in changes.groupby("t_ps"):
        on[rows["flow"].to_numpy()] = rows["value"].to_numpy()
        assert (on[:USERS] + on[USERS:] == 1).all()
    assert len(changes) > USERS


def test_both_links_are_full_and_shared_out(result: Results) -> None:
    """A third of users are on the link with a third of the capacity: no user gains by a change."""
    links = result.raw.links.set_index("name")
    assert links.loc["cheap-link", "utilization"] > 0.95
    assert links.loc["dear-link", "utilization"] > 0.95
    epochs = result.flow_epochs
    late = epochs[epochs["t_ps"] >= 60 * 10**12]
    cheap = late[late["flow"] < USERS].groupby("t_ps")["active"].sum()
    assert cheap.mean() == pytest.approx(4, abs=0.5)


def test_each_carrier_is_paid_for_its_own_marks(result: Results) -> None:
    """Each carrier's income is price x marks delivered."""
    last = result.flow_epochs[result.flow_epochs["t_ps"] == result.flow_epochs["t_ps"].max()]
    ce = last.sort_values("flow")["ce"].to_numpy()
    income = result.raw.ledger.groupby("credit")["amount_micro"].sum()
    assert income["cheap-carrier"] == 100_000 * ce[:USERS].sum()
    assert income["dear-carrier"] == 150_000 * ce[USERS:].sum()
    assert set(result.raw.ledger["debit"]) == {"users"}
