# SPDX-License-Identifier: Apache-2.0
"""The model that SolaraViz steps: an open market, values set by hand, and observations.

At a reset, SolaraViz creates a new model and drops the previous one, although its playing thread
may be about to take more steps. A Stage therefore holds the only market of a page. It ends the
previous engine, waits for the playing thread to end (up to _PLAYER_ENDS_S), and opens another.

Each request to draw the page makes the drawing thread start over. If drawing takes longer than a
step, the requests of a playing thread would never let it finish. A step therefore waits until the
last requested picture is drawn (Drawn).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.dashboard.figures import MarketWatch
from ecnomy.analysis.dashboard.groups import groups_of
from ecnomy.analysis.dashboard.held_values import HeldValues
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.session import open_market

__all__ = ["Drawn", "LiveMarket", "Stage"]

_PLAYER_ENDS_S: Final = 2.0  # the playing thread sleeps for half a second at most
_LONGEST_S: Final = 5.0  # longest wait, because a hidden page is not drawn


class Drawn:
    """The number of the last picture that was drawn completely."""

    def __init__(self) -> None:
        """Start with no picture drawn."""
        self._number = -1
        self._changed = threading.Condition()

    def done(self, number: int) -> None:
        """Record that a picture has been drawn."""
        with self._changed:
            self._number = max(self._number, number)
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Wait until a picture is drawn, for at most _LONGEST_S seconds.

        After a wait, sleep as long again (at most 1 s), because the drawing thread may still be
        busy.
        """
        began_s = time.monotonic()
        with self._changed:
            if self._number >= number:
                return
            self._changed.wait_for(lambda: self._number >= number, _LONGEST_S)
        time.sleep(min(time.monotonic() - began_s, 1.0))


class Stage:
    """Holds the current market of a page across resets."""

    def __init__(self, scenario: Scenario, engine: str) -> None:
        """Create a stage without a market."""
        self.scenario, self.engine = scenario, engine
        self._lock = threading.RLock()
        self._market: Market | None = None
        self._closed = False
        self._players: set[threading.Thread] = set()  # threads that stepped the current market

    def open(self, seed: int) -> Market:
        """End the current market and open a new one.

        Raises:
            EcnomyError, OSError: as for open_market.
        """
        self._end()
        self._await_players()
        with self._lock:
            self._market = open_market(self.scenario, seed=seed, tables=False, engine=self.engine)
            return self._market

    def _await_players(self) -> None:
        players, self._players = self._players - {threading.current_thread()}, set()
        for player in players:
            player.join(_PLAYER_ENDS_S)

    def replaces(self, market: Market) -> bool:
        """Return whether a reset has ended the market, so that a new market follows."""
        return self._market is not market and not self._closed

    def close(self) -> None:
        """End the current market and its engine for good."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        with self._lock:
            market, self._market = self._market, None
            if market is not None:
                market.close()

    def step(self, live: LiveMarket) -> None:
        """Step a model's market if it is the current one; otherwise do nothing.

        Raises:
            EcnomyError, OSError: as for Market.step.
        """
        with self._lock:
            if self._market is not live.market:
                return
            self._players.add(threading.current_thread())
            live.hand.apply(live.market, live.groups)
            live.market.step()
            live.watch.look(live.market)


class LiveMarket:
    """A market with the interface of a SolaraViz model: `step`, `running`, `steps`, `time`.

    Attributes:
        stage: the stage of the page.
        market: the running market.
        groups: the groups of flows, in the order of their sources.
        hand: the values set by hand.
        watch: the observations of the market.
        failure: the error that ended the run, in one line; "" without an error.
        drawn: the number of the last picture drawn.
        requested_picture: function that returns the number of the last picture requested.
    """

    def __init__(self, stage: Stage, seed: int) -> None:
        """Open a market on the stage.

        Raises:
            EcnomyError, OSError: as for open_market.
        """
        self.stage = stage
        self.market = stage.open(int(seed))
        self.groups = groups_of(stage.scenario, self.market)
        self.hand = HeldValues()
        self.watch = MarketWatch(self.market, self.groups)
        self.failure = ""
        self.drawn = Drawn()
        self.requested_picture: Callable[[], int] = lambda: -1

    @property
    def running(self) -> bool:
        """Whether another epoch follows.

        It is also true for a market that a reset has ended, because Mesa's playing thread would
        otherwise disable the buttons of the next market.
        """
        return not self.failure and (self.stage.replaces(self.market) or self.market.running)

    @property
    def steps(self) -> int:
        """The number of epochs simulated."""
        return int(self.market.steps)

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        return self.market.t_ps / PS_PER_S

    def step(self) -> None:
        """Simulate one epoch; an error ends the run and sets `failure`."""
        if not self.running:
            return
        self.drawn.wait(self.requested_picture())
        try:
            self.stage.step(self)
        except (EcnomyError, OSError) as error:
            self.failure = " ".join(str(error).split())
