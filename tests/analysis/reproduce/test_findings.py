# SPDX-License-Identifier: Apache-2.0
"""The findings on claims that were not confirmed refer to the judged runs."""

from __future__ import annotations

import re

import pytest

from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.studies import Form, Studies

RATE = re.compile(r"(?<![\w{@])\d[\d.,]* ?(?:[kMG]?bps|[kMG]?b(?:it)?/s|packets/m?s)\b")
SETTING = re.compile(r"\{([^{}@]+)@([^{}]+)\}")


def texts(name: str) -> list[tuple[str, str]]:
    """Claim and cause of all findings of a paper."""
    return [(claim, finding.cause) for claim, finding in load_paper(name).findings.items()]


@pytest.mark.parametrize("name", PAPERS)
def test_no_cause_states_a_rate_by_itself(name: str) -> None:
    """Rates in a cause are `{study@path}`, so a sentence on 45 Mbps never appears for 20 Mbps."""
    assert [claim for claim, cause in texts(name) if RATE.search(cause)] == []


@pytest.mark.parametrize(
    ("cause", "wrong"),
    [
        ("at 45 Mb/s the link is empty", True),
        ("they arrive at 100 Mbps", True),
        ("far above at 100 packets/ms", True),
        ("at {fig14@network.links.bottleneck.rate} it is empty", False),
        ("gamma 0.01 every 2 ms, {20Mbps.loss.rem.n=50}", False),
    ],
)
def test_rates_are_found(cause: str, wrong: bool) -> None:
    """The rule above distinguishes written rates from inserted ones."""
    assert bool(RATE.search(cause)) == wrong


@pytest.mark.parametrize("name", PAPERS)
def test_settings_in_findings_are_there(name: str, tmp_path) -> None:
    """Each `{study@path}` names a study of the claim's entry and a path in its scenario."""
    paper = load_paper(name)
    for claim, finding in paper.findings.items():
        entry = paper.entries[claim.rpartition(".")[0]]
        studies = Studies(paper, entry.studies, Form(tmp_path))
        written = [
            finding.cause,
            *(text for tried in finding.tried for text in (tried.run, tried.shows)),
        ]
        for study, path in (each for text in written for each in SETTING.findall(text)):
            assert studies.setting(study, path)
