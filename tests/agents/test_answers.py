# SPDX-License-Identifier: Apache-2.0
"""A strategy may answer with numpy's Booleans and numbers as well as Python's."""

from __future__ import annotations

from typing import Any

import mesa
import numpy as np
import pytest

from ecnomy.agents.answers import number, truth, whole, whole_column
from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call
from ecnomy.agents.decision import Decision, FlowDecision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.roles.call_sales import CallSales
from ecnomy.agents.roles.connectivity_provider import ConnectivityProvider
from ecnomy.agents.roles.customer import Customer
from ecnomy.agents.roles.guaranteed_stream_provider import GuaranteedStreamProvider
from ecnomy.agents.roles.role import Terms
from ecnomy.agents.spec import CallLine
from role_views import observation, prices

INTEGERS = [np.int8, np.int64, np.uint16, np.uint64, np.array]
NUMBERS = [*INTEGERS, np.float16, np.float32, np.float64, np.longdouble]


@pytest.fixture
def model() -> mesa.Model:
    """A model for agents to live in."""
    return mesa.Model(rng=1)


def gsp(model: mesa.Model, answer: object) -> CallSales:
    """A provider whose strategy gives this answer."""
    terms = Terms(7, "lab_strategies:Answering", {"answer": answer})
    line = CallLine(CallTariff(1, 1, 0.1, 1), ())
    return GuaranteedStreamProvider(model, "gsp", terms, (line,)).lines[0]


def isp(model: mesa.Model, answer: object) -> ConnectivityProvider:
    """A carrier whose strategy posts this price."""
    terms = Terms(7, "lab_strategies:Answering", {"answer": answer})
    return ConnectivityProvider(model, "isp", terms)


def customer(model: mesa.Model, answer: object, kind: str = "Deciding") -> Customer:
    """A customer whose strategy gives this decision."""
    return Customer(model, "ann", Terms(7, f"lab_strategies:{kind}", {"answer": answer}))


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("kind", [bool, np.bool_, np.array])
def test_a_call_is_answered_by_any_truth_value(model: mesa.Model, kind: Any, value: bool) -> None:
    """A comparison of numpy numbers is np.bool_; the engine gets a Python bool."""
    answer = gsp(model, kind(value)).admit(Call(0, 0))
    assert answer is value


@pytest.mark.parametrize("answer", [None, 1, 0.0, np.int64(1), np.array([True]), "yes"])
def test_a_call_is_not_answered_by_what_is_no_truth_value(model: mesa.Model, answer: Any) -> None:
    """The message shows the answer."""
    with pytest.raises(StrategyError, match="expected True or False"):
        gsp(model, answer).admit(Call(0, 0))


@pytest.mark.parametrize("kind", INTEGERS)
def test_a_price_may_be_any_integer(model: mesa.Model, kind: Any) -> None:
    """The price is booked as a Python integer, which cannot overflow."""
    price = isp(model, kind(120)).post_price(prices())
    assert price == 120 and type(price) is int


@pytest.mark.parametrize(
    "answer", [True, np.True_, 5.0, np.float64(5), np.array([5]), np.int64(-1), 10**12 + 1, "5"]
)
def test_a_price_is_a_whole_number_in_range(model: mesa.Model, answer: Any) -> None:
    """Python's and numpy's numbers are refused alike, if they are not whole or out of range."""
    with pytest.raises(StrategyError, match=r"must be an integer from 0 to 10\^12"):
        isp(model, answer).post_price(prices())


@pytest.mark.parametrize("kind", NUMBERS)
def test_fields_of_a_flow_decision_may_be_of_numpy(model: mesa.Model, kind: Any) -> None:
    """Willingness to pay and cap may be any number, the class any integer."""
    index = np.int32(1) if kind in NUMBERS[len(INTEGERS) :] else kind(1)
    decided = customer(model, FlowDecision(kind(100), index, kind(50))).decide(observation(0, 1))
    assert decided.willingness_micro_per_s.tolist() == [100.0, 100.0]
    assert decided.offer.tolist() == [1, 1] and decided.offer.dtype == np.int64
    assert decided.rate_cap_bps.tolist() == [50.0, 50.0]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (FlowDecision(offer=1.0), "class that is not an integer: 1.0"),  # type: ignore[arg-type]
        (FlowDecision(offer=True), "class that is not an integer: True"),
        (FlowDecision(offer=2**70), "class that is not an integer"),
        (FlowDecision("12"), "willingness_micro_per_s that is not a number: '12'"),  # type: ignore[arg-type]
        (FlowDecision(np.array([1.0])), "willingness_micro_per_s that is not a number"),  # type: ignore[arg-type]
        (FlowDecision(rate_cap_bps=None), "rate_cap_bps that is not a number: None"),  # type: ignore[arg-type]
        (FlowDecision(np.float64("nan")), "negative or not finite"),
        (FlowDecision(np.int64(-7)), "negative or not finite"),  # type: ignore[arg-type]
    ],
)
def test_fields_of_a_flow_decision_are_numbers(
    model: mesa.Model, decision: FlowDecision, message: str
) -> None:
    """A class of 1.7 does not become class 1, and a text does not become a number."""
    with pytest.raises(StrategyError, match=message):
        customer(model, decision).decide(observation(0))


@pytest.mark.parametrize("shape", [list, tuple, np.array])
@pytest.mark.parametrize("kind", [int, *INTEGERS])
def test_columns_may_be_lists_or_arrays_of_any_numbers(
    model: mesa.Model, shape: Any, kind: Any
) -> None:
    """Lists and arrays of any numbers become float64 and int64."""
    decision = Decision(shape([kind(3), kind(4)]), shape([kind(1), kind(0)]), shape([kind(7)] * 2))
    decided = customer(model, decision, "DecidingAll").decide(observation(0, 1))
    assert decided.willingness_micro_per_s.tolist() == [3.0, 4.0]
    assert decided.offer.tolist() == [1, 0]
    assert decided.rate_cap_bps.tolist() == [7.0, 7.0]
    assert [
        c.dtype for c in (decided.willingness_micro_per_s, decided.offer, decided.rate_cap_bps)
    ] == [
        np.float64,
        np.int64,
        np.float64,
    ]


@pytest.mark.parametrize("kind", [float, np.float32, np.longdouble])
def test_columns_of_money_may_have_fractions(model: mesa.Model, kind: Any) -> None:
    """Fractions may be in lists of scalars, also beside integers."""
    decided = customer(model, Decision([kind(0.5), np.int64(2)]), "DecidingAll").decide(
        observation(0, 1)
    )
    assert decided.willingness_micro_per_s.tolist() == [0.5, 2.0]


def test_signed_and_unsigned_classes_go_together(model: mesa.Model) -> None:
    """numpy turns such a list into floats; the classes stay whole numbers."""
    decided = customer(model, Decision(offer=[np.uint64(1), np.int64(0)]), "DecidingAll").decide(
        observation(0, 1)
    )
    assert decided.offer.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision([True, False]), "not a column of numbers"),
        (Decision(np.array([1j, 2j])), "not a column of numbers"),
        (Decision(["1", "2"]), "not a column of numbers"),
        (Decision(offer=[0.0, 1.0]), "not integers"),
        (Decision(offer=[0, None]), "not integers"),
        (Decision(offer=[np.True_, np.False_]), "not integers"),
        (Decision(offer=[np.uint64(2**64 - 1), np.uint64(1)]), "does not exist"),
        (Decision([[1.0], [2.0]]), "shape"),
    ],
)
def test_useless_columns_are_refused(model: mesa.Model, decision: Decision, message: str) -> None:
    """The error names the column, and is never numpy's own."""
    with pytest.raises(StrategyError, match=message):
        customer(model, decision, "DecidingAll").decide(observation(0, 1))


def test_numbers_one_by_one() -> None:
    """Single values are checked: True is not a number, and 1.5 is not a whole number."""
    assert [truth(x) for x in (np.False_, np.array(True), 1)] == [False, True, None]
    assert [whole(x) for x in (np.uint64(2**64 - 1), 2.0, np.True_)] == [2**64 - 1, None, None]
    assert [number(x) for x in (np.float32(0.5), np.int8(2), np.True_, 1j)] == [
        0.5,
        2.0,
        None,
        None,
    ]
    assert whole_column([2**63]) is None and whole_column(np.array([0.0])) is None
