# SPDX-License-Identifier: Apache-2.0
"""Test the laws without OMNeT++, by a program compiled against ecnomy's headers."""

import os
import subprocess
from pathlib import Path

from ecnomy.markets.omnet.installation import project_folder

HERE = Path(__file__).parent
LAW = HERE / "../../omnet/samples/own_law"


def test_the_laws_are_their_formulas(tmp_path: Path) -> None:
    """The laws compute their formulas. Otherwise, check_law.cc prints the first difference."""
    checks = HERE / "check_law.cc"
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", "-O0"]
    command += [f"-I{project_folder()}", f"-I{LAW / 'src'}", str(checks), "-o", "check"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([tmp_path / "check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
