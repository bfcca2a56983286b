# SPDX-License-Identifier: Apache-2.0
"""Check the optional engine that runs on the kernel's TCP."""

from __future__ import annotations

from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.doctor.finding import Finding
from ecnomy.markets.engines.linux import description, find_linux, refusal
from ecnomy.markets.omnet.installation import project_folder

__all__ = ["linux_findings"]

_WHAT = "engine linux"


def linux_findings() -> list[Finding]:
    """Check the program, the privileges and the kernel that `--engine linux` needs."""
    sources = project_folder() / "linux"
    build = f"make -C {sources}" if sources.is_dir() else "make linux in a checkout of ecnomy"
    try:
        binary = find_linux()
        if reason := refusal(binary):
            return [_absent(reason, "run ecnomy as root, on a kernel with the named features")]
        said = description(binary)
    except EcnomyError as error:
        return [_absent(str(error), f"{build} (needs g++ and Linux headers)")]
    if "without" in said:
        remedy = f"apt-get install clang libbpf-dev, then {build}"
        return [_absent(f"{said}: {binary}", remedy)]
    return [Finding(what=_WHAT, found=f"{said}, {binary}", required=False)]


def _absent(found: str, remedy: str) -> Finding:
    return Finding(what=_WHAT, found=found, well=False, required=False, remedy=remedy)
