# SPDX-License-Identifier: Apache-2.0
"""Which values of the parameters a tuning tries next, given what came of those before.

The first round is a Latin hypercube over the ranges. Each further batch is chosen by optuna's
tree-structured Parzen estimator: values are drawn where those that came out well are denser than
the others, all parameters together, on the scale of their range. It needs no gradient, takes one
parameter or several, whole numbers and constraints, and bears noise. Within a batch it supposes
that what it has just chosen turns out badly, so that the next one lies elsewhere.

What is chosen depends on the file alone: a batch is told in the order in which it was chosen,
whichever run ended first, and draws come from the sweep's seed. A search that is begun again over
the runs it has made chooses the same values, so that they are the only record of it there is.

Source: Bergstra et al. 2011 (TPE); Akiba et al. 2019 (optuna).
"""

from __future__ import annotations

import math
from typing import Any, Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.remedy import extras
from ecnomy.markets.sweep.tuning import Tuning

__all__ = ["Search", "Values"]

Values = tuple[float, ...]  # one for each parameter
_WORST: Final = 1e300  # the loss of values whose outcome is none


class Search:
    """A search that is asked for values and told what came of them."""

    def __init__(self, tuning: Tuning, seed: int) -> None:
        """Begins a search.

        Raises:
            InputError: optuna is not installed.
        """
        self._tuning, self._seed = tuning, seed
        self._optuna = _optuna()
        sampler = self._optuna.samplers.TPESampler(
            seed=seed % 2**32, n_startup_trials=tuning.first, constant_liar=True
        )
        self._study = self._optuna.create_study(sampler=sampler)
        self._left = tuning.trials
        self._asked: list[tuple[Any, Values]] = []  # optuna's trial, the values that are tried

    def ask(self) -> list[Values]:
        """The values of the next batch, in order; none: the search has ended.

        Whole numbers and rounding may make some of them equal, also to earlier ones.
        """
        assert not self._asked, "the batch before has not been told"
        if self._left == self._tuning.trials:
            for values in self._tuning.first_values(self._seed):
                self._study.enqueue_trial(self._named(values))
            count = self._tuning.first
        else:
            count = min(self._tuning.batch, self._left)
        self._asked = [self._one() for _ in range(count)]
        self._left -= count
        return [values for _, values in self._asked]

    def tell(self, outcomes: list[float], excesses: list[Values]) -> None:
        """What came of the batch, in order.

        Args:
            outcomes: means of the tuned outcome; NaN if there is none.
            excesses: of each, how far it is outside of each bound, negative or 0 inside.
        """
        for (trial, _), outcome, excess in zip(self._asked, outcomes, excesses, strict=True):
            for bound, each in zip(self._tuning.bounds, excess, strict=True):
                trial.set_constraint(bound.outcome, min(each, _WORST))
            known = math.isfinite(outcome)
            self._study.tell(trial, self._tuning.loss(outcome) if known else _WORST)
        self._asked = []

    def _one(self) -> tuple[Any, Values]:
        trial = self._study.ask(self._distributions())
        chosen = tuple(float(trial.params[path]) for path in self._tuning.paths)
        return trial, self._tuning.rounded(chosen)

    def _named(self, values: Values) -> dict[str, float]:
        ranges = zip(self._tuning.paths, values, self._tuning.ranges, strict=True)
        return {path: int(value) if r.whole else value for path, value, r in ranges}

    def _distributions(self) -> dict[str, Any]:
        of = self._optuna.distributions
        return {
            path: of.IntDistribution(int(r.low), int(r.high))
            if r.whole
            else of.FloatDistribution(r.low, r.high, log=r.log)
            for path, r in zip(self._tuning.paths, self._tuning.ranges, strict=True)
        }


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise InputError(f"tuning needs optuna: {extras()}") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
