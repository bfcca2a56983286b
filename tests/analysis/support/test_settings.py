# SPDX-License-Identifier: Apache-2.0
"""Settings as text, in readable units."""

from __future__ import annotations

from ecnomy.analysis.support.settings import setting_words


def test_settings_have_readable_units() -> None:
    """Scenarios accept the units, and a law's parameters are in brackets."""
    words = {
        "19000000000 ps": "19 ms",
        "10000000 bit/s": "10 Mbps",
        "75000.0 byte": "75 kB",
        "960 byte": "960 bytes",
        "1.0 packet": "1 packet",
        "0.125 money": "0.125 money",
        "gold": "gold",
    }
    assert {text: setting_words(text) for text in words} == words
    assert setting_words({"law": "red", "gentle": True}) == "red (gentle true)"
