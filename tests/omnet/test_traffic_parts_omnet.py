# SPDX-License-Identifier: Apache-2.0
"""Sessions, pages, listed sizes, talk spurts, longest calls and video: the same on both engines."""

from __future__ import annotations

import pytest

import drive_omnet
import plans
from ecnomy.markets.plan import Calls, Law, Sizes
from plans import PS
from tcp_pairs import dumbbell, newreno, same
from test_datagram_sources import on_and_off, run_both, sends, voip

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-tcp"),
]

SPEECH = Law("speech", {"talk_mean_s": 0.2, "silence_mean_s": 0.3})
SESSIONS = Law("sessions", {"idle_mean_s": 1.5, "pages_mean": 3.0})
PAGE = Law(
    "page",
    dict(
        parse_mean_s=0.05, objects_mean=2.5, size=2.0, size_mean_bytes=8e3, size_min_bytes=900.0,
        size_max_bytes=1e5, size_shape=1.1,
    ),
)  # fmt: skip
# 0.1 + 0.2 is not 0.3 in doubles: weights are summed in the order of the list.
SIZES = Sizes([1, 959, 960, 30_001, 200_000], [0.1, 0.2, 0.7, 1 / 3, 1e-3])


def film(spread: float, **other: float) -> Law:
    params = dict(
        frame_interval_s=0.02, group_frames=9.0, anchor_distance=3.0, i_mean_bytes=9e3,
        i_variation=0.25, p_mean_bytes=4e3, p_variation=0.5, b_mean_bytes=60.0, b_variation=2.0,
        spread=spread, random_phase=1.0,
    )  # fmt: skip
    return Law("video", params | other)


def test_talk_spurts_calls_that_are_cut_and_video() -> None:
    """All packets' times and lengths agree, and all calls' records, with orders and overheads."""
    calls = Calls(ask=False, max_delay_ps=PS // 50, longest_ps=PS // 4)
    sources = [
        sends("spoken", voip(0.5, 0.6), 200, count=6, parts=[SPEECH], overhead_s=0.004),
        sends("cut", voip(0.3, 0.5, tick=True), 128, count=10, rows="together", calls=calls,
              parts=[SPEECH], stop_s=9.0, profile=plans.profile(4, {0: 0.5, 1: 3})),
        sends("film", film(0.0), 1000, count=2, overhead_s=0.0004),
        sends("even", film(1.0, random_phase=0.0), 1000, count=2, start_s=0.25),
    ]  # fmt: skip
    links = plans.duplex("a", 0, 1, 4e6, 0.005, buffer=12, marking=plans.red(2, 9, 0.3))
    plan = plans.plan(links, sources, 10, trace=True, calls=True, warmup_s=2.5)
    outcome = run_both(plan, on_and_off)
    rows, trace = outcome.table("calls"), outcome.table("trace")
    assert len(rows["id"]) > 100 and (rows["lost"] > 0).any() and (rows["ce"] > 0).any()
    lengths = set(trace["bytes"].tolist())
    assert len(lengths) > 200 and max(lengths) == 1000
    cut = rows["flow"] >= 6
    assert (rows["end_ps"] - rows["start_ps"])[cut].max() == PS // 4


def web(**other: float) -> Law:
    params = dict(
        reading_mean_s=0.2, size=3.0, size_mean_bytes=3e4, size_min_bytes=1.0, size_max_bytes=1e6,
        size_shape=1.2, reading=1.0, patience_s=-1.0, lasting=0.0,
    )  # fmt: skip
    return Law("web", params | other)


def test_sessions_pages_and_listed_sizes() -> None:
    """All packets of files agree, for sessions of pages from a list, with orders."""
    parts = dict(parts=[SESSIONS, PAGE], sizes=SIZES)
    sources = {
        "pages": (plans.tcp(), dict(traffic=web(), count=4, **parts)),
        "kept": (plans.tcp(), dict(traffic=web(lasting=1.0), parts=[PAGE], sizes=SIZES)),
    }
    plan = dumbbell(sources, 20, rate_bps=2e6, buffer=20, marking=plans.red(5, 15))
    assert len(same(plan, on_and_off).table("transfers")["bytes"]) > 200


def test_pages_that_are_given_up() -> None:
    """Pages that impatient users give up agree, with their objects."""
    parts = dict(parts=[SESSIONS, PAGE], sizes=SIZES)
    hasty = dict(traffic=web(patience_s=0.3), count=9, **parts)
    plan = dumbbell(
        {"hasty": (plans.tcp(newreno(), sack=True), hasty)}, 20, buffer=25, rate_bps=2e6
    )
    plan.links[1] = plans.link("access.reverse", 1, 0, 1e12, 0.001)
    plan.links[3] = plans.link("neck.reverse", 2, 1, 1e12, 0.02)
    rows = same(plan.sealed(), parts=("flows",), strays=False).table("transfers")
    assert 20 < (rows["complete"] == 0).sum() < len(rows["complete"]) - 50


def test_a_list_of_the_longest_length() -> None:
    """Ten thousand sizes with weights go through NED parameters unchanged."""
    sizes = Sizes(list(range(1, 10_001)), [1 / (n + 7) for n in range(10_000)])
    user = dict(traffic=web(reading_mean_s=0.02, reading=0.0), sizes=sizes)
    outcome = same(dumbbell({"s": (plans.tcp(), user)}, 10))
    assert len(outcome.table("transfers")["bytes"]) > 50
