# SPDX-License-Identifier: Apache-2.0
"""Probes: the first run of each study's quick form, as the digest of all that it measures.

papers.json keeps them, so that carry.py can tell whether a changed engine gives the same.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.studies import Form, load_study
from ecnomy.markets.sweep.driver import task_of
from ecnomy.markets.sweep.outcome import DONE, execute

__all__ = ["all_studies", "probe", "probes_of"]


def all_studies() -> list[str]:
    """Every study of every paper that an entry looks at, as `paper/study`."""
    found = []
    for name in PAPERS:
        paper = load_paper(name)
        used = {study for entry in paper.entries.values() for study in entry.studies}
        found += [f"{name}/{study}" for study in paper.studies if study in used]
    return found


def probe(paper: str, study: str) -> str:
    """The digest of what the first run of a study's quick form measures now.

    Raises:
        ScenarioError: the study is wrong.
        ResultsError: the run failed.
    """
    sweep = load_study(load_paper(paper), study, Form(Path(), quick=True))
    outcome = execute(task_of(sweep, sweep.points()[0]))
    if outcome.status != DONE:
        raise ResultsError(f"{paper} {study}: its first quick run failed: {outcome.reason}")
    values = msgspec.json.encode([outcome.values, outcome.data_packets], order="sorted")
    return hashlib.sha256(values).hexdigest()[:16]


def probes_of(studies: Iterable[str]) -> dict[str, str]:
    """`paper/study` -> digest, by as many processes as there are cores; tells how far it is."""
    names = list(studies)
    found = {}
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        pairs = zip(*(name.split("/") for name in names), strict=True) if names else ((), ())
        for name, digest in zip(names, pool.map(probe, *pairs), strict=True):
            found[name] = digest
            if len(found) % 20 == 0:
                print(f"ecnomy: {len(found)} of {len(names)} probes", file=sys.stderr, flush=True)
    return found
