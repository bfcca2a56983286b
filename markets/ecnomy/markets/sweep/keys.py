# SPDX-License-Identifier: Apache-2.0
"""The keys of a sweep file, each with description, form, default and example.

The readers of sweep files and the reference (`ecnomy explain`) use these keys.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.markets.engines.registry import DEFAULT_ENGINE, SIMULATORS
from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.yamlfile import Node

__all__ = [
    "CALIBRATE",
    "LIMITS",
    "MOST_RUNS",
    "PARAMETERS",
    "RANGE",
    "SWEEP",
    "TUNE",
    "UNTIL",
    "Key",
]

MOST_RUNS: Final = 10**7
_PATH: Final = "market.price_per_mark"


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key of a sweep file.

    Attributes:
        about: description, in one sentence.
        note: further sentences of the description.
        form: the reader of the value, or a description of the value's form.
        default: the default as YAML; None if the key is required, "" if it has no default.
        example: an example value, on one line.
        below: the keys in the value, if the value is a mapping.
        many: whether the value may also be a list of such values.
    """

    about: str
    form: Amount | Choice | Number | str
    default: str | None = ""
    example: str
    below: dict[str, Key] = {}
    note: str = ""
    many: bool = False

    @property
    def takes(self) -> str:
        """Return a description of the value's form."""
        return self.form if isinstance(self.form, str) else self.form.expected

    def read(self, node: Node, path: str) -> Any:
        """Read the value from a node. The key must have a reader.

        Raises:
            ScenarioError: the value is invalid.
        """
        assert not isinstance(self.form, str), "the form is only in words"
        return self.form.read(node, path)


def _count(least: int, most: int) -> Number:
    return Number(what="a whole number", least=least, most=most, whole=True)


RANGE: Final = {
    "from": Key(
        about="Lowest value of the range.",
        form="a number, with its unit",
        default=None,
        example="0.01 money",
    ),
    "to": Key(
        about="Highest value of the range.",
        form="a number, with its unit",
        default=None,
        example="0.1 money",
    ),
    "scale": Key(
        about="Whether values or their logarithms are spread evenly.",
        form=Choice(("linear", "log")),
        default="linear",
        example="log",
    ),
}
_PATHS: Final = Key(
    about="Paths that a named parameter sets, all to one value.",
    form="a list of paths",
    example="[market.agents.north.price_per_mark, market.agents.south.price_per_mark]",
)
_OVER: Final = Key(
    about="Paths of the scenario, each with the range of its values.",
    form="a mapping of paths to {from: A, to: B}",
    default=None,
    example=f"{{{_PATH}: {{from: 0.01 money, to: 0.1 money, scale: log}}}}",
    below={"<path>": Key(about="", form="", example="", below={**RANGE, "paths": _PATHS})},
)
_SAMPLES: Final = Key(
    about="Number of points to draw.",
    form=_count(1, MOST_RUNS),
    default=None,
    example="50",
)
_LISTED: Final = f"{{{_PATH}: [0.1 money, 0.2 money], sources.gold.count: [1, 2]}}"
_RANGED: Final = f"over: {{{_PATH}: {{from: 0.01 money, to: 0.1 money}}}}"

PARAMETERS: Final = {
    "grid": Key(
        about="Values of each path; every combination is a point.",
        form="a mapping of paths to lists of values",
        example=_LISTED,
    ),
    "list": Key(
        about="Points one by one, each a mapping of the same paths to values.",
        form="a list of mappings from paths to values",
        example=f"[{{label: cheap, {_PATH}: 0.1 money}}, {{label: dear, {_PATH}: 0.2 money}}]",
    ),
    "zip": Key(
        about="Values of each path, taken together: point n has the n-th value of every path.",
        form="a mapping of paths to lists of values, all of one length",
        example=_LISTED,
    ),
    "random": Key(
        about="Points drawn at random from ranges.",
        form="{samples: N, over: {PATH: {from: A, to: B}}}",
        example=f"{{samples: 50, {_RANGED}}}",
        below={"samples": _SAMPLES, "over": _OVER},
    ),
    "latin-hypercube": Key(
        about="Points spread over ranges: each of the N equal parts of a range has one point.",
        form="{samples: N, over: {PATH: {from: A, to: B}}}",
        example=f"{{samples: 50, {_RANGED}}}",
        below={"samples": _SAMPLES, "over": _OVER},
    ),
    "sobol": Key(
        about="Plan for `ecnomy sensitivity`: shares of the variance that parameters account for.",
        form="{samples: N, over: {PATH: {from: A, to: B}}}",
        example=f"{{samples: 64, {_RANGED}}}",
        below={
            "samples": Key(
                about="Base samples, a power of 2; the plan has samples x (parameters + 2) points.",
                form=_count(2, MOST_RUNS),
                default=None,
                example="64",
            ),
            "over": _OVER,
            "second-order": Key(
                about="Whether to compute indices of pairs, with about twice as many points.",
                form=Choice(("true", "false")),
                default="false",
                example="true",
            ),
        },
    ),
    "morris": Key(
        about="Plan for `ecnomy sensitivity`: ranks parameters with few runs.",
        form="{trajectories: N, over: {PATH: {from: A, to: B}}}",
        example=f"{{trajectories: 8, {_RANGED}}}",
        below={
            "trajectories": Key(
                about="Trajectories; the plan has trajectories x (parameters + 1) points.",
                form=_count(2, MOST_RUNS),
                default=None,
                example="8",
            ),
            "over": _OVER,
            "levels": Key(
                about="Number of values of each parameter.",
                form=Number(what="an even number of levels", least=2, most=100, whole=True),
                default="4",
                example="6",
            ),
        },
    ),
}

LIMITS: Final = {
    "time": Key(
        about="Longest wall time of a run; a longer run counts as failed.",
        form=Amount(what="a time", example="10 min", units=("ps",), above=True),
        example="10 min",
    ),
    "memory": Key(
        about="Largest address space of a run's engine.",
        form=Amount(what="a size", example="2 GB", units=("byte",), least=10**7, most=10**15),
        example="2 GB",
    ),
}

UNTIL: Final = {
    "outcome": Key(
        about="Column whose confidence interval decides; by default the main outcome.",
        form="the name of a column",
        example="gold.goodput_bps",
    ),
    "half-width": Key(
        about="Half-width of the interval at which a point has enough replicates.",
        form="a share of the mean such as 2 %, or a number in the outcome's unit",
        default=None,
        example="2 %",
    ),
    "level": Key(
        about="Confidence level of the intervals, for all looks at a point together.",
        form="a level from 50 % to below 100 %",
        default="95 %",
        example="99 %",
    ),
    "most": Key(
        about="Maximum number of replicates per point.",
        form=_count(2, 10**6),
        default="100",
        example="50",
    ),
}

CALIBRATE: Final = {
    "figure": Key(
        about="Column of the runs that should meet the target.",
        form="the name of a column",
        default=None,
        example="callers.late_over_15ms",
    ),
    "target": Key(
        about="Target of the column, or a list with one target for each point of `parameters`.",
        form=Number(what="a number", least=-1e300, most=1e300),
        many=True,
        default=None,
        example="0.01",
    ),
    "parameter": Key(
        about="Path of the value to vary until the column meets the target.",
        form="the path of a value",
        default=None,
        example="network.links.trunk.marking.max_threshold",
    ),
    **RANGE,
    "step": Key(
        about="Values are multiples of this; by default any value of four digits.",
        form="a number, with its unit",
        example="6 packets",
    ),
    "with": Key(
        about="Paths set to a multiple of the parameter's value, each with its factor.",
        form=Number(what="a number", least=-1e12, most=1e12),
        example="{network.links.trunk.marking.min_threshold: 0.1666666667}",
    ),
    "figure_goes": Key(
        about="Whether the column rises or falls as the parameter rises.",
        form=Choice(("up", "down")),
        default="up",
        example="down",
    ),
    "first": Key(
        about="Number of values in the first round, both ends of the range included.",
        form=_count(2, 1000),
        default="5",
        example="8",
    ),
    "most": Key(
        about="Maximum number of values that a search tries.",
        form=_count(2, 1000),
        default="12",
        example="20",
    ),
    "within": Key(
        about="Relative distance below which two values count as one.",
        form=Number(what="a share", least=0, most=0.5),
        default="0.01",
        example="0.02",
    ),
}

TUNE: Final = {
    "over": _OVER,
    "maximise": Key(
        about="Column of the runs to maximise.",
        form="the name of a column",
        example="profit.access",
    ),
    "minimise": Key(
        about="Column of the runs to minimise.",
        form="the name of a column",
        example="callers.late_over_15ms",
    ),
    "target": Key(
        about="Column to bring to a target value, and the relative tolerance.",
        form="{outcome: a column, value: a number, within: 1 %}",
        example="{outcome: callers.late_over_15ms, value: 1 %, within: 5 %}",
    ),
    "constraints": Key(
        about="Columns with bounds on their means over seeds.",
        form="a mapping of columns to {at-least: A, at-most: B}",
        example="{home.goodput_bps: {at-least: 1e6}}",
    ),
    "trials": Key(
        about="Total number of assignments to try.",
        form=_count(2, 10_000),
        default="60",
        example="100",
    ),
    "first": Key(
        about="Number of initial trials, spread over the ranges; by default a quarter of all.",
        form=_count(2, 10_000),
        example="15",
    ),
    "batch": Key(
        about="Number of trials chosen together from earlier ones; by default a tenth of all.",
        form=_count(1, 1000),
        example="6",
    ),
    "check": Key(
        about="Number of runs of the best assignment, with seeds that the search has not used.",
        form=_count(2, 1000),
        default="10",
        example="20",
    ),
}

SWEEP: Final = {
    "version": Key(about="Version of the format.", form="1", default=None, example="1"),
    "title": Key(
        about="Title of the sweep on pages and in tables.",
        form="text",
        example="The price of a mark",
    ),
    "scenario": Key(
        about="Scenario that is varied; its path is relative to the sweep file.",
        form="the path of a scenario file",
        default=None,
        example="../examples/gold-silver.yaml",
    ),
    "set": Key(
        about="Paths of the scenario with the values that all runs have.",
        form="a mapping of paths to values",
        example="{duration: 60 s}",
    ),
    "parameters": Key(
        about="Blocks of parameters to vary; every combination of their points is a point.",
        form=f"a mapping with {', '.join(PARAMETERS)}",
        example=f"{{grid: {_LISTED}}}",
        below=PARAMETERS,
        note=(
            "A value may be a mapping with `label` and `value`; the label replaces it in tables "
            "and plots. Items of a list have `label` next to their paths. A zip has a list of "
            "labels. A parameter with `paths` sets several paths to one value, which comes from "
            "`values`, or from `from` and `to`. Its name has no dots and is not the name of "
            "another column. In paths `*` stands for every item, and `[law=red]` for items with "
            "this value. Ranges of whole numbers give whole values. Each path is in one block "
            "only. A file with morris or sobol has no other block."
        ),
    ),
    "replicates": Key(
        about="Number of runs of each point, which differ only in their seeds.",
        form=_count(1, MOST_RUNS),
        default="1",
        example="10",
    ),
    "seed": Key(
        about="Seed of the first replicate, and of the draws of points.",
        form=_count(0, 2**62),
        default="1",
        example="2",
    ),
    "seeds": Key(
        about="Whether all points have the same seeds, which makes comparisons more precise.",
        form=Choice(("paired", "independent")),
        default="paired",
        example="independent",
        note=("With independent, even equal values under two labels get different seeds."),
    ),
    "limits": Key(
        about="Limits of a run; a run that exceeds a limit counts as failed.",
        form="a mapping with time or memory",
        example="{time: 10 min, memory: 2 GB}",
        below=LIMITS,
    ),
    "keep": Key(
        about="Whether to keep the results folder of each run.",
        form=Choice(("results", "nothing")),
        default="nothing",
        example="results",
    ),
    "measure": Key(
        about="Function that adds outcome columns, from the results folder of each run.",
        form="module:function",
        example="ecnomy.analysis.run.lateness:late_shares",
        note=(
            "The function takes the folder (a Path) and returns a mapping of names to numbers, "
            "None, or rows of numbers (columns name[0], name[1] ...). Its module must be on "
            "the Python path."
        ),
    ),
    "outcomes": Key(
        about="Columns that tables and pages report, the main column first.",
        form="a list of columns of the runs",
        example="[balance.shop, gold.goodput_bps]",
        note=("By default welfare, profits, goodput and similar columns that the runs have."),
    ),
    "until": Key(
        about="Adds replicates to a point until the interval of its main outcome is narrow enough.",
        form="half-width 2 %, half-width 0.5, or {outcome: NAME, half-width: 2 %, most: 100}",
        example="half-width 2 %",
        below=UNTIL,
        note=(
            "A point gets its `replicates` (5 at least), then half as many more at a time, "
            "until the interval is narrow enough. All looks at a point share the 5 % probability "
            "that an interval fails, so early stopping costs no coverage. The number of runs "
            "depends on recorded outcomes alone."
        ),
    ),
    "calibrate": Key(
        about="Searches one parameter for the value at which a column meets a target.",
        form="a mapping with figure, target, parameter, from, to",
        example="{figure: callers.late_over_15ms, target: 0.01, parameter: PATH, from: 1, to: 9}",
        below=CALIBRATE,
    ),
    "tune": Key(
        about="Searches parameters for the best value of a column, instead of `parameters`.",
        form="a mapping with over and one of maximise, minimise, target",
        example=f"{{{_RANGED}, maximise: profit.access}}",
        below=TUNE,
    ),
    "quick": Key(
        about="Other values of some keys, for the option --quick.",
        form="a mapping with set, parameters, replicates, until, calibrate, tune",
        example="{replicates: 2, set: {duration: 20 s}}",
        note="In a tournament file, `quick` may have `tournament`, with only the keys that differ.",
    ),
    "engine": Key(
        about="Engine of all runs; the option --engine takes precedence.",
        form=Choice(SIMULATORS),
        default=DEFAULT_ENGINE,
        example="omnet",
        note=(
            "All runs in a folder use one engine. Without `engine`, a repeated command uses the "
            "folder's engine. For another engine, pass another --out."
        ),
    ),
}
