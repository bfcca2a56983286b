# SPDX-License-Identifier: Apache-2.0
"""An opp_run that simulates nothing: the fake engine under OMNeT++'s command line.

It reads the number of its socket and the digest of its plan in the same way as OMNeT++, and the
rest of the plan from FAKE_PLAN. It writes its arguments and environment to opp.json in the folder
of the ini file.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from pathlib import Path

import msgspec

from ecnomy.markets.plan import Plan
from fake_engine import pretend


def main() -> None:
    """`opp_run -u Cmdenv ... --Scenario.market.socket=N omnetpp.ini`."""
    names = ("PATH", "LD_LIBRARY_PATH", "OMNETPP_NED_PATH", "INET_ROOT", "OMNETPP_ROOT")
    call = {"words": sys.argv[1:], **{name: os.environ.get(name, "") for name in names}}
    Path("opp.json").write_text(json.dumps(call))
    numbers = [re.fullmatch(r"--Scenario\.market\.socket=(\d+)", word) for word in sys.argv]
    (number,) = [match[1] for match in numbers if match]
    (digest,) = re.findall(r"^# Plan (\w+)$", Path(sys.argv[-1]).read_text(), re.M)
    plan = msgspec.json.decode(Path(os.environ["FAKE_PLAN"]).read_bytes(), type=Plan)
    assert digest == plan.digest
    print("OMNeT++ Discrete Event Simulation", flush=True)
    pretend(plan, socket.socket(fileno=int(number)))


if __name__ == "__main__":
    main()
