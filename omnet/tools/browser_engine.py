# SPDX-License-Identifier: Apache-2.0
"""Builds the built-in engine as a WebAssembly module (`make browser`).

The module is build/browser/ecnomy-engine.js. The build needs Emscripten (Debian: apt-get install
emscripten) and CMake. It downloads nothing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Final

__all__ = ["MODULE", "build", "lacking"]

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build" / "browser"
MODULE: Final = FOLDER / "ecnomy-engine.js"
LIMIT_S: Final = 280.0  # for each command
_SCRIPTS: Final = sysconfig.get_path("scripts")
_PATH: Final = os.pathsep.join([_SCRIPTS, str(Path(sys.executable).parent), os.environ["PATH"]])


def lacking() -> str:
    """Return the tool that a build needs and this machine lacks, as a message, or ""."""
    if shutil.which("em++") is None:
        return "needs Emscripten (Debian: apt-get install emscripten)"
    if shutil.which("cmake", path=_PATH) is None:
        return "needs CMake (Debian: apt-get install cmake)"
    return ""


def build() -> Path:
    """Return the path of the module, rebuilt if a source has changed.

    Raises:
        RuntimeError: a tool is missing, or a command failed.
    """
    if reason := lacking():
        raise RuntimeError(f"the engine for browsers {reason}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # no limit: each step of another build has one
        _run(
            *("emcmake", "cmake", "-S", ROOT, "-B", FOLDER),
            f"-DPython3_EXECUTABLE={sys.executable}",
            f"-DECNOMY_VERSION={project['version']}",
        )
        _run("cmake", "--build", FOLDER)
    return MODULE


def _run(*command: str | Path) -> None:
    environment = {**os.environ, "PATH": _PATH}
    words = [str(word) for word in command]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def main() -> int:
    """Build the module, or print which tool is missing, and return the exit status."""
    if reason := lacking():
        print(f"make browser {reason}", file=sys.stderr)
        return 1
    module = build()
    print(f"{module}: {module.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
