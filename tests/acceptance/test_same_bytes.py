# SPDX-License-Identifier: Apache-2.0
"""The same scenario, seed and build give the same Parquet files, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets import load, run

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"


def tables(config: str, folder: Path, seed: int, *overrides: str) -> dict[str, bytes]:
    run(load(EXAMPLES / config, overrides=overrides, seed=seed), out=folder)
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


@pytest.mark.parametrize("config", ["gold-silver.yaml", "price-handler.yaml"])
def test_runs_repeat_to_the_byte(config: str, tmp_path: Path) -> None:
    """Two runs agree in every table and in the manifest; another seed differs in both."""
    short = ("duration=75 s",)
    first = tables(config, tmp_path / "a", 3, *short)
    second = tables(config, tmp_path / "b", 3, *short)
    other = tables(config, tmp_path / "c", 4, *short)
    assert first == second and len(first) >= 7
    assert (tmp_path / "a" / "manifest.json").read_bytes() == (
        tmp_path / "b" / "manifest.json"
    ).read_bytes()
    assert first["flow_epochs.parquet"] != other["flow_epochs.parquet"]
