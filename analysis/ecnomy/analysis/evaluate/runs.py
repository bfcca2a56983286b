# SPDX-License-Identifier: Apache-2.0
"""The runs of an evaluation: a sweep over criteria, conditions, laws and seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.evaluate.criteria import FILE, Condition, Criterion, criteria
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.sweeps.searching import make_missing
from ecnomy.markets.inputs.overrides import apply
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.sweep.blocks import plain_tree
from ecnomy.markets.sweep.driver import Observer
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.space import Assignment, ParameterBlock, Point
from ecnomy.markets.sweep.sweep_file import Limits, Sweep

__all__ = [
    "QUICK_SEEDS",
    "SEEDS",
    "Evaluation",
    "Values",
    "checked",
    "measured",
    "sweep_of",
    "values_of",
]

SEEDS: Final = 10
QUICK_SEEDS: Final = 3
_CHANGED: Final = ("duration", "warmup", "network", "sources")  # sections that conditions change
_MEASURE: Final = "ecnomy.analysis.evaluate.measures:source_columns"

Values = dict[tuple[str, str, str], dict[str, list[float | None]]]
"""(criterion, condition, law) -> column -> a value per seed"""


class Evaluation(msgspec.Struct, frozen=True):
    """The law under evaluation, and the runs to simulate.

    Attributes:
        name: name of the law in tables.
        transport: transport with this law, as in a scenario.
        criteria: the criteria to test.
        seeds: number of seeds.
        quick: whether only the first condition of each criterion is run.
    """

    name: str
    transport: dict[str, Any]
    criteria: tuple[Criterion, ...]
    seeds: int = SEEDS
    quick: bool = False

    @property
    def laws(self) -> dict[str, dict[str, Any]]:
        """The transports by name, the candidate's first."""
        return {self.name: self.transport, **criteria().standards}

    def cases(self, criterion: Criterion) -> list[Condition]:
        """Return the conditions of a criterion that are simulated."""
        own = criterion.cases()
        return own[: len(criterion.others)] if self.quick else own


def checked(evaluation: Evaluation) -> None:
    """Raise an error if scenarios do not accept the transport.

    Raises:
        InputError: the transport is invalid; the message names the key.
    """
    case = evaluation.cases(evaluation.criteria[0])[0]
    settings = _settings(evaluation, case, evaluation.transport)
    text = msgspec.json.encode(criteria().scenario).decode()
    overrides = [f"{path}={value}" for path, value in settings.items()]
    try:
        scenario_from_text(text, evaluation.name, overrides=overrides, seed=1)
    except ScenarioError as error:
        key = error.path.partition("transport.")[2]
        where = f"LAW: {key}" if key else "LAW"
        raise InputError(f"{where}: found {error.found}, expected {error.expected}") from None


def sweep_of(evaluation: Evaluation) -> Sweep:
    """Return the sweep of all runs, ordered by criterion, condition, law and seed."""
    rows: list[Assignment] = []
    labels: list[str] = []
    points: list[Point] = []
    for key, row in _rows(evaluation):
        rows.append(row)
        labels.append(": ".join(key))
        for replicate in range(evaluation.seeds):
            points.append(Point(len(points), row, replicate, 1 + replicate))
    values = tuple(tuple(row[path] for row in rows) for path in _CHANGED)
    return Sweep(
        file=str(FILE),
        title=f"{evaluation.name} by the criteria of RFC 9743",
        scenario=str(FILE),
        base=msgspec.json.encode(criteria().scenario).decode(),
        blocks=(ParameterBlock("list", _CHANGED, values, labels=(tuple(labels),)),),
        replicates=evaluation.seeds,
        seed=1,
        paired=True,
        limits=Limits(),
        keep=False,
        measure=_MEASURE,
        chosen=tuple(points),
    )


def _rows(evaluation: Evaluation) -> list[tuple[tuple[str, str, str], Assignment]]:
    """Return the key (criterion, condition, law) and the settings of each point, in order."""
    return [
        ((criterion.name, case.label, law), _settings(evaluation, case, transport))
        for criterion in evaluation.criteria
        for case in evaluation.cases(criterion)
        for law, transport in evaluation.laws.items()
    ]


def _settings(evaluation: Evaluation, case: Condition, transport: dict[str, Any]) -> Assignment:
    places = {"candidate": transport}
    if case.other:
        places["other"] = criteria().standards[case.other]
    sources = [
        {"from": "servers", "to": "homes", **source, "transport": _transport(source, places)}
        for source in case.criterion.sources
    ]
    tree = parse(
        msgspec.json.encode(criteria().scenario | {"sources": sources}).decode(),
        evaluation.name,
        lines=False,
    )
    for path, value in case.changes.items():
        tree = apply(tree, f"{path}={msgspec.json.encode(value).decode()}", must=True)
    plain = plain_tree(tree)
    return {key: msgspec.json.encode(plain[key]).decode() for key in _CHANGED}


def _transport(source: dict[str, Any], places: dict[str, dict[str, Any]]) -> dict[str, Any]:
    own = source["transport"]
    return places[own] if isinstance(own, str) else own


def measured(
    evaluation: Evaluation, folder: Path, pool: Pool, observer_of: Callable[[int, int], Observer]
) -> Values:
    """Simulate the missing runs, and return the columns of all runs.

    Args:
        evaluation: the law and the criteria.
        folder: the folder of the runs.
        pool: the workers for the runs.
        observer_of: function that returns a progress listener, given the numbers of all and
            missing runs.

    Raises:
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
        ResultsError: runs failed or are missing.
    """
    make_missing(sweep_of(evaluation), folder, pool, observer_of)
    return values_of(evaluation, open_sweep(folder, partial=True), folder)


def values_of(evaluation: Evaluation, table: Any, folder: Path) -> Values:
    """Return the judged columns of all runs, by seed, from the table of a sweep's runs.

    Raises:
        ResultsError: runs failed or are missing.
    """
    keys = [key for key, _ in _rows(evaluation)]
    done = table[table["status"] == "done"].set_index("number")
    runs = len(keys) * evaluation.seeds
    if lacking := sorted(set(range(runs)) - set(done.index)):
        own = table[table["number"] == lacking[0]]
        reason = own["reason"].iloc[0] if len(own) else "missing"
        name = ", ".join(keys[lacking[0] // evaluation.seeds])
        one = ("is", "it", "The run")
        are, them, which = one if len(lacking) == 1 else ("are", "them", "The first one")
        raise ResultsError(
            f"{folder}: {len(lacking)} of {runs} runs failed or {are} missing; run the same "
            f"command again to repeat {them}. {which} ({name}): {reason}"
        )
    columns = {f.column for c in evaluation.criteria for f in c.figures}
    values: Values = {}
    for place, key in enumerate(keys):
        numbers = range(place * evaluation.seeds, (place + 1) * evaluation.seeds)
        own = done.reindex(numbers)
        values[key] = {
            column: [None if value != value else float(value) for value in own[column]]
            for column in columns
            if column in own
        }
    return values
