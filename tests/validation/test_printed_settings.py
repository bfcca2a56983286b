# SPDX-License-Identifier: Apache-2.0
"""Printed settings of the report agree with the papers' scenarios; nothing is run."""

from __future__ import annotations

import pytest

from ecnomy.analysis.reproduce.catalogue import PaperEntry, PrintedChoice
from ecnomy.analysis.reproduce.papers import PAPERS
from held_settings import faults_of
from kept_papers import paper_of
from tiers import in_full

ALL = [(name, item) for name in PAPERS for item in paper_of(name).entries]
ENTRIES = ALL if in_full() else ALL[1::3]


@pytest.mark.parametrize(("name", "item"), ENTRIES)
def test_printed_choices_are_what_runs(name: str, item: str) -> None:
    """Choices printed by an entry hold in its studies' scenarios (all of them in the full tier)."""
    paper = paper_of(name)
    entry = paper.entries[item]
    choices = [each for each in entry.chosen if isinstance(each, PrintedChoice)]
    faults = [
        f"{choice.says}: {fault}" for choice in choices for fault in faults_of(paper, entry, choice)
    ]
    assert faults == []


def test_choices_are_held() -> None:
    """Most printed settings are compared with scenarios; the rest are about measures."""
    papers = [paper_of(name) for name in PAPERS]
    choices = [each for paper in papers for e in paper.entries.values() for each in e.chosen]
    assert sum(isinstance(each, PrintedChoice) for each in choices) > 150


def _faults(**holds: object) -> list[str]:
    """The values of christin2003's study `ten` that differ from these."""
    paper = paper_of("christin2003")
    choice = PrintedChoice("", {path.replace("__", "."): value for path, value in holds.items()})
    entry = PaperEntry(title="", priority="core", claims={}, studies=("ten",), chosen=(choice,))
    return faults_of(paper, entry, choice)


def test_a_wrong_value_is_found() -> None:
    """Another value, another list and another round trip than the scenario's are faults."""
    assert _faults(network__links__bottleneck__rate="10 Mbps", duration="20 s") == []
    assert "10000000 bit/s" in _faults(network__links__bottleneck__rate="11 Mbps")[0]
    assert _faults(rtt__flow0="31.8 ms", flows__flow="10") != []
    assert _faults(rtt__flow0="32 ms") != []


def test_a_path_to_nothing_is_a_fault() -> None:
    """A choice whose path matches nothing is a fault."""
    assert "no such place" in _faults(network__links__bottleneck__color="red")[0]
    assert "no such place" in _faults(**{"sources.*.transport[law=wtp].gain": 0.5})[0]
