# SPDX-License-Identifier: Apache-2.0
"""Losses halve windows, so sources get fewer marks than they pay for, and the run says so.

A loss halves a window and a mark lowers it by the gain of 0.5, so a loss counts as
cwnd marks. Including these, sources get as many marks as they pay for.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ecnomy.markets import run
from ecnomy.markets.cli.main import app
from ecnomy.markets.results.losses import Losses, losses
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 120 s
warmup: 20 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 10 Mbps, delay: 20 ms, {link}}}
sources:
  - {{name: gold, from: a, to: b, count: 3, rows: {rows}, transport: {{law: wtp, {transport}}}}}
market:
  epoch: 1 s
  price_per_mark: 0.1 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: shop
      role: application-provider
      classes: {{gold: {{fee: 1 money/s, sources: gold}}}}
"""
LOSSY = "loss: 0.001, marking: {law: virtual-queue, theta: 0.9, buffer: 100 packets}"
FULL = "buffer: 50 packets, marking: {law: fixed, probability: 0.004}"


def raw(out: Path, link: str, transport: str = "mss: 960 bytes", rows: str = "each") -> RawRun:
    """Three flows with a target of 10 marks/s each."""
    text = TEXT.format(link=link, transport=transport, rows=rows)
    return run(scenario_from_text(text), out=out / "r").raw


@pytest.mark.parametrize("rows", ["each", "together"])
def test_marks_and_losses_add_up_to_the_requested_marks(tmp_path: Path, rows: str) -> None:
    """A link that loses one packet in a thousand costs 3 to 4 of 10 marks/s."""
    lossy = raw(tmp_path, LOSSY, rows=rows)
    (gold,) = losses(lossy)
    assert (gold.source, gold.wires) == ("gold", ("wire",))
    assert gold.share == pytest.approx(0.001, rel=0.2)
    assert gold.asked_per_s == pytest.approx(10, rel=1e-9)
    table = lossy.flow_epochs
    late = table[table.t_ps >= lossy.measured.from_ps]
    each = [rows.sort_values("t_ps") for _, rows in late.groupby("flow")]
    taken = sum(rows.ce.iloc[-1] - rows.ce.iloc[0] for rows in each) / 300
    instead = sum(float((np.diff(rows.lost) * rows.cwnd[:-1]).sum()) for rows in each) / 300
    assert gold.taken_per_s == pytest.approx(taken, rel=1e-9)
    assert taken + instead / (3 if rows == "together" else 1) == pytest.approx(10, rel=0.1)


def test_notices_distinguish_full_queues_from_wires(tmp_path: Path) -> None:
    """The notice tells full queues from lossy wires, since their remedies differ."""
    (gold,) = losses(raw(tmp_path, FULL))
    assert gold.wires == () and gold.taken_per_s < 2
    assert "in full queues" in str(gold)


@pytest.mark.parametrize(
    ("link", "transport"),
    [(LOSSY, "repair: false"), (LOSSY.replace("0.001", "0.00001"), "mss: 960 bytes")],
)
def test_nothing_is_said_where_little_is_missing(tmp_path: Path, link: str, transport: str) -> None:
    """There is no notice for windows that survive losses, or one loss in 100,000 packets."""
    found = raw(tmp_path, link, transport)
    assert found.flows.lost.sum() > 0
    assert losses(found) == []


def test_run_and_show_say_so(tmp_path: Path) -> None:
    """The commands warn, and the JSON contains the figures."""
    file = tmp_path / "lossy.yaml"
    file.write_text(TEXT.format(link=LOSSY, transport="mss: 960 bytes", rows="each"))
    words = "of its packets were lost on link wire"
    shown = CliRunner().invoke(app, ["run", str(file), "--out", str(tmp_path / "r")])
    assert words in " ".join(shown.output.split())
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "r"), "--no-plot"])
    assert words in " ".join(shown.output.split())
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "r"), "--json"])
    (gold,) = json.loads(shown.output)["losses"]
    assert set(gold) == set(Losses.__struct_fields__)
