# SPDX-License-Identifier: Apache-2.0
"""Profiles (the number of players of each strategy on the network) and their runs.

A profile is a tuple with a count for each entrant. Players are numbered in the order of the
entrants. With the same seed, player 3 has the same random numbers in all profiles.

Ten strategies among eight players have 24,310 mixes. The tournament plays only these:

    alone     all players use one strategy
    pairs     each pair of strategies, in all mixes of the two
    final     all mixes of the finalists, which the pairs determine (playing.py)
    outsider  a lone player of each other strategy in a stable mix of finalists
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ecnomy.analysis.game.profiles import Profile, alone, mixed
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.space import Assignment, ParameterBlock, Point

if TYPE_CHECKING:
    from ecnomy.analysis.tournament.tournament import Tournament

__all__ = ["assignment_of", "pairs", "simplex", "sweep_of"]


def pairs(players: int, entrants: int) -> Iterator[Profile]:
    """Yield each strategy alone, then all mixes of two strategies."""
    for number in range(entrants):
        yield alone(number, players, entrants)
    for i, j in itertools.combinations(range(entrants), 2):
        for count in range(1, players):
            yield mixed({i: count, j: players - count}, entrants)


def simplex(members: tuple[int, ...], players: int, entrants: int) -> Iterator[Profile]:
    """Yield all mixes of the given entrants."""
    for chosen in itertools.combinations_with_replacement(members, players):
        yield mixed({number: chosen.count(number) for number in members}, entrants)


def assignment_of(tournament: Tournament, profile: Profile) -> Assignment:
    """Return the settings of a profile: sources, agents, and amounts for its number of players."""
    base = msgspec.json.decode(tournament.sweep.base)
    sources: list[Any] = []
    agents: list[Any] = []
    for number, entrant in enumerate(each for each in _players(profile)):
        one = tournament.entrants[entrant]
        name = f"{tournament.player}-{number + 1}"
        source = {"name": name}
        agent = {"name": name, "role": one.role, "sources": name, "strategy": one.strategy}
        if one.transport:
            source["transport"] = one.transport  # type: ignore[assignment]
        sources.append(source)
        agents.append(agent)
    assignment: Assignment = {
        "sources": _listed(base["sources"], tournament.player, sources),
        "market.agents": _listed(base["market"]["agents"], tournament.player, agents),
    }
    players = sum(profile)
    for path, (amount, unit) in tournament.per_player.items():
        assignment[path] = f"{amount * players:g} {unit}" if unit else amount * players
    return assignment


def _players(profile: Profile) -> Iterator[int]:
    """Yield the entrant of each player."""
    for number, count in enumerate(profile):
        yield from itertools.repeat(number, count)


def _listed(entries: list[Any], player: str, own: list[Any]) -> str:
    listing: list[Any] = []
    for entry in entries:
        if entry["name"] == player:
            listing += [_over(entry, one) for one in own]
        else:
            listing.append(entry)
    return msgspec.json.encode(listing).decode()


def _over(entry: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a player's entry: the template without its strategy, updated by the player's keys."""
    return {**{key: value for key, value in entry.items() if key != "strategy"}, **own}


def sweep_of(tournament: Tournament, profiles: Iterable[Profile]) -> Sweep:
    """Return the sweep that plays profiles in order, each with all seeds."""
    sweep = tournament.sweep
    points: list[Point] = []
    rows: list[Assignment] = []
    for profile in profiles:
        rows.append(assignment_of(tournament, profile))
        for replicate in range(sweep.replicates):
            points.append(Point(len(points), rows[-1], replicate, sweep.seed + replicate))
    paths = tuple(rows[0])
    block = ParameterBlock("list", paths, tuple(tuple(row[path] for row in rows) for path in paths))
    return msgspec.structs.replace(sweep, blocks=(block,), chosen=tuple(points))
