# SPDX-License-Identifier: Apache-2.0
"""A sweep as declared by its file, with its points and their scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.inputs.overrides import located
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.sweep.blocks import plain_tree
from ecnomy.markets.sweep.calibration import Calibration
from ecnomy.markets.sweep.calibration import beginning as calibration_beginning
from ecnomy.markets.sweep.point_scenario import laid_over, overrides_of, parsed, scenario_at
from ecnomy.markets.sweep.sequential import Until
from ecnomy.markets.sweep.space import Assignment, ParameterBlock, Point, points
from ecnomy.markets.sweep.ties import Ties
from ecnomy.markets.sweep.tuning import Tuning
from ecnomy.markets.sweep.tuning import beginning as tuning_beginning

__all__ = ["UNLIMITED", "Limits", "Sweep"]

UNLIMITED: Final = -1


class Limits(msgspec.Struct, frozen=True):
    """The limits of a run. UNLIMITED means no limit."""

    time_ps: int = UNLIMITED  # wall time
    memory_bytes: int = UNLIMITED  # address space of the engine


class Sweep(msgspec.Struct, frozen=True):
    """A sweep, resolved as far as possible without loading the scenario of each point.

    Attributes:
        file: the sweep file, as named in messages.
        base: the scenario with `set` applied, as JSON text for the workers.
        blocks: the varied parameters.
        keep: whether each run's results folder is kept.
        measure: module:function that adds outcome columns, or "" (see measure.py).
        engine: name of the engine of all runs.
        engine_stated: whether the file names the engine.
        variant: overrides (`path=value`) that apply to every point.
        calibrate: the calibration, or None if the sweep has no calibration.
        tune: the tuning, or None if the sweep has no tuning.
        chosen: the points that a search has chosen. If empty, `points` computes the points.
        outcomes: columns to show first, beginning with the main one.
        until: stopping rule for a point's replicates. If None, each point has `replicates` runs.
        counts: number of replicates of each point, determined in rounds if the sweep has `until`.
    """

    file: str
    title: str
    scenario: str
    base: str
    blocks: tuple[ParameterBlock, ...]
    replicates: int
    seed: int
    paired: bool
    limits: Limits
    keep: bool
    engine: str = DEFAULT_ENGINE
    engine_stated: bool = False
    measure: str = ""
    variant: tuple[str, ...] = ()
    calibrate: Calibration | None = None
    tune: Tuning | None = None
    chosen: tuple[Point, ...] = ()
    outcomes: tuple[str, ...] = ()
    until: Until | None = None
    counts: tuple[int, ...] = ()

    def __len__(self) -> int:
        if self.chosen or self.calibrate or self.tune:
            return len(self.points())
        if self.counts:
            return sum(self.counts)
        return self.replicates * self.places

    @property
    def places(self) -> int:
        """Return the number of points that the blocks give, not counting replicates."""
        total = 1
        for block in self.blocks:
            total *= len(block)
        return total

    @property
    def ties(self) -> Ties:
        """Return the paths of each parameter that sets several paths, by its name."""
        of_blocks = [block.ties for block in self.blocks]
        tie_sets = [*of_blocks, self.tune.ties] if self.tune else of_blocks
        return {name: paths for each in tie_sets for name, paths in each.items()}

    def points(self) -> list[Point]:
        """Return all runs of the sweep in order, or those of the first round of a search."""
        if self.chosen:
            return list(self.chosen)
        if self.calibrate:
            return calibration_beginning(self.calibrate, self.blocks, self.replicates, self.seed)
        if self.tune:
            return tuning_beginning(self.tune, self.replicates, self.seed)
        if not self.counts:
            return list(self.all_points(self.replicates))
        most = max(self.counts)
        all_runs = self.all_points(most)
        own = [point for point in all_runs if point.replicate < self.counts[point.number // most]]
        return [msgspec.structs.replace(point, number=n) for n, point in enumerate(own)]

    def all_points(self, replicates: int) -> Iterator[Point]:
        """Return the points of the blocks, with this number of replicates each."""
        return points(self.blocks, replicates=replicates, seed=self.seed, paired=self.paired)

    def scenario_at(self, params: Assignment, seed: int) -> Scenario:
        """Return the scenario of a point.

        Raises:
            ScenarioError: these values do not make a valid scenario.
        """
        return scenario_at(self.base, self.scenario, params, seed, self.variant, self.ties)

    def varied(self, params: Assignment) -> bool:
        """Return whether `variant` changes anything at a point.

        Raises:
            ScenarioError: a path does not exist.
        """
        chosen = laid_over(parsed(self.base, self.scenario), overrides_of(params, self.ties))
        return bool(plain_tree(laid_over(chosen, self.variant)) != plain_tree(chosen))

    def written_value(self, params: Assignment, path: str) -> str:
        """Return the value at a path in the scenario of a point, as written.

        Raises:
            InputError: the scenario does not set the value.
        """
        node: Node | None = (tree := self._tree(params))
        for key in located(tree, path):
            inside = node.value if node is not None else None
            if isinstance(inside, list) and isinstance(key, int) and key < len(inside):
                node = inside[key]
            else:
                node = inside.get(str(key)) if isinstance(inside, dict) else None
        if node is None:
            raise InputError(
                f"{self.file}: {path} is not set in the scenario; choose a path that the scenario "
                "sets"
            )
        return node.text or show(node)

    def _tree(self, params: Assignment) -> Node:
        tree = parsed(self.base, self.scenario)
        return laid_over(tree, [*overrides_of(params, self.ties), *self.variant])
