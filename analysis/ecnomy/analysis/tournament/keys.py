# SPDX-License-Identifier: Apache-2.0
"""The keys under `tournament` in a sweep file, which tournament_file.py and entrants.py read.

Through the entry point `ecnomy.additions`, the keys become part of the sweep file's reference
(`ecnomy explain tournament`).
"""

from __future__ import annotations

from typing import Final

from ecnomy.markets.inputs.amounts import Choice, Number
from ecnomy.markets.sweep.keys import Key

__all__ = ["ENTRANT", "ROLES", "TOURNAMENT", "sweep_keys"]

ROLES: Final = ("price-handler", "customer")  # roles with one flow that pays for marks, in order

ENTRANT: Final = {
    "strategy": Key(
        about="The strategy of the player's agent.",
        form="a mapping with kind",
        default=None,
        example="{kind: constant-charge, charge: 1 money/s}",
    ),
    "transport": Key(
        about="The transport of the player's source, instead of the scenario's.",
        form="a mapping with law",
        example='{law: newreno, ecn: "off"}',
    ),
    "role": Key(
        about="The role of the player's agent; by default the first one that the strategy fits.",
        form=Choice(ROLES),
        example="customer",
    ),
}

TOURNAMENT: Final = {
    "player": Key(
        about="The source and the agent of the scenario that stand for one player.",
        form="the name of one source and of one agent",
        default=None,
        example="player",
    ),
    "populations": Key(
        about="Numbers of players that share the network.",
        note="Every pair of strategies plays at each number.",
        form=Number(what="a number of players", least=2, most=30, whole=True),
        default=None,
        example="[2, 4, 8]",
    ),
    "utility": Key(
        about="The utility of every player's goodput, whatever its strategy assumes.",
        note="A pay-off is the mean utility minus the cost of delay and the payments, in money/s.",
        form="a mapping with kind and x0",
        default=None,
        example="{kind: log, a: 2 money/s, x0: 1 Mbps}",
    ),
    "strategies": Key(
        about="Strategies that play, by the name that pages give them.",
        note="Every other installed strategy plays too, if it needs no parameters.",
        form="a mapping of names to entrants",
        default=None,
        example="{steady: {strategy: {kind: constant-charge, charge: 1 money/s}}}",
        below={"<name>": Key(about="", form="", example="", below=ENTRANT)},
    ),
    "per_player": Key(
        about="Values of the scenario per player, which are multiplied by the number of players.",
        form="a mapping of paths to amounts",
        example="{network.links.bottleneck.rate: 2 Mbps}",
    ),
    "networks": Key(
        about="Networks on which the tournament is played, one after another.",
        note="Each is the scenario with changes. A list of mappings means all combinations.",
        form="a mapping of names to mappings of paths to values, or a list of such mappings",
        many=True,
        example="{near: {}, far: {network.links.bottleneck.delay: 50 ms}}",
    ),
    "finalists": Key(
        about="Number of top strategies that play the final, in every possible mix.",
        form=Number(what="a whole number", least=2, most=3, whole=True),
        default="3",
        example="2",
    ),
    "without": Key(
        about="Installed strategies that do not play, each with the reason.",
        form="a mapping of strategies to reasons",
        example="{price-demand: a demand curve is of many users}",
    ),
}


def sweep_keys() -> dict[str, Key]:
    """Return the keys that this package adds to a sweep file."""
    about = "Plays strategies against each other, instead of `parameters` (`ecnomy tournament`)."
    needed = ", ".join(name for name, key in TOURNAMENT.items() if key.default is None)
    example = f"{{player: player, populations: {TOURNAMENT['populations'].example}, ...}}"
    form = f"a mapping with {needed}"
    return {"tournament": Key(about=about, form=form, example=example, below=TOURNAMENT)}
