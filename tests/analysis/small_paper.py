# SPDX-License-Identifier: Apache-2.0
"""siris2002 with only figure 3 and short runs: a paper that a test can reproduce."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from ecnomy.analysis.reproduce.papers import PAPERS, papers_folder, select
from ecnomy.analysis.reproduce.session import Reproduced, reproduce
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.markets.sweep.outcome import execute
from paper_pool import Here, Quiet

__all__ = ["change_claims", "cut_down", "go", "made_once", "outcomes"]

_MADE: Final[dict[bytes, Any]] = {}  # outcomes of finished runs, by their tasks


class Once(Here):
    """Counts all requested runs, and makes each once for all tests of this process.

    A run depends only on its task, without `name`, the scenario's file in failure messages.
    """

    def submit(self, function: Callable[..., Any], task: Any) -> concurrent.futures.Future[Any]:
        key = _key(task)
        if key in _MADE:
            self.runs += 1
            known: concurrent.futures.Future[Any] = concurrent.futures.Future()
            known.set_result(_MADE[key])
            return known
        coming = super().submit(function, task)
        coming.add_done_callback(lambda done: _keep(key, done))
        return coming


def made_once(task: Any) -> Any:
    """The outcome of a run, made once for all tests of this process."""
    key = _key(task)
    if key not in _MADE:
        outcome = execute(task)
        assert outcome.status == "done"
        _MADE[key] = outcome
    return _MADE[key]


def _key(task: Any) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(task, name=""))


def _keep(key: bytes, done: concurrent.futures.Future[Any]) -> None:
    if not done.cancelled() and not done.exception() and done.result().status == "done":
        _MADE[key] = done.result()


def cut_down(folder: Path) -> Path:
    """Writes a folder of papers, all empty except siris2002, and returns siris2002's folder.

    Figure 3 has two seeds at two weights under three laws, 12 runs of 12 s.
    """
    for name in PAPERS:
        (folder / name).mkdir(parents=True)
        head: dict[str, Any] = {"version": 1, "paper": name, "cites": name, "entries": {}}
        (folder / name / "claims.yaml").write_text(yaml.safe_dump(head))
    own = folder / "siris2002"
    for name, text in _cut(papers_folder() / "siris2002").items():
        (own / name).write_text(text)
    return own


@functools.cache
def _cut(real: Path) -> dict[str, str]:
    """The files of a cut-down paper, by name."""
    sweep = yaml.safe_load((real / "fig3-sweep.yaml").read_text())
    sweep["set"] |= {"duration": "12 s", "warmup": "6 s"}
    sweep["parameters"]["grid"]["sources.heavy.transport.weight"] = ["1 marks", "8 marks"]
    sweep |= {"replicates": 2, "quick": {"replicates": 2, "set": {"duration": "8 s"}}}
    claims = yaml.safe_load((real / "claims.yaml").read_text())
    fig3 = {**claims["entries"]["fig3"], "studies": ["fig3"]}
    fig3["chosen"] = [each if isinstance(each, str) else each["says"] for each in fig3["chosen"]]
    fig3.pop("grid", None)
    for claim in fig3["claims"].values():
        claim.pop("grid", None)
    claims |= {"entries": {"fig3": fig3}, "settings": {}, "headlines": []}
    claims["studies"] = {"fig3": {"sweep": "fig3-sweep.yaml", "budget": 1e6}}
    return {
        "single-link.yaml": (real / "single-link.yaml").read_text(),
        "fig3-sweep.yaml": yaml.safe_dump(sweep),
        "claims.yaml": yaml.safe_dump(claims),
    }


def change_claims(paper: Path, **changes: Any) -> dict[str, Any]:
    """Replaces top-level keys of a paper's claims.yaml; returns the whole document."""
    file = paper / "claims.yaml"
    tree: dict[str, Any] = yaml.safe_load(file.read_text()) | changes
    file.write_text(yaml.safe_dump(tree))
    return tree


def go(
    out: Path, *, quick: bool = False, resolve: bool = False, grid: bool = False
) -> tuple[list[Reproduced], int]:
    """Reproduces the paper; returns the findings and the number of runs made."""
    pool = Once()
    form = Form(out, quick, grid=grid)
    reproduction = reproduce(select("siris2002"), form, lambda: pool, Quiet(), resolve=resolve)
    return reproduction, pool.runs


def outcomes(entries: list[Reproduced]) -> list[Any]:
    """The outcomes of all claims, with the packets sent."""
    return [(each.outcomes, each.data_packets) for each in entries]
