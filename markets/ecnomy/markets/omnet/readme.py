# SPDX-License-Identifier: Apache-2.0
"""README.txt of an exported project: how to run it, and how to open it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecnomy.markets.engines import SERVED
from ecnomy.markets.omnet.names import one_line
from ecnomy.markets.plan import Plan

__all__ = ["readme", "sweep_readme"]

_TEXT: Final = """\
{title}
Plan {digest}

  network.ned     nodes and links
  omnetpp.ini     all parameters; [General] runs without a market, [Config Serve] with one
  plan.json       the same run for the built-in engine: ecnomy-engine run --plan plan.json

Build ecnomy's modules once, with OMNeT++ 6.1 and INET 4.5 (OMNETPP_ROOT and INET_ROOT name them):

  make -C "{project}"

Run, here, with opp_run of OMNeT++ (-u Cmdenv: without a window):

  opp_run -u Qtenv -l "{project}/inet/ecnomy" \\
    -n ".:{project}/inet:$INET_ROOT/src" \\
    -x "$(tr '\\n' ';' < "$INET_ROOT/.nedexclusions")" omnetpp.ini

Repetition k (repeat = N in the ini file) has the seed of the scenario plus k, without a market.

With a market: in another terminal `ecnomy serve SCENARIO --listen {address}`, with the scenario
(and --set, --seed) that was exported; here the same command with -c Serve. Every run ends in a
results folder of its own.

In the OMNeT++ IDE: import as existing projects INET (project `inet`), this folder, and
{project} (project `ecnomy`); build; run omnetpp.ini.
"""


def readme(plan: Plan, project: str) -> str:
    """The text; `project` is the folder of ecnomy's OMNeT++ project."""
    title = one_line(plan.title) or "A scenario without a title"
    return _TEXT.format(title=title, digest=plan.digest, project=project, address=SERVED)


_SWEEP: Final = """\
{title}
The sweep {file}: {runs} runs over {variables}

  network.ned     nodes and links
  omnetpp.ini     all parameters; what varies is in iteration variables, replicates are repetitions

Nobody pays and nobody decides here. `ecnomy sweep {file} --engine omnet` makes the same runs with
their agents. Run n has the parameters and the seed of the sweep's run n.

Build ecnomy's modules once, with OMNeT++ 6.1 and INET 4.5 (OMNETPP_ROOT and INET_ROOT name them):

  make -C "{project}"

All runs, two at a time, here (with -r 0 before omnetpp.ini the first alone):

  export OMNETPP_NED_PACKAGE_EXCLUSIONS="$(tr '\\n' ';' < "$INET_ROOT/.nedexclusions")"
  opp_runall -j2 opp_run -u Cmdenv -l "{project}/inet/ecnomy" \\
    -n ".:{project}/inet:$INET_ROOT/src" omnetpp.ini

`opp_run -u Cmdenv -q runs omnetpp.ini` lists them; a variable that counts 1, 2, 3 stands for the
items of the sweep file's block in their order. In the OMNeT++ IDE: import as existing projects INET
(project `inet`), this folder, and {project} (project `ecnomy`); build; run omnetpp.ini, whose
iterations the run dialog lists.
"""


def sweep_readme(title: str, file: str, project: str, variables: Sequence[str], runs: int) -> str:
    """The text of an exported sweep; `project` is the folder of ecnomy's OMNeT++ project."""
    return _SWEEP.format(
        title=title or "A sweep without a title",
        file=file,
        project=project,
        variables=", ".join(variables) or "nothing but seeds",
        runs=runs,
    )
