# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report gsp`: where it writes the page, and what it prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ecnomy.analysis.report.command import report_app
from guarantee_world import write_run
from page_reader import PageReader


@pytest.mark.usefixtures("undrawn")
def test_the_command_writes_into_the_first_folder(tmp_path: Path) -> None:
    """gsp.html is beside the tables or at --out; the answer is also printed."""
    folder = write_run(tmp_path)
    done = CliRunner().invoke(report_app, ["gsp", str(folder)])
    assert done.exit_code == 0, done.output
    assert "gsp: " in done.output and (folder / "gsp.html").is_file()
    done = CliRunner().invoke(report_app, ["gsp", str(folder), "--out", str(tmp_path / "x.html")])
    assert done.exit_code == 0 and (tmp_path / "x.html").is_file()
    assert f"ecnomy report gsp {folder} --out" in PageReader(tmp_path / "x.html").words


@pytest.mark.usefixtures("undrawn")
def test_the_command_gives_its_figures_as_json(tmp_path: Path) -> None:
    """Standard output has only the unrounded figures of the sentence."""
    folder = write_run(tmp_path)
    line = CliRunner().invoke(report_app, ["gsp", str(folder)]).output.splitlines()[0]
    (one,) = json.loads(CliRunner().invoke(report_app, ["gsp", str(folder), "--json"]).stdout)[
        "providers"
    ]
    assert one["provider"] == "gsp" and line.startswith(f"gsp: {one['verdict']}: ")
    shown = float(re.search(r": (-?[\d.,]+) money per call", line)[1].replace(",", ""))
    assert one["profit_per_call"]["mean"] == pytest.approx(shown, rel=0.01)
