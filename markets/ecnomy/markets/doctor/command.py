# SPDX-License-Identifier: Apache-2.0
"""The verb `doctor` of the command line (entry point `ecnomy.commands`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ecnomy.markets.doctor.finding import Finding

__all__ = ["doctor_command"]

Results = Annotated[Path, typer.Option("--out", help="The folder that results are to go to.")]


def doctor_command(out: Results = Path("results")) -> None:
    """Say whether this installation can work, and what to do where it cannot."""
    try:
        from ecnomy.markets.doctor import examine
    except ImportError as error:
        print(f"FAULT: {error}; remedy: pip install --force-reinstall ecnomy")
        raise typer.Exit(1) from None
    findings = examine(out)
    _show(findings)
    if any(finding.required and not finding.well for finding in findings):
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("")
    table.add_column("found", overflow="fold")
    for finding in findings:
        table.add_row(finding.verdict, finding.what, Text(finding.found))
    Console(width=None if sys.stdout.isatty() else 100).print(table, markup=False)
    for finding in sorted(findings, key=lambda finding: not finding.required):
        if not finding.well:
            kind = "remedy" if finding.required else "if wanted"
            print(f"{finding.verdict} {finding.what}: {kind}: {finding.remedy}")
    faults = sum(finding.verdict == "FAULT" for finding in findings)
    counted = "1 fault" if faults == 1 else f"{faults} faults"
    print(f"{counted}: ecnomy cannot work" if faults else "ecnomy can work")
