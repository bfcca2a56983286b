# SPDX-License-Identifier: Apache-2.0
"""Finds a built-in or custom class by name, and creates objects of it from parameters.

A name is a built-in name, a dotted path (`my_lab.tariffs:Mine`) or the name of an entry point.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from ecnomy.agents.errors import EcnomyError

__all__ = ["Family", "blame", "find", "guarded", "look_beside", "make", "nearest"]

_PACKAGE: Final = Path(__file__).parent

Result = TypeVar("Result")


def look_beside(file: str | os.PathLike[str]) -> None:
    """Search for custom classes also in the folder of a scenario and in the working directory.

    Installed packages take precedence.
    """
    beside = Path(file).resolve().parent if os.path.isfile(file) else None
    for folder in (beside, Path.cwd()):
        if folder is not None and str(folder) not in sys.path:
            sys.path.append(str(folder))


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A family of interchangeable classes, such as strategies.

    Attributes:
        noun: the word for a member in messages.
        group: the group of entry points in which installed packages register members.
        methods: names of methods; a class with any of them belongs to the family.
        error: the exception for a member that is missing or invalid.
        built_in: name -> `module:Class`.
    """

    noun: str
    group: str
    methods: tuple[str, ...]
    error: type[EcnomyError]
    built_in: dict[str, str] = {}


def find(family: Family, kind: str) -> type:
    """Return the class of a family by built-in name, `module:Class` or entry point.

    Raises:
        EcnomyError: the class does not exist, cannot be imported, or has none of the methods. For
            an unknown name, the message suggests the nearest name or lists the known names. The
            type of the exception is the family's `error`.
    """
    if kind in family.built_in:
        return _load(family, kind, family.built_in[kind])
    if ":" in kind:
        return _load(family, kind, kind)
    listed = importlib.metadata.entry_points(group=family.group)
    entries = {entry.name: entry.value for entry in listed}
    if kind in entries:
        return _load(family, kind, entries[kind])
    module, _, name = kind.rpartition(".")
    if module and name[:1].isupper():
        raise family.error(f"no {family.noun} {kind[:80]!r}; did you mean '{module}:{name}'?")
    if near := nearest(kind[:40], [*family.built_in, *entries]):
        raise family.error(f"no {family.noun} {kind[:40]!r}; did you mean {near!r}?")
    raise family.error(
        f"no {family.noun} {kind!r}; built in: {', '.join(family.built_in) or 'none'}; entry "
        f"points in {family.group}: {', '.join(sorted(entries)) or 'none'}; write a custom class "
        "as module:Class"
    )


def nearest(given: str, known: Sequence[str]) -> str:
    """Return the known name most similar to a misspelt name, or "" if none is similar."""
    import difflib

    close = difflib.get_close_matches(given, known, 1, 0.6)
    return (close or difflib.get_close_matches(given.lower(), known, 1, 0.6) or [""])[0]


def make(family: Family, kind: str, cls: type, params: Mapping[str, object]) -> object:
    """Return a new object of a class from `find`; `params` are in the units of its annotations.

    Raises:
        EcnomyError: the class does not accept these parameters. The type of the exception is the
            family's `error`.
    """
    try:
        made: object = cls(**params)
    except Exception as error:
        raise family.error(f"{family.noun} {kind!r}: {error}") from error
    return made


def blame(who: str, error: Exception, kind: type[EcnomyError]) -> EcnomyError:
    """Return the error to raise for an exception in user code; it names `who` and the line of code.

    For a misspelt attribute, the message suggests the nearest name. If a method does not accept its
    arguments, the message omits the line, because that line would be the call in ecnomy.
    """
    frames = traceback.extract_tb(error.__traceback__)
    called = isinstance(error, TypeError) and "positional argument" in str(error)
    ours = bool(frames) and Path(frames[-1].filename).is_relative_to(_PACKAGE)
    shown = frames and not (called and ours)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if shown else ""
    near = ""
    if isinstance(error, AttributeError) and error.obj is not None:
        public = [name for name in dir(error.obj) if not name.startswith("_")]
        near = nearest(str(error.name), public)
    meant = f"; did you mean {near!r}?" if near else ""
    return kind(f"{who} failed: {type(error).__name__}: {error}{meant}{where}")


def guarded(
    who: str, kind: type[EcnomyError], call: Callable[..., Result]
) -> Callable[..., Result]:
    """Return a function that calls user code and raises every exception as an EcnomyError."""

    def called(*given: Any) -> Result:
        try:
            return call(*given)
        except EcnomyError:
            raise
        except Exception as error:
            raise blame(who, error, kind) from error

    return called


def _load(family: Family, kind: str, path: str) -> type:
    module_name, _, attribute = path.partition(":")
    try:
        module = importlib.import_module(module_name)
        cls = getattr(module, attribute, None)
    except Exception as error:  # a user's module may raise anything
        raise family.error(f"{family.noun} {kind!r}: tried {path}: {error}") from error
    if cls is None:
        own = [name for name, one in vars(module).items() if _is_one(family, one, module_name)]
        raise family.error(
            f"{family.noun} {kind!r}: found no {attribute!r} in {module_name}, expected "
            f"{'one of ' + ', '.join(own) if own else 'a class with this name'}"
        )
    if not isinstance(cls, type):
        raise family.error(f"{family.noun} {kind!r}: {path} is not a class")
    if not _has_methods(family, cls):
        one, *others = family.methods
        lacks = f"one of the methods {', '.join(family.methods)}" if others else f"the method {one}"
        raise family.error(f"{family.noun} {kind!r}: {path} must define {lacks}")
    return cls


def _has_methods(family: Family, cls: type) -> bool:
    return any(callable(getattr(cls, method, None)) for method in family.methods)


def _is_one(family: Family, thing: object, module: str) -> bool:
    return isinstance(thing, type) and thing.__module__ == module and _has_methods(family, thing)
