# SPDX-License-Identifier: Apache-2.0
"""Grids: the settings that a paper leaves open, varied one at a time, and their verdicts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.reproduce import session, studies
from ecnomy.analysis.reproduce.grid import variant_of, variants_of
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper, select
from ecnomy.analysis.reproduce.session import cost_of, variants_in
from ecnomy.analysis.reproduce.studies import (
    Form,
    Studies,
    changed_points,
    load_study,
    seeds_of,
    study_folder,
)
from kept_papers import paper_of
from small_paper import change_claims, cut_down, go
from tiers import in_full

MARKING = "network.links.bottleneck.marking"
WEIGHT = "sources.heavy.transport.weight"
ALIKE = {WEIGHT: "1 marks"}  # both groups have one weight: effects of ratios disappear
SETTINGS: dict[str, Any] = {
    "ratios": {"open": "the weights", "chosen": "1 and 8", "also": {"both 1": ALIKE}},
    "red-weight": {
        "open": "RED's weight",
        "chosen": "0.002",
        "also": {"0.02": {f"{MARKING}[law=red].weight": 0.02}},
    },
}
# c1 holds at any weights, c2 only at unequal ones.
CLAIMS: dict[str, Any] = {
    "c1": {"priority": "core", "says": "any", "expect": {"ratio_over_r.large.red.*": [0, 9]}},
    "c2": {
        "priority": "core",
        "says": "unequal",
        "expect": {"ratio_over_r.large.red.*": [0.4, None]},
        "grid": ["ratios"],
    },
    "c3": {
        "priority": "sec",
        "says": "unequal, whatever RED's weight",
        "expect": {"ratio_over_r.large.red.*": [0.4, None]},
        "grid": [],
    },
    "c4": {
        "priority": "sec",
        "says": "windows are alike",
        "expect": {"windows_over_r.red.r=8": [0, 2]},
        "kind": "identity",
        "grid": [],
    },
}


def _paper(home: Path, patch: pytest.MonkeyPatch) -> Path:
    own = cut_down(home / "papers")
    patch.setenv("ECNOMY_PAPERS", str(home / "papers"))
    entries = change_claims(own)["entries"]
    entries["fig3"] |= {"claims": CLAIMS, "grid": ["red-weight"]}
    change_claims(own, entries=entries, settings=SETTINGS)
    return own


@pytest.fixture
def paper(tmp_path: Path, monkeypatch) -> Path:
    """Figure 3 of siris2002 with short runs and two open settings."""
    return _paper(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, Any, int]:
    """The results of a paper with the grid, the findings, and the number of runs."""
    home = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        _paper(home, patch)
        return home / "out", *go(home / "out", grid=True)


def by_number(found) -> dict[str, Any]:
    """Outcomes by the number of their claims."""
    return {o.claim.rpartition(".")[2]: o for o in found[0].outcomes}


def test_a_claim_depends_on_what_flips_it(made) -> None:
    """Verdicts that are opposite under an alternative name its setting, and the figure."""
    _, found, count = made
    assert count == 12 + 6 + 4  # the study, points with unequal weights, points of RED alone
    claims = by_number(found)
    assert claims["c1"].verdict.words == "confirmed"
    assert [at.alternative for at in claims["c1"].verdict.grid] == ["0.02"]
    assert claims["c2"].verdict.words == "depends on ratios"
    assert "confirmed as chosen; refuted with ratios both 1 (ratio_over_r" in claims["c2"].reason
    assert (claims["c3"].verdict.words, claims["c3"].verdict.grid) == ("confirmed", ())
    assert claims["c4"].identity and not claims["c1"].identity


def test_without_the_grid_claims_are_judged_as_chosen(paper: Path, tmp_path: Path) -> None:
    """Without the grid no variant is run, and the claim that depends on one is confirmed."""
    found, made = go(tmp_path / "out")
    assert made == 12
    assert by_number(found)["c2"].verdict.words == "confirmed"


def test_variants_are_made_once(made, paper: Path, tmp_path: Path) -> None:
    """The same command repeats no run, and continues an interrupted variant."""
    out, first, _ = made
    shutil.copytree(out, tmp_path / "out")
    again, more = go(tmp_path / "out", grid=True)
    assert (more, [f.outcomes for f in again]) == (0, [f.outcomes for f in first])
    folder = tmp_path / "out/siris2002/fig3@red-weight=0.02"
    next((folder / "shards").glob("*.parquet")).unlink()
    again, more = go(tmp_path / "out", grid=True)
    assert (more, [f.outcomes for f in again]) == (4, [f.outcomes for f in first])


def test_points_that_a_variant_leaves_alone_are_the_studys(made, paper: Path) -> None:
    """Under a variant, the runs have the points, parameters and seeds of the study."""
    own, form = load_paper("siris2002"), Form(made[0])
    variant = variant_of(own, "red-weight", "0.02")
    chosen = Studies(own, ["fig3"], form)["fig3"].frame
    varied = Studies(own, ["fig3"], form, variant)["fig3"].frame
    for column in ("number", "replicate", "seed", MARKING, WEIGHT):
        assert list(chosen[column]) == list(varied[column])
    red = chosen[MARKING].map(lambda law: json.loads(law)["law"] == "red")
    same = chosen["heavy.goodput_bps"] == varied["heavy.goodput_bps"]
    assert red.sum() == 4 and not same[red].all() and same[~red].all()


def test_a_variant_has_its_own_seeds(paper: Path, tmp_path: Path) -> None:
    """`grid_replicates` gives variants fewer seeds; unchanged points then have as few."""
    studies = {"fig3": {"sweep": "fig3-sweep.yaml", "budget": 1e6, "grid_replicates": 2}}
    change_claims(paper, studies=studies)
    sweep = paper / "fig3-sweep.yaml"
    sweep.write_text(sweep.read_text().replace("\nreplicates: 2", "\nreplicates: 3"))
    _, made = go(tmp_path / "out", grid=True)
    assert made == 18 + 6 + 4
    own = load_paper("siris2002")
    variant = variant_of(own, "red-weight", "0.02")
    frame = Studies(own, ["fig3"], Form(tmp_path / "out"), variant)["fig3"].frame
    assert list(frame["replicate"]) == [0, 1] * 6 and list(frame["number"]) == list(range(12))


def test_an_undecided_alternative_gets_more_seeds(
    made, paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seeds of the claim and the chosen settings are doubled up to a decision or the maximum.

    The maximum is 20, in the fast tier 3: twice two are too many.
    """
    most = session.GRID_SEEDS if in_full() else 3
    monkeypatch.setattr(session, "GRID_SEEDS", most)
    varied = by_number(made[1])["c2"].verdict.grid[0].verdict.figures[0].measured
    assert varied is not None
    entries = change_claims(paper)["entries"]
    region = {"ratio_over_r.large.red.*": [varied.mean, None]}  # its interval will have the bound
    entries["fig3"]["claims"] = {"c2": CLAIMS["c2"] | {"expect": region}}
    change_claims(paper, entries=entries)
    found, count = go(tmp_path / "out", grid=True)
    own, form = load_paper("siris2002"), Form(tmp_path / "out")
    variant = variant_of(own, "ratios", "both 1")
    seeds = seeds_of(own, "fig3", form, variant)
    claim = by_number(found)["c2"].verdict
    assert claim.alone == "confirmed"
    assert seeds == most if claim.verdict == "inconclusive" else 2 < seeds <= most
    assert seeds_of(own, "fig3", form) == seeds and count == seeds * (6 + 3)
    again, more = go(tmp_path / "out", grid=True)
    assert (more, [f.outcomes for f in again]) == (0, [f.outcomes for f in found])


def test_an_undecided_alternative_needs_seeds_of_all_its_studies(
    made, paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One study of the entry already has the most seeds, the other one has two."""
    monkeypatch.setattr(session, "GRID_SEEDS", 3)
    varied = by_number(made[1])["c2"].verdict.grid[0].verdict.figures[0].measured
    assert varied is not None
    sweep = (paper / "fig3-sweep.yaml").read_text()
    (paper / "more-sweep.yaml").write_text(sweep.replace("\nreplicates: 2", "\nreplicates: 3"))
    studies = {name: {"sweep": f"{name}-sweep.yaml", "budget": 1e6} for name in ("fig3", "more")}
    entries = change_claims(paper)["entries"]
    region = {"ratio_over_r.large.red.*": [varied.mean, None]}
    entries["fig3"] |= {
        "studies": ["fig3", "more"],
        "claims": {"c2": CLAIMS["c2"] | {"expect": region}},
    }
    change_claims(paper, studies=studies, entries=entries)
    go(tmp_path / "out", grid=True)
    own, form = load_paper("siris2002"), Form(tmp_path / "out")
    variant = variant_of(own, "ratios", "both 1")
    assert [seeds_of(own, name, form, variant) for name in ("fig3", "more")] == [3, 3]


def test_studies_beside_a_variant_have_as_many_seeds(paper: Path, tmp_path: Path) -> None:
    """Studies without the variant are cut to its seeds, because figures compare seed by seed."""
    file = paper / "fig3-sweep.yaml"
    file.write_text(file.read_text().replace("\nreplicates: 2", "\nreplicates: 3"))
    study = {"sweep": file.name, "budget": 1e6}
    studies = {"fig3": {**study, "grid_replicates": 2}, "beside": study}
    settings = {"red-weight": {**SETTINGS["red-weight"], "only": ["fig3"]}}
    entries = change_claims(paper)["entries"]
    claims = {number: {**claim, "grid": ["red-weight"]} for number, claim in CLAIMS.items()}
    entries["fig3"] |= {"studies": ["fig3", "beside"], "claims": claims}
    change_claims(paper, studies=studies, settings=settings, entries=entries)
    go(tmp_path / "out", grid=True)
    own, form = load_paper("siris2002"), Form(tmp_path / "out", grid=True)
    variant = variant_of(own, "red-weight", "0.02")
    names = ["fig3", "beside"]
    assert set(Studies(own, names, form)["beside"].frame["replicate"]) == {0, 1, 2}
    assert set(Studies(own, names, form, variant)["beside"].frame["replicate"]) == {0, 1}


def test_an_interrupted_variant_is_not_filled_up(made, paper: Path, tmp_path: Path) -> None:
    """Runs of the study do not replace missing runs of a variant."""
    shutil.copytree(made[0], tmp_path / "out")
    own, form = load_paper("siris2002"), Form(tmp_path / "out")
    variant = variant_of(own, "red-weight", "0.02")
    folder = study_folder(own, "fig3", form, variant)
    next((folder / "shards").glob("*.parquet")).unlink()
    with pytest.raises(ResultsError, match="no finished runs"):
        Studies(own, ["fig3"], form, variant)["fig3"]


def test_cost_is_estimated_beforehand(paper: Path, tmp_path: Path) -> None:
    """Runs of studies and of variants are counted, packets by the share of points."""
    own, grid = cost_of(select("siris2002"), Form(tmp_path, grid=True))
    assert (own.runs, own.packets) == (12, 1e6)
    assert (grid.studies, grid.runs) == (2, 10)
    assert grid.packets == pytest.approx(1e6 * 10 / 12)
    assert cost_of(select("siris2002"), Form(tmp_path))[1].runs == 0


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"settings": {}}, r"entries.fig3.grid: no setting 'red-weight'"),
        (
            {"settings": {**SETTINGS, "ratios": {**SETTINGS["ratios"], "except": ["fig3"]}}},
            r"entries.fig3.claims.c2.grid: no study of the entry varies 'ratios'",
        ),
        (
            {"settings": {**SETTINGS, "ratios": {**SETTINGS["ratios"], "only": ["fig9"]}}},
            r"settings.ratios: no study 'fig9'",
        ),
        (
            {"settings": {**SETTINGS, "ratios": {**SETTINGS["ratios"], "also": {}}}},
            r"settings.ratios.also: missing alternatives",
        ),
        (
            {"headlines": [{"says": "so", "claims": ["fig3.c9"], "figure": "fig3"}]},
            r"headlines\[0\]: no claim 'fig3.c9'",
        ),
        (
            {"headlines": [{"says": "so", "claims": ["fig3.c1"], "figure": "fig9"}]},
            r"headlines\[0\]: no entry 'fig9'",
        ),
        (
            {"headlines": [{"says": "so", "claims": [], "figure": "fig3"}]},
            r"headlines\[0\]: missing claims",
        ),
    ],
)
def test_wrong_grids(paper: Path, change: dict, found: str) -> None:
    """A name in a catalogue must exist; the message gives the place of the name."""
    change_claims(paper, **change)
    with pytest.raises(InputError, match=f"claims.yaml: {found}"):
        load_paper("siris2002")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"not_testable": "no figure"}, "c1: not_testable together with bounds of 'ratio_over_r"),
        ({"control": {"says": "so", "expect": {}}}, "c1: control: missing quantities"),
    ],
)
def test_wrong_claims(paper: Path, change: dict, found: str) -> None:
    """A claim that cannot be tested has no bounds, and a control has figures."""
    entries = change_claims(paper)["entries"]
    entries["fig3"]["claims"]["c1"] |= change
    change_claims(paper, entries=entries)
    with pytest.raises(InputError, match=found):
        load_paper("siris2002")


def test_an_alternative_changes_something(paper: Path, tmp_path: Path) -> None:
    """An alternative that changes no scenario is a mistake, reported before any run."""
    also = {"same": {f"{MARKING}[law=codel].weight": 0.02}}
    change_claims(paper, settings={**SETTINGS, "ratios": {**SETTINGS["ratios"], "also": also}})
    with pytest.raises(InputError, match=r"settings.ratios: found 'same', which changes nothing"):
        cost_of(select("siris2002"), Form(tmp_path, grid=True))


@pytest.mark.parametrize("name", PAPERS)
def test_declared_alternatives_make_scenarios(name: str, tmp_path: Path) -> None:
    """Each alternative of a paper loads as a scenario in each study that varies it in full.

    The fast tier uses only the first study of each.
    """
    entries = [(own, item) for own in [paper_of(name)] for item in own.entries]
    seen = set()
    for own, study, variant in variants_in(entries):
        if not in_full() and (variant.setting, variant.alternative) in seen:
            continue
        seen.add((variant.setting, variant.alternative))
        sweep = load_study(own, study, Form(tmp_path), variant=variant)
        point = changed_points(sweep)[0]
        sweep.scenario_at(point.params, point.seed)


@pytest.mark.parametrize(("study", "kept"), [("calibration", 6), ("diffserv", 5)])
def test_a_variant_of_a_calibration_keeps_the_seeds_of_its_check(
    study: str, kept: int, monkeypatch
) -> None:
    """The calibration's check uses seeds beyond its replicates; other studies do not."""
    paper = load_paper("andreassen2002")
    (variant,) = [v for v in variants_of(paper, "calibration") if v.name == "receive-window=16-kB"]
    frame = pd.DataFrame({"replicate": range(6), "data_packets": 1})
    monkeypatch.setattr(studies, "_of_variant", lambda *_: frame)
    monkeypatch.setattr(studies, "seeds_of", lambda *_: 3)
    runs = Studies(paper, paper.entries["calibration"].studies, Form(Path()), variant)[study]
    assert len(runs.frame) == kept
