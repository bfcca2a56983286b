# SPDX-License-Identifier: Apache-2.0
"""Makes networks of omnet/simulations from their market.yaml, so numbers are not repeated.

    python tests/omnet/showcases.py --write

writes the network and base.ini of each. omnetpp.ini, with the configurations, includes base.ini and
is written by hand. GoldSilver and VoipWeb are completely written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.omnet.inifile import omnetpp_ini
from ecnomy.markets.omnet.network import NETWORK, network_ned
from ecnomy.markets.omnet.wiring import wired

__all__ = ["MADE", "SIMULATIONS", "made"]

SIMULATIONS: Final = Path(__file__).parents[2] / "omnet/simulations"
_HEAD: Final = (
    "// SPDX-License-Identifier: LGPL-3.0-or-later\npackage ecnomy.simulations.{name};\n\n"
)
_WHY: Final = "by `python tests/omnet/showcases.py --write` from market.yaml"
# The names of their networks.
MADE: Final = {
    "two_links": "TwoLinks",
    "rem_links": "RemLinks",
    "border": "Border",
    "abilene": "Abilene",
    "l4s": "L4s",
}


def made(name: str) -> dict[str, str]:
    """Return the texts of the files that are made, by name."""
    network = MADE[name]
    scenario = load(SIMULATIONS / name / "market.yaml")
    plan = make_plan(scenario)
    wiring = wired(plan)
    ned = network_ned(plan, wiring, scenario.document.network.positions)
    ned = ned.replace(f"network {NETWORK}\n", f"network {network}\n")
    ned = ned.replace("by `ecnomy export`", _WHY).replace("are in omnetpp.ini", "are in base.ini")
    ini = omnetpp_ini(plan, wiring, served=False)
    ini = ini.replace(f"network = {NETWORK}\n", f"network = ecnomy.simulations.{name}.{network}\n")
    ini = re.sub(rf"^{NETWORK}\.", "*.", ini, flags=re.MULTILINE)
    ini = re.sub(r"^(\*\.market\.seed = \d+)$", r"\1 + ${repetition}", ini, flags=re.MULTILINE)
    ini = re.sub(r"^# NED path:.*\n", "", ini, flags=re.MULTILINE)
    ini = ini.replace("by `ecnomy export`", _WHY)
    return {
        f"{network}.ned": _HEAD.format(name=name) + ned,
        "base.ini": "# SPDX-License-Identifier: LGPL-3.0-or-later\n" + ini,
    }


def main(words: list[str]) -> int:
    """Write these files, or print the usage."""
    if words != ["--write"]:
        print(__doc__)
        return 2
    for name in MADE:
        for file, text in made(name).items():
            (SIMULATIONS / name / file).write_text(text)
            print(SIMULATIONS / name / file)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
