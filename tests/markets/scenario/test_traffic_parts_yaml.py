# SPDX-License-Identifier: Apache-2.0
"""Parts of traffic in YAML: their values in plans, round trips, files of sizes, errors."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.slow_windows import _datagram_bps
from ecnomy.markets.plan import NO_SIZES, Law, Plan, Sizes
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.scenario import load, scenario_from_text, traffic
from ecnomy.markets.sweep.config import load_sweep

TEXT = """version: 1
duration: 10 s
network: {{links: [{{name: l, from: a, to: b, rate: 8 Mbps}}]}}
sources:
  - name: s
    from: a
    to: b
    traffic: {traffic}
    transport: {{law: {law}}}
"""


def text(traffic: str, law: str = "reno") -> str:
    return TEXT.format(traffic=traffic, law=law)


def plan_of(traffic: str, law: str = "reno") -> Plan:
    """The plan; the resolved scenario must give the same one."""
    scenario = scenario_from_text(text(traffic, law))
    again = scenario_from_text(json.dumps(scenario.resolved()))
    plan = make_plan(scenario)
    assert make_plan(again).sealed() == plan
    return plan


def test_nothing_is_there_by_default() -> None:
    """By default, plans have no parts, no sizes, and calls of any length."""
    web, talk = (
        plan_of(f"{{kind: {k}}}", law).sources[0] for k, law in (("web", "reno"), ("voip", "udp"))
    )
    assert web.parts == [] == talk.parts and web.sizes == NO_SIZES
    assert talk.calls.longest_ps == -1


def test_sessions_and_pages() -> None:
    """Times become seconds; omitted values have the paper's or the law's default."""
    sessions = plan_of("{kind: web, sessions: {pages: 10}}").sources[0].parts
    assert sessions == [Law("sessions", {"idle_mean_s": 1800.0, "pages_mean": 10.0})]
    traffic = (
        "{kind: web, sessions: {idle: 2 min, pages: 1.5}, "
        "page: {objects: 4, parse: 50 ms, size: pareto, mean: 9 kB}}"
    )
    idle, page = plan_of(traffic).sources[0].parts
    assert idle.params == {"idle_mean_s": 120.0, "pages_mean": 1.5}
    assert (page.params["objects_mean"], page.params["parse_mean_s"]) == (4.0, 0.05)
    assert 1_000 < page.params["size_min_bytes"] < 9_000 and page.params["size"] == 2.0


def test_speech_and_the_longest_call() -> None:
    """The defaults are P.59's means; both lower the rate that a warning assumes."""
    source = plan_of("{kind: voip, longest: 3 min, speech: {}}", "udp").sources[0]
    assert source.parts == [Law("speech", {"talk_mean_s": 1.004, "silence_mean_s": 1.587})]
    assert source.calls.longest_ps == 180 * 10**12
    line = plan_of("{kind: voip}", "udp").links[0]
    plain = plan_of("{kind: voip}", "udp").sources[0]
    cut_s = 180 * (1 - 2.718281828459045**-1)
    share = cut_s / (cut_s + 1200) / (180 / 1380) * 1.004 / 2.591
    assert _datagram_bps(source, line) == pytest.approx(share * _datagram_bps(plain, line))


def test_callers_without_number() -> None:
    """Callers without number have lines, an Erlang load and a rate for warnings."""
    source = plan_of("{kind: voip, interarrival: 30 s}", "udp").sources[0]
    line = plan_of("{kind: voip}", "udp").links[0]
    assert source.traffic.params["interarrival_mean_s"] == 30.0
    always = plan_of("{kind: cbr, interval: 100 ms}", "udp").sources[0]
    carried = 6 * (1 - 6 / 7)  # erlang, on one line
    assert _datagram_bps(source, line) == pytest.approx(carried * _datagram_bps(always, line))
    scenario = scenario_from_text(text("{kind: voip, interarrival: 30 s}", "udp"))
    (only,) = [w for w in warnings(scenario, make_plan(scenario)) if "erlang" in w]
    assert "6 erlang of calls on 1 lines, so 85.7% of them" in only
    many = text("{kind: voip, interarrival: 30 s}", "udp")
    scenario = scenario_from_text(many.replace("name: s", "name: s\n    count: 13"))
    assert not [w for w in warnings(scenario, make_plan(scenario)) if "erlang" in w]
    with pytest.raises(ScenarioError, match="found both 'idle' and 'interarrival'"):
        plan_of("{kind: voip, idle: 3 min, interarrival: 30 s}", "udp")


@pytest.mark.parametrize(("connection", "lasting"), [("lasting", 1.0), ("new", 0.0)])
def test_a_connection_for_all_groups_or_for_each(connection: str, lasting: float) -> None:
    """`connection` is a name in YAML, and a switch in the plan."""
    (source,) = plan_of(f"{{kind: on-off, connection: {connection}}}").sources
    assert source.traffic.params["lasting"] == lasting


def test_video() -> None:
    """Types of frames are given by name, and the defaults give 1 Mbps."""
    source = plan_of(
        "{kind: video, group: 6, anchors: 2, i: {mean: 20 kB}, packets: spread}", "udp"
    )
    params = source.sources[0].traffic.params
    assert (params["group_frames"], params["anchor_distance"], params["spread"]) == (6.0, 2.0, 1.0)
    assert (params["i_mean_bytes"], params["i_variation"]) == (20_000.0, 0.0)
    plain = plan_of("{kind: video}", "udp")
    assert _datagram_bps(plain.sources[0], plain.links[0]) == pytest.approx(1e6)


def test_lists_of_sizes(tmp_path: Path) -> None:
    """Sizes are listed in YAML or in a file, with and without weights and units."""
    listed = "{kind: web, size: list, sizes: [1 kB, {size: 2 MB, weight: 0.25}]}"
    sizes = Sizes([1000, 2_000_000], [1.0, 0.25])
    assert plan_of(listed).sources[0].sizes == sizes
    (tmp_path / "sizes.csv").write_text("# of a test\n1000\n\n2 MB, 0.25  # large\n")
    (tmp_path / "s.yaml").write_text(text("{kind: web, size: list, sizes: sizes.csv}"))
    scenario = load(tmp_path / "s.yaml")
    assert make_plan(scenario).sources[0].sizes == sizes
    (tmp_path / "sweep.yaml").write_text("version: 1\nscenario: s.yaml\nreplicates: 2\n")
    sweep = load_sweep(tmp_path / "sweep.yaml")
    (tmp_path / "sizes.csv").unlink()
    assert make_plan(sweep.scenario_at({}, 1)).sources[0].sizes == sizes, "workers need no file"


@pytest.mark.parametrize(
    ("traffic", "law", "path", "found", "expected"),
    [
        ("{kind: web, size: list}", "reno", "sizes", "without 'sizes'", "name of a file"),
        ("{kind: web, sizes: [1 kB]}", "reno", "size", "pareto together with", "size: list"),
        ("{kind: web, size: list, sizes: []}", "reno", "sizes", "a list of 0", "sizes such as"),
        ("{kind: web, size: list, sizes: [1]}", "reno", "sizes[0]", "without a unit", "10 kB"),
        ("{kind: web, size: list, sizes: [{weight: 1}]}", "reno", "sizes[0].size", "no 'size'", ""),
        ("{kind: web, size: list, sizes: [{size: 1 kB, weight: 0}]}", "reno", "sizes[0].weight",
         "0", "above 0"),
        ("{kind: web, size: list, sizes: [{size: 1 kB, part: 1}]}", "reno", "sizes[0].part",
         "unknown key", "size, weight"),
        ("{kind: web, size: list, sizes: none.csv}", "reno", "sizes", "no such file", "a text"),
        ("{kind: web, sessions: {idle: 30 min}}", "reno", "sessions.pages", "no 'pages'", "number"),
        ("{kind: web, sessions: {pages: 0.5}}", "reno", "sessions.pages", "0.5", "from 1"),
        ("{kind: web, page: {objects: -1}}", "reno", "page.objects", "-1", "from 0"),
        ("{kind: web, page: {objects: 1, size: pareto, mean: 9 MB}}", "reno", "page.mean", "9e+06",
         "less than max"),
        ("{kind: voip, speech: {talk: 1 us}}", "udp", "speech.talk", "1 us", "of at least"),
        ("{kind: voip, longest: 180}", "udp", "longest", "without a unit", "3 min"),
        ("{kind: video, group: 2.5}", "udp", "group", "2.5", "frames from 1"),
        ("{kind: video, i: {variation: 1}}", "udp", "i.mean", "no 'mean'", "a size"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(
    traffic: str, law: str, path: str, found: str, expected: str
) -> None:
    """One line gives file, line, place, and the values found and expected."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario_from_text(text(traffic, law), "s.yaml"))
    fault = caught.value
    assert fault.path == f"sources[0].traffic.{path}"
    assert found in fault.found and expected in fault.expected, str(fault)
    assert "\n" not in str(fault) and "s.yaml:8" in str(fault)


def test_faults_within_a_file_of_sizes_name_its_line(tmp_path: Path) -> None:
    """The message names the file of sizes and the line in it."""
    (tmp_path / "s.yaml").write_text(text("{kind: web, size: list, sizes: sizes.csv}"))
    for line, fault in (("0", "0 bytes"), ("1 kB, none", "'none'"), ("big", "'big'")):
        (tmp_path / "sizes.csv").write_text(f"100\n{line}\n")
        with pytest.raises(ScenarioError, match="sizes.csv:2") as caught:
            load(tmp_path / "s.yaml")
        assert fault in str(caught.value)


def test_video_goes_with_udp_and_pages_with_tcp() -> None:
    """Datagrams need UDP, and files need TCP."""
    for kind, law in (("video", "reno"), ("web", "udp")):
        with pytest.raises(ScenarioError, match="udp"):
            scenario_from_text(text(f"{{kind: {kind}}}", law))


def test_a_law_of_datagrams_needs_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law of the engine without a struct here is read by the engine's table, with units."""
    entry = law_table()["traffic"]["poisson"]
    monkeypatch.setitem(law_table()["traffic"], "pairs", entry)
    form = traffic.timed_packets_form("pairs", entry)
    written = msgspec.convert({"kind": "pairs", "mean_interval": PS_PER_S // 100}, form)
    assert written.law == "pairs" and isinstance(written, traffic.DATAGRAMS)
    assert written.values() == {"mean_interval_s": 0.01}
    assert form.__doc__ == entry.about
