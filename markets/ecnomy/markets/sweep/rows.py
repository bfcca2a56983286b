# SPDX-License-Identifier: Apache-2.0
"""Converts outcomes to rows of a table, with parameters as numbers if their values share a unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.markets.sweep.space import ParameterBlock
from ecnomy.markets.sweep.sweep_file import Sweep

if TYPE_CHECKING:  # avoids loading Mesa
    from ecnomy.markets.sweep.outcome import RunOutcome

__all__ = ["RESERVED", "cell_of", "factors_of", "kinds_of", "row_of", "table_of", "whole_of"]

_ENCODE: Final = msgspec.json.Encoder(order="sorted").encode
_WHOLE: Final = re.compile(r"[+-]?\d{1,15}(\s|$)")  # "20", "20 packets"; exact as a double too
RESERVED: Final = (
    *("run", "point", "seed", "status", "reason", "engine_cpu_s"),
    *("wall_s", "data_packets", "generation", "worker", "code", "strategies"),
)


def kinds_of(sweep: Sweep) -> dict[str, str | None]:
    """Return each parameter's unit: "" for pure numbers, None if its values lack a common unit."""
    units = {
        path: kind
        for block in sweep.blocks
        for path, kind in zip(block.paths, _block_kinds(block), strict=True)
    }
    search = sweep.calibrate or sweep.tune
    return units | (search.units if search else {})


def factors_of(sweep: Sweep) -> list[dict[str, Any]]:
    """Return the independent factors of a sweep. The last one varies fastest.

    A grid has a factor for each of its paths. Any other block is one factor, because its paths vary
    together. `labels` and `values` (one tuple for each path) describe the levels of a factor. Both
    are empty for samples.
    """
    factors: list[dict[str, Any]] = []
    for block in sweep.blocks:
        if block.ranges:
            one: dict[str, Any] = {"paths": block.paths, "levels": len(block), "values": ()}
            factors.append({**one, "kind": block.kind, "labels": ()})
        elif block.kind == "grid":
            for number, (path, values) in enumerate(zip(block.paths, block.values, strict=True)):
                labels = block.labels[number] if block.labels else ("",) * len(values)
                one = {"paths": (path,), "levels": len(values), "values": (values,)}
                factors.append({**one, "kind": block.kind, "labels": labels})
        else:
            labels = block.labels[0] if block.labels else ("",) * len(block)
            one = {"paths": block.paths, "levels": len(block), "values": block.values}
            factors.append({**one, "kind": block.kind, "labels": labels})
    return factors


def whole_of(sweep: Sweep) -> list[str]:
    """Return the parameters whose values are all written as integers."""
    parameters: list[str] = []
    for block in sweep.blocks:
        for number, path in enumerate(block.paths):
            if block.ranges:
                whole = block.ranges[number].whole
            else:
                whole = all(_WHOLE.match(str(value)) for value in block.values[number])
            parameters += [path] if whole else []
    return parameters


def cell_of(value: Any, kind: str | None) -> Any:
    """Return a parameter's value for a table. `kind` is the parameter's entry in `kinds_of`."""
    if kind is not None:
        return _number(value)
    return None if value is None else str(value)


def _block_kinds(block: ParameterBlock) -> list[str | None]:
    if block.ranges:
        return [r.unit for r in block.ranges]
    kinds: list[str | None] = []
    for values in block.values:
        units = {str(value).strip().partition(" ")[2] for value in values}
        numbers = all(_number(value) is not None for value in values)
        kinds.append(units.pop() if numbers and len(units) == 1 else None)
    return kinds


def _number(value: Any) -> float | None:
    """Return the number of a quantity such as "0.1 money", or None for other values."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(str(value).strip().partition(" ")[0])
    except ValueError:
        return None


def row_of(outcome: RunOutcome) -> dict[str, Any]:
    """Return the row of an outcome, by column."""
    own = {
        "run": outcome.run,
        "point": outcome.point,
        "seed": outcome.seed,
        "status": outcome.status,
        "reason": outcome.reason,
        "engine_cpu_s": outcome.engine_cpu_s,
        "wall_s": outcome.wall_s,
        "data_packets": outcome.data_packets,
        "generation": outcome.generation,
        "worker": outcome.worker,
        "code": _ENCODE(outcome.code).decode(),
        "strategies": _ENCODE(outcome.strategies).decode(),
    }
    return {**own, **outcome.params, **outcome.values}


def table_of(rows: list[dict[str, Any]], kinds: dict[str, str | None]) -> Any:
    """Return rows as an Arrow table, with the columns of all rows."""
    import pyarrow as pa

    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        if name in kinds:
            columns[name] = _parameter(values, kinds[name])
        elif name in RESERVED:
            columns[name] = pa.array(values)
        else:
            columns[name] = pa.array(values, _type_of(values))
    return pa.table(columns)


def _type_of(values: list[Any]) -> Any:
    import pyarrow as pa

    known = [value for value in values if value is not None]
    whole = bool(known) and all(type(value) is int for value in known)
    return pa.int64() if whole else pa.float64()


def _parameter(values: list[Any], unit: str | None) -> Any:
    import pyarrow as pa

    cells = [cell_of(value, unit) for value in values]
    return pa.array(cells, pa.string() if unit is None else pa.float64())
