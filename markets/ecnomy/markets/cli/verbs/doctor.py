# SPDX-License-Identifier: Apache-2.0
"""The verb `doctor`, which checks the installation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.cli.printing import Json, console_for_tables, hanging, print_json

if TYPE_CHECKING:
    from ecnomy.markets.doctor.finding import Finding

__all__ = ["doctor_command"]

Results = Annotated[Path, typer.Option("--out", help="Results folder to check.")]


def doctor_command(out: Results = Path("results"), as_json: Json = False) -> None:
    """Check the installation and print a remedy for each fault."""
    try:
        from ecnomy.markets.doctor import examine
    except ImportError as error:
        print(f"FAULT: {error}; remedy: pip install --force-reinstall ecnomy")
        raise typer.Exit(1) from None
    findings = examine(out)
    works = all(finding.well for finding in findings if finding.required)
    if as_json:
        print_json({"works": works, "findings": [finding.plain() for finding in findings]})
    else:
        _show(findings)
    if not works:
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("")
    table.add_column("found", overflow="fold")
    for finding in findings:
        table.add_row(finding.verdict, finding.what, Text(finding.found))
    console_for_tables().print(table, markup=False)
    for finding in sorted(findings, key=lambda finding: not finding.required):
        if not finding.well:
            kind = "remedy" if finding.required else "to add it"
            print(hanging(f"{finding.verdict} {finding.what}: ", f"{kind}: {finding.remedy}"))
    faults = sum(finding.verdict == "FAULT" for finding in findings)
    counted = "1 fault" if faults == 1 else f"{faults} faults"
    print(f"{counted}: ecnomy cannot work" if faults else "ecnomy can work")
