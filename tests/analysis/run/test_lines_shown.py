# SPDX-License-Identifier: Apache-2.0
"""Output of `show` on calls from an unlimited population."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.analysis.run.busy_lines import lines_of
from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 60 s
warmup: 10 s
network: {{links: [{{name: trunk, from: a, to: b, rate: 10 Mbps}}]}}
sources:
  - {{name: other, count: 2, from: a, to: b, traffic: {{kind: voip}}, transport: {{law: udp}}}}
  - name: callers
    count: 3
    rows: {rows}
    from: a
    to: b
    traffic: {{kind: voip, interarrival: 1 s, call: 3 s, interval: 1 s}}
    transport: {{law: udp, payload: 100 bytes}}
"""


@pytest.mark.parametrize("rows", ["each", "together"])
def test_calls_and_lost_calls_are_those_of_the_table(tmp_path: Path, rows: str) -> None:
    """Calls count within the measured time; the formula is printed beside them."""
    raw = run(scenario_from_text(TEXT.format(rows=rows)), out=tmp_path / "run").raw
    (group,) = lines_of(raw)
    late = raw.calls[raw.calls.start_ps >= 10 * 10**12]
    assert (group.source, group.lines, group.calls) == ("callers", 3, len(late))
    assert 0 < group.lost == (late.accepted == 0).sum() < len(late)
    assert group.erlang_b == pytest.approx(4.5 / (1 + 3 + 4.5 + 4.5))
    assert str(group).endswith(
        "found all 3 lines of the source busy; Erlang's B formula gives 34.62%"
    )
