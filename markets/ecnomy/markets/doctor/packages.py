# SPDX-License-Identifier: Apache-2.0
"""Check the versions of Python and packages against ecnomy's metadata (PEP 440, PEP 508)."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ecnomy.markets.doctor.finding import Finding

__all__ = ["extra_findings", "package_findings"]

_NAME: Final = "ecnomy"
_PURPOSES: Final = {
    "rl": "reinforcement-learning environments (ecnomy.markets.rl)",
    "topologies": "`topology: topohub:...`: real networks with their demands",
    "sweep": "`ecnomy sweep`: many runs, and queries over them",
    "tournament": "`ecnomy tournament`: strategies that play against each other",
    "sensitivity": "`ecnomy sensitivity`: which parameters matter",
    "tune": "`ecnomy tune`: the best values of parameters",
    "reproduce": "the page of `ecnomy reproduce`",
    "report": "the page of `ecnomy report`",
    "dashboard": "the live page of `ecnomy dashboard`",
    "bench": "`make bench`: comparison with ns-3",
    "test": "make test",
    "site": "make site",
    "lint": "make lint",
    "release": "make release",
}


def package_findings() -> list[Finding]:
    """Check Python, ecnomy itself and each required package."""
    try:
        metadata = importlib.metadata.metadata(_NAME)
    except importlib.metadata.PackageNotFoundError:
        remedy = "pip install ecnomy, or pip install . in its source tree"
        return [Finding(what=_NAME, found="not installed", well=False, remedy=remedy)]
    wanted = SpecifierSet(metadata["Requires-Python"] or "")
    version = platform.python_version()
    python = Finding(
        what="Python",
        found=f"{version} (needs {wanted})",
        well=wanted.contains(version, prereleases=True),
        remedy=f"install Python {wanted} and ecnomy with it",
    )
    own = Finding(what=_NAME, found=metadata["Version"])
    needed = [requirement for requirement in _requirements() if _applies(requirement, "")]
    return [python, own, *(_package(requirement) for requirement in needed)]


def extra_findings() -> list[Finding]:
    """Return a finding for each extra, with its purpose and its missing (or else all) packages."""
    try:
        metadata = importlib.metadata.metadata(_NAME)
    except importlib.metadata.PackageNotFoundError:
        return []
    return [_extra(one) for one in metadata.get_all("Provides-Extra") or [] if one != "all"]


def _requirements() -> list[Requirement]:
    return [Requirement(line) for line in importlib.metadata.requires(_NAME) or []]


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _extra(extra: str) -> Finding:
    mine = [r for r in _requirements() if r.marker is not None and _applies(r, extra)]
    parts = [_package(requirement) for requirement in mine]
    lacking = [f"{part.what}: {part.found}" for part in parts if not part.well]
    there = ", ".join(f"{part.what} {part.found}" for part in parts) or "complete"
    purpose = _PURPOSES.get(extra, "optional")
    return Finding(
        what=f"extra {extra}",
        found=f"for {purpose}: " + ("; ".join(lacking) if lacking else there),
        well=not lacking,
        required=False,
        remedy=f"pip install 'ecnomy[{extra}]'",
    )


def _package(requirement: Requirement) -> Finding:
    name, wanted = requirement.name, requirement.specifier
    need = f" (needs {wanted})" if wanted else ""
    remedy = f"pip install '{name}{wanted}'"
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(what=name, found=f"not installed{need}", well=False, remedy=remedy)
    if not wanted.contains(version, prereleases=True):
        return Finding(what=name, found=f"{version}{need}", well=False, remedy=remedy)
    return Finding(what=name, found=version)
