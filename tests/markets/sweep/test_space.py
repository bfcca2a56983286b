# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep: products, orders, samples and seeds, by hand."""

from __future__ import annotations

import hashlib
import itertools
import json
import math

import numpy as np
import pytest

from ecnomy.markets.sweep.space import ParameterBlock, Range, points

GRID = ParameterBlock("grid", ("a", "b"), ((1, 2), ("x", "y", "z")))
ZIP = ParameterBlock("zip", ("c", "d"), ((True, False), (0.5, 1.5)))


def all_of(
    *blocks: ParameterBlock, replicates: int = 1, seed: int = 1, paired: bool = True
) -> list:
    return list(points(blocks, replicates=replicates, seed=seed, paired=paired))


def test_blocks_multiply_and_the_last_varies_fastest() -> None:
    """Points are grid x zip x replicates, numbered in the order of nested loops."""
    made = all_of(GRID, ZIP, replicates=2)
    expected = [
        ({"a": a, "b": b, "c": c, "d": d}, r)
        for a, b, (c, d), r in itertools.product(
            (1, 2), "xyz", ((True, 0.5), (False, 1.5)), range(2)
        )
    ]
    assert [(p.params, p.replicate) for p in made] == expected
    assert [p.number for p in made] == list(range(24))
    assert len(GRID) == 6 and len(ZIP) == 2


def test_a_list_sets_its_parameters_together() -> None:
    """Each item of the list is one assignment."""
    block = ParameterBlock("list", ("a", "b"), ((1, 5), (2, 6)))
    assert [p.params for p in all_of(block)] == [{"a": 1, "b": 2}, {"a": 5, "b": 6}]


def test_without_parameters_there_are_replicates() -> None:
    """Replicates are the unchanged scenario with each seed."""
    assert [(p.params, p.seed) for p in all_of(replicates=3, seed=7)] == [
        ({}, s) for s in (7, 8, 9)
    ]


def test_paired_seeds_are_common_and_independent_ones_are_not() -> None:
    """Paired replicates r have seed + r everywhere. Independent seeds differ reproducibly."""
    paired = all_of(GRID, replicates=3, seed=5)
    assert all(p.seed == 5 + p.replicate for p in paired)
    apart = all_of(GRID, replicates=3, seed=5, paired=False)
    assert len({p.seed for p in apart}) == 18
    assert apart == all_of(GRID, replicates=3, seed=5, paired=False)
    assert apart != all_of(GRID, replicates=3, seed=6, paired=False)


def test_equal_values_have_independent_seeds_of_their_own() -> None:
    """Repeated values get new seeds; first occurrences keep theirs."""
    once = all_of(ParameterBlock("grid", ("a",), ((1, 2),)), replicates=3, paired=False)
    text = json.dumps([1, {"a": 2}, 1], separators=(",", ":")).encode()
    assert once[4].seed == int.from_bytes(hashlib.sha256(text).digest()[:7], "big")
    twice = all_of(
        ParameterBlock("grid", ("a",), ((1, 2, 1, 1),), labels=(("x", "y", "z", ""),)),
        replicates=3, paired=False,
    )  # fmt: skip
    assert twice[:6] == once and len({p.seed for p in twice}) == 12
    paired = all_of(ParameterBlock("grid", ("a",), ((1, 1),)), replicates=3)
    assert [p.seed for p in paired] == [1, 2, 3, 1, 2, 3]


def test_a_latin_hypercube_has_one_sample_in_each_stratum() -> None:
    """Each of the n parts of each range holds exactly one of n samples."""
    ranges = (Range(2.0, 4.0), Range(0.01, 10.0, "money", log=True))
    block = ParameterBlock("latin-hypercube", ("a", "b"), ranges=ranges, samples=20)
    made = [p.params for p in all_of(block)]
    a = np.array([m["a"] for m in made])
    b = np.array([float(m["b"].removesuffix(" money")) for m in made])
    strata = (a - 2) / 2 * 20, np.log(b / 0.01) / math.log(1000) * 20
    for s in strata:
        assert sorted(s.astype(int).tolist()) == list(range(20))
    assert made == [p.params for p in all_of(block)]
    assert made != [p.params for p in all_of(block, seed=2)]


def test_random_samples_fill_their_ranges() -> None:
    """4,000 samples have the right means and bounds, and integers are uniform."""
    ranges = (Range(0.0, 1.0), Range(3, 6, whole=True), Range(1.0, 100.0, log=True))
    block = ParameterBlock("random", ("a", "n", "x"), ranges=ranges, samples=4000)
    made = [p.params for p in all_of(block)]
    a = np.array([m["a"] for m in made])
    assert 0 <= a.min() and a.max() < 1
    assert abs(a.mean() - 0.5) < 2.576 * math.sqrt(1 / 12 / 4000)
    counts = np.bincount([m["n"] for m in made], minlength=7)
    assert counts[:3].sum() == 0 and len(counts) == 7
    assert (np.abs(counts[3:] - 1000) < 3.3 * math.sqrt(4000 * 0.25 * 0.75)).all()
    x = np.log([m["x"] for m in made])
    assert abs(x.mean() - math.log(10)) < 2.576 * math.log(100) * math.sqrt(1 / 12 / 4000)


def test_random_blocks_draw_apart() -> None:
    """Two blocks of the same range and number of samples have different values."""
    first, second = (
        ParameterBlock("random", (n,), ranges=(Range(0.0, 1.0),), samples=3) for n in "ab"
    )
    made = [p.params for p in all_of(first, second)]
    a, b = (sorted({params[name] for params in made}) for name in "ab")
    assert len(made) == 9 and len(a) == len(b) == 3
    assert not set(a) & set(b)


@pytest.mark.parametrize(
    ("over", "values"),
    [
        (Range(2.0, 10.0), {0.0: 2.0, 0.25: 4.0, 1.0: 10.0}),
        (Range(2.0, 32.0, log=True), {0.0: 2.0, 0.25: 4.0, 0.5: 8.0, 1.0: 32.0}),
        (Range(3, 6, whole=True), {0.0: 3, 0.24: 3, 0.26: 4, 0.74: 5, 0.99: 6, 1.0: 6}),
        (Range(2.0, 10.0, "Mbps"), {0.1234567: "2.98765 Mbps", 1.0: "10.0 Mbps"}),
        (Range(0.0, 1e-4, "money"), {0.123: "1.2e-05 money", 0.5: "5e-05 money"}),
        (Range(0.0, 1e-4, "ms"), {0.123: "1.23e-05 ms"}),
    ],
)
def test_values_at_shares_of_a_range(over: Range, values: dict[float, object]) -> None:
    """Values divide a range evenly or by equal factors, with six digits and a unit."""
    for share, wanted in values.items():
        setting = over.at(share)
        assert setting == (wanted if isinstance(wanted, str) else pytest.approx(wanted))
        assert isinstance(setting, int) == over.whole
