# SPDX-License-Identifier: Apache-2.0
"""omnet/ as a project of the OMNeT++ IDE and of opp_env: everything that its files name exists."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from processes import LIMIT_S

OMNET = Path(__file__).resolve().parents[2] / "omnet"
LAUNCHES = sorted((OMNET / "launch").glob("*.launch"))
SIMULATIONS = sorted(file.parent.name for file in (OMNET / "simulations").glob("*/omnetpp.ini"))
OPP = "org.omnetpp.launch."


def sections(ini: Path) -> dict[str, str]:
    """Configuration -> its lines."""
    parts = re.split(r"^\[(?:Config )?(\w+)\]$", ini.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("file", LAUNCHES, ids=lambda file: file.stem)
def test_a_run_configuration_runs_what_there_is(file: Path) -> None:
    """Folder, ini file and configuration exist under its name; no configuration is abstract."""
    root = ET.parse(file).getroot()
    said = {one.get("key"): one.get("value") or "" for one in root.iter("stringAttribute")}
    project, _, where = said[OPP + "WORKING_DIRECTORY"].lstrip("/").partition("/")
    assert project == ET.parse(OMNET / ".project").getroot().findtext("name")
    ini = OMNET / where / said[OPP + "INI_FILES"]
    config = said[OPP + "CONFIG_NAME"]
    assert "abstract = true" not in sections(ini)[config]
    assert file.stem == f"ecnomy-{Path(where).name}-{config}"
    assert [one.get("value") for one in root.iter("listEntry")] == [
        f"/{project}/{where}/{ini.name}",
        "1",
    ]
    for name in ("NED_PATH", "NED_PACKAGE_EXCLUSIONS", "SHARED_LIBS", "IMAGE_PATH"):
        assert said[OPP + name] == f"${{opp_{name.lower()}:/{project}/{where}}}"


@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_a_simulation_has_its_run_configurations(simulation: str) -> None:
    """Each simulation has a run configuration with agents, in [Config Market], and one without."""
    configs = [file.stem.rpartition("-")[2] for file in LAUNCHES if f"-{simulation}-" in file.stem]
    assert "Market" in configs and len(configs) >= 2


def test_features_are_packages() -> None:
    """Each feature names NED packages of this project, and C++ is where the features say."""
    root = ET.parse(OMNET / ".oppfeatures").getroot()
    assert (OMNET / str(root.get("cppSourceRoots"))).is_dir()
    declared = {
        match[1]
        for file in OMNET.glob("*/package.ned")
        if (match := re.search(r"^package ([\w.]+);", file.read_text(), re.MULTILINE))
    }
    for feature in root.iter("feature"):
        assert set(str(feature.get("nedPackages")).split()) <= declared


def test_ned_folders_are_there() -> None:
    """Each folder of .nedfolders has a package."""
    for folder in (OMNET / ".nedfolders").read_text().split():
        assert (OMNET / folder / "package.ned").is_file()


def test_opp_envs_description_is_complete() -> None:
    """The commands are in bash's syntax, and the versions are those that are tested."""
    (entry,) = json.loads((OMNET / "opp_env.json").read_text())
    assert entry["name"] == "ecnomy" and len(entry["description"]) <= 180
    assert entry["version"] in (OMNET.parent / "pyproject.toml").read_text()
    assert entry["required_projects"] == {"inet": ["4.5.*"], "omnetpp": ["6.1.*"]}
    for kind in ("build", "clean", "smoke_test"):
        text = "\n".join(entry[f"{kind}_commands"])
        checked = subprocess.run(
            ["bash", "-n"], input=text, text=True, check=False, timeout=LIMIT_S
        )
        assert checked.returncode == 0, kind
