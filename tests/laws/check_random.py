# SPDX-License-Identifier: Apache-2.0
"""The random streams against published answers and the Python oracle."""

from __future__ import annotations

import itertools
import math
import random
from typing import Final

from law_api import Laws
from oracle_random import fnv1a, kolmogorov_smirnov, philox, splitmix, stream

__all__ = ["RANDOM_CHECKS", "compare_stream"]

# Random123, kat_vectors, philox4x32 10: counter, key, answer.
KNOWN: Final = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def check_philox(laws: Laws) -> None:
    """Law and oracle give the published answers, and agree with each other."""
    for counter, key, answer in KNOWN:
        assert list(laws.philox4x32(counter, key)) == answer
        assert philox(counter, key) == answer
    draw = random.Random(8)
    for _ in range(500):
        counter = [draw.getrandbits(32) for _ in range(4)]
        key = [draw.getrandbits(32) for _ in range(2)]
        assert list(laws.philox4x32(counter, key)) == philox(counter, key)


def check_key(laws: Laws) -> None:
    """FNV-1a and SplitMix64 give their published answers."""
    for text, answer in (
        ("", 0xCBF29CE484222325),
        ("a", 0xAF63DC4C8601EC8C),
        ("foobar", 0x85944171F73967E8),
    ):
        assert laws.fnv1a64(text) == fnv1a(text) == answer
    # The SplitMix64 sequence from seed 1234567 as its reference implementation prints it.
    for i, answer in enumerate([6457827717110365317, 3203168211198807973, 9817491932198370423]):
        state = (1234567 + i * 0x9E3779B97F4A7C15) % 2**64
        assert laws.mix64(state) == splitmix(state) == answer
    assert laws.fnv1a64("Zürich") == fnv1a("Zürich")


def compare_stream(laws: Laws, seed: int, name: str, count: int) -> None:
    """The first numbers of a stream, as integers and as uniforms."""
    integers, uniforms = laws.stream(seed, name), laws.stream(seed, name)
    for i, expected in enumerate(itertools.islice(stream(seed, name), count)):
        assert integers.next() == expected, f"seed {seed}, {name!r}, number {i}"
        u = uniforms.uniform()
        assert 0.0 < u < 1.0 and abs(u - expected / 2**64) < 2**-52, f"{seed} {name!r} {i}: {u}"


def check_stream(laws: Laws) -> None:
    """Streams of several seeds and names agree, with 64-bit seeds too."""
    for seed in (0, 1, 7, 2**63, 2**64 - 1):
        for name in ("", "link/bottleneck", "source/gold/0/start", "source/gold/1/start", "é"):
            compare_stream(laws, seed, name, 60)


def check_stream_open_interval(laws: Laws) -> None:
    """Even the smallest and the largest words stay above 0 and below 1."""
    for word in (0, 1, 2**31, 2**32 - 2, 2**32 - 1):
        u = laws.uniform_from_words(word)
        assert 0.0 < u < 1.0, f"words {word:#x} give {u!r}"
    assert laws.uniform_from_words(2**31) > 0.5


def check_stream_independence(laws: Laws) -> None:
    """Streams are uniform, and uncorrelated across names, adjacent seeds and lags."""
    n = 5000
    names = [
        (1, "source/gold/0/traffic"),
        (1, "source/gold/1/traffic"),
        (2, "source/gold/0/traffic"),
    ]
    samples = []
    for seed, name in names:
        one = laws.stream(seed, name)
        samples.append([one.uniform() for _ in range(n)])
    for sample in samples:
        assert kolmogorov_smirnov(sample, lambda x: x) < 2.2
    pairs = [*itertools.combinations(samples, 2), (samples[0][:-1], samples[0][1:])]
    for a, b in pairs:
        correlation = 12 * sum((x - 0.5) * (y - 0.5) for x, y in zip(a, b, strict=True)) / n
        assert abs(correlation) < 4 / math.sqrt(n), correlation


RANDOM_CHECKS = {
    "philox": [check_philox],
    "stream": [check_key, check_stream, check_stream_open_interval, check_stream_independence],
}
