# SPDX-License-Identifier: Apache-2.0
"""Writes the page Play, on which markets run in the reader's browser.

The engine is the built-in engine as a WebAssembly module (omnet/browser). The build makes the plans
from the scenarios of configs/examples, with the changes in LIVE. The agents are in
analysis/site/play.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from sitegen.documents import ROOT

__all__ = ["LIVE", "PAGE", "Live", "engine_module", "live_scenario", "play_page", "write_play"]

PAGE: Final = "play/index.md"
FOLDER: Final = "_static/play"  # of the built site
CODE: Final = Path(__file__).resolve().parents[1] / "play"
SCRIPTS: Final = ("bridge", "market", "agents", "views", "run", "charts", "page")
_BUILDER: Final = ROOT / "omnet" / "tools" / "browser_engine.py"
_LIMIT_S: Final = 600.0


@dataclass(frozen=True)
class Live:
    """How the page runs an example.

    Attributes:
        crowd: sources whose number of flows the reader sets with a slider. Flow i of each source
            belongs to the same user.
        most: largest number of flows of each of these sources.
        speed: simulated seconds per second.
        ahead_s: simulated seconds that the first plot shows, simulated at full speed.
        changes: further overrides of the scenario.
    """

    crowd: tuple[str, ...]
    most: int
    speed: float
    ahead_s: float
    changes: tuple[str, ...] = ()


LIVE: Final = {
    "gold-silver": Live(("background",), 60, 8, 100, ("record={}",)),
    "switching": Live(("over-cheap", "over-dear"), 24, 8, 60),
    "gsp": Live(("surfers",), 120, 8, 110, ("record={}", "market.agents.gsp.strategy.sample=10 s")),
    "l4s": Live(("crowd",), 30, 4, 15, ("record={}", "market.epoch=500 ms", "warmup=0 s")),
}

_TEXT: Final = """\
---
html_theme.sidebar_primary.remove: true
html_theme.sidebar_secondary.remove: true
---

# Play

This page runs ecnomy's packet engine in your browser. Busy links mark packets, and senders pay for their marks.
Move a slider, and see how rates, queues and payments respond.

<div id="play-market"><noscript>This page needs JavaScript.</noscript></div>

{scripts}
<script>
document.addEventListener("DOMContentLoaded", () => ecnomyPlay.open(document.getElementById("play-market")));
</script>

## What the page runs

Every packet is simulated. The engine is [the built-in one](../howto/omnet.md), compiled to WebAssembly. For the same orders, its tables are those of the native engine,
except for rare differences in late digits ([why](../concepts/omnet-decisions.md)). The plans come from the scenarios in the [gallery](../gallery/index.md). The page changes three things: runs last ten hours, each scenario has
more users than its file so that you can add some, and the provider of calls compares samples of 10 s instead of 60 s. The forty surfers who come to
the provider's network after 20 minutes stay away.

Agents are a part of ecnomy's, rewritten in JavaScript:

| agent | does | does not |
|---|---|---|
| [gold, silver](../howto/agents.md) | `constant-charge`: pays a constant amount per second for marks | fees, contracts, other strategies |
| users of two carriers | `best-offer` with a logarithmic utility: moves to the carrier with the larger surplus | leave both carriers, try a carrier without users |
| provider of calls | `marking-quantile` with the empirical estimator, refunds for broken promises | change its price |

There is no ledger: a payment is the number of marks times their price. Nothing leaves your computer.
"""  # noqa: E501


def play_page() -> str:
    """Return the Markdown of the page."""
    names = [f"{name}.js" for name in ("ecnomy-engine", *SCRIPTS[:1], "scenarios", *SCRIPTS[1:])]
    scripts = "\n".join(f'<script src="../{FOLDER}/{name}" defer></script>' for name in names)
    return _TEXT.format(scripts=scripts)


def live_scenario(name: str, changes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the data of an example for the page: its plan, its market, and how the page runs it.

    Args:
        name: name of the example, in LIVE.
        changes: overrides in place of those of the page; if empty, those of the page apply.
    """
    live, file = LIVE[name], ROOT / "configs" / "examples" / f"{name}.yaml"
    example = make_plan(load(file))
    counts = [f"sources.{source}.count={live.most}" for source in live.crowd]
    scenario = load(file, overrides=changes or ["duration=10 h", *counts, *live.changes])
    assert scenario.market is not None
    plan = make_plan(scenario)
    return {
        "name": name,
        "title": plan.title,
        "seed": plan.seed,
        "epoch_s": plan.epoch_ps / PS_PER_S,
        "speed": live.speed,
        "ahead_s": live.ahead_s,
        "load": {
            "count": next(s.count for s in example.sources if s.name == live.crowd[0]),
            "most": live.most,
        },
        "market": msgspec.to_builtins(scenario.market),
        "plan": plan.to_json().decode(),
    }


def engine_module() -> Path | str:
    """Return the path of the engine for browsers, rebuilt if necessary, or why it is missing."""
    words = [sys.executable, str(_BUILDER)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    if done.returncode == 0:
        return ROOT / "build" / "browser" / "ecnomy-engine.js"
    return done.stderr.strip()


def write_play(site: Path, module: Path) -> None:
    """Write the page's engine, scripts and scenarios to a built site."""
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(module, folder / module.name)
    for name in SCRIPTS:
        shutil.copyfile(CODE / f"{name}.js", folder / f"{name}.js")
    scenarios = json.dumps([live_scenario(name) for name in LIVE])
    text = f"// The scenarios of the page.\necnomyPlay.scenarios = {scenarios};\n"
    (folder / "scenarios.js").write_text(text, encoding="utf-8")
