# SPDX-License-Identifier: Apache-2.0
"""`ecnomy game`: games solved on paper, random games solved differently, invalid files."""

from __future__ import annotations

import itertools
import json
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("open_spiel", reason="the extra `tournament`")

from ecnomy.agents.errors import InputError
from ecnomy.analysis.game.dynamics import EPSILON
from ecnomy.analysis.game.equilibria import equilibria
from ecnomy.analysis.game.matrix import Game, read_game
from ecnomy.analysis.game.solution import Solution, solve
from ecnomy.analysis.game.table import headline
from ecnomy.markets.cli import main as cli
from tiers import seeds

ROOT = Path(__file__).parents[3]


def symmetric(pays, names="abcdefghijkl") -> Game:
    """A symmetric game with these pay-offs."""
    matrix = np.array(pays, dtype=float)
    own = tuple(names[: len(matrix)])
    return Game(own, own, matrix, matrix.T, True)


def bimatrix(first, second) -> Game:
    """A game between two populations."""
    one, two = np.array(first, dtype=float), np.array(second, dtype=float)
    rows, columns = (
        tuple(f"{side}{n}" for n in range(c)) for side, c in zip("rc", one.shape, strict=True)
    )
    return Game(rows, columns, one, two, False)


def mixes(found: Solution) -> dict[tuple[float, ...], bool | None]:
    """The row mixes of rest points, and whether these are stable."""
    return {tuple(np.round(one.row, 6)): one.stable for one in found.rest_points}


def test_prisoners_defect() -> None:
    """Defection is the only equilibrium. It is strict, and the best reply to both strategies."""
    solution = solve(symmetric([[3, 0], [5, 1]]))
    assert mixes(solution) == {(0, 1): True}
    assert solution.replies[0] == ((1,), (1,)) and solution.others == ()
    assert solution.rest_points[0].pay_offs == pytest.approx((1, 1)) and not solution.mixtures
    assert solution.rest_points[0].starts == 1


@pytest.mark.parametrize(("value", "cost"), [(2, 4), (1, 3), (4, 5)])
def test_hawks_are_v_over_c(value: float, cost: float) -> None:
    """Hawk-dove rests at V/C hawks, each earning (1 - V/C) V/2; hawk against dove is strict."""
    solution = solve(symmetric([[(value - cost) / 2, value], [0, value / 2]]))
    share = value / cost
    assert list(mixes(solution).values()) == [True]
    point = solution.rest_points[0]
    assert point.row == pytest.approx([share, 1 - share])
    assert point.pay_offs == pytest.approx(((1 - share) * value / 2,) * 2) and point.starts == 1
    apart = {(*one.row, *one.column): (one.stable, one.pay_offs) for one in solution.others}
    assert apart == {(1, 0, 0, 1): (True, (value, 0)), (0, 1, 1, 0): (True, (0, value))}


@pytest.mark.parametrize(("win", "lose", "stable"), [(1, 1, None), (2, 1, True), (1, 2, False)])
def test_rock_paper_scissors(win: float, lose: float, stable: bool | None) -> None:
    """Shares of a third attract if a win gains more than a loss costs, and repel if less.

    The Jacobian there has the eigenvalues ((win - lose) / 2 +- i sqrt(3)/2 (win + lose)) / -3 times
    a positive factor; if both are equal, the shares circle for ever.
    """
    circle = [[0, -lose, win], [win, 0, -lose], [-lose, win, 0]]
    solution = solve(symmetric(circle))
    assert [one.stable for one in solution.rest_points] == [stable]
    assert solution.rest_points[0].row == pytest.approx([1 / 3] * 3)
    assert solution.rest_points[0].pay_offs[0] == pytest.approx((win - lose) / 3)
    assert solution.mass == pytest.approx([1 / 3] * 3)
    assert headline(solution).endswith("Alpha-rank ranks all alike.")
    assert headline(solution).startswith("Stable: " if stable else "No rest point is stable: ")


def test_coordination_has_two_stable_ends() -> None:
    """If a earns 2 and b earns 1, all-a and all-b are stable. The boundary is at one third a."""
    solution = solve(symmetric([[2, 0], [0, 1]]))
    assert mixes(solution) == {(1, 0): True, (0, 1): True, (0.333333, 0.666667): False}
    assert solution.rest_points[0].starts > solution.rest_points[1].starts > 0
    assert solution.rest_points[-1].pay_offs == pytest.approx((2 / 3, 2 / 3))


def test_two_populations_go_to_the_opera_or_not() -> None:
    """Battle of the sexes (3, 2; 2, 3) has two strict equilibria, and a saddle at 3/5, 2/5."""
    solution = solve(bimatrix([[3, 0], [0, 2]], [[2, 0], [0, 3]]))
    assert [one.stable for one in solution.rest_points] == [True, True, False]
    mixed = solution.rest_points[-1]
    assert (*mixed.row, *mixed.column) == pytest.approx((0.6, 0.4, 0.4, 0.6))
    assert mixed.pay_offs == pytest.approx((1.2, 1.2))
    assert solution.replies == (((0,), (1,)), ((0,), (1,)))
    assert solution.mass.sum() == pytest.approx(1) and solution.mass[1, 1] == pytest.approx(0.495)


def test_matching_pennies_are_not_decided() -> None:
    """Half each is the only equilibrium; shares circle around it."""
    solution = solve(bimatrix([[1, -1], [-1, 1]], [[-1, 1], [1, -1]]))
    assert [(*one.row, *one.column, one.stable) for one in solution.rest_points] == [
        (0.5, 0.5, 0.5, 0.5, None)
    ]


def test_a_degenerate_game_says_so() -> None:
    """An indifferent column player may mix freely, which gives the ends of a line of equilibria.

    Row 0 is best against column 0, and both rows against column 1.
    """
    solution = solve(bimatrix([[1, 0], [0, 0]], [[1, 1], [1, 1]]))
    assert solution.mixtures
    ends = {(*one.row, *one.column) for one in solution.rest_points}
    assert ends == {(1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 0, 1)}


def by_supports(first: np.ndarray, second: np.ndarray) -> set[tuple[float, ...]]:
    """The equilibria of a non-degenerate game: equal supports without a better reply."""
    found = set()
    for size in range(1, min(first.shape) + 1):
        for rows in itertools.combinations(range(first.shape[0]), size):
            for columns in itertools.combinations(range(first.shape[1]), size):
                mixed = []
                for pays, own, other in ((second.T, columns, rows), (first, rows, columns)):
                    system = np.zeros((size + 1, size + 1))
                    system[:size, :size] = pays[np.ix_(own, other)]
                    system[:size, size], system[size, :size] = -1, 1
                    solved = np.linalg.solve(system, np.append(np.zeros(size), 1))
                    mix = np.zeros(pays.shape[1])
                    mix[list(other)] = solved[:size]
                    better = (pays @ mix).max() > solved[size] + 1e-9
                    mixed.append(None if better or mix.min() < 0 else mix)
                if mixed[0] is not None and mixed[1] is not None:
                    found.add(tuple(np.round([*mixed[0], *mixed[1]], 6) + 0.0))
    return found


@pytest.mark.parametrize("seed", seeds(10))
def test_random_games_as_by_their_supports(seed: int) -> None:
    """Equilibria of random games equal those by supports, and their number is odd (Wilson)."""
    rng = np.random.Generator(np.random.Philox(seed))
    for shape in ((2, 5), (3, 3), (4, 3), (5, 5)):
        first, second = 1000 * rng.standard_normal(shape), rng.standard_normal(shape) - 7
        got = equilibria(bimatrix(first, second))
        rounded = {tuple(np.round([*x, *y], 6) + 0.0) for x, y in got.mixes}
        assert rounded == by_supports(first, second) and len(got.mixes) % 2 == 1
        assert len(rounded) == len(got.mixes) and not got.mixtures


def chain(tables: list[np.ndarray]) -> np.ndarray:
    """Alpha-rank written from the paper: the stationary distribution of a walk between profiles.

    One population changes its strategy, each change with the same probability. The new one takes
    over with 1 - eps if it earns more, 1/2 if as much, eps if less (Omidshafiei et al. 2019, at
    infinite alpha).
    """
    one = len(tables) == 1
    shape = tables[0].shape[:1] if one else tables[0].shape
    states = list(itertools.product(*(range(n) for n in shape)))
    step = np.zeros((len(states), len(states)))
    for a, b in itertools.permutations(range(len(states)), 2):
        old, new = states[a], states[b]
        changed = [k for k in range(len(shape)) if old[k] != new[k]]
        if len(changed) != 1:
            continue
        before = tables[0][old[0], new[0]] if one else tables[changed[0]][old]
        after = tables[0][new[0], old[0]] if one else tables[changed[0]][new]
        taken = 0.5 if after == before else 1 - EPSILON if after > before else EPSILON
        step[a, b] = taken / sum(n - 1 for n in shape)
    step += np.diag(1 - step.sum(axis=1))
    system = np.vstack([step.T - np.eye(len(states)), np.ones(len(states))])
    right = np.append(np.zeros(len(states)), 1)
    return np.linalg.lstsq(system, right, rcond=None)[0]


@pytest.mark.parametrize("seed", seeds(10))
def test_alpha_rank_is_the_chains_stationary_distribution(seed: int) -> None:
    """The masses agree for one population and for two, with integer pay-offs, some equal."""
    rng = np.random.Generator(np.random.Philox(seed))
    one = rng.integers(-3, 4, (5, 5)).astype(float)
    assert solve(symmetric(one)).mass == pytest.approx(chain([one]), abs=1e-9)
    first, second = (rng.integers(-3, 4, (3, 4)).astype(float) for _ in range(2))
    found = solve(bimatrix(first, second)).mass
    assert found.ravel() == pytest.approx(chain([first, second]), abs=1e-9)


def test_large_games_have_their_pure_equilibria_alone() -> None:
    """Coordination with twelve strategies has twelve stable ends; the rest is noted as left out."""
    solution = solve(symmetric(np.diag(np.arange(1.0, 13))))
    assert not solution.complete and len(solution.rest_points) == 12
    assert all(one.stable for one in solution.rest_points)


def test_drifts_end_at_the_stable_rest_points_alone() -> None:
    """In the stag hunt (4, 0; 3, 3), a quarter of starts, above 3/4 stags, ends at all stags.

    In coordination on 3, 2 or 1, the basins are the triangles of their indifference lines.
    """
    found = solve(symmetric([[4, 0], [3, 3]]))
    ends = {tuple(np.round(one.row, 6)): one.starts for one in found.rest_points}
    assert ends[1, 0] == pytest.approx(0.25, abs=0.005)
    assert ends[0, 1] == pytest.approx(0.75, abs=0.005)
    found = solve(symmetric(np.diag([3.0, 2.0, 1.0])))
    ends = {tuple(np.round(one.row, 6)): one.starts for one in found.rest_points}
    draws = np.random.default_rng(1).dirichlet(np.ones(3), 4000)  # x_i times its pay-off decides
    share = np.bincount((draws * [3, 2, 1]).argmax(axis=1)) / len(draws)
    for corner, expected in zip(np.eye(3), share, strict=True):
        assert ends[tuple(corner)] == pytest.approx(expected, abs=0.03)


@pytest.fixture
def ecnomy(monkeypatch: pytest.MonkeyPatch, capsys):
    """Runs the verb as registered in pyproject.toml; returns status, output and errors."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    target = project["project"]["entry-points"]["ecnomy.commands"]["game"]
    verbs = cli.commands() | {"game": target}
    monkeypatch.setattr(cli, "commands", lambda: verbs)

    def call(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            cli.main(["game", *map(str, words)])
        return int(left.value.code or 0), *capsys.readouterr()

    return call


def test_the_verb_prints_the_finding_first(tmp_path: Path, ecnomy) -> None:
    """The verb prints the finding first, whatever the spaces and empty lines of its file."""
    file = tmp_path / "hawks.csv"
    file.write_text("\ufeff ,hawk, [dove]\n\nhawk,-1,2\n[dove], 0 ,1\n", encoding="utf-8")
    status, out, err = ecnomy(file)
    assert (status, err) == (0, "")
    assert out.startswith("Stable: 50.0% hawk and 50.0% [dove] (from 100% of starts). Alpha-rank")
    assert "all hawk against all [dove]" in out and "too large" not in out


def test_json_is_one_document(tmp_path: Path, ecnomy) -> None:
    """JSON of a file with two numbers per cell has names, mixes, replies and masses."""
    file = tmp_path / "pennies.csv"
    file.write_text(",head,tail\nodd,1;-1,-1;1\neven,-1;1,1;-1\n")
    status, out, _ = ecnomy(file, "--json")
    document = json.loads(out)
    assert status == 0 and document["file"] == str(file) and not document["symmetric"]
    assert document["strategies"] == {"row": ["odd", "even"], "column": ["head", "tail"]}
    (point,) = document["rest_points"]
    assert point["row"] == pytest.approx({"odd": 0.5, "even": 0.5})
    assert (point["stable"], point["starts"], point["pay_offs"]) == (None, None, [0, 0])
    assert document["best_replies"]["row"] == {"head": ["odd"], "tail": ["even"]}
    assert document["best_replies"]["column"] == {"odd": ["tail"], "even": ["head"]}
    assert sum(one["mass"] for one in document["alpha_rank"]) == pytest.approx(1)
    assert ["odd", "head"] in [one["strategies"] for one in document["alpha_rank"]]


WRONG = {
    ",a,b\na,1,x\nb,1,1\n": ":2: row 'a', column 'b': found 'x', expected a number",
    ",a,b\na,1,1\nb,nan,1\n": ":3: row 'b', column 'a': found 'nan', expected a number",
    ",a,b\na,1e308,1\nb,1,-1e308\n": ":2: row 'a', column 'a': found '1e308', expected pay-offs",
    ",a,b\na,1,1\nb,1\n": ":3: row 'b': found 1 pay-off, expected 2, as in the header",
    ",a,b\na,1;2,3\nb,1;1,1;1\n": ":2: row 'a', column 'b': found '3', expected two numbers a;b",
    ",a,b\na,1,3;1\nb,1,1\n": ":2: row 'a', column 'b': found '3;1', expected a number",
    ",a,b\na,1;2;3,3\n": ":2: row 'a', column 'a': found '1;2;3', expected two numbers a;b",
    ",a,b\nc,1,1\nd,1,1\n": ":1: found rows c, d and columns a, b, expected the same names in",
    ",a,a\na,1,1\nb,1,1\n": ":1: column 2: found the name 'a' twice, expected a different name",
    ",a,b\na,1,1\n,1,1\n": ":3: row 2: found no name, expected a different name",
    ",a\na,1\n": ": found 1 x 1 pay-offs (rows x columns), expected at least two strategies",
    ",a,b\n": ": found no row of pay-offs, expected one for each strategy",
    "a\nb\n": ": found no column of pay-offs, expected one for each strategy",
    "": ": found an empty file, expected a header",
    ',"a\n': "expected CSV in UTF-8",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_one_line(text: str, tmp_path: Path, ecnomy) -> None:
    """The error has file, line, row, column, the text found and the expected one; status 2."""
    file = tmp_path / "game.csv"
    file.write_text(text)
    status, out, err = ecnomy(file)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"ecnomy: {file}:") and WRONG[text] in err


def test_files_that_are_none(tmp_path: Path, ecnomy) -> None:
    """Missing files, folders, bytes that are not text, and too many strategies are refused."""
    assert "No such file" in ecnomy(tmp_path / "nothing.csv")[2]
    assert ecnomy(tmp_path)[0] == 2
    (tmp_path / "bytes.csv").write_bytes(b",a\xff\n")
    assert "expected CSV in UTF-8" in ecnomy(tmp_path / "bytes.csv")[2]
    cells = ",".join(["1;1"] * 21)
    lines = [",".join(["", *(f"c{n}" for n in range(21))]), *(f"r{n},{cells}" for n in range(21))]
    (tmp_path / "large.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match="found 441 pairs of strategies, expected at most 400"):
        read_game(tmp_path / "large.csv")


def test_open_spiel_is_named_if_it_is_missing(
    tmp_path: Path, ecnomy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the extra that installs open_spiel."""
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt.alpharank", None)
    file = tmp_path / "game.csv"
    file.write_text(",a,b\na,1,1\nb,1,1\n")
    status, _, err = ecnomy(file)
    assert status == 2 and "pip install 'ecnomy[all]'" in err
