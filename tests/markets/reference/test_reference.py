# SPDX-License-Identifier: Apache-2.0
"""`ecnomy explain`: every key has a sentence, every example is valid, every name is found."""

from __future__ import annotations

import functools
import json
import re
import typing

import msgspec
import pytest
import yaml

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.main import main
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.reference.class_entries import strategy_entries
from ecnomy.markets.reference.entries import struct_entries
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import grouped, known_path, lookup
from ecnomy.markets.reference.samples import example_of, in_yaml
from ecnomy.markets.reference.sentences import attributes, parameters_of
from ecnomy.markets.scenario import links, marking, traffic, transport
from ecnomy.markets.scenario.parameters import StrategyReader
from ecnomy.markets.terms.tariffs import KINDS

LONGEST = 120
# Informal words, which the documents avoid.
TALK = re.compile(r"\b(told|nor|none of)\b")
# A noun is missing.
FRAGMENT = re.compile(r"(Of|After which|Over which|By what|From when|Between) ")
# Keys and names that stood in no document before the reference.
ONCE_HIDDEN = """
    send slow_start initial_window cwnd_min cwnd_max header ack min_rto max_rto initial_rto form
    w_dec only_down min_rate not_ect stagger spread send_overhead gentle wait mark_on_empty
    idle_decay byte_mark limit mean_packet variant scope target_backlog capacity_share input_weight
    backlog_weight mark_at reference gap_divisor rtt_memory forget_rtts estimator filter stages
    buckets adaptive-virtual-queue flow-projection tahoe
""".split()
LAWS = [
    *typing.get_args(marking.Marking),
    *typing.get_args(links.Scheduling),
    *typing.get_args(traffic.Traffic),
    *typing.get_args(transport.Transport),
    *KINDS.values(),
]
# Keys with one valid value, by law or kind.
ONE_VALUE = {("posted", "per")} | {
    (law, key) for law in ("rem", "primal") for key in ("ecn", "send", "slow_start")
}


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Everything that a file may hold."""
    return all_entries()


@functools.cache
def strategies() -> list[Entry]:
    """The variants that are strategies, once each."""
    variants = {
        one.name: one
        for one in entries()
        if one.variant and one.path == "market.agents.<name>.strategy"
    }
    return list(variants.values())


def test_every_key_has_a_plain_sentence() -> None:
    """The sentence is complete, short and in the field's words; each key says how it is written."""
    for one in entries():
        assert one.about.endswith("."), one
        assert len(one.about) <= LONGEST, one
        assert not TALK.search(f"{one.about} {one.note}"), one
        assert not one.note or one.note.endswith("."), one
        assert not FRAGMENT.match(one.about), one
        assert one.takes, one
        assert one.example, one


def test_no_sentence_of_a_law_is_written_twice() -> None:
    """A parameter of the table of laws has its sentence there, not in a docstring as well.

    If both exist, the key's meaning differs from the parameter's: the mean of any distribution,
    a frame's sizes and not their mean.
    """
    both = {f"{k.__name__}.{key}" for k in LAWS for key in {*attributes(k)} & {*parameters_of(k)}}
    assert both == {"Video.i", "Video.p", "Video.b", "Voip.interarrival", "Web.mean"}


@pytest.mark.parametrize(
    "kind", [kind for kind in LAWS if kind is not KINDS["menu"]], ids=lambda kind: kind.__name__
)
def test_examples_of_laws_and_kinds_read(kind: type[msgspec.Struct]) -> None:
    """Examples can be read as in a scenario; a menu is read as tariffs instead of fields."""
    node = parse(in_yaml(example_of(kind)), "example", lines=False)
    assert isinstance(reading.read(node, kind, "", {}), kind)


@pytest.mark.parametrize(
    "kind", [kind for kind in LAWS if kind is not KINDS["menu"]], ids=lambda kind: kind.__name__
)
def test_examples_of_keys_read_with_all_that_the_law_needs(kind: type[msgspec.Struct]) -> None:
    """Each key's example is the law with that key."""
    for one in struct_entries(kind):
        if one.path != one.name or one.within:
            continue
        node = parse(one.whole, "example", lines=False)
        assert isinstance(reading.read(node, kind, "", {}), kind)
        assert one.name in node.value, one


def test_examples_of_parameters_read_with_all_that_the_strategy_needs() -> None:
    """Likewise for strategies; a form of a parameter is read as part of a strategy elsewhere."""
    checked = 0
    for one in strategy_entries():
        if one.variant or len(one.within) > 1:
            continue
        assert StrategyReader().read(parse(one.whole, "example", lines=False), "").params, one
        checked += 1
    assert checked > 100


def test_a_sentence_that_refers_to_a_paper_comes_with_the_paper() -> None:
    """A key of a law has the law's source if its sentence says `the paper`, or only an equation."""
    referring = [one for one in entries() if re.search("the paper|[(](Eq|Fig)[.]", one.about)]
    assert len(referring) > 20
    assert all(one.source for one in referring), [one for one in referring if not one.source]


def test_examples_show_another_value_than_the_default() -> None:
    """If the key has another valid value."""
    same = {
        (one.within[-1].partition(": ")[2] if one.within else "", one.name)
        for one in entries()
        if not one.variant and one.default == one.example.partition(": ")[2]
    }
    assert same == ONE_VALUE


def test_examples_have_the_keys_that_stand_below() -> None:
    """A mapping in an example has only keys that the reference has there."""
    known: dict[tuple[str, str], set[str]] = {}
    for one in entries():
        if not one.variant:
            known.setdefault((one.file, one.path.rpartition(".")[0]), set()).add(one.name)
    checked = 0
    for one in entries():
        if one.variant or (one.file, one.path) not in known:
            continue
        example = yaml.safe_load(one.example)[one.name]
        below = known[one.file, one.path]
        if isinstance(example, dict) and not any(name.startswith("<") for name in below):
            checked += 1
            assert set(example) - {"law", "kind", "..."} <= below, one
    assert checked > 10, checked


def test_examples_of_strategies_read() -> None:
    """Examples have the parameters that each strategy needs."""
    assert len(strategies()) >= 30
    for one in strategies():
        node = parse(one.example, "example", lines=False)
        assert StrategyReader().read(node, "").kind == one.name


@pytest.mark.parametrize("name", ONCE_HIDDEN)
def test_what_no_document_had_is_found(name: str) -> None:
    """A name alone is found, with its paths."""
    groups = grouped(lookup(name, entries()))
    assert groups[0].entry.about
    assert all(name in (group.entry.name, *group.entry.choices) for group in groups)


@pytest.mark.parametrize(
    "typed, path",
    [
        ("network.links.rate", "network.links.<name>.rate"),
        ("network.links[1].rate", "network.links.<name>.rate"),
        ("sources.gold.transport.reno.decrease", "sources.<name>.transport.decrease"),
        ("links.bottleneck.marking.red.weight", "network.links.<name>.marking.weight"),
        ("market.agents.shop.classes.gold.fee", "market.agents.<name>.classes.<name>.fee"),
        ("cascade", "market.settlement"),
        ("market.agents.contracts.tariff", "market.agents.<name>.contracts.<name>.tariff"),
        ("calibrate.figure_goes", "calibrate.figure_goes"),
        ("parameters.sobol.over.scale", "parameters.sobol.over.<path>.scale"),
    ],
)
def test_paths_are_understood(typed: str, path: str) -> None:
    """Paths have the form of messages and of --set, with names or without."""
    assert lookup(typed, entries())[0].path == path


@pytest.mark.parametrize(
    "path, key",
    [
        ("network.links[1].rate", "network.links.rate"),
        ("sources[0].cout", "sources"),
        ("market.agents[2].classes.best.sources[0]", "market.agents.classes.sources"),
        ("market.agents[0].strategy.patience", "market.agents.strategy.patience"),
        ("sources.*.transport[law=newreno].min_rto", "sources.transport.min_rto"),
        ("parameters.grid.network.links.wire.rate", "parameters.grid"),
        ("learners[0].actions", "learners.actions"),
        ("tournament.strategies.steady.role", "tournament.strategies.role"),
        ("audience[0].seats", ""),
        ("", ""),
    ],
)
def test_messages_name_the_key_that_explains_them(path: str, key: str) -> None:
    """Messages name the key of their path, or the mapping that contains the unknown key."""
    assert known_path(path, entries()) == key
    assert not key or lookup(key, entries())


def test_every_key_is_its_own_explanation() -> None:
    """The command at the end of a message shows this key, not a key of the same name elsewhere."""
    paths = {
        ".".join(s for s in e.path.split(".") if s[0] != "<") for e in entries() if not e.variant
    }
    assert len(paths) > 500
    assert {path: known_path(path, entries()) for path in paths} == {path: path for path in paths}


def test_a_key_of_a_law_is_explained_with_its_law() -> None:
    """The command names the law or kind, and its first entry is the key of this law."""
    checked = 0
    for one in entries():
        if one.variant or not one.within or "choices" in one.path:  # names of a menu's choices
            continue
        path = ".".join(step for step in one.path.split(".") if step[0] != "<")
        command = known_path(path, entries(), one.within)
        checked += 1
        matches = [e for e in lookup(command, entries()) if not e.variant and e.file == one.file]
        assert one in matches, command
        assert {e.within[: len(one.within)] for e in matches} == {one.within}, command
    assert checked > 500, checked


def test_a_law_before_a_key_is_no_name_of_a_link() -> None:
    """`sred.buffer` is the buffer of the law, not of a link named sred."""
    matches = lookup("sred.buffer", entries())
    assert {one.within for one in matches} == {("law: sred",)}
    assert {one.within for one in lookup("links.sred.buffer", entries())} == {()}


def test_an_unknown_word_names_the_nearest() -> None:
    """An unknown word gives one line with the nearest name."""
    with pytest.raises(InputError, match="did you mean rem, red") as refused:
        lookup("rde", entries())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "words, parts",
    [
        (["red"], ["Floyd and Jacobson 1993", "= 0.002", "marking: {law: red, min_threshold: 5 "]),
        (["market.settlement"], ["retail, cascade, direct, peering", "settlement: "]),
        (["network.links.rate"], ["default  required", "rate: 10 Mbps"]),
        (["market.agents.contracts.meter"], ["Quantity counted for each flow.\n", "RFC 6789"]),
        (["deficit-round-robin"], ["Table 1 of andreassen2002."]),
        (["units"], ["Mbps", "money/GB", "day"]),
        (["kind"], ["network.links.<name>.scheduler\n", "sources.<name>.traffic\n"]),
        (["law"], ["sources.<name>.transport\n", "network.marking\n"]),
        (["fee-limit"], ["  for      customer\n"]),
        (["market.agents.integrated_with"], ["  for      guaranteed-stream-provider\n"]),
        (["network.marking.sred.buffer"], ["By default the link's buffer."]),
        (["sred"], ["By default the link's buffer."]),
        (["sred.buffer"], ["takes    a size", "also at  network.links.<name>.marking.buffer"]),
        (["interval"], ["(kind: voip)", "in full, run: ecnomy explain load-based.inter"]),
        (["learners.observations"], ["price-handler has time [1], balance [money]"]),
        (
            ["sources.transport.rem.phi"],
            ["from 1.000001 to 1000000", "auto: calculated from the capacities"],
        ),
        (["blue.limit"], ["default  none"]),
        (["market.agents.elastic.strategy"], ["example  strategy: {kind: file-budget"]),
        (["market.agents.tariff.price.time-of-day"], ["price: 0.2 money/call}"]),
        (["until"], ["half as many more at a time"]),
        (["--search", "topozoo"], ["network.topology\n"]),
        (["--search", "round trip weight"], ["reference_rtt  (law: wtp, wtp-sender)"]),
        ([], ["network\n", "market\n"]),
        (["--json", "qos-knob"], ['"patience"', "market.agents.<name>.strategy"]),
    ],
)
def test_the_command_prints(words: list[str], parts: list[str], capsys) -> None:
    """The command prints sentence, form, default, source and example."""
    with pytest.raises(SystemExit) as left:
        main(["explain", *words])
    shown = capsys.readouterr().out
    assert not left.value.code
    assert [part for part in parts if part not in shown] == []
    assert "--json" not in words or json.loads(shown)


def test_the_command_refuses_on_one_line(capsys) -> None:
    """The command refuses unknown keys on one line, with exit status 2."""
    with pytest.raises(SystemExit) as left:
        main(["explain", "network.links.rates"])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
