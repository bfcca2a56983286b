# SPDX-License-Identifier: Apache-2.0
"""The speed of the engine for browsers in Node, compared with the native engine.

Prints `browser: N data packets per second in Node, M native (ratio R)` for the reference dumbbell:
medians of five pairs of runs, each pair in sequence. Skipped without Emscripten or Node.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(_TESTS / "engine"), str(_TESTS.parent / "omnet" / "tools")]

import browser_engine  # noqa: E402
import drive  # noqa: E402
import history  # noqa: E402
from loads import LOADS  # noqa: E402

__all__ = ["main", "packets_per_s"]

_DURATION_S = 200.0
_PAIRS = 5
_NODE_ENGINE = _TESTS / "acceptance" / "node_engine.js"


def packets_per_s(engine: str, speed: Path) -> float:
    """Data packets per second of an engine; Node writes its seconds to the file `speed`."""
    os.environ["ECNOMY_ENGINE"] = engine
    drive.engine.cache_clear()
    finish = drive.run(LOADS["reference"].make(_DURATION_S)).finish
    assert finish is not None
    seconds = finish.cpu_s or float(speed.read_text())
    return finish.data_packets / seconds


def main() -> None:
    """Measure, print and record the speed."""
    if reason := browser_engine.lacking() or ("" if shutil.which("node") else "needs Node"):
        print(f"browser: not measured, it {reason}")
        return
    native = drive.engine()
    with tempfile.TemporaryDirectory() as folder:
        speed = Path(folder) / "seconds"
        os.environ["ECNOMY_BROWSER_ENGINE"] = str(browser_engine.build())
        os.environ["ECNOMY_BROWSER_SPEED"] = str(speed)
        pairs = [
            (packets_per_s(native, speed), packets_per_s(str(_NODE_ENGINE), speed))
            for _ in range(_PAIRS)
        ]
    figures = {
        "native_packets_per_s": statistics.median(one for one, _ in pairs),
        "node_packets_per_s": statistics.median(other for _, other in pairs),
        "ratio": statistics.median(other / one for one, other in pairs),
    }
    print(
        f"browser: {figures['node_packets_per_s']:,.0f} data packets per second in Node, "
        f"{figures['native_packets_per_s']:,.0f} native (ratio {figures['ratio']:.2f})"
    )
    history.add("browser", figures)


if __name__ == "__main__":
    main()
