# SPDX-License-Identifier: Apache-2.0
"""omnet/simulations: files made from scenarios are up to date, and each has its page."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from ecnomy.markets.omnet.installation import Installation
from showcases import MADE, SIMULATIONS, made

ALL = sorted(file.parent.name for file in SIMULATIONS.glob("*/omnetpp.ini"))
PICTURES = ("qtenv-start.png", "qtenv-congested.png", "qtenv-end.png")


def configurations(name: str) -> dict[str, str]:
    """The sections of omnetpp.ini, by name."""
    text = (SIMULATIONS / name / "omnetpp.ini").read_text()
    parts = re.split(r"^\[(?:Config )?(\w+)\]$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", sorted(MADE))
def test_network_and_numbers_are_those_of_the_scenario(name: str) -> None:
    """`python tests/omnet/showcases.py --write` would change nothing."""
    for file, text in made(name).items():
        assert (SIMULATIONS / name / file).read_text() == text, file


@pytest.mark.parametrize("name", ALL)
def test_every_configuration_says_what_it_is(name: str) -> None:
    """Each network has a configuration with a market, one without, and one that varies."""
    sections = configurations(name)
    assert all("description" in text for text in sections.values()), sections.keys()
    assert "market.connect" in sections["Market"]
    assert any("${" in text for key, text in sections.items() if key != "General")
    if name in MADE:
        assert "abstract = true" in sections["Base"]


@pytest.mark.parametrize("name", ALL)
def test_each_has_its_page_with_pictures(name: str) -> None:
    """Each has a README.md that shows the start, congestion and the end in Qtenv."""
    page = (SIMULATIONS / name / "README.md").read_text()
    for picture in PICTURES:
        assert f"]({picture})" in page
        assert (SIMULATIONS / name / picture).stat().st_size > 5000


@pytest.mark.parametrize("name", ALL)
def test_each_runs_without_a_market(name: str, omnet: Installation, tmp_path: Path) -> None:
    """The first configuration that is not abstract runs for 12 s, and some packets arrive."""
    config = "Alone" if name in MADE else "General"
    inet = omnet.inet.folder
    excluded = ";".join((inet / ".nedexclusions").read_text().split())
    words = [str(omnet.opp_run), "-u", "Cmdenv", "-c", config, "--sim-time-limit=12s"]
    words += ["-l", str(omnet.modules / "inet/ecnomy"), "-x", excluded]
    words += ["-n", f"{omnet.modules / 'inet'}:{SIMULATIONS}:{inet / 'src'}"]
    words += [f"--result-dir={tmp_path}", "--warmup-period=0s", "--*.market.warmup=0s"]
    words.append("omnetpp.ini")
    done = subprocess.run(
        words, cwd=SIMULATIONS / name, env=os.environ, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    (scalars,) = tmp_path.glob("*.sca")
    values = re.findall(r"^scalar \S+ delivered:sum (\S+)$", scalars.read_text(), re.MULTILINE)
    assert sum(map(float, values)) > 100
