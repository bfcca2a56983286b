# SPDX-License-Identifier: Apache-2.0
"""Catalogues of papers for tests that only read them, each loaded once per process."""

from __future__ import annotations

from functools import cache

from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.papers import load_paper

__all__ = ["paper_of"]


@cache
def paper_of(name: str) -> Paper:
    """A shipped catalogue, whatever a test's environment names."""
    return load_paper(name)
