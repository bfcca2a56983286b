# SPDX-License-Identifier: Apache-2.0
"""Finding strategies by name, dotted path and entry point, and the error if there is none."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.find import guarded
from ecnomy.agents.strategies import BUILT_IN, GROUP, find, make
from ecnomy.agents.strategies.qos_knob import QosKnob
from lab_strategies import Counting
from needed_parameters import NEEDED


@pytest.mark.parametrize("kind", sorted(BUILT_IN))
def test_built_in_strategies_can_be_made(kind: str) -> None:
    """Every built-in name leads to a class; parameters without a default are given."""
    assert type(make(kind, NEEDED.get(kind, {}))) is find(kind)


def test_dotted_path_finds_a_users_class() -> None:
    """module:Class names a class, and its parameters reach it."""
    made = make("lab_strategies:Counting", {"step": 2.0})
    assert isinstance(made, Counting) and made.step == 2.0


def test_entry_point_finds_an_installed_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point in the group ecnomy.strategies finds an installed class."""
    entry = importlib.metadata.EntryPoint("patient", "lab_strategies:Counting", GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [entry] if group == GROUP else []
    )
    assert find("patient") is Counting


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "nonesuch",
            "built in: accept-all, aggressiveness-knob, all-or-nothing",
        ),
        ("no_such_lab:Patient", "tried no_such_lab:Patient"),
        ("lab_strategies:Absent", "Absent"),
        ("lab_strategies:NoStrategy", "must define one of the methods decide"),
        ("lab_strategies:np", "is not a class"),
        (":", "tried :"),
        ("my_lab.budget.Hourly", "no strategy .*; did you mean 'my_lab.budget:Hourly'"),
    ],
)
def test_missing_strategy_names_what_was_tried(kind: str, message: str) -> None:
    """One line lists the places that were searched."""
    with pytest.raises(StrategyError, match=message):
        find(kind)


@pytest.mark.parametrize(
    "params",
    [{"patience": 0.0}, {"satisfied": 1.5}, {"budget": -1.0}, {"budget": float("nan")}, {"x": 1}],
)
def test_bad_parameters_are_refused(params: dict[str, object]) -> None:
    """The strategy refuses bad parameters with a StrategyError."""
    with pytest.raises(StrategyError, match="qos-knob"):
        make("qos-knob", params)


def test_unlimited_budget_is_the_default() -> None:
    """A knob without a budget takes any class."""
    assert QosKnob().budget == float("inf")


class _Wrong:
    """A strategy with two mistakes of a user."""

    def decide(self) -> None:
        """A method that lacks its argument."""

    def read(self, path: Path) -> object:
        """A misspelt attribute."""
        return path.paremts  # type: ignore[attr-defined]


def test_a_fault_in_user_code_says_what_to_write() -> None:
    """A misspelt attribute has the nearest one and its place; wrong arguments have no place."""
    mine = _Wrong()
    with pytest.raises(StrategyError) as caught:
        guarded("ann", StrategyError, mine.read)(Path("x"))
    assert "has no attribute 'paremts'; did you mean 'parents'? (" in str(caught.value)
    assert f"({__file__}:" in str(caught.value)
    with pytest.raises(StrategyError) as caught:
        guarded("ann", StrategyError, mine.decide)(1)
    assert str(caught.value) == (
        "ann failed: TypeError: _Wrong.decide() takes 1 positional argument but 2 were given"
    )
