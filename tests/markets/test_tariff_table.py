# SPDX-License-Identifier: Apache-2.0
"""A provider's tariff table: what may be written, what it means, what is refused."""

from __future__ import annotations

import json

import pytest

from ecnomy.agents.call_tariff import CallTariff, Hours
from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.spec import AgentSpec, StrategySpec
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

PS = 10**12
HOUR = 3600 * PS
TEXT = """
version: 1
duration: 60 s
network: {links: [{name: wire, from: a, to: b, rate: 10 Mbps, delay: 2 ms}]}
sources:
  - {name: voice, from: a, to: b, traffic: {kind: voip}, transport: {law: udp}}
  - {name: video, from: a, to: b, traffic: {kind: voip, interval: 20 ms}, transport: {law: udp}}
  - {name: test, from: a, to: b, traffic: {kind: cbr, interval: 0.1 s}, transport: {law: udp}}
  - {name: more, from: a, to: b, traffic: {kind: cbr, interval: 0.1 s}, transport: {law: udp}}
market:
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: people, role: subscriber, sources: [voice, video]}
    - name: gsp
      role: guaranteed-stream-provider
      test_streams: test
      tariffs:
        talk: {sources: voice, price: 0.05 money, max_delay: 12 ms, peak_rate: 10 packets/s}
        film:
          sources: video
          price: {call: 0.1 money, time: 1.2 money/h}
          max_delay: 30 ms
          reimbursement: 0.2 money
          quality_seen_by: both
          strategy: {kind: accept-all}
    - name: rival
      role: guaranteed-stream-provider
      test_streams: more
      fixed_costs: 2 money/h
      sources: voice
      tariff: {price: 0.02 money/min, max_delay: 12 ms}
"""


def agents(text: str = TEXT) -> dict[str, AgentSpec]:
    """The agents of a scenario by name."""
    market = scenario_from_text(text).market
    assert market is not None
    return {agent.name: agent for agent in market.agents}


def test_rows_have_their_own_terms() -> None:
    """Prices, promises and strategies of each row, as written."""
    talk, film = agents()["gsp"].lines
    assert talk.tariff == CallTariff(
        50_000, 12 * 10**9, 0.01, 50_000, name="talk", money_back=True, peak_pps=10.0
    )
    assert talk.sources == ("voice",) and talk.strategy is None
    assert (film.tariff.price_micro, film.tariff.price_micro_per_min) == (100_000, 20_000)
    assert not film.tariff.money_back and film.tariff.reimbursement_micro == 200_000
    assert film.tariff.quality_seen_by == "both"
    assert film.strategy == StrategySpec("accept-all")
    rival = agents()["rival"]
    assert rival.fixed_costs == (2_000_000, HOUR)
    (only,) = rival.lines
    assert (only.tariff.price_micro, only.tariff.price_micro_per_min) == (0, 20_000)


def test_the_plan_counts_late_by_each_row() -> None:
    """Each source by the delay it was promised; each delay is among the thresholds."""
    plan = make_plan(scenario_from_text(TEXT))
    late = {source.name: source.calls.max_delay_ps for source in plan.sources}
    assert (late["voice"], late["video"], late["test"]) == (12 * 10**9, 30 * 10**9, -1)
    assert plan.record.delay_thresholds_ps == [12 * 10**9, 30 * 10**9]


@pytest.mark.parametrize(
    ("tariff", "own", "longest_s"),
    [("2 min", "4 min", 120), ("9 min", "4 min", 240), ("", "4 min", 240), ("2 min", "", 120)],
)
def test_a_call_ends_at_the_longest_connection(tariff: str, own: str, longest_s: int) -> None:
    """That of its tariff, or of its traffic where that is shorter."""
    text = TEXT
    if tariff:
        text = text.replace("sources: video\n", f"sources: video\n          max_time: {tariff}\n")
    if own:
        text = text.replace("interval: 20 ms", f"interval: 20 ms, longest: {own}")
    plan = make_plan(scenario_from_text(text))
    assert plan.sources[1].calls.longest_ps == longest_s * PS


DAY = """{kind: time-of-day, day: 2 h, offset: 30 min, periods:
            [{from: 1 h, to: 90 min, price: 0.3 money/call}], price: 0.1 money/call}"""


def test_a_price_by_time_of_day() -> None:
    """In the period its own, else the price outside; what is paid back follows."""
    text = TEXT.replace("sources: voice, price: 0.05 money", f"sources: voice, price: {DAY}")
    tariff = agents(text)["gsp"].lines[0].tariff
    assert tariff.hours == (Hours(HOUR, 3 * HOUR // 2, 300_000),)
    minutes = {0: 100_000, 29: 100_000, 30: 300_000, 59: 300_000, 60: 100_000, 150: 300_000}
    for minute, price in minutes.items():
        at = tariff.at(minute * 60 * PS)
        assert (at.price_micro, at.reimbursement_micro) == (price, price)


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("price: 0.05 money", f"price: {DAY}")])
def test_a_scenario_is_written_as_it_is_read(text: str) -> None:
    """What the manifest says makes the same scenario."""
    scenario = scenario_from_text(text)
    assert scenario_from_text(json.dumps(scenario.resolved())).market == scenario.market


def test_time_is_charged_to_the_micro_unit_below() -> None:
    """20,001 micro-units a minute."""
    tariff = CallTariff(5, 1, 0.01, 7, price_micro_per_min=20_001)
    assert [tariff.time_charge_micro(t * PS) for t in (0, 1, 60, 61)] == [0, 333, 20_001, 20_334]
    assert tariff.back_micro(99) == 7
    assert CallTariff(5, 1, 0.01, 5, money_back=True).back_micro(99) == 99


@pytest.mark.parametrize(
    ("old", "new", "place", "found"),
    [
        ("sources: voice, price: 0.05 money", "price: 0.05 money", "gsp].tariffs.talk", "no 'sour"),
        ("sources: voice, price: 0.05", "sources: test, price: 0.05", "talk.sources", "is cbr"),
        ("sources: video\n", "sources: voice\n", "film.sources", "has already"),
        ("peak_rate: 10 packets/s", "peak_rate: 9 packets/s", "talk.sources", "10 packets/s"),
        ("peak_rate: 10 packets/s", "peak_rate: 9", "talk.peak_rate", "without a unit"),
        ("0.02 money/min, max_delay: 12 ms", "1 money, max_delay: 9 ms", "sources", "of 0.009 s"),
        ("0.02 money/min, max", "1 money, max_time: 9 s, max", "sources", "a max_time of 9 s"),
        ("time: 1.2 money/h", "time: 1.000001 money/h", "film.price", "money/h"),
        ("time: 1.2 money/h", "time: 1.2 money/MB", "film.price.time", "1.2 money/MB"),
        ("price: 0.05 money", "price: {kind: flat, price: 1 money/h}", "talk.price.kind", "flat"),
        ("price: 0.05 money", f"price: {DAY.replace('money/call', 'money/h')}", "talk", "money/h"),
        ("quality_seen_by: both", "quality_seen_by: all", "film.quality_seen_by", "'all'"),
        ("{kind: accept-all}", "{kind: stay}", "film.strategy.kind", "'stay'"),
        ("      sources: voice\n      tariff", "      tariff", ".sources", "no sources"),
        ("fixed_costs: 2 money/h", "fixed_costs: 2 money", "fixed_costs", "2 money"),
        ("test_streams: test", "test_streams: more", "agents[3].test_streams", "has already"),
        (
            "      tariffs:\n",
            "      tariff: {price: 0 money}\n      tariffs:\n",
            "tariffs",
            "beside",
        ),
        ("test_streams: test\n", "sources: voice\n      test_streams: test\n", "sources", "beside"),
        ("role: subscriber, ", "role: subscriber, strategy: {kind: stay}, ", "kind", "'stay'"),
    ],
)
def test_what_is_refused(old: str, new: str, place: str, found: str) -> None:
    """In one line with the place."""
    assert old in TEXT
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario_from_text(TEXT.replace(old, new, 1)))
    told = str(caught.value)
    assert "\n" not in told and found in told
    assert place.replace("gsp]", "agents[2]") in told
