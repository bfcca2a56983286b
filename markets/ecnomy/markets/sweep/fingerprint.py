# SPDX-License-Identifier: Apache-2.0
"""Computes the key of a run from digests of everything that determines its outcome.

    key = sha256(plan digest, seed, market part, engine binary, ecnomy's sources, versions of
                 packages, strategy modules)

The strategy modules are the modules of users' strategies, roles, utilities, tariffs and
settlements, with their local imports. Local modules are those outside ecnomy, the standard library
and site-packages, with the packages that contain them. Imports are found by parsing import
statements.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.roles.find import find_role
from ecnomy.agents.spec import MarketSpec, StrategySpec
from ecnomy.agents.strategies import BUILT_IN, GROUP, find
from ecnomy.agents.utilities import GROUPS
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, engine_kind
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms import own_tariff as own
from ecnomy.markets.terms.tariffs import own_kinds

__all__ = [
    "Code",
    "code_now",
    "digest_of",
    "edited_since",
    "forget_edited_modules",
    "measure_modules",
    "modules_named_in",
    "remember_modules",
    "run_key",
    "strategy_modules",
]

_DEPENDED_ON: Final = ("mesa", "numpy", "pint", "PyYAML", "scipy", "topohub")
_NAMED: Final = re.compile(r"([A-Za-z_][\w.]*):[A-Za-z_]\w*")
_ANALYSIS: Final = "ecnomy.analysis."
_RACE_S: Final = 2.0  # file systems round modification times to at most two seconds
_PACKAGES: Final = ("ecnomy.agents", "ecnomy.markets")


class Code(msgspec.Struct, frozen=True):
    """The digests of the code that simulates, except users' modules."""

    engine: str
    sources: str
    packages: str  # versions of Python and of the packages that can affect results


@functools.cache
def code_now(engine: str = DEFAULT_ENGINE) -> Code:
    """Return the digests of the named engine, and of this process's sources and packages.

    Raises:
        EngineError: the engine does not exist.
        InputError: the name is unknown, or OMNeT++ or the Linux engine is missing.
    """
    return Code(engine_kind(engine).digest(), _sources(), _packages())


def run_key(plan: Plan, market: MarketSpec | None, code: Code, strategies: dict[str, str]) -> str:
    """Return the key of a run. `strategies` holds the digests from `strategy_modules`."""
    terms = msgspec.to_builtins(market, str_keys=True)  # prices by time of day have numeric keys
    parts = [plan.digest, plan.seed, terms, code, strategies]
    return _sha(msgspec.json.encode(parts, order="sorted"))


def strategy_modules(market: MarketSpec | None) -> dict[str, str]:
    """Return the digests of a market's user modules (such as those of strategies), by name."""
    digests: dict[str, str] = {}
    for kind, group in _named_in(market) if market else ():
        module = _module_of(kind, group)
        if module and not module.startswith("ecnomy."):
            _gather(module, digests)
    return dict(sorted(digests.items()))


def _named_in(market: MarketSpec) -> Iterator[tuple[str, str]]:
    """Yield each kind that may name a user module, with its group of entry points."""
    yield market.settlement, "ecnomy.settlements"
    for agent in market.agents:
        yield agent.role, "ecnomy.roles"
        rows = [line.strategy for line in agent.lines] + [line.strategy for line in agent.elastic]
        for strategy in (agent.strategy, *rows):
            if strategy is not None and strategy.kind not in BUILT_IN:
                yield strategy.kind, GROUP
            yield from _utilities_of(strategy)
        for contract in agent.contracts:
            for kind in own_kinds(contract.tariff):
                yield kind, own.GROUP


def _utilities_of(strategy: StrategySpec | None) -> Iterator[tuple[str, str]]:
    """Yield each kind in a strategy's parameters that may name a user class, once per group."""
    for param in strategy.params.values() if strategy is not None else ():
        if isinstance(param, dict) and isinstance(kind := param.get("kind"), str):
            yield from ((kind, group) for group in GROUPS)
        elif isinstance(param, dict):  # a menu of strategies, or prices by time
            for one in (value for value in param.values() if isinstance(value, dict)):
                inner = {key: value for key, value in one.items() if key != "kind"}
                if one["kind"] not in BUILT_IN:
                    yield one["kind"], GROUP
                yield from _utilities_of(StrategySpec(one["kind"], inner))


def measure_modules(measure: str, apart: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the digests of the modules of a sweep's measure, by name.

    If the measure is a module of ecnomy.analysis, the modules that it imports from there are
    included, but not the packages that contain them.

    Args:
        measure: `module:function` or a module; "" for a sweep without a measure.
        apart: modules of ecnomy.analysis to exclude together with their imports.
    """
    digests: dict[str, str] = {}
    module = measure.partition(":")[0]
    if module.startswith(_ANALYSIS):
        _gather_analysis(module, digests, apart)
    elif module:
        _gather(module, digests)
    return dict(sorted(digests.items()))


def _gather_analysis(module: str, digests: dict[str, str], apart: tuple[str, ...]) -> None:
    file = _file(module)
    if module in digests or module in apart or file is None or file.name == "__init__.py":
        return
    text = file.read_bytes()
    digests[module] = _sha(text)
    for name in _imports(text, module, is_package=False):
        if name.startswith(_ANALYSIS):
            _gather_analysis(name, digests, apart)


def modules_named_in(*texts: str) -> dict[str, str]:
    """Return the digests of the user modules that texts name as `module:Class`, by name."""
    digests: dict[str, str] = {}
    for module in (name for text in texts for name in _NAMED.findall(text)):
        if _is_local(module):
            _gather(module, digests)
    return dict(sorted(digests.items()))


def digest_of(module: str) -> str:
    """Return the digest of a module's file, or "" if the file is gone."""
    file = _file(module)
    return _sha(_source(file)) if file else ""


def remember_modules(digests: dict[str, str]) -> None:
    """Remember the digests of modules that this process has imported."""
    _IMPORTED.update(digests)


def forget_edited_modules() -> None:
    """Unload the user's modules if any of their files has changed since they were imported.

    Workers of a cluster may live longer than a version of a strategy file.
    """
    importlib.invalidate_caches()
    edited = {name for name, sha in _IMPORTED.items() if digest_of(name) != sha}
    if not edited:
        return
    for name in _IMPORTED:
        # An unchanged module of ecnomy stays, because other modules refer to it.
        if name in edited or not name.startswith(_ANALYSIS):
            sys.modules.pop(name, None)
    _IMPORTED.clear()
    find.cache_clear()
    find_role.cache_clear()


def edited_since(digests: dict[str, str]) -> list[str]:
    """Return the names of the modules whose files no longer match these digests."""
    return sorted(name for name, digest in digests.items() if digest_of(name) != digest)


_IMPORTED: dict[str, str] = {}


def _module_of(kind: str, group: str) -> str:
    if ":" in kind:
        return kind.partition(":")[0]
    entries = _entries(group, tuple(_dated(place) for place in sys.path))
    return entries.get(kind, "").partition(":")[0]


@functools.lru_cache(maxsize=64)
def _entries(group: str, places: tuple[tuple[str, int], ...]) -> dict[str, str]:
    """Return the entry points of a group, read again when `places` have changed."""
    return {entry.name: entry.value for entry in importlib.metadata.entry_points(group=group)}


def _dated(place: str) -> tuple[str, int]:
    try:
        return place, os.stat(place or ".").st_mtime_ns
    except OSError:
        return place, 0


def _gather(module: str, digests: dict[str, str]) -> None:
    if module in digests:
        return
    file = _file(module)
    if file is None:
        return
    text = _source(file)
    digests[module] = _sha(text)
    if package := module.rpartition(".")[0]:
        _gather(package, digests)  # importing a module runs the packages that contain it
    for name in _imports(text, module, is_package=file.name == "__init__.py"):
        if _is_local(name):
            _gather(name, digests)


def _source(file: Path) -> bytes:
    """Return the source of a user's module, and remove bytecode that may be out of date.

    Python accepts bytecode if the source has the same size and the same modification time in
    seconds.
    """
    with contextlib.suppress(OSError, NotImplementedError):
        cached = Path(importlib.util.cache_from_source(file))
        if abs(cached.stat().st_mtime - file.stat().st_mtime) < _RACE_S:
            cached.unlink()
    return file.read_bytes()


def _file(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except Exception:  # finding a module runs its package, which may fail
        return None
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


@functools.lru_cache(maxsize=1024)
def _imports(text: bytes, module: str, *, is_package: bool) -> tuple[str, ...]:
    return tuple(_imported(text, module, is_package=is_package))


def _imported(text: bytes, module: str, *, is_package: bool) -> Iterable[str]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                base = f"{above}.{base}".strip(".") if base else above
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_local(module: str) -> bool:
    top = module.partition(".")[0]
    if not top or top in sys.stdlib_module_names or top == "ecnomy":
        return False
    file = _file(module)
    return file is not None and not any(file.is_relative_to(folder) for folder in _installed())


@functools.cache
def _installed() -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(Path(sysconfig.get_path(name)).resolve() for name in names)


def _packages() -> str:
    versions = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _DEPENDED_ON:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return _sha(msgspec.json.encode(versions, order="sorted"))


def _sources() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".py", ".txt") and file.is_file():
                digest.update(f"{package}/{file.relative_to(folder)}\0".encode())
                digest.update(_sha(file.read_bytes()).encode())
    return digest.hexdigest()


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
