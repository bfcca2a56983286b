# SPDX-License-Identifier: Apache-2.0
"""Writes pages on the Python API: all public names of the three packages, for Sphinx's autodoc.

The names come from each package's `__all__`, and the text from the docstrings.
"""

from __future__ import annotations

import importlib
import inspect
import re
import types
from pathlib import Path
from typing import Any, Final

from sitegen.markdown import contents

__all__ = ["FOLDER", "PACKAGES", "python_pages", "with_code"]

FOLDER: Final = "reference/python"
PACKAGES: Final = ("ecnomy.agents", "ecnomy.markets", "ecnomy.analysis")


def python_pages() -> dict[str, str]:
    """Return a page for each package, and the index of the packages."""
    described: dict[int, str] = {}
    made = {f"{FOLDER}/{name}.rst": _package(name, described) for name in PACKAGES}
    made[f"{FOLDER}/index.md"] = "\n".join(
        ["# Python\n", "The public names of the three packages.\n", contents(PACKAGES)]
    )
    return made


def _package(name: str, described: dict[int, str]) -> str:
    """Return the page of a package, which describes each object once, under its first name."""
    module = importlib.import_module(name)
    lines = [name, "=" * len(name), "", f".. automodule:: {name}", "   :no-members:", ""]
    for public in module.__all__:
        value = getattr(module, public)
        lines += [public, "-" * len(public), ""]
        if callable(value) and id(value) in described:
            lines += [f"The same as :py:obj:`{described[id(value)]}`.", ""]
            continue
        described[id(value)] = f"{name}.{public}"
        lines += [*_directive(f"{name}.{public}", value), ""]
    return "\n".join(lines)


def _directive(path: str, value: Any) -> list[str]:
    if isinstance(value, types.ModuleType):
        return [f".. automodule:: {path}", "   :no-members:"]
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        return [f".. auto{kind}:: {path}", "   :members:"]
    if callable(value):
        return [f".. autofunction:: {path}"]
    return [f".. py:data:: {path}", f"   :value: {value!r}", "", f"   {_comment(path)}"]


def _comment(path: str) -> str:
    package, _, name = path.rpartition(".")
    file = importlib.import_module(package).__file__
    assert file is not None
    for source in sorted(Path(file).parent.rglob("*.py")):
        line = re.search(rf"^{name}\b.*?  # (.+)$", source.read_text(encoding="utf-8"), re.M)
        if line:
            return line[1]
    return ""


def with_code(lines: list[str]) -> list[str]:
    """Return the lines of a docstring, with indented blocks after empty lines marked as code."""
    marked: list[str] = []
    for number, line in enumerate(lines):
        above = next((one for one in reversed(lines[:number]) if one.strip()), "")
        begins = number > 0 and not lines[number - 1].strip() and _indent(line) > _indent(above)
        if line.strip() and begins and not above.rstrip().endswith("::"):
            marked += [" " * _indent(above) + "::", ""]
        marked.append(line)
    return marked


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
