# SPDX-License-Identifier: Apache-2.0
"""A provider's tariff table: its keys, their meaning, and refusals."""

from __future__ import annotations

import json
import math

import pytest

from ecnomy.agents.call_tariff import CallTariff, Hours
from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.spec import AgentSpec, StrategySpec
from ecnomy.markets.compile.make import make_plan
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
    """Each row has its prices, promises and strategies, as written."""
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
    """Each source uses its promised delay, and each delay is among the thresholds."""
    plan = make_plan(scenario_from_text(TEXT))
    late = {source.name: source.calls.max_delay_ps for source in plan.sources}
    assert (late["voice"], late["video"], late["test"]) == (12 * 10**9, 30 * 10**9, -1)
    assert plan.record.delay_thresholds_ps == [12 * 10**9, 30 * 10**9]


@pytest.mark.parametrize(
    ("tariff", "own", "longest_s"),
    [("2 min", "4 min", 120), ("9 min", "4 min", 240), ("", "4 min", 240), ("2 min", "", 120)],
)
def test_a_call_ends_at_the_longest_connection(tariff: str, own: str, longest_s: int) -> None:
    """The limit is the shorter of its tariff's and its traffic's."""
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
    """Each period has its price, other times the price outside; refunds follow the price."""
    text = TEXT.replace("sources: voice, price: 0.05 money", f"sources: voice, price: {DAY}")
    tariff = agents(text)["gsp"].lines[0].tariff
    assert tariff.hours == (Hours(HOUR, 3 * HOUR // 2, 300_000),)
    minutes = {0: 100_000, 29: 100_000, 30: 300_000, 59: 300_000, 60: 100_000, 150: 300_000}
    for minute, price in minutes.items():
        at = tariff.at(minute * 60 * PS)
        assert (at.price_micro, at.reimbursement_micro) == (price, price)


PACKETS = TEXT.replace(
    "time: 1.2 money/h}", "packets: 0.0003 money/packet}\n          mean_rate: 20 packets/s"
)
KELLY = "{kind: effective-bandwidth, price: 0.0004 money/packet, space: 0.2 s}"
BANDWIDTH = TEXT.replace("price: 0.05 money", f"price: {KELLY}, mean_rate: 4 packets/s")


def test_a_price_of_packets() -> None:
    """A price is per million packets, and callers assume the mean rate or the peak."""
    film = agents(PACKETS)["gsp"].lines[1].tariff
    assert (film.price_micro, film.price_micro_per_min) == (100_000, 0)
    assert (film.price_micro_per_mega, film.mean_pps) == (300_000_000, 20.0)
    assert film.use_charge_micro(60 * PS, 7) == 2100
    assert film.usual_packets(3 * PS) == 60
    peak = CallTariff(0, 1, 0.01, 0, price_micro_per_mega=1, peak_pps=10.0)
    assert [peak.usual_packets(PS), CallTariff(0, 1, 0.01, 0).usual_packets(PS)] == [10, 0]


def test_a_price_by_peak_and_mean_rate() -> None:
    """The price is the tangent to log(1 + 0.4 (e^2 - 1)) / 0.2 at 4 of 10 packets/s."""
    talk = agents(BANDWIDTH)["gsp"].lines[0].tariff
    on = (math.exp(2) - 1) / 10
    slope = on / (1 + 4 * on) / 0.2
    per_s = math.log(1 + 4 * on) / 0.2 - 4 * slope
    assert talk.price_micro_per_min == round(400 * 60 * per_s)
    assert talk.price_micro_per_mega == round(400 * 1e6 * slope)
    assert (talk.price_micro, talk.money_back, talk.mean_pps) == (0, True, 4.0)


def test_time_and_packets_are_rounded_once() -> None:
    """Half a micro-unit of time and of packets make one. Large calls are exact integers."""
    tariff = CallTariff(0, 1, 0.01, 0, price_micro_per_min=30, price_micro_per_mega=500_000)
    assert [tariff.use_charge_micro(PS, n) for n in (0, 1, 2)] == [0, 1, 1]
    assert tariff.use_charge_micro(10**18, 10**12 + 1) == 30 * 10**6 // 60 + (10**12 + 1) // 2
    assert tariff.expected_use_micro(2.0, 3.0) == 61.5


@pytest.mark.parametrize(
    "text", [TEXT, TEXT.replace("price: 0.05 money", f"price: {DAY}"), PACKETS, BANDWIDTH]
)
def test_a_scenario_is_written_as_it_is_read(text: str) -> None:
    """The manifest's text loads as the same scenario."""
    scenario = scenario_from_text(text)
    assert scenario_from_text(json.dumps(scenario.resolved())).market == scenario.market


def test_time_is_charged_to_the_micro_unit_below() -> None:
    """Time at 20,001 micro-units per minute is charged to the micro-unit below."""
    tariff = CallTariff(5, 1, 0.01, 7, price_micro_per_min=20_001)
    assert [tariff.use_charge_micro(t * PS, 9) for t in (0, 1, 60, 61)] == [0, 333, 20_001, 20_334]
    assert tariff.back_micro(99) == 7
    assert CallTariff(5, 1, 0.01, 5, money_back=True).back_micro(99) == 99


@pytest.mark.parametrize(
    ("old", "new", "place", "found"),
    [
        ("sources: voice, price: 0.05 money", "price: 0.05 money", "gsp].tariffs.talk", "no 'sour"),
        ("sources: voice, price: 0.05", "sources: test, price: 0.05", "talk.sources", "is cbr"),
        ("sources: video\n", "sources: voice\n", "film.sources", "already belongs to"),
        ("peak_rate: 10 packets/s", "peak_rate: 9 packets/s", "talk.sources", "10 packets/s"),
        ("peak_rate: 10 packets/s", "peak_rate: 9", "talk.peak_rate", "without a unit"),
        ("0.02 money/min, max_delay: 12 ms", "1 money, max_delay: 9 ms", "sources", "of 0.009 s"),
        ("0.02 money/min, max", "1 money, max_time: 9 s, max", "sources", "a max_time of 9 s"),
        ("time: 1.2 money/h", "time: 1.000001 money/h", "film.price", "money/h"),
        ("time: 1.2 money/h", "time: 1.2 money/MB", "film.price.time", "1.2 money/MB"),
        ("price: 0.05 money", "price: {kind: flat, price: 1 money/h}", "talk.price.kind", "flat"),
        ("price: 0.05 money", f"price: {DAY.replace('money/call', 'money/h')}", "talk", "money/h"),
        ("time: 1.2 money/h", "packets: 1 money/packet", "film.peak_rate", "no 'peak_rate'"),
        ("time: 1.2 money/h", "packets: 1 money/MB", "film.price.packets", "1 money/MB"),
        (", time: 1.2 money/h", "", "film.price.time", "no 'time'"),
        ("peak_rate: 10", "mean_rate: 11 packets/s, peak_rate: 10", "talk.mean_rate", "11 packet"),
        ("price: 0.05 money", f"price: {KELLY}", "talk.mean_rate", "no 'mean_rate'"),
        (
            "price: 0.05 money, max_delay: 12 ms, peak_rate: 10",
            f"price: {KELLY}, max_delay: 12 ms, mean_rate: 10",
            "talk.peak_rate",
            "no 'peak_rate'",
        ),
        (
            "price: 0.05 money",
            f"price: {KELLY.replace('0.2 s', '11 s')}, mean_rate: 4 packets/s",
            "talk.price.space",
            "11 s",
        ),
        (
            "price: 0.05 money",
            f"price: {KELLY.replace('packet, ', 'h, ')}",
            "talk.price.price",
            "h",
        ),
        (
            "price: 0.05 money",
            f"price: {KELLY.replace('0.2 s', '9 s')}, mean_rate: 1e-20 packets/s",
            "talk.mean_rate",
            "1e-20 packets/s",
        ),
        ("time: 1.2 money/h", "time: 1000000 money/s", "film.price", "1000000 money/s"),
        ("0.02 money/min, max", "1000000 money/s, max", "tariff.price", "1000000 money/s"),
        ("quality_seen_by: both", "quality_seen_by: all", "film.quality_seen_by", "'all'"),
        ("{kind: accept-all}", "{kind: stay}", "film.strategy.kind", "'stay'"),
        ("      sources: voice\n      tariff", "      tariff", ".sources", "no sources"),
        ("fixed_costs: 2 money/h", "fixed_costs: 2 money", "fixed_costs", "2 money"),
        (
            "test_streams: test",
            "test_streams: more",
            "agents[3].test_streams",
            "already belongs to",
        ),
        (
            "      tariffs:\n",
            "      tariff: {price: 0 money}\n      tariffs:\n",
            "tariffs",
            "both",
        ),
        ("test_streams: test\n", "sources: voice\n      test_streams: test\n", "sources", "both"),
        ("role: subscriber, ", "role: subscriber, strategy: {kind: stay}, ", "kind", "'stay'"),
    ],
)
def test_what_is_refused(old: str, new: str, place: str, found: str) -> None:
    """Each refusal is one line with the place."""
    assert old in TEXT
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario_from_text(TEXT.replace(old, new, 1)))
    message = str(caught.value)
    assert "\n" not in message and found in message
    assert place.replace("gsp]", "agents[2]") in message
