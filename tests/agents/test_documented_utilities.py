# SPDX-License-Identifier: Apache-2.0
"""The utility and the strategy that agents/README.md prints work as printed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecnomy.agents.strategies.find import find
from ecnomy.markets import load, run
from test_exported_names import ROOT, blocks

FILE = """\
version: 1
duration: 40 s
warmup: 1 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 10 Mbps, delay: 10 ms, buffer: 200 packets,
       marking: {{law: load-based, threshold: 0.3, slope: 0.5, interval: 100 ms}}}}
sources:
  - {{name: up, from: a, to: b, traffic: {{kind: file, size: 10 MB}},
     transport: &wtp {{law: wtp, gain: 0.1}}}}
  - {{name: rest, count: 3, from: a, to: b, transport: *wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: others
      role: price-handler
      sources: rest
      strategy: {{kind: constant-charge, charge: 0.3 money/s}}
    - name: home
      role: price-handler
      sources: up
      decision_interval: 500 ms
      strategy:
        kind: "my_lab.transfers:Transfer"
        utility: {{kind: file-deadline, a: {0} money, deadline: 30 s, grace: 5 s}}
record: {{transfers: true}}
"""


@pytest.fixture
def documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README prints."""
    (tmp_path / "my_lab").mkdir()
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    for file, text in blocks((ROOT / "agents" / "README.md").read_text(encoding="utf-8")).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_lab"]:
        monkeypatch.delitem(sys.modules, name)
    find.cache_clear()
    return tmp_path


def test_the_utility_of_the_readme_runs(documented: Path) -> None:
    """The README's users pay for their marks by the printed utility."""
    shortened = ["duration=30 s", "warmup=1 s", "record=null"]
    result = run(load(documented / "saturating.yaml", overrides=shortened), out=documented / "run")
    payments = result.raw.agents[result.raw.agents["name"] == "willingness_micro_per_s"]
    assert len(payments) > 6 and payments.value.between(1, 2e6).all()


@pytest.mark.parametrize(("worth", "sent"), [(100, True), (0.001, False)])
def test_the_transfer_of_the_readme_is_in_time_or_given_up(
    documented: Path, worth: float, sent: bool
) -> None:
    """A file that is worth its cost arrives by its deadline; any other costs almost nothing."""
    (documented / "file.yaml").write_text(FILE.format(worth), encoding="utf-8")
    result = run(load(documented / "file.yaml"), out=documented / "run")
    finished = result.transfers
    assert len(finished) == sent
    assert not sent or finished.end_ps.iloc[0] / 1e12 == pytest.approx(30, abs=1)
    paid = result.raw.ledger[result.raw.ledger.debit.astype(str) == "home"].amount_micro.sum() / 1e6
    assert (paid > 5) == sent and paid < (50 if sent else 0.1)
