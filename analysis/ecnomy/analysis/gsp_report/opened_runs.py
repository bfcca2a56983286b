# SPDX-License-Identifier: Apache-2.0
"""Opens the runs of a report: one scenario with several seeds, several scenarios, or a sweep.

A *case* assigns a value to every varied key. Its runs differ only in their seeds. Keys that set
values of agents, except prices per mark, are *choices* of the provider, and so is the scenario
itself. All other keys belong to the world in which the provider does business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.guarantors import Provider, providers_of
from ecnomy.analysis.sweeps.missing import missing_runs
from ecnomy.analysis.sweeps.value_words import words_of
from ecnomy.markets.results.manifest import MANIFEST
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.sweep.head import head_of, is_sweep

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Material", "ReportRun", "Value", "VariedKey", "open_material", "provider_of"]

Value = float | str
SCENARIO: Final = "scenario"  # the key of runs of several scenarios
_SIZE: Final = ("count", "rate", "mean", "interval", "reading", "idle")


class VariedKey(msgspec.Struct, frozen=True):
    """A varied key.

    Attributes:
        path: path in the scenario, or the name of a parameter that sets several paths.
        unit: unit of the values; "" for text and pure numbers.
        values: values, in the order of the sweep.
        own: whether the key is a choice of a provider.
        base: the scenario's value if it is among `values`; otherwise the first of `values`.
        sets: the paths that a parameter with several paths sets; otherwise empty.
    """

    path: str
    unit: str
    values: tuple[Value, ...]
    own: bool
    base: Value
    sets: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The paths that the key sets."""
        return self.sets or (self.path,)

    @property
    def is_load(self) -> bool:
        """Whether the key takes several numbers that set an amount of traffic."""
        numbers = all(isinstance(value, float) for value in self.values)
        each = [path.split(".") for path in self.places]
        sizes = all(parts[0] == "sources" and parts[-1] in _SIZE for parts in each)
        return numbers and sizes and len(self.values) > 1

    @property
    def is_price(self) -> bool:
        """Whether the key sets a price that a provider charges."""
        numbers = all(isinstance(value, float) for value in self.values)
        prices = all(path.endswith(".price") and "tariff" in path for path in self.places)
        return self.own and numbers and prices

    @property
    def is_marking(self) -> bool:
        """Whether the key sets the marking law of links."""
        each = [path.removesuffix(".law").split(".") for path in self.places]
        return all(p[:2] == ["network", "links"] and p[-1] == "marking" for p in each)

    @property
    def words(self) -> str:
        """The short name of the key on axes, with its unit."""
        parts = self.path.split(".")
        inner = parts if self.sets else parts[1:]
        name = ".".join(part for part in inner if part not in ("agents", "links"))
        if parts[-1] == "count" and parts[0] == "sources":
            name = parts[1]
        return f"{name} [{self.unit}]" if self.unit else name

    def value_text(self, value: Value) -> str:
        """Return a value of the key in words."""
        return words_of(self.values)[value]


class ReportRun(msgspec.Struct, frozen=True):
    """One run of a report.

    Attributes:
        number: number of the run on the page, starting at 1.
        case: the value of each key.
        run: the results; None for all runs of a sweep that did not keep all results.
        row: the run's row in the table of the sweep, by column; {} without a sweep.
    """

    number: int
    label: str
    seed: int
    case: tuple[Value, ...]
    seconds: float
    run: RawRun | None
    row: dict[str, Any]


class Material(msgspec.Struct, frozen=True):
    """The runs of a report and their varied keys.

    Attributes:
        folder: the first results folder, or the folder of the sweep.
        kept: whether the tables of all runs exist.
        left_out: descriptions of runs that are partial, failed, missing, or changed by hand.
        sweep: the folder of the sweep; "" without a sweep.
    """

    folder: Path
    title: str
    keys: tuple[VariedKey, ...]
    made: tuple[ReportRun, ...]
    kept: bool
    left_out: tuple[str, ...]
    sweep: str = ""

    @property
    def providers(self) -> tuple[str, ...]:
        """The names of the providers, from the first run."""
        if self.made[0].run is None:
            ends = ".calls_sold"
            return tuple(n.removesuffix(ends) for n in self.made[0].row if n.endswith(ends))
        return tuple(p.name for p in self.providers_in(self.made[0]))

    def providers_in(self, made: ReportRun) -> tuple[Provider, ...]:
        """Return the providers in a run with kept results."""
        assert made.run is not None
        return providers_of(made.run)

    @property
    def load(self) -> VariedKey | None:
        """The key that sets the load (the one with the most values), or None."""
        loads = sorted((k for k in self.keys if k.is_load), key=lambda k: -len(k.values))
        return loads[0] if loads else None

    @property
    def world(self) -> tuple[Value | None, ...]:
        """The reference world: the base value of each key, or None for choices."""
        return tuple(None if key.own else key.base for key in self.keys)

    def choices(self) -> list[tuple[Value | None, ...]]:
        """Return the choices of providers in the order of the runs; None for other keys."""
        rows = [
            tuple(v if key.own else None for key, v in zip(self.keys, made.case, strict=True))
            for made in self.made
        ]
        return list(dict.fromkeys(rows))

    def at(self, *parts: Sequence[Value | None]) -> tuple[ReportRun, ...]:
        """Return the runs whose case has the given values, of which None matches any."""
        return tuple(
            made
            for made in self.made
            if all(w is None or w == v for p in parts for w, v in zip(p, made.case, strict=True))
        )

    def choice_words(self, choice: Sequence[Value | None]) -> str:
        """Return a choice in words; "" without choices."""
        given = [(k, v) for k, v in zip(self.keys, choice, strict=True) if v is not None]
        if len(given) == 1 and isinstance(given[0][1], str):
            return given[0][0].value_text(given[0][1])
        return ", ".join(
            f"{k.path.rpartition('.')[2]} {k.value_text(v)} {k.unit}".strip() for k, v in given
        )


def open_material(results: Sequence[Path]) -> Material:
    """Open one run, several runs, or a sweep.

    Raises:
        ResultsError: results or a guaranteed stream provider are missing, or a run did not record
            its calls.
        InputError: a sweep is given together with other folders, or a seed occurs twice.
    """
    sweeps = [path for path in results if is_sweep(path)]
    if sweeps and len(results) > 1:
        raise InputError(
            f"{sweeps[0]}: found a sweep together with other folders, expected one sweep "
            "or only runs"
        )
    material = _of_sweep(sweeps[0]) if sweeps else _of_runs(results)
    if not material.providers:
        raise ResultsError(
            f"{material.folder}: found no guaranteed stream provider, which this report requires"
        )
    return material


def _of_runs(results: Sequence[Path]) -> Material:
    runs = [open_raw(path) for path in results]
    for run in runs:
        if not run.plan.record.calls and any(p.offers for p in providers_of(run)):
            raise ResultsError(
                f"{run.path}: calls were not recorded; run the scenario with "
                "record: {calls: true}"
            )
    names = [_without_seed(run) for run in runs]
    distinct = list(dict.fromkeys(names))
    first = {name: runs[names.index(name)] for name in distinct}
    titles = [run.title for run in first.values()]
    if len(set(titles)) < len(titles):
        titles = [str(run.path) for run in first.values()]
    key = _marking_key(list(first.values())) or VariedKey(
        SCENARIO, "", tuple(titles), True, titles[0]
    )
    shown = dict(zip(distinct, key.values, strict=True))
    made: list[ReportRun] = []
    seen: set[tuple[bytes, int]] = set()
    for run, name in zip(runs, names, strict=True):
        who = (name, run.manifest.seed)
        if who in seen:
            raise InputError(
                f"{run.path}: found two runs with the same seed, expected each seed once"
            )
        seen.add(who)
        case: tuple[Value, ...] = (shown[name],) if len(distinct) > 1 else ()
        seconds = run.measured.to_ps / PS_PER_S
        label = str(run.path)
        made.append(ReportRun(len(made) + 1, label, run.manifest.seed, case, seconds, run, {}))
    keys = (key,) if len(distinct) > 1 else ()
    said = [(run.path, note) for run in runs for note in (run.note, run.manifest.changed_by_hand)]
    notes = tuple(f"{path}: {note}" for path, note in said if note)
    return Material(results[0], runs[0].title, keys, tuple(made), True, notes)


def _without_seed(run: RawRun) -> bytes:
    scenario = {k: v for k, v in (run.manifest.scenario or {}).items() if k != "seed"}
    return msgspec.json.encode(scenario, order="sorted")


def _marking_key(runs: Sequence[RawRun]) -> VariedKey | None:
    """Return the marking of a link as a key, if the scenarios differ only in that marking."""
    laws: list[dict[str, Any]] = []  # per scenario: link -> its marking
    rest = set()
    for run in runs:
        scenario = msgspec.json.decode(_without_seed(run))
        links = scenario.get("network", {}).get("links", [])
        laws.append({link["name"]: link.pop("marking", None) for link in links})
        rest.add(msgspec.json.encode({**scenario, "title": ""}, order="sorted"))
    varied = [n for n in laws[0] if len({msgspec.json.encode(each.get(n)) for each in laws}) > 1]
    if len(rest) > 1 or len(varied) != 1:
        return None
    values = tuple(msgspec.json.encode(each[varied[0]]).decode() for each in laws)
    return VariedKey(f"network.links.{varied[0]}.marking", "", values, False, values[0])


def _of_sweep(folder: Path) -> Material:
    from ecnomy.analysis.sweeps.failed_runs import no_finished_run
    from ecnomy.analysis.sweeps.open_sweep import open_sweep, parameter_units

    head, frame = head_of(folder), open_sweep(folder, partial=True)
    units = parameter_units(folder)
    done = frame[frame["status"] == "done"]
    if done.empty:
        raise no_finished_run(folder)
    paths = [path for path in head["kinds"] if path in frame]
    keys = tuple(_key(path, done[path], units.get(path, ""), head) for path in paths)
    rows: list[dict[str, Any]] = [dict(r) for r in done.to_dict("records")]  # type: ignore[arg-type]
    made = tuple(_made(folder, keys, row, head["points"]) for row in rows)
    kept = all(one.run is not None for one in made)
    if not kept:  # all values come from the sweep's table
        made = tuple(msgspec.structs.replace(one, run=None) for one in made)
    notes = _gaps(folder, len(head["points"]), frame["number"], len(frame) - len(done))
    title = head.get("title") or (made[0].run.title if made[0].run else folder.name)
    return Material(folder, title, keys, made, kept, notes, str(folder))


def _gaps(folder: Path, requested: int, there: Iterable[int], failed: int) -> tuple[str, ...]:
    words = f"{failed} of {requested} runs of the sweep failed" if failed else ""
    return tuple(filter(None, (words, missing_runs(folder, requested, there))))


def _key(path: str, column: pd.Series[Any], unit: str, head: dict[str, Any]) -> VariedKey:
    values: list[Value] = [_value(v) for v in column.tolist()]
    values = list(dict.fromkeys(values))
    sets = tuple(head.get("ties", {}).get(path, ()))
    places = sets or (path,)
    own = all(p.startswith("market.agents.") and "price_per_mark" not in p for p in places)
    base_values = {_number(_written(head["base"], place)) for place in places}
    base = base_values.pop() if len(base_values) == 1 and base_values <= set(values) else values[0]
    return VariedKey(path, unit, tuple(values), own, base, sets)


def _value(cell: Any) -> Value:
    return float(cell) if isinstance(cell, int | float) else str(cell)


def _number(written: Any) -> Value:
    try:
        return float(str(written).strip().partition(" ")[0])
    except ValueError:
        return str(written)


def _written(base: str, path: str) -> Any:
    """Return the value at a path of the sweep's scenario; None if it is not set."""
    from ecnomy.markets.inputs.overrides import located
    from ecnomy.markets.inputs.yamlfile import parse

    node: Any = msgspec.json.decode(base)
    for key in located(parse(base, "", lines=False), path):
        if isinstance(node, dict):
            node = node.get(str(key))
        else:
            inside = isinstance(node, list) and isinstance(key, int) and key < len(node)
            node = node[key] if inside else None
    return node


def _made(
    folder: Path, keys: tuple[VariedKey, ...], row: dict[str, Any], points: Sequence[str]
) -> ReportRun:
    number = int(row["number"])
    kept = folder / "runs" / points[number]
    run = open_raw(kept) if (kept / MANIFEST).is_file() else None
    case = tuple(_value(row[k.path]) for k in keys)
    hours = [float(row[name]) for name in row if name.endswith(".hours")]
    seconds = run.measured.to_ps / PS_PER_S if run else 3600 * max(hours, default=0.0)
    return ReportRun(number + 1, str(kept), int(row["seed"]), case, seconds, run, row)


def provider_of(made: ReportRun, name: str) -> Provider:
    """Return the provider with a given name in a run with kept results."""
    assert made.run is not None
    return next(p for p in providers_of(made.run) if p.name == name)
