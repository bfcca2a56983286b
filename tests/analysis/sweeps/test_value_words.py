# SPDX-License-Identifier: Apache-2.0
"""Values of swept parameters in words: short and distinct."""

from __future__ import annotations

from ecnomy.analysis.sweeps.value_words import words_of


def test_numbers_and_texts_are_as_they_are() -> None:
    """Values other than named mappings appear as written."""
    assert words_of([0.5, 40.0, 3, "10 Mbps"]) == {
        0.5: "0.5",
        40.0: "40",
        3: "3",
        "10 Mbps": "10 Mbps",
    }
    assert words_of(['{"a": 1}', "{broken"]) == {'{"a": 1}': '{"a": 1}', "{broken": "{broken"}


def test_mappings_are_called_by_name_and_what_tells_them_apart() -> None:
    """A single mapping has its name; several with one name have the fewest keys that differ."""
    red = '{"law":"red","min_threshold":"%s","max_threshold":"42 packets","max_probability":%s}'
    laws = [red % ("7 packets", 1), red % ("7 kB", 1), red % ("7 packets", 0.1), '{"law":"rem"}']
    assert list(words_of(laws).values()) == [
        "red (min_threshold 7 packets, max_probability 1)",
        "red (min_threshold 7 kB, max_probability 1)",
        "red (min_threshold 7 packets, max_probability 0.1)",
        "rem",
    ]
    two = ['{"kind":"marking-quantile"}', '{"kind":"marking-quantile","sample":"60 s"}']
    assert list(words_of(two).values()) == ["marking-quantile", "marking-quantile (sample 60 s)"]
