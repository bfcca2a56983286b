# SPDX-License-Identifier: Apache-2.0
"""Readable names of a sweep's outcome columns."""

from __future__ import annotations

import msgspec

from ecnomy.analysis.sweeps.outcome_names import name_of


def test_outcome_columns_have_readable_names() -> None:
    """A name has words, a unit and a subject, and a balance is profit only for a provider."""
    assert name_of("gold.goodput_bps").words == "rate of a flow [Mbps]"
    assert name_of("balance.shop", ["shop"]).what == "profit of the run"
    assert name_of("balance.users", ["shop"]).what == "balance at the end"
    assert name_of("burstiness") == msgspec.structs.replace(name_of("burstiness"), subject="all")
