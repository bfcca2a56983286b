# SPDX-License-Identifier: Apache-2.0
"""A validated tournament, as its file defines it, with the utility of its players."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.utilities import Utility, delay_cost_of
from ecnomy.agents.volumes import BITS_PER_MB
from ecnomy.analysis.tournament.entrants import Entrant
from ecnomy.markets.sweep.config import Sweep

__all__ = ["Tournament"]

LEAST: Final = 1e-3  # as a share of x0, if U(0) is infinite (as in welfare.declared_utilities)


class Tournament(msgspec.Struct, frozen=True, eq=False):
    """A validated tournament on one network, or on several.

    Attributes:
        sweep: the sweep with scenario, seeds and limits of the runs.
        player: name of the source and of the agent that stand for one player in the scenario.
        populations: numbers of players.
        per_player: path -> amount per player, and its unit.
        utility: the utility of each player's rate, with the cost of delay.
        utility_text: the utility as written in the file.
        entrants: the strategies that play.
        absent: strategy -> why it does not play.
        finalists: number of strategies that are played in all mixes.
        networks: name -> the scenario with the changes for this network, as JSON, and the changes
            as written; empty for the sweep's scenario only.
        axes: the names on each axis of the networks. A network's name has one name of each axis,
            joined by "-".
        changes: the changes for this network as written; "" for the sweep's scenario.
    """

    sweep: Sweep
    player: str
    populations: tuple[int, ...]
    per_player: dict[str, tuple[float, str]]
    utility: Utility
    utility_text: str
    entrants: tuple[Entrant, ...]
    absent: dict[str, str]
    finalists: int
    networks: dict[str, tuple[str, str]] = {}
    axes: tuple[tuple[str, ...], ...] = ()
    changes: str = ""

    def on(self, network: str) -> Tournament:
        """Return the tournament on one of its networks."""
        title = f"{self.sweep.title or self.sweep.file}: {network}"
        base, changes = self.networks[network]
        sweep = msgspec.structs.replace(self.sweep, base=base, title=title)
        return msgspec.structs.replace(self, sweep=sweep, networks={}, axes=(), changes=changes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entrants, in the order of `entrants`."""
        return tuple(one.name for one in self.entrants)

    def worth(self, rates_bps: Floats, round_trips_s: Floats) -> Floats:
        """Return the utility of rates minus the cost of delay [money/s].

        A rate below x0/1000 counts as x0/1000 if U(0) is infinite. The cost of delay is
        `delay_cost` per MB of goodput and second of round trip.
        """
        x0 = self.utility.x0
        assert x0 is not None
        with np.errstate(all="ignore"):
            bounded = bool(np.isfinite(self.utility.value(np.zeros(1))).all())
        ratio = np.maximum(rates_bps / x0, 0.0 if bounded else LEAST)
        worth = np.asarray(self.utility.value(ratio.ravel()), dtype=np.float64)
        delay = delay_cost_of(self.utility) * rates_bps / BITS_PER_MB * round_trips_s
        return worth.reshape(ratio.shape) - delay
