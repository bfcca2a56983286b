# SPDX-License-Identifier: Apache-2.0
"""The utility of a telephone call: quality of experience by the E-model, from delay and loss.

    R   = 93.2 - Id - Ie-eff + A                                        (93.2: G.107, all defaults)
    Id  = 0.024 d + 0.11 (d - 177.3) H(d - 177.3)                       d one way in ms
    Ie-eff = Ie + (95 - Ie) Ppl / (Ppl / BurstR + Bpl)                  Ppl in per cent
    MOS = 1 + 0.035 R + 7e-6 R (R - 60) (100 - R)                       1 at R < 0, 4.5 at R > 100
    U   = a (MOS - 1) / 3.5

Sources: ITU-T G.107 (2005), 3 and Annex B (MOS), Appendix I (R from MOS); Id in the simplified form
of Cole and Rosenbluth 2001, a fit for calls without echo; G.113 (2007), Appendix I for

    codec      Ie   Bpl
    g711       0    4.3     lost packets are silence
    g711-plc   0    25.1    lost packets are concealed as in G.711, Appendix I

The cubic is below 1 for 0 < R < 6.5, by at most 0.012. For such R, the MOS is set to 1, so that U
never falls with better quality. The codec determines the rate of a call. For utilities of this
rate, see `step` and `sigmoid`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, Final, Protocol

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["CODECS", "CallUtility", "EModel", "delay_impairment", "mos_of_r", "r_of_mos"]

CODECS: Final[Mapping[str, tuple[float, float]]] = {"g711": (0.0, 4.3), "g711-plc": (0.0, 25.1)}
BEST_R: Final = 93.2
KNEE_MS: Final = 177.3
_SLOPES: Final = 0.024, 0.11  # slopes of Id, per ms
_LEAST_R: Final = 6.5  # above this R the cubic exceeds 1
_LEAST_MOS: Final = 1.0
_MOST_MOS: Final = 4.5


class CallUtility(Protocol):
    """The value of a call as a function of its quality, with methods that map columns."""

    def value(self, delay_s: Floats, loss: Floats) -> Floats:
        """Return U [money/s] for the one-way delay of packets and the share of lost packets."""


def delay_impairment(delay_s: npt.ArrayLike) -> Floats:
    """Return Id of a one-way delay from mouth to ear (Cole, Rosenbluth 2001), in points of R."""
    d = 1000.0 * np.asarray(delay_s, dtype=np.float64)
    return np.asarray(_SLOPES[0] * d + _SLOPES[1] * np.maximum(d - KNEE_MS, 0.0))


def mos_of_r(rating: npt.ArrayLike) -> Floats:
    """Return the mean opinion score of a rating R, from 1 to 4.5 (G.107, Annex B)."""
    r = np.clip(np.asarray(rating, dtype=np.float64), 0.0, 100.0)
    return np.maximum(_LEAST_MOS, 1.0 + 0.035 * r + 7e-6 * r * (r - 60.0) * (100.0 - r))


def r_of_mos(mos: npt.ArrayLike) -> Floats:
    """Return the rating R, 6.5 to 100, with this MOS (G.107, Appendix I); NaN outside 1 to 4.5."""
    m = np.asarray(mos, dtype=np.float64)
    under = np.maximum(-903522.0 + 1113960.0 * m - 202500.0 * m * m, 0.0)
    h = np.arctan2(15.0 * np.sqrt(under), 18566.0 - 6750.0 * m) / 3.0
    r = 20.0 / 3.0 * (8.0 - math.sqrt(226.0) * np.cos(h + math.pi / 3.0))
    return np.where((m >= _LEAST_MOS) & (m <= _MOST_MOS), r, np.nan)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EModel:
    """A call that is worth `a` per second at a MOS of 4.5 and nothing at 1.

    Attributes:
        a: the value of a call of the best quality [money/s].
        codec: name of the codec: g711 or g711-plc [text].
        terminals: delay of packetisation, playout buffer and coding, added to the delay of packets
            [s].
        burst_ratio: BurstR, 1 for independent losses [number of at least 1].
        advantage: A, the users' tolerance, for example 10 in a vehicle [points of R, 0 to 20].
    """

    a: Annotated[float, Unit("money/s")]
    codec: str = "g711-plc"
    terminals: Annotated[float, Unit("s")] = 0.0
    burst_ratio: float = 1.0
    advantage: float = 0.0

    def __post_init__(self) -> None:
        positive("a", self.a, "money/s")
        if self.codec not in CODECS:
            raise Refused("codec", repr(self.codec), f"one of {', '.join(CODECS)}")
        if not 0 <= self.terminals < math.inf:
            raise Refused("terminals", f"{self.terminals:g} s", "a finite time of 0 s or more")
        if not 1 <= self.burst_ratio < math.inf:
            raise Refused("burst_ratio", f"{self.burst_ratio:g}", "a finite number of 1 or more")
        if not 0 <= self.advantage <= 20:
            raise Refused("advantage", f"{self.advantage:g}", "points of R from 0 to 20")

    def loss_impairment(self, loss: Floats) -> Floats:
        """Return Ie-eff of a share of lost packets, in points of R."""
        own, robustness = CODECS[self.codec]
        percent = 100.0 * np.asarray(loss, dtype=np.float64)
        return own + (95.0 - own) * percent / (percent / self.burst_ratio + robustness)

    def rating(self, delay_s: Floats, loss: Floats) -> Floats:
        """Return R for a loss share and a one-way delay, to which the terminals' delay is added."""
        mouth_to_ear_s = np.asarray(delay_s, dtype=np.float64) + self.terminals
        impaired = delay_impairment(mouth_to_ear_s) + self.loss_impairment(loss)
        return np.asarray(BEST_R + self.advantage - impaired)

    def mos(self, delay_s: Floats, loss: Floats) -> Floats:
        """Return the mean opinion score, from 1 to 4.5."""
        return mos_of_r(self.rating(delay_s, loss))

    def value(self, delay_s: Floats, loss: Floats) -> Floats:
        """See CallUtility."""
        return self.a * (self.mos(delay_s, loss) - _LEAST_MOS) / (_MOST_MOS - _LEAST_MOS)

    def slope(self, delay_s: Floats, loss: Floats) -> tuple[Floats, Floats]:
        """Return U's derivatives by delay [money/s per s] and loss share [money/s], both <= 0."""
        d_ms = 1000.0 * (np.asarray(delay_s, dtype=np.float64) + self.terminals)
        percent = 100.0 * np.asarray(loss, dtype=np.float64)
        by_r = self._by_rating(self.rating(delay_s, loss))
        by_delay = 1000.0 * (_SLOPES[0] + np.where(d_ms > KNEE_MS, _SLOPES[1], 0.0))
        own, robustness = CODECS[self.codec]
        under = percent / self.burst_ratio + robustness
        by_loss = 100.0 * (95.0 - own) * robustness / np.square(under)
        return -by_r * by_delay, -by_r * by_loss

    def _by_rating(self, r: Floats) -> Floats:
        """Return dU/dR [money/s per point]."""
        cubic = 0.035 + 7e-6 * (-3.0 * r * r + 320.0 * r - 6000.0)
        counts = (r > _LEAST_R) & (r < 100.0)
        return np.where(counts, self.a / (_MOST_MOS - _LEAST_MOS) * cubic, 0.0)

    def latest_s(self, money_per_s: Floats, loss: Floats) -> Floats:
        """Return the longest packet delay [s] with this U, or NaN if U is smaller even at delay 0.

        The result is the inverse of U in the delay, for amounts above 0.
        """
        share = np.divide(money_per_s, self.a)
        needed = r_of_mos(_LEAST_MOS + (_MOST_MOS - _LEAST_MOS) * share)
        spare = BEST_R + self.advantage - self.loss_impairment(loss) - needed
        knee = _SLOPES[0] * KNEE_MS
        beyond_ms = (spare + _SLOPES[1] * KNEE_MS) / sum(_SLOPES)
        d_ms = np.where(spare <= knee, spare / _SLOPES[0], beyond_ms)
        packets_s = d_ms / 1000.0 - self.terminals
        return np.where(packets_s >= 0, packets_s, np.nan)
