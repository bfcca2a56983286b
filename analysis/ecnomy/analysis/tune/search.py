# SPDX-License-Identifier: Apache-2.0
"""Chooses the next parameter values of a tuning, given the outcomes of earlier values.

The first batch is a Latin hypercube over the ranges. optuna's tree-structured Parzen estimator
chooses each further batch. It draws values where good outcomes are denser than other outcomes,
jointly for all parameters and on the scale of each range. The estimator needs no gradients, and
supports several parameters, whole numbers, constraints and noise. Within a batch, it assumes bad
outcomes for the values just chosen, so that the next values lie elsewhere.

The choice depends only on the file and on earlier outcomes. The outcomes of a batch are passed on
in the order of choice, not in the order in which runs end. Random numbers come from the seed of the
sweep. A restarted search therefore chooses the same values again, and needs only the runs as a
record.

Source: Bergstra et al. 2011 (TPE); Akiba et al. 2019 (optuna).
"""

from __future__ import annotations

import math
from typing import Any, Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.sweep.tuning import Tuning

__all__ = ["Search", "Values"]

Values = tuple[float, ...]  # one for each parameter
_WORST: Final = 1e300  # the loss of values without an outcome


class Search:
    """A search that proposes values (`ask`) and receives their outcomes (`tell`)."""

    def __init__(self, tuning: Tuning, seed: int) -> None:
        """Begin a search.

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
        self._batch: list[tuple[Any, Values]] = []  # optuna's trials and their values

    def ask(self) -> list[Values]:
        """Return the values of the next batch, in order; [] at the end of the search.

        Values may repeat, because they are rounded, for example to whole numbers.
        """
        assert not self._batch, "the results of the previous batch are missing"
        if self._left == self._tuning.trials:
            for values in self._tuning.first_values(self._seed):
                self._study.enqueue_trial(self._named(values))
            count = self._tuning.first
        else:
            count = min(self._tuning.batch, self._left)
        self._batch = [self._one() for _ in range(count)]
        self._left -= count
        return [values for _, values in self._batch]

    def tell(self, outcomes: list[float], excesses: list[Values]) -> None:
        """Receive the outcomes of the batch, in the order of its values.

        Args:
            outcomes: mean of the tuned outcome for each of the values; NaN if a run lacks the
                outcome.
            excesses: distance beyond each bound, for each of the values; at most 0 within the
                bound.
        """
        for (trial, _), outcome, excess in zip(self._batch, outcomes, excesses, strict=True):
            for bound, each in zip(self._tuning.bounds, excess, strict=True):
                trial.set_constraint(bound.outcome, min(each, _WORST))
            known = math.isfinite(outcome)
            self._study.tell(trial, self._tuning.loss(outcome) if known else _WORST)
        self._batch = []

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
        raise InputError(f"tuning needs optuna; to install, run: {extras()}") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
