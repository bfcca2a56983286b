# SPDX-License-Identifier: Apache-2.0
"""The model that SolaraViz steps: an open market, held values, and figures shown.

SolaraViz makes the class of its model anew at a reset and forgets the one before, and its thread
that plays may be about to step as that happens. So a Stage holds the one market of a page: it ends
the previous engine, and late steps do nothing.
"""

from __future__ import annotations

import threading

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.dashboard.groups import groups_of
from ecnomy.analysis.dashboard.hand import Hand
from ecnomy.analysis.dashboard.seen import Watch
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.session import open_market

__all__ = ["LiveMarket", "Stage"]


class Stage:
    """The place of one market of a page, run after run."""

    def __init__(self, scenario: Scenario, engine: str) -> None:
        """Nothing runs yet."""
        self.scenario, self.engine = scenario, engine
        self._lock = threading.RLock()
        self._market: Market | None = None
        self._player: threading.Thread | None = None  # who made the last step
        self._late: threading.Thread | None = None  # whose next step is for the market before

    def open(self, seed: int) -> Market:
        """End the market that is on, and open another.

        Raises:
            EcnomyError, OSError: as open_market.
        """
        with self._lock:
            self.close()
            if self._player is not threading.current_thread():
                self._late = self._player
            self._market = open_market(self.scenario, seed=seed, tables=False, engine=self.engine)
            return self._market

    def close(self) -> None:
        """End the market that is on, and its engine."""
        with self._lock:
            market, self._market = self._market, None
            if market is not None:
                market.close()

    def step(self, live: LiveMarket) -> None:
        """A step of the market that is on; of any other, or too late, nothing.

        Raises:
            EcnomyError, OSError: as Market.step.
        """
        with self._lock:
            me = threading.current_thread()
            late, self._late = self._late, None
            if self._market is not live.market or me is late:
                return
            self._player = me
            live.hand.apply(live.market, live.groups)
            live.market.step()
            live.watch.look(live.market)


class LiveMarket:
    """A market as SolaraViz knows models: `step`, `running`, `steps`, `time`.

    Attributes:
        stage: where it stands.
        market: that runs.
        groups: whose knobs there are.
        hand: what is held by hand.
        watch: what was seen.
        failure: in one line, why it can go no further; "" while it can.
    """

    def __init__(self, stage: Stage, seed: int) -> None:
        """Open a market on the stage.

        Raises:
            EcnomyError, OSError: as open_market.
        """
        self.stage = stage
        self.market = stage.open(int(seed))
        self.groups = groups_of(stage.scenario, self.market)
        self.hand = Hand()
        self.watch = Watch(self.market, self.groups)
        self.failure = ""

    @property
    def running(self) -> bool:
        """Whether another epoch follows."""
        return not self.failure and self.market.running

    @property
    def steps(self) -> int:
        """Epochs simulated."""
        return int(self.market.steps)

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.market.t_ps / PS_PER_S

    def step(self) -> None:
        """One epoch; an error ends the run and stands in `failure`."""
        if not self.running:
            return
        try:
            self.stage.step(self)
        except (EcnomyError, OSError) as error:
            self.failure = " ".join(str(error).split())
