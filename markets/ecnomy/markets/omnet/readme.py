# SPDX-License-Identifier: Apache-2.0
"""Write README.txt of an exported project, which explains how to open and run the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecnomy.markets.omnet.names import SERVED, one_line
from ecnomy.markets.plan import Plan

__all__ = ["readme", "sweep_readme"]

# Set in the environment, not by -x, because opp_runall passes words to a shell unquoted.
_EXCLUSIONS: Final = """\
  export OMNETPP_NED_PACKAGE_EXCLUSIONS="$(tr '\\n' ';' < "$INET_ROOT/.nedexclusions")"\
"""

_TEXT: Final = """\
{title}
Plan {digest}

  network.ned     nodes and links
  omnetpp.ini     all parameters; [Config WithoutMarket], [Config Repetitions]: many seeds, and
                  [Config Serve] with a market
  plan.json       the same run for the built-in engine: ecnomy-engine run --plan plan.json

Build ecnomy's modules once, with OMNeT++ 6.1 and INET 4.5 (OMNETPP_ROOT and INET_ROOT name them):

  make -C "{project}"

In each new terminal, after OMNeT++'s and INET's setenv: exclude the parts of INET that are off.

{exclusions}

Run, here (-u Cmdenv: without a window; -c Serve: with a market, see below):

  opp_run -u Qtenv -l "{project}/inet/ecnomy" \\
    -n ".:{project}/inet:$INET_ROOT/src" omnetpp.ini

Ten seeds, two at a time (any other number: --repeat=N):

  opp_runall -j2 opp_run -u Cmdenv -c Repetitions -l "{project}/inet/ecnomy" \\
    -n ".:{project}/inet:$INET_ROOT/src" omnetpp.ini

Repetition k has the seed of the scenario plus k: repetition 0 is the run of `ecnomy run`.

With a market: in another terminal, here

  ecnomy serve SCENARIO --listen unix:{served}

with the scenario (and --set, --seed) that was exported; then the same command with -c Serve. Every
run gets its own results folder. The market refuses a network that differs from the scenario. To
experiment with parameters here, start it with --any.

In the OMNeT++ IDE: import as existing projects INET (project `inet`), this folder, and
{project} (project `ecnomy`); build; run omnetpp.ini.
"""


def readme(plan: Plan, project: str) -> str:
    """Return the text for an exported plan. `project` is the folder of ecnomy's OMNeT++ modules."""
    title = one_line(plan.title) or "A scenario without a title"
    return _TEXT.format(
        title=title,
        digest=plan.digest,
        project=project,
        served=SERVED,
        exclusions=_EXCLUSIONS,
    )


_SWEEP: Final = """\
{title}
The sweep {file}: {runs} runs over {variables}

  network.ned     nodes and links
  omnetpp.ini     all parameters; iteration variables are swept, and replicates are repetitions

`ecnomy sweep {file} --engine omnet` gives the same runs{agents}

Build ecnomy's modules once, with OMNeT++ 6.1 and INET 4.5 (OMNETPP_ROOT and INET_ROOT name them):

  make -C "{project}"

In each new terminal, after OMNeT++'s and INET's setenv: exclude the parts of INET that are off.

{exclusions}

All runs, two at a time, here (opp_run alone, with -r 0, makes the first):

  opp_runall -j2 opp_run -u Cmdenv -l "{project}/inet/ecnomy" \\
    -n ".:{project}/inet:$INET_ROOT/src" omnetpp.ini

{market}\
`opp_run -u Cmdenv -q runs omnetpp.ini` lists the runs; a variable that counts 1, 2, 3 stands for
the items of the sweep file's block in their order. In the OMNeT++ IDE: import as existing projects
INET (project `inet`), this folder, and {project} (project `ecnomy`); build; run omnetpp.ini, whose
iterations the run dialog lists.
"""


_AGENTS: Final = """ with their agents.
Here agents neither pay nor decide, except in the configuration Serve (see below).\
"""
_SWEEP_MARKET: Final = f"""\
With a market: in another terminal, here

  ecnomy serve SWEEP --listen unix:{SERVED}

with the exported sweep; then the same command with -c Serve, which also varies the values that
only agents see. Every run gets its own results folder. The market serves one run at a
time; the others wait.

"""


def sweep_readme(
    title: str, file: str, project: str, variables: Sequence[str], runs: int, *, market: bool
) -> str:
    """Return the text for an exported sweep.

    Args:
        title, file: title and file of the sweep.
        project: folder of ecnomy's OMNeT++ modules.
        variables: names of the iteration variables.
        runs: number of runs.
        market: whether the exported project has a configuration Serve.
    """
    return _SWEEP.format(
        title=title or "A sweep without a title",
        file=file,
        agents=_AGENTS if market else ".",
        market=_SWEEP_MARKET if market else "",
        exclusions=_EXCLUSIONS,
        project=project,
        variables=", ".join(variables) or "nothing but seeds",
        runs=runs,
    )
