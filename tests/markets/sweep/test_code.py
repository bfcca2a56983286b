# SPDX-License-Identifier: Apache-2.0
"""Code of a sweep's runs: an edited user module or a new version repeats runs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep import fingerprint
from ecnomy.markets.sweep.driver import SweepError
from sweep_world import SWEEP, Here, go, write

LAB = """
from dataclasses import dataclass
from ecnomy.agents.decision import FlowDecision
from {lab}_help import SHARE

@dataclass
class Mine:
    part: float = 1.0
    def decide(self, view):
        fee = view.offers[view.offer].fee_micro_per_s
        return FlowDecision(willingness_micro_per_s=SHARE * self.part * fee)
"""


def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    """A custom strategy in a module that imports another one; half of the runs use it."""
    (tmp_path / f"{name}.py").write_text(LAB.format(lab=name))
    (tmp_path / f"{name}_help.py").write_text("SHARE = 0.5\n")
    (tmp_path / f"{name}_other.py").write_text("UNUSED = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    kinds = f"[{{kind: constant-charge}}, {{kind: '{name}:Mine'}}]"
    text = SWEEP.replace("sources.gold.count: [1, 2]", f"market.agents.shop.strategy: {kinds}")
    return write(tmp_path, text)


@pytest.mark.parametrize("edited", ["", "_help"])
def test_an_edited_strategy_makes_its_runs_again(tmp_path, monkeypatch, edited) -> None:
    """A sweep repeats exactly the runs with the edited module or an importer."""
    name = f"sweep_lab{edited or '_own'}"
    file = lab(tmp_path, monkeypatch, name)
    go(file, tmp_path / "out")
    before = open_sweep(tmp_path / "out")
    (tmp_path / f"{name}_other.py").write_text("UNUSED = 2\n")
    assert go(file, tmp_path / "out")[1].points == []
    if edited:
        (tmp_path / f"{name}_help.py").write_text("SHARE = 0.25\n")
    else:
        (tmp_path / f"{name}.py").write_text(LAB.format(lab=name).replace("1.0", "0.5"))
    assert go(file, tmp_path / "out", old=True)[1].points == []
    tally, pool, _ = go(file, tmp_path / "out")
    assert len(pool.points) == tally.done == 6
    after = open_sweep(tmp_path / "out")
    mine = after["market.agents.shop.strategy"].str.contains("Mine")
    assert mine.sum() == 6 and len(after) == 12
    assert (after.run != before.run).tolist() == mine.tolist()
    changed = after["gold.goodput_bps"] != before["gold.goodput_bps"]
    assert changed.tolist() == mine.tolist(), "the new content is what ran"


def test_an_edit_within_a_second_is_what_runs(tmp_path, monkeypatch) -> None:
    """Python reuses bytecode if the source has the same size and second of change."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(fingerprint, "_IMPORTED", {})
    file, values = tmp_path / "sweep_lab_racy.py", []
    for value in (1, 2):
        file.write_text(f"VALUE = {value}\n")
        os.utime(file, (1e9, 1e9))
        fingerprint.forget_edited_modules()
        fingerprint.remember_modules({file.stem: fingerprint.digest_of(file.stem)})
        values.append(importlib.import_module(file.stem).VALUE)
        os.utime(importlib.util.cache_from_source(file), (1e9, 1e9 + 1))
    assert values == [1, 2]


def test_relative_imports_are_followed_upwards(tmp_path, monkeypatch) -> None:
    """Relative imports begin at the module's package, one level higher for each further dot."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in {
        "__init__": "",
        "middle/__init__": "",
        "middle/near": "from ..outer import D\n",
        "middle/far": "B = 1\n",
        "middle/inner/__init__": "from .shown import E\nfrom ..beyond import F\n",
        "middle/inner/shown": "E = 1\n",
        "middle/beyond": "F = 1\n",
        "middle/inner/mine": "from ..far import B\nfrom .. import near\nfrom .beside import C\n",
        "middle/inner/beside": "C = 1\n",
        "outer": "D = 1\n",
    }.items():
        file = tmp_path / "sweep_lab_tree" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    modules = fingerprint.modules_named_in("sweep_lab_tree.middle.inner.mine:Mine")
    within = ["", ".middle", ".middle.beyond", ".middle.far", ".middle.inner"]
    within += [f".middle.inner.{name}" for name in ("beside", "mine", "shown")]
    within += [".middle.near", ".outer"]
    assert list(modules) == [f"sweep_lab_tree{name}" for name in within]


def test_a_strategy_edited_under_its_run_makes_no_outcome(tmp_path, monkeypatch) -> None:
    """A run whose strategy is edited meanwhile is not recorded under a wrong digest."""
    from ecnomy.markets.sweep import outcome

    file, simulated = lab(tmp_path, monkeypatch, "sweep_lab_under"), outcome._simulated

    def edit(*arguments):
        results = simulated(*arguments)
        with (tmp_path / "sweep_lab_under.py").open("a") as text:
            text.write("\n")
        return results

    monkeypatch.setattr(outcome, "_simulated", edit)
    tally, _, _ = go(file, tmp_path / "out")
    assert (tally.done, tally.failed) == (6, 6)
    reasons = open_sweep(tmp_path / "out").reason.unique().tolist()
    assert "edited while the run used it: sweep_lab_under" in reasons


def test_an_edited_role_is_imported_anew(tmp_path, monkeypatch) -> None:
    """An edited role is imported again, although the worker has read an earlier version."""
    from ecnomy.agents.roles.find import find_role

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(fingerprint, "_IMPORTED", {})
    text = "from ecnomy.agents.roles.role import Role\nclass Mine(Role):\n    join = print\n"
    (tmp_path / "sweep_lab_role.py").write_text(text)
    first = find_role("sweep_lab_role:Mine")
    fingerprint.remember_modules({"sweep_lab_role": fingerprint.digest_of("sweep_lab_role")})
    (tmp_path / "sweep_lab_role.py").write_text(text + "    second = True\n")
    fingerprint.forget_edited_modules()
    assert not hasattr(first, "second") and find_role("sweep_lab_role:Mine").second


def test_a_repaired_strategy_is_tried_again(tmp_path, monkeypatch) -> None:
    """A failed run also depends on a module that could not be imported."""
    file = lab(tmp_path, monkeypatch, "sweep_lab_broken")
    good = (tmp_path / "sweep_lab_broken_help.py").read_text()
    (tmp_path / "sweep_lab_broken_help.py").write_text("import no_such_module_at_all\n")
    tally, _, _ = go(file, tmp_path / "out")
    assert (tally.done, tally.failed) == (6, 6)
    assert go(file, tmp_path / "out")[1].points == []
    (tmp_path / "sweep_lab_broken_help.py").write_text(good)
    tally, pool, _ = go(file, tmp_path / "out")
    assert len(pool.points) == tally.done == 6


def test_other_code_makes_all_runs_again(tmp_path, monkeypatch) -> None:
    """With another engine or another ecnomy no run counts, unless old code is accepted."""
    from ecnomy.markets.sweep import driver, outcome
    from ecnomy.markets.sweep.fingerprint import Code, code_now

    file = write(tmp_path)
    go(file, tmp_path / "out")
    other = Code("0" * 64, code_now().sources, code_now().packages)
    for module in (driver, outcome):
        monkeypatch.setattr(module, "code_now", lambda *_: other)
    assert go(file, tmp_path / "out", old=True)[1].points == []
    assert len(go(file, tmp_path / "out")[1].points) == 12
    assert len(open_sweep(tmp_path / "out")) == 12


def test_workers_of_other_code_are_refused(tmp_path, monkeypatch) -> None:
    """An outcome of another engine does not count in this sweep."""
    from ecnomy.markets.sweep import outcome
    from ecnomy.markets.sweep.fingerprint import Code

    monkeypatch.setattr(outcome, "code_now", lambda *_: Code("0" * 64, "1" * 64, "2" * 64))
    with pytest.raises(SweepError, match="another version"):
        go(write(tmp_path), tmp_path / "out", Here())
