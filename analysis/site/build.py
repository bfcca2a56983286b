# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: `make site`, or `python analysis/site/build.py [FOLDER]`.

The site goes to FOLDER (by default build/site), and its Markdown to FOLDER-source. The exit status
is 1 if a document has no section, Sphinx warns, a link is broken, or a page loads something from
another host.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from sitegen.check import faults
from sitegen.documents import ROOT
from sitegen.pages import write_pages
from sitegen.play import engine_module, write_play


def build(site: Path) -> int:
    """Build the site in a folder from scratch, and return the exit status."""
    source = site.with_name(f"{site.name}-source")
    module = engine_module()
    play = isinstance(module, Path)
    if not play:
        print(f"the site has no page Play: {module}")
    try:
        count = write_pages(source, play=play)
    except KeyError as error:  # a document that no section of the site lists
        print(error.args[0], file=sys.stderr)
        return 1
    shutil.rmtree(site, ignore_errors=True)
    words = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(Path(__file__).parent)]
    words += ["-d", str(source.with_name(f"{source.name}-read")), "-E", str(source), str(site)]
    if status := build_main(words):
        return status
    if isinstance(module, Path):
        write_play(site, module)
    broken = faults(site)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{site / 'index.html'}: {count} pages, {len(broken)} broken or foreign links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT / "build/site"))
