# SPDX-License-Identifier: Apache-2.0
"""Roles that sell or buy calls and classes, on a scripted seat: contracts, prices, notes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mesa
import numpy as np
import pytest

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, CallAsk, CallOffer
from ecnomy.agents.classes import ClassObservation, ClassRequest
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import Offer
from ecnomy.agents.roles.application_provider import ApplicationProvider
from ecnomy.agents.roles.guaranteed_stream_provider import GuaranteedStreamProvider
from ecnomy.agents.roles.role import ADAPT, EVERY_REPORT, Role, Terms
from ecnomy.agents.roles.subscriber import Subscriber
from ecnomy.agents.spec import AgentSpec, CallLine, ClassSpec, ElasticLine, StrategySpec
from ecnomy.agents.strategies.strategist import Strategist
from flow_world import observation

CALLS = "lab_sellers:Calls"
FILES = ElasticTariff(10, 1000, 4, "files")


def tariff(name: str) -> CallTariff:
    """A tariff of this name."""
    return CallTariff(100, 0, 1.0, 0, name)


def apart(most: int, price: object = None) -> StrategySpec:
    """One row has a separate strategy."""
    return StrategySpec(CALLS, {"most": most, "price": price})


class Seat:
    """Records all actions; flows are numbered by the letters of their sources."""

    def __init__(self, spec: AgentSpec | None = None) -> None:
        self.spec, self.t_ps, self.done = spec, 7, []
        self.agent: Any = SimpleNamespace(name="agent")

    def __getattr__(self, name: str) -> Any:
        def do(*args: Any, **more: Any) -> Any:
            if name in ("rows_of", "use"):
                return [ord(source) for source in args[0]]
            if name in ("streams", "flows"):
                return observation(1, 1) if name == "flows" else (name, *args)
            self.done.append((name, *args, *more.values()))
            return 10 + sum(one[0] == name for one in self.done)

        return do

    def take(self, *names: str) -> list[Any]:
        """The actions since the last call; if names are given, only actions of these names."""
        done, self.done = self.done, []
        return [one for one in done if not names or one[0] in names]


def gsp(**more: Any) -> tuple[GuaranteedStreamProvider, Seat]:
    """A provider of files, and of calls on `a` and `b`, and on `c` with a separate strategy."""
    lines = (
        CallLine(tariff("day"), ("a", "b")),
        CallLine(tariff("own"), ("c",), apart(3, 55)),
        CallLine(tariff("night"), ("d",)),
    )
    elastic = (ElasticLine(FILES, ("f",), StrategySpec("constant-charge", {"charge": 2.5})),)
    spec = AgentSpec(
        "gsp",
        "guaranteed-stream-provider",
        lines=lines,
        elastic=elastic,
        test_streams=("t",),
        **more,
    )
    terms = Terms(1, CALLS, {"most": 2})
    role = GuaranteedStreamProvider.made(mesa.Model(rng=1), terms, spec)
    return role, Seat(spec)


@pytest.mark.parametrize("carrier", ["", "isp"])
@pytest.mark.parametrize("costs", [None, (5, 10**12)])
def test_a_provider_of_calls_joins_with_all_rows(
    carrier: str, costs: tuple[int, int] | None
) -> None:
    """The seller pays marks of calls, files and test streams; own calls count if it is one firm."""
    role, seat = gsp(integrated_with=carrier, fixed_costs=costs)
    role.join(seat)
    calls = [role.lines[k] for k in range(3)]
    assert seat.take() == [
        ("pay_marks", ("a", "b", "c", "d", "f", "t")),
        *([("pay_fixed_costs", *costs)] if costs else []),
        ("sell_calls", calls[0], ("a", "b"), tariff("day"), ""),
        ("sell_calls", calls[1], ("c",), tariff("own"), "1"),
        ("sell_calls", calls[2], ("d",), tariff("night"), ""),
        ("sell_files", ("f",), FILES),
    ]
    watched = []
    seat.streams = lambda *args: watched.append(args) or args
    role.act(seat)
    rows = [ord(name) for name in ("tabcd" if carrier else "t")]
    assert watched == [(rows, number) for number in (11, 12, 13)]


def test_a_provider_of_calls_posts_prices_and_notes_what_has_changed() -> None:
    """The seller posts the price of the row that has one; its second notes are only changes."""
    role, seat = gsp()
    role.join(seat)
    seat.take()
    role.act(seat)
    names = ("day", "own", "night")
    assert seat.take("note") == [("note", f"watched:{name}", 1.0) for name in names]
    role.act(seat)
    done = seat.take()
    assert [one for one in done if one[0] != "pay"] == [
        ("post_call_price", 12, 55),
        *(("note", f"watched:{name}", 2.0) for name in names),
    ]
    paid = [one for one in done if one[0] == "pay"]
    assert [(rows, whole) for _, rows, _, whole in paid] == [([ord("f")], False)]
    assert paid[0][2].willingness_micro_per_s.tolist() == [2.5e6]
    role.act(seat)
    assert seat.take("note") == []
    assert role.next_ps == seat.t_ps + role.interval_ps
    assert [role.lines[k].admit(Call(0, 0, under_way=2)) for k in range(3)] == [False, True, False]
    assert role.readings["most:own"] == 3.0


def test_readings_of_a_single_row_are_named_plainly() -> None:
    """Readings of a single row do not contain the name of its tariff."""
    spec = AgentSpec("gsp", "guaranteed-stream-provider", lines=(CallLine(tariff("day"), ("a",)),))
    role = GuaranteedStreamProvider.made(mesa.Model(rng=1), Terms(1, CALLS), spec)
    assert role.readings == {"most": 1.0, "watched": 0.0}
    with pytest.raises(StrategyError, match="a provider of calls needs a tariff"):
        GuaranteedStreamProvider.made(mesa.Model(rng=1), Terms(1), AgentSpec("gsp", "x"))


@pytest.mark.parametrize("price", [0, 10**12, -1, 10**12 + 1, 0.5, "1"])
def test_a_price_of_a_call_is_a_whole_number_of_micro_units(price: object) -> None:
    """Amounts from 0 to 10^12 are accepted."""
    spec = AgentSpec("gsp", "x", lines=(CallLine(tariff("day"), ("a",), apart(1, price)),))
    role = GuaranteedStreamProvider.made(mesa.Model(rng=1), Terms(1), spec)
    question: Any = None
    assert role.lines[0].watch(question) is None
    if price in (0, 10**12):
        assert role.lines[0].watch(question) == price
    else:
        with pytest.raises(StrategyError, match="an integer from 0 to 10.12 micro-units, or None"):
            role.lines[0].watch(question)


@pytest.mark.parametrize(
    ("answer", "fits"),
    [
        *(((), True), ([0, 1, -1], True), ([1, 0], True), ([-1], True)),
        *(
            ([2], False),
            ([-2], False),
            ([-1, 0], False),
            ([0, 0], False),
            ([0.5], False),
            (3, False),
        ),
    ],
)
def test_a_caller_lists_each_offer_once(answer: object, fits: bool) -> None:
    """A caller lists each offer once, with best effort last or not at all."""
    role = Subscriber(mesa.Model(rng=1), "ann", Terms(1, "lab_sellers:Caller", {"answer": answer}))
    seat = Seat(AgentSpec("ann", "subscriber", sources=("a", "b")))
    role.join(seat)
    assert seat.take() == [("buy_calls", role, [ord("a"), ord("b")])]
    ask = CallAsk(0, 0, (CallOffer("x", 4, tariff("x")), CallOffer("y", 2, tariff("y"))), 1.0)
    if fits:
        assert role.order(ask) == list(answer)
    else:
        with pytest.raises(StrategyError, match=r"^ann \(lab_sellers:Caller\) answered "):
            role.order(ask)
    for expected in ([("note", "asked", 1.0), ("note", "same", 1.0)], []):
        role.act(seat)
        assert seat.take() == expected
    assert role.next_ps == seat.t_ps + role.interval_ps
    assert [role.claims(broken) for broken in (False, True)] == [False, True]


@pytest.mark.parametrize("answer", [True, False, 1, None])
def test_a_claim_is_true_or_false(answer: object) -> None:
    """Other answers are refused, whether the promise was broken or not."""
    params: Any = {"answer": answer}
    role = Subscriber(mesa.Model(rng=1), "ann", Terms(1, "lab_sellers:Claiming", params))
    for broken in (False, True):
        if isinstance(answer, bool):
            assert role.claims(broken) == answer
        else:
            with pytest.raises(
                StrategyError, match="ann .*returned .* from `claims`, expected True or False"
            ):
                role.claims(broken)


def shop(answer: object) -> ApplicationProvider:
    """A provider of two classes with this answer."""
    classes = (ClassSpec("gold", 5, ("a",)), ClassSpec("tin", 3, ("b",)))
    spec = AgentSpec("shop", "application-provider", classes=classes)
    terms = Terms(1, "lab_sellers:Fees", {"answer": answer})  # type: ignore[dict-item]
    return ApplicationProvider.made(mesa.Model(rng=1), terms, spec)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({}, ""),
        ({"gold": 0, "tin": 10**12}, ""),
        ({"tin": np.int64(7)}, ""),
        ({"gold": -1}, "the fee for 'gold' must be an integer from 0 to 10.12"),
        ({"gold": 1, "tin": 10**12 + 1}, "the fee for 'tin' must be an integer from 0 to 10.12"),
        ({"tin": 0.5}, "the fee for 'tin' must be an integer"),
        ({"lead": 1}, "found a fee for 'lead', expected one of the classes gold, tin"),
        (None, "the fees must be a mapping from class to fee, got None"),
    ],
)
def test_fees_are_whole_numbers_by_class(answer: object, says: str) -> None:
    """Valid fees are posted unchanged; errors name agent, strategy and class."""
    role, seat = shop(answer), Seat()
    assert role.offers == (Offer("shop", "gold", 5), Offer("shop", "tin", 3))
    nothing: Any = None
    seat.classes = lambda: ClassObservation(0, 0, ("gold", "tin"), nothing)
    if says:
        with pytest.raises(StrategyError, match=rf"^shop \(lab_sellers:Fees\): {says}"):
            role.post_fees(seat)
        assert seat.done == []
    else:
        role.post_fees(seat)
        assert seat.done == [("post_fee", name, fee) for name, fee in dict(answer).items()]


@pytest.mark.parametrize("answer", [True, False, np.True_, 1, None])
def test_admission_is_true_or_false(answer: object) -> None:
    """Booleans of Python and numpy are accepted."""
    role, request = shop(answer), ClassRequest(0, "gold", 3, 1, 0.0)
    assert role.decides_requests
    assert role.watches_classes
    if isinstance(answer, bool | np.bool_):
        assert role.let_in(request) is bool(answer)
    else:
        with pytest.raises(StrategyError, match="answered a request for admission with"):
            role.let_in(request)


def test_terms_are_those_of_the_scenario_s_entry() -> None:
    """The role's own strategy and interval replace missing ones."""
    bare = AgentSpec("ann", "customer")
    timed = AgentSpec("ann", "customer", decision_interval_ps=0)
    own = AgentSpec("ann", "customer", strategy=StrategySpec("stay"), decision_interval_ps=9)
    assert Terms.of(bare, 4) == Terms(4)
    assert Terms.of(timed, 4) == Terms(4, interval_ps=0)
    assert Terms.of(own, 5) == Terms(5, "stay", {}, 9)
    for spec, usual, interval_ps in (
        (bare, ADAPT, ADAPT),
        (bare, 30, 30),
        (timed, 30, 0),
        (own, 30, 9),
    ):
        assert Role(mesa.Model(rng=1), "ann", Terms.of(spec, 1), usual).interval_ps == interval_ps
    assert shop(None).interval_ps == EVERY_REPORT


def test_a_strategy_for_single_flows_decides_on_every_property() -> None:
    """Each property has a column, and omitted ones stay unchanged."""
    offers = (Offer("shop", "gold", 5), Offer("shop", "tin", 3))
    view = observation(
        1, 1, offers=offers, offer=[0, 0, 1, 1], switched_on=[False, True, True, True]
    )
    decision = Strategist("ann", "lab_sellers:ByFlow", {}).decide(view)
    columns = {name: getattr(decision, name).tolist() for name in type(decision).__struct_fields__}
    assert columns == {
        "willingness_micro_per_s": [-1, 10, 20, 30],
        "offer": [0, 1, 0, 0],
        "rate_cap_bps": [-1, 20, 40, 60],
        "active": [False, True, False, True],
        "weight": [-1, 30, 60, 90],
        "budget_micro": [-1, 40, 80, 120],
    }
