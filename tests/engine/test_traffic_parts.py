# SPDX-License-Identifier: Apache-2.0
"""Sessions, pages, lists of sizes, talk spurts, longest calls and video on the running engine.

Each is compared with the same Philox streams drawn in Python (traffic_draws.py), to the ps and the
byte. Its means lie within a 99 % interval derived from the law's moments.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats

import plans
import traffic_draws as draws
from drive import run
from ecnomy.markets.plan import Calls, Law, Sizes
from test_traffic_statistics import READING_S, moment, web
from tiers import full

PS = plans.PS
Z = float(stats.norm.ppf(0.995))
WIRE = plans.duplex("wire", 0, 1, 1e9, 0.001)
SIZES = [(1_000, 6.0), (4_000, 3.0), (40_000, 0.75), (1_000_000, 0.25)]


def sessions(idle_s, pages):
    return Law("sessions", {"idle_mean_s": idle_s, "pages_mean": pages})


def files(users, duration_s, law, **other):
    """Transfers of each of the users, in order: rows of (start, end, bytes)."""
    transport = plans.tcp(initial_window=10.0)
    source = plans.source("s", [0], [1], transport, law, count=users, **other)
    outcome = run(plans.plan(WIRE, [source], duration_s, epoch_s=duration_s))
    rows = outcome.table("transfers")
    order = np.lexsort((rows["number"], rows["flow"]))
    columns = np.stack([rows[name][order] for name in ("start_ps", "end_ps", "bytes")], axis=1)
    flows = rows["flow"][order]
    return [columns[flows == user].tolist() for user in range(users)]


def test_sessions_are_those_drawn() -> None:
    """Every pause of every user, idle or reading, follows from the user's stream."""
    users = files(10, 6_000, web(), parts=[sessions(120.0, 5.0)])
    for user, rows in enumerate(users):
        pauses = draws.session_pauses(1, "s", user, 120.0, 5.0, READING_S)
        ends = [0, *(end for _, end, _ in rows)]
        for (start, _, _), end, pause in zip(rows, ends, pauses, strict=False):
            assert start - end == pause, f"user {user} at {end}"
    assert sum(map(len, users)) > 500


@full
def test_idle_times_and_readings_make_the_pages_of_a_renewal_process() -> None:
    """The mean first time and the number of pages agree with theory."""
    count, duration_s, idle_s, pages = 1_000, 60_000, 1800.0, 10.0
    users = files(count, duration_s, web(mean=200.0), parts=[sessions(idle_s, pages)])
    first = np.array([rows[0][0] for rows in users]) / PS
    assert abs(first.mean() - idle_s) < Z * idle_s / math.sqrt(count)
    # A cycle is an idle time and as many readings as pages: mean m, variance s^2.
    mean = idle_s + pages * READING_S
    variance = idle_s**2 + pages * (moment(2) - READING_S**2) + pages * (pages - 1) * READING_S**2
    cycles = duration_s / mean + (variance / mean**2 - 1) / 2
    fetched = sum(map(len, users))
    # Per cycle, fetched pages less `pages` vary with pages - pages / mean x the cycle's length.
    spare = pages * (pages - 1) * (1 - pages * READING_S / mean) ** 2
    spare += (pages / mean) ** 2 * (idle_s**2 + pages * (moment(2) - READING_S**2))
    due = count * pages * cycles
    # The constant term is that of whole cycles; an unfinished session has at most
    # its own pages in excess; fetches of a few milliseconds count as reading time.
    assert abs(fetched - due) < Z * math.sqrt(count * duration_s / mean * spare) + count * pages / 2


def test_pages_and_listed_sizes_are_those_drawn() -> None:
    """Pages from a weighted list, parsing times and objects are exactly those drawn."""
    law = web()
    law.params["size"] = 3.0
    values = dict(parse_mean_s=0.3, objects_mean=4.0, size=1.0, size_mean_bytes=900.0,
                  size_min_bytes=1.0, size_max_bytes=5e6, size_shape=1.2)  # fmt: skip
    sizes = Sizes([size for size, _ in SIZES], [weight for _, weight in SIZES])
    users = files(8, 4_000, law, parts=[Law("page", values)], sizes=sizes)
    for user, rows in enumerate(users):
        expected = draws.page_files(1, "s", user, READING_S, 0.3, 4.0, SIZES, 900.0)
        ends = [0, *(end for _, end, _ in rows)]
        for (start, _, size), end, (pause, oracle) in zip(rows, ends, expected, strict=False):
            assert (start - end, size) == (pause, oracle), f"user {user} at {end}"
    assert sum(map(len, users)) > 2_000


def test_listed_sizes_come_as_often_as_their_weights_say() -> None:
    """The frequencies of four sizes agree with their weights, by the chi-square statistic."""
    law = web()
    law.params.update(size=3.0, reading_mean_s=1.0, reading=0.0)
    sizes = Sizes([size for size, _ in SIZES], [weight for _, weight in SIZES])
    users = files(100, 200, law, sizes=sizes)
    drawn = np.array([row[2] for rows in users for row in rows[:120]])
    shares = np.array([weight for _, weight in SIZES]) / sum(weight for _, weight in SIZES)
    counts = np.array([(drawn == size).sum() for size, _ in SIZES])
    assert counts.sum() == len(drawn) == 12_000
    due = shares * len(drawn)
    assert ((counts - due) ** 2 / due).sum() < stats.chi2.ppf(0.99, len(SIZES) - 1)


def voice(users, duration_s, *, parts=(), longest_ps=-1, idle_s=20.0, call_s=30.0, interval_s=0.1):
    """The calls table and the times at which each user's packets leave."""
    params = dict(idle_mean_s=idle_s, call_mean_s=call_s, interval_s=interval_s, random_phase=1.0)
    source = plans.source(
        "s", [0], [], plans.udp(128), plans.voip(**params), count=users, parts=parts,
        calls=Calls(ask=False, max_delay_ps=-1, longest_ps=longest_ps),
    )  # fmt: skip
    outcome = run(plans.plan(WIRE, [source], duration_s, trace=True, calls=True))
    trace, calls = outcome.table("trace"), outcome.table("calls")
    order = np.lexsort((calls["start_ps"], calls["user"]))
    calls = {name: column[order] for name, column in calls.items()}
    left = trace["event"] == 0
    sent = [np.sort(trace["t_ps"][left & (trace["flow"] == user)]) for user in range(users)]
    return calls, sent


P59 = Law("speech", {"talk_mean_s": 1.004, "silence_mean_s": 1.587})


def test_packets_in_silences_are_left_out_and_no_others() -> None:
    """The calls are the same with and without `speech`; it keeps only packets in drawn spurts."""
    users = 6
    calls, whole = voice(users, 1_000)
    spoken_calls, spoken = voice(users, 1_000, parts=[P59])
    for name in ("user", "start_ps", "end_ps"):
        assert (calls[name] == spoken_calls[name]).all()
    for user in range(users):
        mine = calls["user"] == user
        ends = calls["end_ps"][mine].tolist()
        us = draws.uniforms(1, "s", user, "speech")
        kept = []
        for start, end in zip(calls["start_ps"][mine].tolist(), ends, strict=True):
            ticks = [t for t in whole[user].tolist() if start <= t < end]
            kept += _spoken(us, start, ticks)
        assert spoken[user].tolist() == kept
    assert 2_000 < sum(map(len, spoken)) < 0.6 * sum(map(len, whole))


def _spoken(us, start, ticks):
    """The ticks of a call that lie in a spurt; draws end with the last tick's spurt or silence."""
    kept, talking = [], next(us) < 1.004 / (1.004 + 1.587)
    until = start + draws.exponential_ps(1.004 if talking else 1.587, next(us))
    for tick in ticks:
        while until <= tick:
            talking = not talking
            until += draws.exponential_ps(1.004 if talking else 1.587, next(us))
        kept += [tick] if talking else []
    return kept


@full
def test_speech_is_the_share_of_time_that_p59_says() -> None:
    """38.75 % of the packets of long calls are sent, within the alternating renewals' variance."""
    calls, sent = voice(40, 4_000, parts=[P59], idle_s=1.0, call_s=400.0)
    talking_s = (calls["end_ps"] - calls["start_ps"]).sum() / PS
    talk, silence = 1.004, 1.587
    share, spread = talk / (talk + silence), 2 * (talk * silence) ** 2 / (talk + silence) ** 3
    packets = sum(map(len, sent))
    assert talking_s > 100_000
    assert abs(packets / 10 - share * talking_s) < Z * math.sqrt(spread * talking_s)


def test_calls_are_cut_and_drawn_as_ever() -> None:
    """A call lasts the drawn time, limited to the longest. The next idle time starts at its end."""
    longest = 40 * PS
    calls, _ = voice(5, 3_000, longest_ps=longest)
    cut = 0
    for user in range(5):
        mine, now = calls["user"] == user, 0
        rows = zip(calls["start_ps"][mine].tolist(), calls["end_ps"][mine].tolist(), strict=True)
        for (start, end), (idle, holding, _) in zip(
            rows, draws.calls(1, "s", user, 20.0, 30.0), strict=False
        ):
            assert (start, end) == (now + idle, min(start + min(holding, longest), 3_000 * PS))
            now, cut = end, cut + (holding > longest)
    share = math.exp(-40 / 30)
    n = len(calls["user"])
    assert abs(cut - share * n) < Z * math.sqrt(n * share * (1 - share)) + 5


GROUP = dict(
    frame_interval_s=0.04, group_frames=12, anchor_distance=3, i_mean_bytes=15e3, i_variation=0.25,
    p_mean_bytes=7e3, p_variation=0.5, b_mean_bytes=3e3, b_variation=0.4,
)  # fmt: skip


def video(spread, duration_s, users):
    """(time, bytes) of the packets of each user; the link is so fast that no packet waits long."""
    params = {name: float(v) for name, v in GROUP.items()}
    law = Law("video", params | dict(spread=float(spread), random_phase=1.0))
    source = plans.source("s", [0], [], plans.udp(1428), law, count=users)
    outcome = run(plans.plan(WIRE, [source], duration_s, trace=True))
    trace = outcome.table("trace")
    left = trace["event"] == 0
    rows = [np.stack([trace[n][left & (trace["flow"] == u)] for n in ("t_ps", "bytes", "seq")], 1)
            for u in range(users)]  # fmt: skip
    return outcome, [one[np.argsort(one[:, 2])].tolist() for one in rows]


def test_video_packets_are_those_drawn() -> None:
    """The time and size of each packet, sent at once or spread over the frame."""
    kinds = [(15e3, 0.25) if f == 0 else (7e3, 0.5) if f % 3 == 0 else (3e3, 0.4)
             for f in range(12)]  # fmt: skip
    for spread in (False, True):
        _, users = video(spread, 20, 3)
        for user, rows in enumerate(users):
            oracle = draws.video_packets(1, "s", user, kinds, 1400, interval_s=0.04, spread=spread)
            for (at, size, _), (due, payload) in zip(rows, oracle, strict=False):
                assert abs(at - due) <= 1 and size == payload + 28, (user, at, due)
            assert len(rows) > 1_500


@full
def test_video_has_its_mean_rate_and_frame_sizes() -> None:
    """The mean rate is 1 Mbps; sizes of I frames are lognormal by Kolmogorov-Smirnov."""
    duration_s, users = 240, 40
    outcome, rows = video(False, duration_s, users)
    payload = outcome.reports[-1].flows["sent_bytes"] - 28 * outcome.reports[-1].flows["sent"]
    groups = users * duration_s / 0.48
    mean = 15e3 + 3 * 7e3 + 8 * 3e3
    variance = (15e3 * 0.25) ** 2 + 3 * (7e3 * 0.5) ** 2 + 8 * (3e3 * 0.4) ** 2
    # The run's beginning and end cut a group or two of each user.
    cut = users * 2 * mean
    assert abs(payload.sum() - groups * mean) < Z * math.sqrt(groups * variance) + cut
    intra = []
    for one in rows:
        frames = [
            sum(size - 28 for _, size, _ in packets)
            for _, packets in itertools.groupby(one, key=lambda row: row[0])
        ]
        intra += frames[: len(frames) // 12 * 12 : 12]
    deviation = math.sqrt(math.log1p(0.25**2))
    median = 15e3 * math.exp(-(deviation**2) / 2)
    test = stats.kstest(intra, stats.lognorm(deviation, scale=median).cdf)
    assert len(intra) > 15_000 and test.pvalue > 0.01
