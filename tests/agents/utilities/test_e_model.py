# SPDX-License-Identifier: Apache-2.0
"""The E-model against figures of G.107, G.113, Cole and Rosenbluth; its derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities import EModel, call_utility_of
from ecnomy.agents.utilities.e_model import delay_impairment, mos_of_r, r_of_mos

CALL = EModel(a=2.0)
BARE = EModel(a=2.0, codec="g711")
ZERO = np.zeros(1)


def test_default_rating_and_its_mos() -> None:
    """With the defaults of G.107, R is 93.2 and the MOS is 4.41."""
    assert CALL.rating(ZERO, ZERO) == pytest.approx([93.2])
    assert CALL.mos(ZERO, ZERO).round(2).tolist() == [4.41]


@pytest.mark.parametrize(
    ("rating", "mos"), [(90, 4.34), (80, 4.03), (70, 3.60), (60, 3.10), (50, 2.58)]
)
def test_mos_of_the_table_in_annex_b(rating: float, mos: float) -> None:
    """Values agree with G.107, Table B.1, except 4.03, which is 4.024 by its own formula."""
    assert float(mos_of_r(rating)) == pytest.approx(mos, abs=0.0061 if rating == 80 else 0.005)


def test_mos_has_ends_and_never_falls() -> None:
    """The MOS is 1 below R = 0 and 4.5 above 100, and never falls."""
    assert mos_of_r([-20.0, 0.0, 100.0, 120.0]).tolist() == [1.0, 1.0, 4.5, 4.5]
    assert np.all(np.diff(mos_of_r(np.linspace(-5, 105, 2201))) >= 0)


@settings(derandomize=True)
@given(st.floats(6.6, 99.9))
def test_rating_of_a_mos_is_the_inverse(rating: float) -> None:
    """The inverse of G.107, Appendix I, agrees with Annex B."""
    assert float(r_of_mos(mos_of_r(rating))) == pytest.approx(rating, rel=1e-6)


def test_a_mos_beyond_the_scale_has_no_rating() -> None:
    """The scale goes from 1 to 4.5."""
    assert np.isnan(r_of_mos([0.9, 4.6])).all()
    assert r_of_mos([1.0, 4.5]) == pytest.approx([6.5, 100.0], abs=0.05)


def test_delay_impairment_has_its_knee_at_177_ms() -> None:
    """The slope is 0.024 per ms, and 0.134 from 177.3 ms on."""
    assert delay_impairment([0.0, 0.1, 0.1773]) == pytest.approx([0.0, 2.4, 4.2552])
    assert delay_impairment(0.4) == pytest.approx(0.024 * 400 + 0.11 * (400 - 177.3))
    slopes = np.diff(delay_impairment([0.1772, 0.1773, 0.1774])) / 0.1
    assert slopes == pytest.approx([0.024, 0.134])


def test_loss_impairment_is_that_of_g113() -> None:
    """Ie-eff = 95 Ppl / (Ppl + Bpl): 4.3 % lost halves G.711 without concealment, 25.1 % with."""
    assert BARE.loss_impairment(np.array([0.0, 0.01, 0.043])) == pytest.approx(
        [0.0, 95 / 5.3, 47.5]
    )
    assert CALL.loss_impairment(np.array([0.0, 0.01, 0.251])) == pytest.approx(
        [0.0, 95 / 26.1, 47.5]
    )
    bursty = EModel(a=2.0, burst_ratio=2.0)
    assert bursty.loss_impairment(np.array([0.05])) == pytest.approx([95 * 5 / (2.5 + 25.1)])


def test_a_call_by_hand() -> None:
    """A call with 150 ms and 1 % concealed loss has R = 93.2 - 3.6 - 3.64, a MOS of 4.23."""
    delay, loss = np.array([0.1]), np.array([0.01])
    call = EModel(a=2.0, terminals=0.05)
    assert call.rating(delay, loss) == pytest.approx([85.96], abs=0.005)
    assert call.mos(delay, loss) == pytest.approx([4.23], abs=0.005)
    assert call.value(delay, loss) == pytest.approx(2.0 * (call.mos(delay, loss) - 1) / 3.5)
    assert EModel(a=2.0, advantage=5.0).rating(ZERO, ZERO) == pytest.approx([98.2])


@pytest.mark.parametrize("call", [CALL, BARE, EModel(a=1.0, terminals=0.06, burst_ratio=1.5)])
def test_slopes_are_the_derivatives(call: EModel) -> None:
    """By delay and by loss, against central differences; never above 0."""
    delay, loss = np.meshgrid([0.02, 0.1, 0.17, 0.2, 0.35], [0.001, 0.01, 0.05, 0.2])
    by_delay, by_loss = call.slope(delay, loss)
    step = 1e-6
    near = (call.value(delay + step, loss) - call.value(delay - step, loss)) / (2 * step)
    assert by_delay == pytest.approx(near, rel=1e-5, abs=1e-6)
    near = (call.value(delay, loss + step) - call.value(delay, loss - step)) / (2 * step)
    assert by_loss == pytest.approx(near, rel=1e-4, abs=1e-6)
    assert np.all(by_delay <= 0) and np.all(by_loss <= 0)


@settings(derandomize=True)
@given(st.floats(0.001, 0.5), st.floats(0.0, 0.1), st.floats(0.0, 0.1))
def test_latest_delay_undoes_the_value(delay: float, loss: float, terminals: float) -> None:
    """latest_s inverts the value of a call with this delay and loss."""
    call = EModel(a=2.0, terminals=terminals)
    worth = call.value(np.array([delay]), np.array([loss]))
    if call.rating(np.array([delay]), np.array([loss]))[0] > 8:
        assert call.latest_s(worth, np.array([loss])) == pytest.approx([delay], rel=1e-5, abs=1e-6)
    assert np.isnan(call.latest_s(np.array([2.0]), np.array([loss]))).all()  # MOS 4.5: never


@pytest.mark.parametrize(
    ("params", "key", "found"),
    [
        ({"kind": "mos", "a": 1.0}, "kind", "'mos'"),
        ({"kind": "e-model"}, "kind", "'e-model' ("),
        ({"kind": "e-model", "a": 0.0}, "a", "0 money/s"),
        ({"kind": "e-model", "a": 1.0, "codec": "g729"}, "codec", "'g729'"),
        ({"kind": "e-model", "a": 1.0, "terminals": -0.1}, "terminals", "-0.1 s"),
        ({"kind": "e-model", "a": 1.0, "burst_ratio": 0.5}, "burst_ratio", "0.5"),
        ({"kind": "e-model", "a": 1.0, "advantage": 21.0}, "advantage", "21"),
    ],
)
def test_parameters_out_of_range_are_refused(
    params: dict[str, object], key: str, found: str
) -> None:
    """The error names the key and the value found."""
    with pytest.raises(Refused) as caught:
        call_utility_of(params)
    assert caught.value.key == key and found in caught.value.found
