# SPDX-License-Identifier: Apache-2.0
"""The built-in engine as a WebAssembly module in Node, compared with the native engine.

ecnomy runs the module through node_engine.js as if it were the native engine, so both get the same
orders from the same agents.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import browser_engine
from ecnomy.agents.errors import EngineError
from ecnomy.markets import load, run
from ecnomy.markets.scenario import scenario_from_text
from tiers import full

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
NODE_ENGINE = Path(__file__).with_name("node_engine.js")
LACKING = browser_engine.lacking() or ("" if shutil.which("node") else "needs Node (node)")
RUNS = {  # gold-silver is congested from 60 s on; the first call comes after some seconds
    "gold-silver.yaml": "100 s",
    "switching.yaml": "60 s",
    "gsp.yaml": "150 s",
    "l4s.yaml": "15 s",
}

pytestmark = [
    pytest.mark.browser,
    full,
    pytest.mark.skipif(bool(LACKING), reason=f"the engine for browsers {LACKING}"),
]


@pytest.fixture(scope="module")
def module() -> Path:
    """The module, built if a source has changed."""
    return browser_engine.build()


def in_node(monkeypatch: pytest.MonkeyPatch, module: Path) -> None:
    """Makes the module the built-in engine."""
    monkeypatch.setenv("ECNOMY_BROWSER_ENGINE", str(module))
    monkeypatch.setenv("ECNOMY_ENGINE", str(NODE_ENGINE))


@pytest.mark.parametrize("example", RUNS)
def test_tables_are_those_of_the_native_engine(
    example: str, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are equal byte for byte, for the four scenarios of the page in the browser."""

    def tables(folder: Path) -> dict[str, bytes]:
        changes = [f"duration={RUNS[example]}", "warmup=10 s"]
        run(load(EXAMPLES / example, overrides=changes), out=folder)
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}

    native = tables(tmp_path / "native")
    in_node(monkeypatch, module)
    browser = tables(tmp_path / "browser")
    assert len(native) >= 7 and native.keys() == browser.keys()
    assert [name for name in native if native[name] != browser[name]] == []


MOON = """
version: 1
duration: 300 s
network:
  links:
    - {name: moon, from: earth, to: crater, rate: 20 Mbps, delay: 250 s}
sources:
  - name: radio
    from: earth
    to: crater
    traffic: {kind: cbr, interval: 0.5 ms}
    transport: {law: udp}
"""


def test_an_error_of_the_engine_reaches_the_market(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The market receives a C++ exception: the sum of delays does not fit into 64 bits."""
    in_node(monkeypatch, module)
    with pytest.raises(EngineError, match=r"out-of-range: flows.delay_sum_ps\[0\] is beyond"):
        run(scenario_from_text(MOON, "moon.yaml"), out=tmp_path)
