# SPDX-License-Identifier: Apache-2.0
"""Error messages say which name was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.agents.errors import ResultsError, ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.hint import hint
from ecnomy.markets.reference.lookup import lookup
from ecnomy.markets.results.manifest import read_manifest
from ecnomy.markets.scenario import load
from test_bad_yaml import CASES, GOOD


def test_names_in_place_of_files_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name of an example, a file without its ending, a scenario in place of its results."""
    monkeypatch.chdir(tmp_path)
    assert ecnomy("run", "gold-silver") == ecnomy("check", "gold-silver.yaml") == 2
    for line in capsys.readouterr().err.splitlines():
        assert line.endswith("; `ecnomy example gold-silver` copies the example here")
    assert ecnomy("run", "silver-gold") == 2
    assert capsys.readouterr().err.endswith("expected a scenario in YAML\n")
    Path("gold-silver.yaml").touch()
    assert ecnomy("run", "gold-silver") == 2
    assert capsys.readouterr().err.endswith("; did you mean gold-silver.yaml?\n")
    for name in ("base-12", "base-3", "other-base-1"):
        (tmp_path / "results" / name).mkdir(parents=True)
    for name in ("base-3", "other-base-1"):
        (tmp_path / "results" / name / "manifest.json").touch()
    for wrong in ("base", "base-3", "results/base"):
        with pytest.raises(ResultsError, match=r"; did you mean results/base-3\?$"):
            read_manifest(wrong)
    for wrong in ("bas", "base-12", "../base", "results/[base"):
        with pytest.raises(ResultsError, match="ecnomy run`$"):
            read_manifest(wrong)


def test_every_message_about_a_key_ends_with_the_command_that_explains_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A known key has its own page, also in the wrong place. For other keys, all are listed."""
    file = tmp_path / "s.yaml"
    for text, command in (
        ("version: 1\nlinx: []", ""),
        ("version: 1\nlinks: []", " links"),
        ("version: 2", " version"),
    ):
        file.write_text(f"{text}\n")
        assert ecnomy("check", str(file)) == 2
        assert capsys.readouterr().err.endswith(f"; ecnomy explain{command}\n")


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (["access"], "'access'"),
        (["access", "bottleneck"], "'access' or 'bottleneck'"),
        (["access", "bottleneck", "edge"], "'access', or one of bottleneck, edge"),
        (["edge"], "'edge'"),
        (["edge", "town"], "one of edge, town"),
        ([], "none"),
    ],
)
def test_known_names_are_listed_as_in_a_sentence(known: list[str], expected: str) -> None:
    """A single alternative to the nearest name is not a list."""
    assert known_name("accex", known) == expected


RED = "law: red, min_threshold: 5 packets, max_threshold: 15 packets"


@pytest.mark.parametrize(
    ("old", "new", "command"),
    [
        ("fixed, probability: 0.1", "fixed, probablity1: 0.1", "network.links.marking.fixed"),
        ("law: fixed, probability: 0.1", f"{RED}, max_probabilty: 1", "network.links.marking.red"),
        (
            "law: fixed, probability: 0.1",
            f"{RED}, max_probability: 1.5",
            "network.links.marking.red.max_probability",
        ),
        ("law: fixed, probability: 0.1", f"{RED}, buffer: 9 kB", "network.links.marking.red"),
        ("law: fixed, probability: 0.1", "law: pi", "network.links.marking.pi"),
        ("law: fixed, probability: 0.1", "law: pi, unit: bytes", "unit"),
        ("law: fixed", "law: fixd", "network.links.marking"),
        ("{kind: greedy}", "{kind: greedy, profile: {}}", "profile"),
        ("{law: wtp}", "{law: wtp, beta: 1}", "sources.transport.wtp"),
        (
            "{law: wtp}",
            "{law: wtp, weight: 4 marks, mark_rate: 3 marks/s}",
            "sources.transport.wtp.mark_rate",
        ),
        ("rate: 64 kbps", "rate: 64 kbps, interval: 1 s", "sources.traffic.cbr.interval"),
        ("count: 2", "cout: 2", "sources"),
        ("market:", "record: {eevry: 1 s}\nmarket:", "record"),
        ("market:", "recordd: {}\nmarket:", "record"),
        ("market:", "nothing: {}\nmarket:", ""),
        (
            "connectivity-provider}",
            "connectivity-provider, strategy: {kind: target-utilization, quantle: 1}}",
            "market.agents.strategy.target-utilization",
        ),
        (
            "connectivity-provider}",
            "connectivity-provider, contracts: [{meter: bytes, sources: gold, "
            "tariff: {kind: per-unit, prize: 1}}]}",
            "market.agents.contracts.tariff.per-unit",
        ),
    ],
)
def test_the_command_at_the_end_names_the_law_or_kind(
    old: str, new: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown key shows the page of its law, kind or section; and the command works."""
    assert old in GOOD
    file = tmp_path / "s.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    assert ecnomy("check", str(file)) == 2
    message, _, shown = capsys.readouterr().err.strip().partition("; ecnomy explain")
    assert shown.strip() == command, message
    assert ecnomy("explain", *shown.split()) == 0


def test_the_message_on_a_misplaced_key_names_its_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The law or the mapping that has the key, if there are at most three."""
    file = tmp_path / "s.yaml"
    red = "law: red, min_threshold: 5 packets, max_threshold: 9 packets"
    for old, new, places in (
        ("law: fixed, probability: 0.1", f"{red}, freeze: 1 s", "'freeze' is a key of blue; "),
        ("market:", "series: [cwnd]\nmarket:", "'series' is a key of record; "),
        ("{law: wtp}", "{law: wtp, rate: 1 Mbps}", ""),  # of many
    ):
        file.write_text(GOOD.replace(old, new, 1))
        assert ecnomy("check", str(file)) == 2
        message = capsys.readouterr().err
        assert places in message and ("is a key of" in message) == bool(places)


@pytest.mark.parametrize("case", CASES)
def test_every_command_that_a_message_names_works(case: str, tmp_path: Path) -> None:
    """The reference has the page that the message of each bad scenario names."""
    old, new = CASES[case]["old"], CASES[case]["new"]
    file = tmp_path / "s.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    try:
        make_plan(load(file))
    except ScenarioError as error:
        command = hint(error).rpartition("; ecnomy explain")[2].strip()
        assert not command or lookup(command, all_entries()), error
