# SPDX-License-Identifier: Apache-2.0
"""`ecnomy explain --schema`: shipped scenarios are valid, and detectable faults are refused."""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator  # comes with altair, of the extra `dashboard`

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.yamlfile import parse, read
from ecnomy.markets.reference.schema import scenario_schema
from ecnomy.markets.sweep.blocks import plain_tree
from test_bad_yaml import CASES, GOOD
from tiers import full

CONFIGS = Path(__file__).parents[3] / "configs"
# Faults that depend on other values or on names, which a schema does not know.
BEYOND = {
    *("unknown node", "unknown source", "no isp"),
    *("duplicate link", "duplicate source", "duplicate agent", "half a micro"),
    "negative step",
    *("fraction of a ps", "time too long", "warm-up too long"),
    *("red in two units", "red upside down", "windows too small"),
    "least window beyond memory",
    "a link that the carrier does not own",
    *("general without weights", "a choice of one"),
}


@functools.cache
def validator() -> Draft7Validator:
    """The validator of the schema that `explain --schema` prints."""
    schema = scenario_schema()
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def faults(document: Any) -> list[str]:
    """The faults that the schema finds in a document."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in validator().iter_errors(document)
    ]


def scenarios(folder: Path) -> list[Path]:
    """The scenario files in a folder, those of other kinds left out."""
    heads = ("network:", "extends:")
    return [
        path
        for path in sorted(folder.rglob("*.yaml"))
        if any(line.startswith(heads) for line in path.read_text(encoding="utf-8").splitlines())
    ]


@pytest.mark.parametrize(
    "folder", ["examples", *(pytest.param(name, marks=full) for name in ("papers", "studies"))]
)
def test_shipped_scenarios_are_valid(folder: str) -> None:
    """Shipped variants by `extends`, which may omit any key, are valid too."""
    paths = scenarios(CONFIGS / folder)
    assert paths
    for path in paths:
        assert faults(plain_tree(read(path, str(path)))) == [], path


def test_shipped_scenarios_are_valid_as_yaml_1_1() -> None:
    """Readers of YAML 1.1, such as PyYAML, take the word off for false."""
    offs = 0
    for path in scenarios(CONFIGS / "examples"):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        offs += "'ecn': False" in str(document)
        assert faults(document) == [], path
    assert offs


@pytest.mark.parametrize("case", CASES)
def test_bad_scenarios_are_refused(case: str) -> None:
    """Unknown keys and words, missing keys, wrong types and numbers out of range are refused."""
    old, new = CASES[case]["old"], CASES[case]["new"]
    at = GOOD.rfind(old) if case in ("duplicate key", "unknown node") else GOOD.find(old)
    try:
        document = plain_tree(parse(GOOD[:at] + new + GOOD[at + len(old) :], "bad"))
    except ScenarioError:
        return  # not strict YAML, which editors report themselves
    assert bool(faults(document)) == (case not in BEYOND)


def test_the_good_scenario_is_valid() -> None:
    """The scenario is also valid with a tariff and a strategy of a user's class."""
    good = plain_tree(parse(GOOD, "good"))
    assert faults(good) == []
    good["market"]["agents"][0] |= {
        "strategy": {"kind": "my_lab.strategies:Mine", "anything": 3},
        "contracts": [{"meter": "bytes", "tariff": {"kind": "lab:T", "x": 1}, "sources": "gold"}],
    }
    assert faults(good) == []
    good["network"]["links"][1]["marking"] = {"probability": 0.2}  # of a law that all links share
    assert faults(good) == []


SOURCE, TONE, LINK = ("sources", 0), ("sources", 1), ("network", "links", 1)
ISP, SHOP = ("market", "agents", 0), ("market", "agents", 1)
RED = {"law": "red", "min_threshold": "5 packets", "max_threshold": "15 packets"}


def changed(*changes: tuple[tuple[str | int, ...], Any]) -> Any:
    """The good scenario with these values; None removes a key."""
    document = copy.deepcopy(plain_tree(parse(GOOD, "good")))
    for (*path, last), value in changes:
        at: Any = document
        for step in path:
            at = at[step]
        at[last] = value
        if value is None:
            del at[last]
    return document


@pytest.mark.parametrize(
    "change",
    [
        ((*LINK, "delay"), "1 Mbps"),
        ((*LINK, "rate"), "10 Mbqs"),
        ((*LINK, "rate"), "10 kB"),
        ((*LINK, "buffer"), "9 s"),
        ((*SHOP, "classes", "gold", "fee"), "4 money"),
        (("market", "price_per_mark"), "1 money/s"),
        (("duration",), "60 seconds/s"),
        (("duration",), "-0.1 s"),
    ],
)
def test_units_of_another_kind_are_refused(change: tuple[tuple[str | int, ...], Any]) -> None:
    """Units that `check` accepts are valid, with prefixes, plurals and blanks."""
    assert faults(changed(change))
    valid = {"delay": " 1 kiloms ", "rate": "8 kbit / minute", "buffer": "9 kilobytes"}
    valid |= {"fee": "4 kmoney/days", "price_per_mark": "1 money / marks", "duration": "1 days"}
    assert faults(changed((change[0], valid[str(change[0][-1])]))) == []


WTP, CBR = {"law": "wtp", "weight": "4 marks"}, {"kind": "cbr", "rate": "64 kbps"}
PROMISE = {"price": "0.05 money", "max_delay": "15 ms", "max_delay_rate": 0.01}
STREAMS = {"name": "tel", "role": "guaranteed-stream-provider"}


@pytest.mark.parametrize(
    ("change", "instead"),
    [
        (((*TONE, "traffic"), CBR | {"interval": "20 ms"}), CBR | {"interval": None}),
        (((*TONE, "traffic"), {"kind": "cbr"}), {"kind": "cbr", "interval": "20 ms"}),
        (((*SOURCE, "transport"), WTP | {"mark_rate": "36 marks/s"}), WTP),
        ((("sources",), []), None),
        ((("network", "links"), []), None),
        ((("network", "topology"), "abilene"), "topohub:sndlib/abilene"),
        ((("record",), {"series": ["cwnd", "cwnd"]}), {"series": ["cwnd", "rtt"]}),
        (
            (ISP, STREAMS | {"tariff": PROMISE, "tariffs": {"x": PROMISE | {"sources": "tone"}}}),
            STREAMS | {"tariff": PROMISE, "tariffs": {}, "sources": "tone"},
        ),
    ],
)
def test_keys_that_exclude_or_need_each_other(
    change: tuple[tuple[str | int, ...], Any], instead: Any
) -> None:
    """Exactly one, at most one, and at least one of some keys; without repetition."""
    assert faults(changed(change))
    assert instead is None or faults(changed((change[0], instead))) == []


GATE = {"kind": "marking-quantile", "quantile": 0.9, "sample": "60 s"}
CALLS = STREAMS | {"sources": "tone", "tariff": PROMISE}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"quantile": 2}, {"quantile": 1}),
        ({"quantile": 0}, {"quantile": 1e-9}),
        ({"quantile": "0.9"}, {"quantile": 0.5}),
        ({"sample": 60}, {"sample": "60 s"}),
        ({"sample": "60 Mbps"}, {"sample": "1 minute"}),
        ({"learning": 0}, {"learning": 1}),
        ({"learning": 1.5}, {"learning": 9}),
        ({"margin": "2 money/s"}, {"margin": "-2 money"}),
        ({"estimator": 3}, {"estimator": "beta"}),
        ({"kind": "fee-limit", "low": "1 money/s"}, {"learning": 2}),
    ],
)
def test_parameters_of_strategies_have_their_ranges_and_units(
    wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    """The ranges are those of `ecnomy explain`; a required parameter may not be left out."""
    assert faults(changed((ISP, CALLS | {"strategy": GATE | wrong})))
    assert faults(changed((ISP, CALLS | {"strategy": GATE | right}))) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (STREAMS | {"tariff": PROMISE}, CALLS),
        (STREAMS | {"sources": "tone"}, CALLS | {"classes": {}}),
        (CALLS | {"classes": {"c": {"fee": "1 money/s"}}}, CALLS | {"test_streams": "tone"}),
        (
            {"name": "shop", "role": "application-provider", "strategy": GATE},
            {"name": "me", "role": "my_lab.roles:Mine", "strategy": GATE, "sources": "tone"},
        ),
        (
            {"name": "isp", "role": "connectivity-provider", "sources": "gold"},
            {"name": "isp", "role": "connectivity-provider", "strategy": {"kind": "lab:Mine"}},
        ),
        ({"name": "me", "role": "customer"}, {"name": "me", "role": "customer", "sources": "gold"}),
        (
            CALLS | {"strategy": {"kind": "fee-limit", "low": "1 money/s", "high": "2 money/s"}},
            CALLS | {"strategy": {"kind": "lines", "lines": 2}},
        ),
    ],
)
def test_an_agent_has_the_keys_of_its_role(wrong: dict[str, Any], right: dict[str, Any]) -> None:
    """Keys of other roles, missing keys, and strategies of other roles are refused."""
    assert faults(changed((ISP, wrong)))
    assert faults(changed((ISP, right))) == []


VOIP, CAPPED = {"kind": "voip"}, {"kind": "rate-capped", "rate": "1 Mbps"}


@pytest.mark.parametrize(
    ("traffic", "law", "other"),
    [
        (CAPPED, "udp", "reno"),
        ({"kind": "greedy"}, "udp", "wtp"),
        (CBR, "reno", "udp"),
        (VOIP, "reno", "udp"),
        ({"kind": "poisson", "rate": "9 packets/s"}, "cubic", "udp"),
    ],
)
def test_traffic_fits_its_transport(traffic: dict[str, Any], law: str, other: str) -> None:
    """Datagrams need udp, and all other traffic needs TCP."""
    for word, wrong in ((law, True), (other, False)):
        change = ((*TONE, "traffic"), traffic), ((*TONE, "transport"), {"law": word})
        assert bool(faults(changed(*change))) == wrong, word
    assert faults(changed(((*TONE, "traffic"), None)))  # greedy by default
