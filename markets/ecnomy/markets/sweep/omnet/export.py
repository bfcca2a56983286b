# SPDX-License-Identifier: Apache-2.0
"""A sweep as an OMNeT++ project with iteration variables, for opp_runall and the IDE.

    description = "count ${count=1,2}, theta ${theta=0.9,0.95}"     the sweep's parameters
    iteration-nesting-order = count, theta                          in the sweep's order
    repeat = 10                                                     its replicates
    Scenario.market.seed = 1 + ${repetition}                        the seed of replicate k
    Scenario.a.app[0].count = ${1,2 ! count}                        a parameter's changes

Each list of a grid is an iteration variable. Every other block is one variable, whose parameters
change together. The ini of each point is made as for a scenario. Lines whose values differ between
points follow the variable on which they depend. If one of them depends on several variables, all of
them follow one variable over all points instead. Run n of the project is run n of the sweep.
Values that affect only agents vary only in the configuration Serve, in which the market of
`ecnomy serve SWEEP` decides:

    Scenario.market.connect = "unix:" + absFilePath(".market-${1,2 ! pricePerMark}.sock")

The export reports every omission, and refuses a parameter that changes nodes or links.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.omnet.export import INI, NED
from ecnomy.markets.omnet.inifile import omnetpp_ini
from ecnomy.markets.omnet.layout import placed
from ecnomy.markets.omnet.names import SERVED, one_line, plain, quoted
from ecnomy.markets.omnet.network import NETWORK, channel_settings, network_ned
from ecnomy.markets.omnet.readme import sweep_readme
from ecnomy.markets.omnet.wiring import wired
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.omnet.iterations import Axis, at_door, axes_of, driver, joined, varying
from ecnomy.markets.sweep.space import Assignment

__all__ = ["MOST_POINTS", "not_exported", "parted", "sweep_project"]

MOST_POINTS: Final = 2000
_SEED: Final = f"{NETWORK}.market.seed"
_SERVE: Final = """
# Here the market of `ecnomy serve SWEEP` decides. Start it first.
[Config Serve]
{varied}{network}.market.connect = "unix:" + absFilePath({file})
"""
_DESCRIPTION: Final = "description = "  # line of a point, replaced by one with the variables
Lines = dict[str, str]


class Parted(NamedTuple):
    """The iteration variables that affect the network, and those that affect only agents."""

    network: tuple[Axis, ...]
    agents: tuple[Axis, ...]


class _Made(msgspec.Struct, frozen=True):
    """A point as files of OMNeT++: the network, and the ini file as text and as values by key."""

    ned: str
    text: str
    lines: Lines


def sweep_project(sweep: Sweep, modules: str) -> dict[str, str]:
    """Return all files of an exported sweep, by name.

    Args:
        sweep: a sweep without calibration, with paired seeds.
        modules: folder of ecnomy's OMNeT++ modules, which README.txt names.

    Raises:
        InputError: iteration variables cannot express a part of the sweep, which the message names.
        ScenarioError: a point does not make a valid scenario.
    """
    axes, agents = parted(sweep)
    others = joined([axis.values[0] for axis in agents])
    chosen = itertools.product(*(axis.values for axis in axes))
    made = [_made(sweep, others | joined(each)) for each in chosen]
    if any(each.ned != made[0].ned for each in made):
        raise InputError(f"{sweep.file}: {_changing(sweep, axes, made[0])}")
    variables, changes = varying(axes, [each.lines for each in made])
    title = one_line(sweep.title or made[0].text.partition(": ")[2].partition("\n")[0])
    text = _replaced(made[0], changes, _head(sweep, variables, title))
    serve = _serve(sweep, variables, agents)
    names = [axis.name for axis in (*variables, *agents)]
    return {
        NED: made[0].ned,
        INI: text + serve,
        "README.txt": sweep_readme(
            title, sweep.file, modules, names, len(sweep), market=bool(serve)
        ),
        ".nedfolders": ".\n",
    }


def parted(sweep: Sweep) -> Parted:
    """Return a sweep's iteration variables: those of the network, and those of agents only.

    Raises:
        InputError: iteration variables cannot express a part of the sweep, which the message names.
        ScenarioError: a point does not make a valid scenario.
    """
    _check(sweep)
    axes = axes_of(sweep)
    first = {path: value for axis in axes for path, value in axis.values[0].items()}
    made = _made(sweep, first)
    network: list[Axis] = []
    agents: list[Axis] = []
    for axis in axes:
        values = {path: _distinct(axis, path) for path in axis.paths}
        moving = [path for path in axis.paths if len(values[path]) > 1]
        blind = [
            path for path in moving if not _changes_network(sweep, first, path, values[path], made)
        ]
        if not blind:
            network.append(axis)
        elif _scenario(sweep, first).market is None:
            raise InputError(
                f"{sweep.file}: {blind[0]}: found a parameter that does not change the OMNeT++ "
                "network, expected a parameter of the network or its sources"
            )
        elif len(blind) < len(moving):
            other = next(path for path in moving if path not in blind)
            raise InputError(
                f"{sweep.file}: {blind[0]}: found a parameter that only agents see in a block with "
                f"{other}, which the network sees, expected separate blocks"
            )
        else:
            agents.append(axis)
    return Parted(tuple(network), tuple(agents))


def not_exported(sweep: Sweep) -> Iterator[str]:
    """Yield descriptions of the sweep's parts that the project lacks."""
    if sweep.measure:
        yield f"measure {sweep.measure}, which is written in Python"
    if sweep.limits.time_ps >= 0 or sweep.limits.memory_bytes >= 0:
        yield "limits of runs"


def _check(sweep: Sweep) -> None:
    if sweep.calibrate:
        raise InputError(
            f"{sweep.file}: found calibrate, expected a sweep whose points are known in advance"
        )
    if not sweep.paired:
        fault = "seeds: found independent, expected paired"
        raise InputError(
            f"{sweep.file}: {fault}, because repetition k uses the seed of replicate k"
        )
    count = len(sweep) // sweep.replicates
    if count > MOST_POINTS:
        raise InputError(f"{sweep.file}: found {count:,} points, expected at most {MOST_POINTS:,}")


def _scenario(sweep: Sweep, params: Assignment) -> Scenario:
    return sweep.scenario_at(params, sweep.seed)


def _made(sweep: Sweep, params: Assignment) -> _Made:
    scenario = _scenario(sweep, params)
    plan = make_plan(scenario)
    wiring = wired(plan)
    positions = placed(plan, scenario.document.network.positions)
    ned = network_ned(plan, wiring, positions, channels=False)
    text = omnetpp_ini(plan, wiring, served=False) + "\n# Channels\n"
    text += "".join(f"{NETWORK}.{k} = {v}\n" for k, v in channel_settings(plan, wiring))
    text = "".join(f"{t}\n" for t in text.splitlines() if not t.startswith(_DESCRIPTION))
    entries = (line.partition(" = ") for line in text.splitlines() if not line.startswith("#"))
    lines = {key: value for key, equals, value in entries if equals}
    lines |= {_SEED: f"{sweep.seed} + ${{repetition}}"}
    return _Made(ned, text, lines)


def _distinct(axis: Axis, path: str) -> list[Any]:
    return list({repr(each[path]): each[path] for each in axis.values}.values())


def _changes_network(
    sweep: Sweep, base: Assignment, path: str, values: Sequence[Any], first: _Made
) -> bool:
    for value in values:
        try:
            changed = _made(sweep, {**base, path: value})
        except EcnomyError:
            return True  # valid only together with other values, so it counts as a change
        if (changed.lines, changed.ned) != (first.lines, first.ned):
            return True
    return False


def _changing(sweep: Sweep, axes: Sequence[Axis], first: _Made) -> str:
    """Return an error message, with the first variable (if any) that alone changes the network."""
    base = joined([axis.values[0] for axis in axes])
    for axis in axes:
        for value in axis.values:
            if _made(sweep, {**base, **value}).ned != first.ned:
                paths = ", ".join(axis.paths)
                return f"{paths}: found other nodes or links, expected the same at every point"
    return "found other nodes or links, expected the same at every point"


def _head(sweep: Sweep, variables: Sequence[Axis], title: str) -> str:
    described = [f"{axis.name} {driver(axis)}" for axis in variables]
    head = _varied(described, variables) or f"{_DESCRIPTION}{plain(title)}\n"
    return f"{head}repeat = {sweep.replicates}\nseed-set = ${{repetition}}\n"


def _varied(described: Sequence[str], order: Sequence[Axis]) -> str:
    """Return the lines that define or name variables and state their order."""
    names = ", ".join(axis.name for axis in order)
    if not order:
        return ""
    return f'{_DESCRIPTION}"{", ".join(described)}"\niteration-nesting-order = {names}\n'


def _serve(sweep: Sweep, network: Sequence[Axis], agents: Sequence[Axis]) -> str:
    """Return the configuration Serve with all variables, or "" without a market.

    The variables are in the sweep's order. If the variable `point` replaces those of the network,
    it comes first.
    """
    if _scenario(sweep, sweep.points()[0].params).market is None:
        return ""
    order = [axis.name for axis in axes_of(sweep)]
    there = {axis.name: axis for axis in (*network, *agents)}
    names = [name for name in there if name not in order] + [n for n in order if n in there]
    own = {axis.name: f"{axis.name} {driver(axis)}" for axis in agents}
    described = [own.get(name, f"{name} ${{{name}}}") for name in names]
    numbers = [f"${{{','.join(map(str, range(1, len(a.values) + 1)))} ! {a.name}}}" for a in agents]
    return _SERVE.format(
        varied=_varied(described, [there[name] for name in names]),
        network=NETWORK,
        file=quoted(at_door(SERVED, numbers)),
    )


def _replaced(first: _Made, changes: Lines, head: str) -> str:
    """Return the first point's text with varying values, then the lines that it lacks."""
    lines, known = [], set()
    for line in first.text.splitlines():
        key, equals, _ = line.partition(" = ")
        if line.startswith("# Plan "):
            continue
        if equals and not line.startswith("#"):
            known.add(key)
            line = f"{key} = {changes.get(key, first.lines[key])}"
        lines.append(line)
        if line == f"network = {NETWORK}":
            lines += head.splitlines()
    if rest := {key: value for key, value in changes.items() if key not in known}:
        lines += ["", "# Settings of some points only", *(f"{k} = {v}" for k, v in rest.items())]
    return "\n".join(lines) + "\n"
