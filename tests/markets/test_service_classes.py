# SPDX-License-Identifier: Apache-2.0
"""`scheduler:` of links and `class:` of sources, from YAML to the table of a run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from ecnomy.agents.errors import ProtocolError, ScenarioError
from ecnomy.markets import make_plan, run
from ecnomy.markets.bridge.messages import Record
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.results.record_names import Naming
from ecnomy.markets.scenario import scenario_from_text

TEXT = """
version: 1
duration: 4 s
network:
  links:
    - name: l
      from: a
      to: b
      rate: 2 Mbps
      delay: 5 ms
      buffer: 30 packets
      scheduler:
        kind: class-based
        regulation: ecn
        classes:
          - {name: gold, delay: 10 ms, loss: 0.01, rate: 500 kbps}
          - {delay_ratio: 0.25, loss_ratio: 0.5}
          - {}
sources:
  - {name: one, class: gold, from: a, to: b, transport: {law: reno}}
  - {name: two, class: 2, from: a, to: b, transport: {law: reno}}
  - {name: rest, from: a, to: b, transport: {law: reno}}
record: {classes: {every: 500 ms}}
"""
LINK = "network.links.l"


def test_what_is_written_reaches_the_plan_and_reads_back() -> None:
    """Promises have the laws' units, and classes are by name, number and default."""
    scenario = scenario_from_text(TEXT)
    plan = make_plan(scenario)
    first, back = plan.links
    assert back.scheduler is None and first.scheduler is not None
    assert first.scheduler.names == ["gold", "2", "3"]
    gold, middle, last = (one.params for one in first.scheduler.classes)
    assert (gold["delay_s"], gold["loss"], gold["rate_bps"]) == (0.01, 0.01, 5e5)
    assert (middle["delay_ratio"], middle["loss_ratio"], middle["delay_s"]) == (0.25, 0.5, -1.0)
    assert set(last.values()) == {-1.0, 0.0}
    assert first.scheduler.law.params["buffer_packets"] == 30
    assert [source.classes for source in plan.sources] == [[0], [1], [2]]
    assert [source.ack_classes for source in plan.sources] == [[], [], []]
    assert plan.record.classes_every_ps == 5 * 10**11
    import yaml

    again = scenario_from_text(yaml.safe_dump(scenario.resolved()))
    assert make_plan(again).digest == plan.digest


def test_a_run_has_a_row_per_class_and_bin(tmp_path: Path) -> None:
    """The table has a row per class and bin, and its packets add up to the link's."""
    result = run(scenario_from_text(TEXT), out=tmp_path / "run")
    rows = result.classes
    assert list(rows["class_name"].unique()) == ["gold", "2", "3"]
    assert set(rows["link_name"]) == {"l"} and len(rows) == 3 * 8
    assert rows["t_ps"].max() == 35 * 10**11
    for name in ("arrivals", "departures", "marks", "drops"):
        assert rows[name].sum() == result.raw.links.set_index("name").loc["l", name], name
    assert (rows.groupby("class_name")["departures"].sum() > 10).all()


def test_without_a_scheduler_there_is_no_table_and_a_class_is_doubted() -> None:
    """A class that no link has changes nothing, and `check` warns of it."""
    scenario = scenario_from_text(TEXT, overrides=[f"{LINK}.scheduler=null"])
    plan = make_plan(scenario)
    assert plan.record.classes_every_ps == -1 and plan.sources[0].classes == []
    (doubt,) = (line for line in warnings(scenario, plan) if "class" in line)
    assert "one" in doubt and "two" in doubt and "rest" not in doubt


@pytest.mark.parametrize(
    ("override", "path", "complaint"),
    [
        ("sources.one.class=silver", "sources[0].class", "unknown class 'silver' of link 'l'"),
        ("sources.one.class=4", "sources[0].class", "one of gold, 2, 3"),
        ("sources.one.class=0", "sources[0].class", "number of a class, counted from 1"),
        (f"{LINK}.scheduler.kind=strict", "scheduler.kind", "class-based"),
        (f"{LINK}.scheduler.classes=[]", "scheduler.classes", "0 classes"),
        (f"{LINK}.scheduler.classes=[{{delay_ratio: 2}}]", "delay_ratio", "after the last"),
        (f"{LINK}.scheduler.classes=[{{delay: 10}}]", "delay", "without a unit"),
        (f"{LINK}.scheduler.classes=[{{rate: 2 Mbps}}]", "scheduler.classes", "less than the link"),
        (f"{LINK}.scheduler.classes=[{{name: a}}, {{name: a}}]", "classes[1].name", "twice"),
        (f"{LINK}.scheduler.classes=[{{loss: 1.5}}]", "loss", "a share from 0 to 1"),
        (
            f"{LINK}.marking={{law: fixed, probability: 0.1}}",
            "marking",
            "together with a scheduler",
        ),
        (f"{LINK}.buffer=unlimited", "scheduler.buffer", "a buffer for the regulation"),
        (f"{LINK}.scheduler.stages=0", "scheduler.stages", "from 1 to 16"),
        (f"{LINK}.scheduler.speed=1", "scheduler", "unknown key 'speed'"),
        ("record.classes.every=0 s", "record.classes.every", "above 0"),
    ],
)
def test_slips_are_named_with_their_place(override: str, path: str, complaint: str) -> None:
    """One line gives the place, the value found and the values expected."""
    with pytest.raises(ScenarioError) as fault:
        make_plan(scenario_from_text(TEXT, overrides=[override]))
    text = str(fault.value)
    assert path in text and complaint in text and "\n" not in text, text


def test_scheduler_of_a_topologys_link() -> None:
    """An override gives classes to both directions of a link; the error names unfit values."""
    scheduler = "{kind: class-based, classes: [{name: gold, rate: 5 Mbps}, {}]}"
    text = f"""
version: 1
duration: 1 s
network:
  topology: topohub:sndlib/abilene
  rate: 10 Mbps
  marking: {{law: fixed, probability: 0.1}}
  overrides: {{CHINng-IPLSng: {{scheduler: {scheduler}}}}}
sources: [{{name: s, from: CHINng, to: IPLSng, transport: {{law: reno}}, class: gold}}]
"""
    pytest.importorskip("topohub")
    plan = make_plan(scenario_from_text(text))
    assert plan.sources[0].classes == plan.sources[0].ack_classes == [0]
    with pytest.raises(ScenarioError, match="overrides.*less than the link"):
        scenario_from_text(text.replace("5 Mbps", "10 Mbps"))


WEIGHTS = """{kind: deficit-round-robin, quantum: 142 bytes, classes: [
  {name: voice, share: 0.07, buffer: 17500 bytes},
  {name: gold, share: 0.2, buffer: 20 packets},
  {name: rest, share: 0.7,
   marking: {law: red, min_threshold: 7 packets, max_threshold: 14 packets, mark_p: 0}}]}"""


def test_shares_reach_the_plan_and_read_back() -> None:
    """Shares, rooms and each class's marking law reach the plan, and read back."""
    import yaml

    scenario = scenario_from_text(TEXT, overrides=[f"{LINK}.scheduler={WEIGHTS}"])
    plan = make_plan(scenario)
    scheduler = plan.links[0].scheduler
    assert scheduler is not None and scheduler.names == ["voice", "gold", "rest"]
    assert scheduler.law.params == {"quantum_bytes": 142.0}
    voice, gold, rest = (one.params for one in scheduler.classes)
    assert (voice["share"], voice["buffer_bytes"], voice["buffer_packets"]) == (0.07, 17500, -1)
    assert (gold["buffer_packets"], rest["buffer_packets"], rest["buffer_bytes"]) == (20, -1, -1)
    assert [one.law for one in scheduler.marking] == ["drop-tail", "drop-tail", "red"]
    assert scheduler.marking[2].params["mark_p"] == 0
    assert [source.classes for source in plan.sources] == [[1], [1], [2]]
    again = scenario_from_text(yaml.safe_dump(scenario.resolved()))
    assert make_plan(again).digest == plan.digest
    assert b"marking" not in msgspec.json.encode(
        make_plan(scenario_from_text(TEXT)).links[0].scheduler
    )


@pytest.mark.parametrize(
    ("override", "path", "complaint"),
    [
        ("classes=[{share: 0.7}, {share: 0.4}]", "scheduler.classes", "shares of 1.1 in total"),
        ("classes=[{}]", "scheduler.classes[0].share", "no 'share'"),
        ("classes=[]", "scheduler.classes", "0 classes"),
        ("quantum=10 bytes", "scheduler.quantum", "64"),
        ("classes=[{share: 1, marking: {law: rem, phi: 1.1}}]", "marking.law", "drop-tail"),
        ("gain=0.5", "scheduler", "unknown key 'gain'"),
        ("kind=cbq", "scheduler.kind", "class-based, deficit-round-robin"),
    ],
)
def test_slips_in_shares_are_named(override: str, path: str, complaint: str) -> None:
    """One line gives the place, the value found and the values expected."""
    key, value = override.split("=", 1)
    changes = [f"{LINK}.scheduler={WEIGHTS}", f"{LINK}.scheduler.{key}={value}"]
    with pytest.raises(ScenarioError) as fault:
        make_plan(scenario_from_text(TEXT, overrides=changes))
    text = str(fault.value)
    assert path in text and complaint in text and "\n" not in text, text


def test_no_marking_of_the_link_beside_shares() -> None:
    """The link itself has no queue, so the message says where to write `marking`."""
    changes = [f"{LINK}.scheduler={WEIGHTS}", f"{LINK}.marking={{law: fixed, probability: 0.1}}"]
    with pytest.raises(ScenarioError, match="together with a scheduler.*set the classes"):
        make_plan(scenario_from_text(TEXT, overrides=changes))


@pytest.mark.parametrize(("link", "service"), [(0, 3), (1, 0), (2, 0)])
def test_an_engine_that_counts_unknown_classes_is_refused(link: int, service: int) -> None:
    """A class that the link does not have is refused, or classes on a link without them."""
    plan = make_plan(scenario_from_text(TEXT))
    columns = {"link": np.array([link]), "class": np.array([service])}
    with pytest.raises(ProtocolError, match="out-of-range"):
        Naming(plan).of(Record("classes", columns))
