# SPDX-License-Identifier: Apache-2.0
"""Creates utility objects, built-in or custom, from a scenario's `utility:`.

The annotation of a strategy's parameter declares a family of utilities, from which the scenario
loader takes units:

    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]            of a rate
    utility: Annotated[Mapping[str, object], OneOf(TIME_UTILITIES, find_time_utility)]  of a time
    utility: Annotated[Mapping[str, object], OneOf(CALL_UTILITIES, find_call_utility)]  of a call

Users name a custom class by `module:Class`, or by a name in the family's entry-point group.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ecnomy.agents import find as families
from ecnomy.agents.errors import EcnomyError, StrategyError
from ecnomy.agents.find import Family
from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities.e_model import CallUtility, EModel
from ecnomy.agents.utilities.elastic import AlphaFair, Log, Quadratic, Sqrt, Target
from ecnomy.agents.utilities.inelastic import Sigmoid, Step
from ecnomy.agents.utilities.times import FileDeadline, PageWait, TimeUtility
from ecnomy.agents.utilities.utility import Utility

__all__ = [
    "CALL_UTILITIES",
    "GROUPS",
    "TIME_UTILITIES",
    "UTILITIES",
    "call_utility_of",
    "concave_utility_of",
    "find_call_utility",
    "find_time_utility",
    "find_utility",
    "time_utility_of",
    "utility_of",
]

UTILITIES: Final[Mapping[str, type]] = {
    "log": Log,
    "alpha-fair": AlphaFair,
    "sqrt": Sqrt,
    "quadratic": Quadratic,
    "target": Target,
    "sigmoid": Sigmoid,
    "step": Step,
}
TIME_UTILITIES: Final[Mapping[str, type]] = {"file-deadline": FileDeadline, "page": PageWait}
CALL_UTILITIES: Final[Mapping[str, type]] = {"e-model": EModel}
GROUPS: Final = ("ecnomy.utilities", "ecnomy.time_utilities", "ecnomy.call_utilities")
_PROBES: Final = np.array([0.5, 1.0, 2.0])


def _family(noun: str, group: str, method: str, kinds: Mapping[str, type]) -> Family:
    paths = {name: f"{kind.__module__}:{kind.__qualname__}" for name, kind in kinds.items()}
    return Family(noun=noun, group=group, methods=(method,), error=StrategyError, built_in=paths)


_RATES: Final = _family("utility", GROUPS[0], "worth", UTILITIES)
_TIMES: Final = _family("utility of time", GROUPS[1], "demand_bps", TIME_UTILITIES)
_CALLS: Final = _family("utility of calls", GROUPS[2], "value", CALL_UTILITIES)


def find_utility(kind: str) -> type:
    """Return the class of a utility of rates: from UTILITIES, `module:Class` or an entry point.

    Raises:
        StrategyError: the class does not exist, cannot be imported, or lacks the method `worth` of
            `RateUtility`.
    """
    return families.find(_RATES, kind)


def find_time_utility(kind: str) -> type:
    """Return the class of a utility of time, found as by find_utility, with `demand_bps`."""
    return families.find(_TIMES, kind)


def find_call_utility(kind: str) -> type:
    """Return the class of a utility of calls, found as by find_utility, with `value`."""
    return families.find(_CALLS, kind)


def utility_of(params: Mapping[str, object]) -> Utility:
    """Return the utility of rates for a mapping with `kind` and its parameters.

    Raises:
        Refused: the kind is unknown; a parameter is unknown, missing or out of range; or a custom
            class does not return numbers.
    """
    made = cast(Utility, _made(_RATES, params))
    if params["kind"] not in UTILITIES:
        _probe(str(params["kind"]), made.value(_PROBES), made.slope(_PROBES))
    return made


def concave_utility_of(params: Mapping[str, object]) -> Utility:
    """Return the concave utility of rates for a mapping with `kind` and its parameters.

    Raises:
        Refused: as for utility_of; or the utility is not concave.
    """
    made = utility_of(params)
    if not made.concave:
        ours = [name for name in UTILITIES if name not in ("sigmoid", "step")]
        raise Refused("kind", f"{params['kind']!r}, not concave", f"one of {', '.join(ours)}")
    return made


def time_utility_of(params: Mapping[str, object]) -> TimeUtility:
    """Return the utility of time for a mapping; errors are as for utility_of."""
    made = cast(TimeUtility, _made(_TIMES, params))
    if params["kind"] not in TIME_UTILITIES:
        _probe(str(params["kind"]), made.value(_PROBES), made.slope(_PROBES))
    return made


def call_utility_of(params: Mapping[str, object]) -> CallUtility:
    """Return the utility of calls for a mapping; errors are as for utility_of."""
    made = cast(CallUtility, _made(_CALLS, params))
    if params["kind"] not in CALL_UTILITIES:
        _probe(str(params["kind"]), made.value(_PROBES / 10, _PROBES / 100))
    return made


def _made(family: Family, params: Mapping[str, object]) -> object:
    kind = params.get("kind")
    cls = _class_of(family, kind)
    rest = {key: value for key, value in params.items() if key != "kind"}
    if dataclasses.is_dataclass(cls):
        names = [field.name for field in dataclasses.fields(cls)]
        for key in (key for key in rest if key not in names):
            found = f"a parameter that {kind} does not have"
            raise Refused(key, found, f"one of {', '.join(names)}")
    try:
        made: object = cls(**rest)
    except TypeError as error:
        raise Refused("kind", f"{kind!r} ({error})", "all parameters of this kind") from None
    return made


def _class_of(family: Family, kind: object) -> type:
    if not isinstance(kind, str):
        raise Refused("kind", repr(kind), f"one of {', '.join(family.built_in)}")
    try:
        return families.find(family, kind)
    except EcnomyError as error:
        if ":" not in kind:
            raise Refused("kind", repr(kind), f"one of {', '.join(family.built_in)}") from None
        reason = " ".join(str(error).split())
        raise Refused("kind", repr(kind), f"a {family.noun} ({reason})") from None


def _probe(kind: str, *columns: object) -> None:
    """Refuse a custom class whose results are not columns of numbers."""
    for answer in columns:
        numbers = np.asarray(answer)
        if numbers.shape != _PROBES.shape or numbers.dtype.kind not in "fiu":
            found = f"{kind!r}, which returns {answer!r:.60} for a column of 3 numbers"
            raise Refused("kind", found, "a utility that returns a column of the same length")
        if np.isnan(numbers).any():
            raise Refused("kind", f"{kind!r}, which returns NaN", "a utility that returns numbers")
