# SPDX-License-Identifier: Apache-2.0
"""Warnings of `ecnomy check` about a law in the networks of an evaluation."""

from __future__ import annotations

from ecnomy.analysis.evaluate.criteria import Condition
from ecnomy.analysis.evaluate.runs import Evaluation, sweep_of
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan

__all__ = ["advice"]


def advice(evaluation: Evaluation) -> dict[str, list[Condition]]:
    """Return the warnings that apply to the law, but not to a standard in its place.

    Returns:
        warning -> the conditions in which it applies, in the order of the criteria.
    """
    cases_by_warning: dict[str, list[Condition]] = {}
    sweep = sweep_of(evaluation)
    points = iter(sweep.points())
    for criterion in evaluation.criteria:
        for case in evaluation.cases(criterion):
            by_law: list[list[str]] = []
            for _ in evaluation.laws:
                point = next(points)
                for _ in range(evaluation.seeds - 1):
                    next(points)
                scenario = sweep.scenario_at(point.params, point.seed)
                by_law.append(warnings(scenario, make_plan(scenario)))
            own, *standards = by_law
            for line in own:
                if not any(line in other for other in standards):
                    cases_by_warning.setdefault(line, []).append(case)
    return cases_by_warning
