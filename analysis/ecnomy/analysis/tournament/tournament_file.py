# SPDX-License-Identifier: Apache-2.0
"""Reads the section `tournament` of a sweep file: players, networks and pay-off.

    scenario: ../examples/tournament-link.yaml      # with one source and one agent of this name:
    tournament:
      player: player
      populations: [2, 4, 8]                        # numbers of players on the network
      per_player: {network.links.bottleneck.rate: 2 Mbps}     # times the number of players
      utility: {kind: log, a: 2 money/s, x0: 1 Mbps}          # of every player
      finalists: 3                                  # number of strategies played in all mixes
      networks: {near: {}, far: {network.links.bottleneck.delay: 50 ms}}    # see networks_file.py
      strategies:                                   # see entrants.py
        free-rider: {strategy: {kind: stay}, transport: {law: newreno, ecn: off}}
      without: {price-demand: a demand curve is of many users}
    replicates: 6

The other keys of the file are those of a sweep, except `parameters`, `calibrate`, `measure` and
`keep`. A player's pay-off [money/s] is a mean over time:
the utility of the goodput minus the cost of delay, both report by report, minus the player's
payments in the ledger.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError, ScenarioError
from ecnomy.agents.spec import Params
from ecnomy.agents.utilities import UTILITIES, Utility, find_utility, utility_of
from ecnomy.analysis.game.profiles import alone
from ecnomy.analysis.tournament.entrants import read_entrants
from ecnomy.analysis.tournament.keys import TOURNAMENT
from ecnomy.analysis.tournament.networks_file import TournamentNetwork, as_written, read_networks
from ecnomy.analysis.tournament.profiles import assignment_of
from ecnomy.analysis.tournament.tournament import Tournament
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, read, show
from ecnomy.markets.scenario.parameters import read_params
from ecnomy.markets.sweep.blocks import number_with_unit
from ecnomy.markets.sweep.config import Sweep, load_sweep

__all__ = ["MEASURE", "load_tournament"]

MEASURE: Final = "ecnomy.analysis.tournament.player_columns:player_columns"
_NEEDED: Final = tuple(name for name, key in TOURNAMENT.items() if key.default is None)


def load_tournament(
    path: str | os.PathLike[str], own: tuple[str, ...] = (), *, quick: bool = False
) -> Tournament:
    """Read the file of a tournament, and validate each entrant in the scenario.

    Args:
        path: the file.
        own: further strategies, by name or module:Class.
        quick: whether to apply the settings under `quick`.

    Raises:
        ScenarioError: the file is invalid; the message names the place.
    """
    shown = os.fspath(path)
    root = read(Path(path), shown)
    node = root.mapping().get("tournament")
    if node is None or not isinstance(node.value, dict):
        found = show(node) if node else "no 'tournament'"
        raise root.place.error("tournament", found, f"a mapping with {', '.join(_NEEDED)}")
    sweep = load_sweep(path, quick=quick, beside=("tournament",))
    for key in ("parameters", "calibrate", "measure", "keep"):
        if key in root.mapping():
            raise root.keys[key].error(key, f"{key} together with tournament", "only one of them")
    if sweep.replicates < 2 or not sweep.paired:
        raise root.place.error(
            "replicates", "one run of each mix", "at least 2 paired runs, for intervals"
        )
    faster = root.mapping().get("quick") if quick else None
    fast = faster.mapping().get("tournament") if faster else None
    return _read(node, msgspec.structs.replace(sweep, measure=MEASURE), own, fast)


def _read(node: Node, sweep: Sweep, own: tuple[str, ...], fast: Node | None) -> Tournament:
    _check_keys(node, "tournament")
    given = node.mapping()
    if fast is not None:
        _check_keys(fast, "quick.tournament")
        given = {**given, **fast.mapping()}
    if lacks := [key for key in _NEEDED if key not in given]:
        lacking = f"no {', '.join(map(repr, lacks))}"
        raise node.place.error("tournament", lacking, f"a mapping with {', '.join(_NEEDED)}")
    player = _player(given["player"], sweep)
    entrants, absent = read_entrants(given["strategies"], given.get("without"), own)
    finalists = 3
    if "finalists" in given:
        finalists = TOURNAMENT["finalists"].read(given["finalists"], "tournament.finalists")
    axes, networks = read_networks(given.get("networks"))
    tournament = Tournament(
        sweep=sweep,
        player=player,
        populations=_populations(given["populations"]),
        per_player=_per_player(given.get("per_player")),
        utility=_utility(given["utility"]),
        utility_text=as_written(given["utility"]),
        entrants=entrants,
        absent=absent,
        finalists=finalists,
        networks={network.name: network.on(sweep) for network in networks},
        axes=axes,
    )
    tournament = _without_misfits(tournament, given["strategies"])
    for network in networks:
        _try_network(tournament, network)
    if len(tournament.entrants) < 2:
        one = "only one strategy that plays" if tournament.entrants else "no strategy that plays"
        raise given["strategies"].place.error("tournament.strategies", one, "at least two")
    finalists = min(finalists, len(tournament.entrants))
    return msgspec.structs.replace(tournament, finalists=finalists)


def _check_keys(node: Node, path: str) -> None:
    for key in node.mapping():
        if key not in TOURNAMENT:
            expected = known_name(key, TOURNAMENT)
            raise node.keys[key].error(f"{path}.{key}", f"the unknown key {key!r}", expected)


def _without_misfits(tournament: Tournament, places: Node) -> Tournament:
    """Drop installed strategies with an invalid scenario; raise an error for named strategies."""
    fit, absent = [], dict(tournament.absent)
    for number, entrant in enumerate(tournament.entrants):
        profile = alone(number, tournament.populations[0], len(tournament.entrants))
        try:
            tournament.sweep.scenario_at(assignment_of(tournament, profile), tournament.sweep.seed)
            fit.append(entrant)
        except ScenarioError as error:
            if not entrant.stated:
                absent[entrant.name] = f"needs {error.expected}: found {error.found}"
                continue
            place = places.keys.get(entrant.name, places.place)
            path = f"tournament.strategies.{entrant.name}"
            where = f" ({error.path})" if error.path else ""
            raise place.error(path, f"{error.found}{where}", error.expected) from None
    absent = dict(sorted(absent.items()))
    return msgspec.structs.replace(tournament, entrants=tuple(fit), absent=absent)


def _player(node: Node, sweep: Sweep) -> str:
    base = msgspec.json.decode(sweep.base)
    for section in (base.get("sources") or [], (base.get("market") or {}).get("agents") or []):
        names = [entry.get("name") for entry in section]
        if node.value not in names:
            expected = "a name that both a source and an agent of the scenario have"
            raise node.place.error("tournament.player", show(node), expected)
    return str(node.value)


def _populations(node: Node) -> tuple[int, ...]:
    path = "tournament.populations"
    if not node.items():
        raise node.place.error(path, show(node), "a list of numbers of players")
    populations = tuple(
        int(TOURNAMENT["populations"].read(item, f"{path}[{index}]"))
        for index, item in enumerate(node.items())
    )
    if list(populations) != sorted(set(populations)):
        raise node.place.error(path, str(list(populations)), "each number once, in rising order")
    return populations


def _per_player(node: Node | None) -> dict[str, tuple[float, str]]:
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise node.place.error("tournament.per_player", show(node), "a mapping of paths to amounts")
    return {
        path: number_with_unit(amount, f"tournament.per_player.{path}")
        for path, amount in node.mapping().items()
    }


def _try_network(tournament: Tournament, network: TournamentNetwork) -> None:
    profile = alone(0, tournament.populations[0], len(tournament.entrants))
    own = tournament.on(network.name)
    try:
        own.sweep.scenario_at(assignment_of(own, profile), own.sweep.seed)
    except ScenarioError as error:
        where = f" ({error.path})" if error.path else ""
        path = f"tournament.networks.{network.name}"
        raise network.place.error(path, f"{error.found}{where}", error.expected) from None


def _utility(node: Node) -> Utility:
    path = "tournament.utility"
    kind = node.mapping().get("kind")
    if kind is None or not isinstance(kind.value, str):
        raise node.place.error(path, show(node), f"a mapping with kind: {', '.join(UTILITIES)}")
    try:
        cls = find_utility(kind.value) if kind.value not in UTILITIES else UTILITIES[kind.value]
    except EcnomyError as error:
        reason = " ".join(str(error).split())
        raise kind.place.error(f"{path}.kind", show(kind), f"a utility ({reason})") from None
    params = read_params(node, path, cls, _trial)
    utility = _trial(kind.value, params)
    if utility.x0 is None:
        raise node.place.error(f"{path}.x0", "no 'x0'", "a rate such as 1 Mbps")
    return utility


def _trial(kind: str, params: Params) -> Utility:
    try:
        return utility_of({"kind": kind, **params})
    except Exception as error:  # a custom utility may raise anything
        raise InputError(f"utility {kind!r}: {error}") from error
