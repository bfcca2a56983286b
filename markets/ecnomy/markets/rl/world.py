# SPDX-License-Identifier: Apache-2.0
"""Run the episodes of an environment, in which learners replace the strategies of agents.

    reset    opens a market and simulates its warm-up
    step     lets learners act, and simulates first `settle`, then the measured rest of the step

A learner acts as a strategy does: a carrier posts a price, and a price handler sets a payment and a
rate cap for each of its flows. Observations and actions are shares of ranges (ranges.py). Each
episode is a run with its own seed. The same seed and actions give the same results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.agents.money import MICRO
from ecnomy.agents.random_streams import agent_stream
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.model.market import Market
from ecnomy.markets.rl.environment_file import Environment
from ecnomy.markets.rl.quantities import CARRIER, StepView, measured
from ecnomy.markets.session.session import open_market

__all__ = ["World"]

_LARGEST_SEED: Final = 2**64 - 1


class World:
    """An environment, which holds a market during each episode.

    Attributes:
        environment: the environment file.
        names: names of the learners.
        steps: number of completed steps in the current episode.
        seed: seed of the current episode.
    """

    def __init__(self, environment: Environment, names: tuple[str, ...]) -> None:
        """Create the environment without starting a run."""
        self.environment, self.names = environment, names
        self._learners = {name: environment.learner(name) for name in names}
        self._rewards = {name: learner.reward.made() for name, learner in self._learners.items()}
        self._played = environment.played(names)
        self._episodes = agent_stream(environment.scenario.seed, "episodes")
        self._market: Market | None = None
        self._rows: dict[str, Integers] = {}
        self._balance: dict[str, int] = {}
        self._latest: dict[str, StepView] = {}
        self.steps, self.seed = 0, environment.scenario.seed

    @property
    def over(self) -> bool:
        """Return whether the episode has ended."""
        return self.steps >= self.environment.steps

    def reset(self, seed: int | None) -> None:
        """Begin an episode with this seed or, for None, with the next seed of a sequence.

        Raises:
            InputError: the seed is invalid.
            EcnomyError: as for open_market.
        """
        if seed is not None:
            if not 0 <= seed <= _LARGEST_SEED:
                raise InputError(f"seed: found {seed}, expected a whole number below 2^64")
            self._episodes = agent_stream(seed, "episodes")
        self.close()
        self.seed = int(self._episodes.integers(2**63)) if seed is None else int(seed)
        self._market = market = open_market(self._played, seed=self.seed, tables=False)
        self.steps = 0
        for name in self.names:
            self._rows[name] = self._own(market, name)
            self._look(market, name, 0.0)
        self._advance(market, self._played.document.warmup)
        self._look_round(market, self._played.document.warmup / PS_PER_S)

    def step(self, shares: Mapping[str, Floats]) -> None:
        """Let learners act, and simulate a step.

        Args:
            shares: the actions of each learner as shares from 0 to 1, in the order of the file.

        Raises:
            NotRunningError: no episode is in progress.
            EcnomyError: as for Market.step. The error ends the episode.
        """
        market = self._market
        if market is None or self.over:
            raise NotRunningError("no episode is in progress; start one with reset()")
        try:
            for name, own in shares.items():
                self._act(market, name, own)
            begins_ps, environment = market.t_ps, self.environment
            self._advance(market, begins_ps + environment.settle_ps)
            self._look_round(market, 0.0)
            self._advance(market, begins_ps + environment.step_ps)
            self.steps += 1
            self._look_round(market, (environment.step_ps - environment.settle_ps) / PS_PER_S)
        except BaseException:
            self._market = None  # the session has ended, or ends when the market is collected
            raise
        if self.over:
            self.close()

    def observed(self, name: str) -> Floats:
        """Return a learner's observations as shares, in the order of the file."""
        ranges, quantities = self._learners[name].observations, self.quantities(name)
        return np.array([of.share(quantities[quantity]) for quantity, of in ranges.items()])

    def quantities(self, name: str) -> dict[str, float]:
        """Return the quantities that a learner observed, by name, in their units."""
        look = self._latest[name]
        return {of: measured(of, look) for of in self._learners[name].observations}

    def reward(self, name: str) -> float:
        """Return the reward of a learner's last step."""
        return float(self._rewards[name].reward(self._latest[name]))

    def close(self) -> None:
        """End the episode if one is in progress."""
        market, self._market = self._market, None
        if market is not None:
            market.close()

    def _own(self, market: Market, name: str) -> Integers:
        """Return the indices of a carrier's links, or of a price handler's flows."""
        spec = self.environment.agent(name)
        if spec.role == CARRIER:
            return market.domains.links(market.domains.names.index(name))
        return market.parties.flows(spec.sources)

    def _act(self, market: Market, name: str, shares: Floats) -> None:
        chosen = self._learners[name].amounts(shares)
        if "price" in chosen:
            market.post_price(name, chosen["price"])
            return
        rows, given = self._rows[name], {}
        if "willingness" in chosen:
            pay = float(round(chosen["willingness"] * MICRO))
            given["willingness_micro_per_s"] = np.full(len(rows), pay)
        if "rate_cap" in chosen:
            given["rate_cap_bps"] = np.full(len(rows), chosen["rate_cap"])
        market.aims.take(market.t_ps, name, rows, np.True_, Decision(**given))

    def _advance(self, market: Market, t_ps: int) -> None:
        while market.t_ps < t_ps:
            market.step()

    def _look_round(self, market: Market, dt_s: float) -> None:
        for name in self.names:
            self._latest[name] = self._look(market, name, dt_s)

    def _look(self, market: Market, name: str, dt_s: float) -> StepView:
        """Return a learner's balance and its links or flows, with changes since the last look."""
        balance = market.ledger.balance_micro(name)
        gained, self._balance[name] = balance - self._balance.get(name, 0), balance
        share = self.steps / self.environment.steps
        held, more = balance / MICRO, gained / MICRO
        who, rows = f"{name} (learner)", self._rows[name]
        if self.environment.agent(name).role == CARRIER:
            price = market.prices_micro[name]
            links = market.sight.links(who, rows, price)
            return StepView(dt_s, share, held, more, links=links)
        prices = market.row_price_micro()
        flows = market.sight.flows(who, rows, prices, market.offers, market.offer, market.aims)
        return StepView(dt_s, share, held, more, flows=flows)
