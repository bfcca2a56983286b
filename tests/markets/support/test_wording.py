# SPDX-License-Identifier: Apache-2.0
"""Phrases that several messages share."""

from ecnomy.markets.support.wording import counted, exclusive


def test_a_number_and_its_noun_agree() -> None:
    """One run, but no or two runs."""
    assert [counted(n, "run") for n in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]


def test_a_fault_names_both_options() -> None:
    """The user learns which options to choose from."""
    assert exclusive("--json", "--csv") == "--json and --csv exclude each other: use only one"
