# SPDX-License-Identifier: Apache-2.0
"""Reads providers' prices and refunds from the scenario, for sweeps without kept results.

The scenario is the base of the sweep with the values of a run. It is not validated again, so its
strategies need not be installed. Only names, prices and refunds of tariffs are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ecnomy.analysis.gsp_report.opened_runs import Material
from ecnomy.analysis.run.guarantors import Provider, TariffRow
from ecnomy.markets.inputs.overrides import apply
from ecnomy.markets.inputs.yamlfile import Node, parse
from ecnomy.markets.sweep.blocks import plain_tree
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.ties import paths_under

__all__ = ["swept_providers"]

_AS_PRICE: Final = "price"


def swept_providers(material: Material) -> dict[int, tuple[Provider, ...]]:
    """Return run number -> providers, with the prices and refunds of their calls in words."""
    from ecnomy.analysis.sweeps.open_sweep import open_sweep, parameter_units

    head, units = head_of(material.folder), parameter_units(material.folder)
    base = parse(head["base"], "", lines=False)
    rows = {int(row["number"]) + 1: row for row in _rows(open_sweep(material.folder, raw=True))}
    paths, ties = [key.path for key in material.keys], head.get("ties", {})
    providers_at: dict[tuple[Any, ...], tuple[Provider, ...]] = {}
    by_run = {}
    for made in material.made:
        values = tuple(rows[made.number][path] for path in paths)
        if values not in providers_at:
            changes = [
                _change(place, value, units.get(path))
                for path, value in zip(paths, values, strict=True)
                for place in paths_under([path], ties)
            ]
            providers_at[values] = _providers(base, [*changes, *head.get("variant", ())], material)
        by_run[made.number] = providers_at[values]
    return by_run


def _rows(frame: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame.to_dict("records")
    return rows


def _change(path: str, value: Any, unit: str | None) -> str:
    if isinstance(value, str):
        return f"{path}={value}"
    return f"{path}={value} {unit or ''}".rstrip()


def _providers(base: Node, changes: Sequence[str], material: Material) -> tuple[Provider, ...]:
    tree = base
    for change in changes:
        tree = apply(tree, change)
    agents = (plain_tree(tree).get("market") or {}).get("agents") or ()
    by_name = {agent.get("name"): agent for agent in agents}
    return tuple(Provider(n, _offers(by_name.get(n, {})), (), ()) for n in material.providers)


def _offers(agent: Mapping[str, Any]) -> tuple[TariffRow, ...]:
    table = agent.get("tariffs") or {}
    if agent.get("tariff"):
        table = {"calls": agent["tariff"]}
    return tuple(_offer(name, i, row) for i, (name, row) in enumerate(table.items()))


def _offer(name: str, index: int, row: Mapping[str, Any]) -> TariffRow:
    back = row.get("reimbursement", _AS_PRICE)
    return TariffRow(
        name=name,
        index=index,
        sources=(),
        price=_amount(row.get("price")),
        reimbursement=_amount(back),
        tied=back == _AS_PRICE,
        max_delay_ps=-1,
        max_delay_rate=math.nan,
        max_blocking_rate=None,
        max_time=None,
        strategy={},
    )


def _amount(written: Any) -> str:
    """Return an amount in a normal form, which is the same for `0.1 money` and `0.10 money`."""
    number, _, unit = str(written).strip().partition(" ")
    try:
        return f"{float(number)!r} {unit.strip()}"
    except ValueError:
        return json.dumps(written, sort_keys=True)
