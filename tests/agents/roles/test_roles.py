# SPDX-License-Identifier: Apache-2.0
"""Roles: their decision times, their random streams, and the answers that they refuse."""

from __future__ import annotations

import math
from types import SimpleNamespace

import mesa
import msgspec
import numpy as np
import pytest

from carrier_books import CarrierBooks
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import (
    NO_OFFER,
)
from ecnomy.agents.random_streams import agent_stream
from ecnomy.agents.roles.application_provider import ApplicationProvider
from ecnomy.agents.roles.connectivity_provider import ConnectivityProvider
from ecnomy.agents.roles.customer import Customer
from ecnomy.agents.roles.role import ADAPT, Role, Terms, settling_ps
from ecnomy.agents.strategies.strategist import Strategist
from ecnomy.agents.times import LONGEST_PS
from flow_world import noting
from flow_world import observation as observed
from role_views import OFFERS, flows, observation, prices

PS = 10**12


@pytest.fixture
def model() -> mesa.Model:
    """A model for agents to live in."""
    return mesa.Model(rng=1)


def test_settling_time_is_three_time_constants() -> None:
    """For T = 0.1 s, gain 0.5, p = 0.01, it is 60 s. It is at least 5 s, as without marks."""
    assert settling_ps(flows(0, 1)) == 60 * PS
    assert settling_ps(flows(0, marks=500)) == 5 * PS
    assert settling_ps(flows(0, marks=0)) == 5 * PS


def test_default_interval_follows_what_is_measured(model: mesa.Model) -> None:
    """The first decision falls in the first 5 s, the next ones 3 T / (gain p) apart."""
    customer = Customer(model, "ann", Terms(7))
    assert customer.interval_ps == ADAPT
    assert 0 <= customer.next_ps < 5 * PS
    customer.decide(observation(0))
    assert not customer.due(64 * PS) and customer.due(65 * PS)
    assert not customer.hasty


def test_how_long_flows_take_to_respond(model: mesa.Model) -> None:
    """Windows settle, then five decisions follow; without flows the time is 0.

    If 8 of 10 users do not look at a decision, 5 % still have not looked after 13.4 more.
    """
    role = Role(model, "one", Terms(1, interval_ps=20 * PS))
    assert role.responds_ps == 0
    role.decided(0, 6 * PS)
    assert role.responds_ps == 6 * PS + 5 * 20 * PS
    role.decided(0, 6 * PS, inertia=0.8)
    assert 0.8 ** ((role.responds_ps / PS - 6) / 20 - 5) == pytest.approx(math.exp(-3))
    role.decided(0, 0)
    assert role.responds_ps == 0


def test_users_of_whom_few_look_take_longer_to_respond(model: mesa.Model) -> None:
    """A carrier that waits for them learns the time: 60 s to settle and 18.4 of their decisions."""
    worth = {"kind": "log", "a": 1.0, "x0": 1e6}
    loyal = Strategist("users", "best-offer", {"utility": worth, "loyalty": 0.8})
    assert loyal.inertia == 0.8
    params = {"demand": {"kind": "linear", "choke": 1.0}, "looks": 0.2}
    users = Customer(model, "users", Terms(1, "price-demand", params, 20 * PS))
    users.decide(msgspec.structs.replace(observation(NO_OFFER), agent=noting()))
    assert users.responds_ps / PS == pytest.approx(60 + 18.44 * 20, abs=1)


@pytest.mark.parametrize(
    ("interval_s", "settling_s", "heeds", "hasty", "next_s"),
    [
        (10, 11, False, True, 17),
        (10, 11, True, False, 17),
        (10, 10, False, False, 17),
        (0, 11, False, False, 7),  # at every report
        (None, 11, False, False, 18),
        (None, 0, False, False, 7),
    ],
)
def test_a_decision_sets_the_next_one(
    interval_s: int | None,
    settling_s: int,
    heeds: bool,
    hasty: bool,
    next_s: int,
    model: mesa.Model,
) -> None:
    """The next decision follows after the interval, or the time to settle. Sooner is hasty."""
    interval_ps = None if interval_s is None else interval_s * PS
    role = Role(model, "one", Terms(1, interval_ps=interval_ps), ADAPT)
    role.decided(7 * PS, settling_s * PS, heeds_lag=heeds)
    assert (role.hasty, role.settles_ps) == (hasty, settling_s * PS)
    assert role.next_ps == next_s * PS
    pause_s = settling_s if interval_s is None else interval_s
    assert role.responds_ps == ((settling_s + 5 * pause_s) * PS if settling_s else 0)
    role.decided(7 * PS, settling_s * PS, heeds_lag=heeds, needs=13 * PS)
    assert (role.hasty, role.settles_ps) == (hasty, settling_s * PS)
    assert role.next_ps == (20 if interval_s is None else next_s) * PS
    role.decided(8 * PS, LONGEST_PS - 1, inertia=1.0)
    most = LONGEST_PS - 1 + 5 * (LONGEST_PS - 1 if interval_s is None else interval_s * PS)
    assert role.responds_ps == min(most, LONGEST_PS)


@pytest.mark.parametrize(
    ("advice", "needs_s", "text", "needs_ps"),
    [
        ("rests", 7.5, "rests", 7_500_000_000_000),
        (3, "7", "", 0),
        (None, math.nan, "", 0),
        ("", -1, "", 0),
        ("", math.inf, "", LONGEST_PS),
    ],
)
def test_a_strategy_may_advise_and_need_time(
    advice: object, needs_s: object, text: str, needs_ps: int
) -> None:
    """Advice is text and a time is a number above 0; anything else is ignored."""
    strategist = Strategist("users", "stay", {})
    strategist.whole = SimpleNamespace(advice=advice, needs_s=needs_s)
    assert (strategist.advice, strategist.needs_ps) == (text, needs_ps)


@pytest.mark.parametrize("count", [5, 16, 17, 30])
def test_settling_is_that_of_the_slowest_and_of_all_marks(count: int) -> None:
    """Of flows with a gain, packets and a round trip; the same for few flows and many."""
    rng = np.random.Generator(np.random.Philox(count))
    drawn = flows(*[0] * count)
    columns = {
        "gain": rng.choice([0.0, 0.05, 0.5], count),
        "delivered": rng.choice([0, 700, 3000], count),
        "marks": rng.integers(0, 90, count),
        "srtt_s": rng.choice([0.0, 0.03, 0.2], count),
    }
    counted = [
        k for k in range(count) if all(columns[n][k] for n in ("gain", "delivered", "srtt_s"))
    ]
    assert counted
    slowest = max(columns["srtt_s"][k] / columns["gain"][k] for k in counted)
    share = sum(columns["marks"][k] for k in counted) / sum(
        columns["delivered"][k] for k in counted
    )
    settling = settling_ps(msgspec.structs.replace(drawn, **columns))
    assert settling == pytest.approx(3 * slowest / share * PS, rel=1e-12)
    assert 5 * PS < settling < LONGEST_PS
    rare = {
        **columns,
        "marks": np.eye(1, count, counted[0], dtype=np.int64)[0],
        "gain": drawn.gain * 1e-6,
    }
    assert settling_ps(msgspec.structs.replace(drawn, **rare)) == LONGEST_PS


def test_providers_set_their_next_decision(model: mesa.Model) -> None:
    """A carrier knows its users' settling time only if it waits for them."""
    for kind, settles in (("revenue-gradient", 33 * PS), ("stay", 0)):
        carrier = ConnectivityProvider(model, "net", Terms(1, kind, interval_ps=10 * PS))
        CarrierBooks(carrier, 5, responds_s=33).decide()
        assert (carrier.next_ps, carrier.settles_ps) == (20 * PS, settles)
    terms = Terms(7, interval_ps=10 * PS)
    provider = ApplicationProvider(model, "shop", terms, OFFERS[:2])
    provider.decide(observation(1, 0))
    assert (provider.next_ps, provider.settles_ps, provider.hasty) == (15 * PS, 60 * PS, True)


def test_a_provider_does_not_switch_off_customers_who_pay_a_high_fee(model: mesa.Model) -> None:
    """Only customers may leave a class, so the provider goes on paying for their marks."""
    utility = {"kind": "log", "a": 1.0, "x0": 1e6}
    terms = Terms(7, "elastic-utility", {"utility": utility}, PS)
    provider = ApplicationProvider(model, "shop", terms, OFFERS[:2])
    provider.join(SimpleNamespace(spec=SimpleNamespace(classes=())))  # type: ignore[arg-type]
    for t_s in range(1, 20):
        decision = provider.decide(
            observed(
                t_s,
                min(1, t_s - 1),
                goodput_bps=1e6,
                delivered=125,
                delivered_bytes=125_000,
                marks=10,
                charge_micro=400_000,
                bill_micro=5_400_000,
                standing_micro=5_000_000,
                posted_standing_micro=5e6,
            )
        )
        assert decision.active is None or decision.active.all()
    assert decision.willingness_micro_per_s.min() > 100_000


@pytest.mark.parametrize("price", [0, 10**12, -1, 10**12 + 1])
def test_a_price_of_a_mark_has_limits(price: int, model: mesa.Model) -> None:
    """Prices from 0 to 10^12 micro-units are accepted."""
    params = {"answer": price}
    isp = ConnectivityProvider(model, "isp", Terms(7, "lab_strategies:Answering", params))
    if 0 <= price <= 10**12:
        assert isp.post_price(prices()) == price
    else:
        with pytest.raises(StrategyError, match="an integer from 0 to 10.12 micro-units"):
            isp.post_price(prices())


@pytest.mark.parametrize(
    ("kind", "responds_s", "hasty"),
    [("revenue-gradient", 99, False), ("revenue-gradient", 101, True), ("stay", 101, False)],
)
def test_a_carrier_that_cannot_wait_is_hasty(
    kind: str, responds_s: int, hasty: bool, model: mesa.Model
) -> None:
    """Ten decisions of 10 s are the longest that a price is held for a response."""
    carrier = ConnectivityProvider(model, "net", Terms(1, kind, interval_ps=10 * PS))
    books = CarrierBooks(carrier, 5, responds_s=responds_s)
    books.decide()
    assert carrier.hasty == hasty


@pytest.mark.parametrize(
    ("kind", "responds_s", "next_s"),
    [
        ("revenue-gradient", 33, 43),
        ("revenue-gradient", 4, 15),
        ("revenue-gradient", 999, 610),
        ("stay", 33, 10),
    ],
)
def test_a_carrier_without_an_interval_waits_for_its_users(
    kind: str, responds_s: int, next_s: int, model: mesa.Model
) -> None:
    """A carrier waits 5 s to 10 min if its strategy waits for users, else until the next report."""
    carrier = ConnectivityProvider(model, "net", Terms(1, kind))
    assert carrier.next_ps < 5 * PS
    CarrierBooks(carrier, 5, responds_s=responds_s).decide()
    assert (carrier.next_ps, carrier.responds_ps, carrier.hasty) == (next_s * PS, 0, False)


def test_configured_interval_is_kept_and_found_hasty(model: mesa.Model) -> None:
    """A configured interval of 10 s is kept, with a notice if 60 s are needed."""
    customer = Customer(model, "ann", Terms(7, interval_ps=10 * PS))
    customer.decide(observation(0))
    assert not customer.due(14 * PS) and customer.due(15 * PS)
    assert customer.hasty


def test_phases_differ_between_agents_and_seeds(model: mesa.Model) -> None:
    """Each agent has its own draw, the same one in every run with its seed."""
    phases = [Customer(model, n, Terms(s)).next_ps for n in ("a", "b") for s in (1, 2)]
    assert len(set(phases)) == 4
    assert Customer(model, "a", Terms(1)).next_ps == phases[0]


def test_agent_streams_are_fixed_for_ever() -> None:
    """Old results stay reproducible: a known key has a known first draw."""
    assert agent_stream(7, "ann").random() == 0.504287718957188
    assert agent_stream(2**64 - 1, "é").random() != agent_stream(0, "é").random()


def test_provider_is_willing_to_pay_the_class_fee(model: mesa.Model) -> None:
    """Constant charge: the fee of each flow's class; flows without a class get no decision."""
    provider = ApplicationProvider(model, "shop", Terms(7), OFFERS[:2])
    pay = provider.decide(observation(1, 0, NO_OFFER)).willingness_micro_per_s
    assert pay is not None and pay.tolist() == [1e6, 4e6, -1.0]


def test_single_flow_strategy_has_one_object_per_flow(model: mesa.Model) -> None:
    """Each flow of the group keeps its own state."""
    customer = Customer(model, "ann", Terms(7, "lab_strategies:Counting", {"step": 10.0}))
    assert customer.decide(observation(0, 0)).willingness_micro_per_s.tolist() == [10.0, 10.0]
    assert customer.decide(observation(0, 0)).willingness_micro_per_s.tolist() == [20.0, 20.0]


def test_price_strategy_sets_the_price(model: mesa.Model) -> None:
    """`stay` keeps it; a custom strategy may change it."""
    assert ConnectivityProvider(model, "isp", Terms(7)).post_price(prices()) == 1000
    doubling = ConnectivityProvider(model, "isp", Terms(7, "lab_strategies:Doubling"))
    assert doubling.post_price(prices()) == 2000


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("type", "returned NoneType"),
        ("length", "shape"),
        ("nan", "not finite"),
        ("negative", "negative"),
        ("float-class", "not integers"),
        ("no-class", "does not exist"),
        ("other-shop", "another provider"),
    ],
)
def test_useless_decisions_are_refused(model: mesa.Model, fault: str, message: str) -> None:
    """The error names agent, strategy and reason."""
    customer = Customer(model, "ann", Terms(7, "lab_strategies:Broken", {"fault": fault}))
    with pytest.raises(StrategyError, match=rf"ann \(lab_strategies:Broken\).*{message}"):
        customer.decide(observation(0))


def test_failing_strategy_is_named_with_its_place(model: mesa.Model) -> None:
    """The error for an exception in a user's code names its agent and its place."""
    customer = Customer(model, "ann", Terms(7, "lab_strategies:Broken", {"fault": "crash"}))
    with pytest.raises(StrategyError, match=r"ann .*KeyError: 'crash' \(.*lab_strategies.py:\d+\)"):
        customer.decide(observation(0))


def test_price_must_be_a_whole_number(model: mesa.Model) -> None:
    """Prices must be whole, since the ledger has no fractions of a micro-unit."""
    isp = ConnectivityProvider(model, "isp", Terms(7, "lab_strategies:Broken"))
    with pytest.raises(StrategyError, match="0.5"):
        isp.post_price(prices())


def test_strategy_must_suit_its_role(model: mesa.Model) -> None:
    """A customer sets no prices, a connectivity provider turns no knob."""
    with pytest.raises(StrategyError, match="decide or decide_many"):
        Customer(model, "ann", Terms(7, "lab_strategies:Doubling"))
    with pytest.raises(StrategyError, match="post_price"):
        ConnectivityProvider(model, "isp", Terms(7, "qos-knob"))
