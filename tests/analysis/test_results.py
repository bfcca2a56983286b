# SPDX-License-Identifier: Apache-2.0
"""The questions that the READMEs answer with results, pictures, and renamed functions."""

from __future__ import annotations

import io
import itertools
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import ecnomy.analysis
import ecnomy.markets
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis import Results, open_run, summarize
from ecnomy.markets import load, run
from ecnomy.markets.results.rawrun import open_raw
from tiers import full

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "configs" / "examples" / "gold-silver.yaml"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with configs and results/gold-silver-7, a short run with marks."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "configs").symlink_to(ROOT / "configs")
    short = ["duration=20 s", "warmup=5 s", "sources.background.start=5 s"]
    short += [f"sources.{name}.traffic.until=5 s" for name in ("gold", "silver")]
    run(load(EXAMPLE, overrides=short), seed=7, out=folder / "results" / "gold-silver-7")
    return folder


@pytest.fixture
def results(home: Path) -> Results:
    """The opened run."""
    return open_run(home / "results" / "gold-silver-7")


@pytest.mark.drawn
def test_the_snippet_of_the_readme_runs_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed snippet works twice in the same folder, with the same answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    begins = text.index("    from ecnomy.markets import load, run")
    lines = text[begins:].splitlines()
    block = itertools.takewhile(lambda line: line.startswith("    ") or not line, lines)
    code = textwrap.dedent("\n".join(block))
    assert 'payments("gold")' in code and 'timeseries("goodput", by="class")' in code
    namespaces: list[dict[str, Any]] = [{}, {}]
    for names in namespaces:
        exec(compile(code, "README.md", "exec"), names)
    first, second = (names["result"] for names in namespaces)
    assert first.payments("gold").equals(second.payments("gold"))
    assert (tmp_path / "results/three.png").stat().st_size > 10_000
    with pytest.raises(InputError, match="already exists"):
        run(load("configs/examples/gold-silver.yaml"), seed=7, out="results/three")


@pytest.mark.drawn
def test_the_questions_of_the_analysis_readme_have_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer of the table, and the snippet below it, is as printed."""
    monkeypatch.chdir(home)
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Results")[2].partition("\n## ")[0]
    answers = re.findall(r"`(run\.[^`]+)`", section.partition("For instance")[0])
    assert len(answers) >= 12
    names: dict[str, Any] = {"run": open_run("results/gold-silver-7")}
    for answer in answers:
        reply = eval(answer, names)
        assert reply is None or len(reply) > 0, answer
    begins = section.index("    from ecnomy.analysis import open_run")
    block = itertools.takewhile(lambda one: one.startswith("    "), section[begins:].splitlines())
    exec(textwrap.dedent("\n".join(block)), {})


@pytest.mark.drawn
@full
def test_analysis_takes_results_as_well_as_raw_runs(results: Results) -> None:
    """Summary and picture are the same for both."""
    raw = open_raw(results.folder)
    one, other = summarize(results), summarize(raw)
    assert one.balances == other.balances and len(one.phases) == len(other.phases)
    assert [row.goodput_bps for row in one.phases[0].groups] == [
        row.goodput_bps for row in other.phases[0].groups
    ]
    files = [io.BytesIO(), io.BytesIO()]
    from ecnomy.analysis.draw.panels import panel_style, save
    from ecnomy.analysis.run_pictures.overview import overview_figure

    with panel_style():
        for file, run_ in zip(files, (results, raw), strict=True):
            figure = overview_figure(run_)
            assert figure is not None
            save(figure, file)
    assert files[0].getvalue() == files[1].getvalue() == results.plot()._repr_png_()  # type: ignore[attr-defined]


def test_plot_without_analysis_or_reports_says_so(
    results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each error is one line."""
    monkeypatch.setitem(sys.modules, "ecnomy.analysis.run_pictures.overview", None)
    with pytest.raises(InputError, match="requires ecnomy.analysis"):
        results.plot()
    monkeypatch.undo()
    with ecnomy.markets.open_market(EXAMPLE, out=tmp_path / "r") as market:
        early = market.close()
    assert early is not None
    with pytest.raises(ResultsError, match="fewer than two reports"):
        early.plot()
    assert early.timeseries("goodput").empty and "closed at 0 s" in repr(early)


@pytest.mark.parametrize(("old", "new"), [("load", "open_sweep"), ("Run", "Results")])
def test_names_before_still_work_and_warn(old: str, new: str) -> None:
    """Old names return the same as the new names, and name them in a warning."""
    with pytest.warns(DeprecationWarning, match=f"is now ecnomy.analysis.{new}"):
        assert getattr(ecnomy.analysis, old) is getattr(ecnomy.analysis, new)
    assert ecnomy.markets.Results is ecnomy.markets.Results is Results
    assert ecnomy.markets.open_run is open_run
