# SPDX-License-Identifier: Apache-2.0
"""Describes the findings of a sweep in sentences.

The headline stands at the top of the sweep's page and at the end of the printed output. It names
the best strategy (or the best value of another categorical factor) by the main outcome. If all
factors are numeric, it names the best value or, for samples, the parameters that matter. A
difference is significant if its q-value among all comparisons of the sweep is at most 0.05.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.sweep_report.contrasts import Contrast, contrasts_of, level_rows, units_of
from ecnomy.analysis.sweep_report.curves import Best, best_of
from ecnomy.analysis.sweep_report.peaks import NOISE, SKEW, SPACING
from ecnomy.analysis.sweep_report.points import Swept, Varied, mean_interval, open_swept
from ecnomy.analysis.sweep_report.scales import OutcomeScale, percent_of, q_text, scale_of
from ecnomy.analysis.sweep_report.searched import search_words
from ecnomy.analysis.sweep_report.variance_shares import Matters, matters_of
from ecnomy.analysis.sweeps.outcome_names import called
from ecnomy.markets.sweep.main_outcomes import better

__all__ = ["Q", "SweepFindings", "conclusion_lines", "findings_of"]

Q: Final = 0.05
_LIMITS: Final = {
    "": "",
    NOISE: "Noise between seeds limits this interval: more replicates make it narrower.",
    SKEW: "The curve's skew limits this interval: values closer to the peak make it narrower.",
    SPACING: "The spacing of the values limits this interval: three do not show whether the curve "
    "is skewed.",
}


class SweepFindings(msgspec.Struct, frozen=True):
    """The findings of a sweep.

    Attributes:
        headline: the main finding in one sentence.
        detail: the numbers behind the headline; "" without any.
        sure: whether the headline is significant; None if it was not tested.
        more: further sentences, the most useful one first.
        contrasts: all comparisons of the sweep.
        bests: (index of a numeric factor, outcome) -> optimum along this factor.
        matters: the shares of each outcome's variance.
        lead: index of the factor in the headline; None without one.
    """

    headline: str
    detail: str
    sure: bool | None
    more: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    bests: dict[tuple[int, str], Best]
    matters: tuple[Matters, ...]
    lead: int | None


def conclusion_lines(folder: Path) -> tuple[str, ...]:
    """Return the last lines that `ecnomy sweep` prints: headline, detail, findings and notes.

    Raises:
        ResultsError: the sweep has no completed run.
        InputError: DuckDB is not installed.
    """
    swept = open_swept(folder)
    findings = findings_of(swept)
    lines = (findings.headline, findings.detail, *findings.more[:2], *swept.notes)
    return tuple(line for line in lines if line)


def findings_of(swept: Swept) -> SweepFindings:
    """Return the findings of a sweep."""
    if swept.search is not None:
        headline, detail = search_words(swept, swept.search)
        return SweepFindings(
            headline, detail, None, (), (), {}, (), 0 if len(swept.varied) == 1 else None
        )
    contrasts = contrasts_of(swept)
    bests = {
        (number, outcome): best
        for number, varied in enumerate(swept.varied)
        for outcome in swept.outcomes
        if (best := best_of(swept, varied, outcome)) is not None
    }
    matters = tuple(m for name in swept.outcomes if (m := matters_of(swept, name)) is not None)
    main, scale = swept.outcomes[0], scale_of(swept.outcomes[0], swept.of(swept.outcomes[0]))
    kinds = [n for n, v in enumerate(swept.varied) if not v.is_number]
    numbers = [n for n, v in enumerate(swept.varied) if v.is_number and not v.factor.sampled]
    headline, detail = "", ""
    sure: bool | None = None
    lead: int | None = None
    if kinds:
        lead = kinds[0]
        headline, detail, sure = _best_kind(swept, lead, contrasts, scale)
    elif numbers:
        lead = _widest(numbers, matters[:1])
        headline, detail, sure = _best_number(swept, lead, bests, contrasts, scale)
    elif matters and matters[0].outcome == main:
        headline = _matters_words(swept, matters[0])
    if not headline:
        one = mean_interval(swept.of(main), swept.level)
        mean_text = scale.with_unit(scale.between(one.mean, one.half_width))
        headline = f"{main} is {mean_text} over {one.n} runs."
    more = _more(swept, bests, contrasts, matters, lead, scale)
    unsaid = tuple(line for line in more if line != headline)
    return SweepFindings(headline, detail, sure, unsaid, contrasts, bests, matters, lead)


def _widest(numbers: Sequence[int], matters: Sequence[Matters]) -> int:
    if not matters or not matters[0].total:
        return numbers[0]
    return max(numbers, key=lambda n: matters[0].total[n].mean)


def _where_known(outcome: str) -> str:
    """Return a note on the runs that report an outcome; "" if it is not a profit."""
    word, _, name = outcome.partition(".")
    if word != "profit":
        return ""
    return f"{outcome} is for runs whose agents declare utilities; balance.{name} is for all."


def _best_kind(
    swept: Swept, number: int, contrasts: Sequence[Contrast], scale: OutcomeScale
) -> tuple[str, str, bool | None]:
    """Return the headline, detail and significance for the best value of a categorical factor."""
    varied, main = swept.varied[number], swept.outcomes[0]
    sign = better(main) or 1
    rows = level_rows(varied, swept.of(main), units_of(swept, varied)[0])
    means = np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else math.nan
                      for row in rows])  # fmt: skip
    order = [int(i) for i in np.argsort(-sign * means) if math.isfinite(means[i])]
    if len(order) < 2:
        only = f"Only {varied.level_words(order[0])}" if order else "No value"
        return f"{only} has finished runs that report {main}.", _where_known(main), None
    best, second = order[:2]
    one = mean_interval(rows[best], swept.level)
    word = "highest" if sign > 0 else "lowest"
    opens = f"{called(main)} is {word} with {varied.level_words(best)}"
    value = scale.with_unit(scale.between(one.mean, one.half_width))
    pairs = {
        other: c
        for other in order[1:]
        if (c := _contrast(contrasts, number, best, other, main)) is not None
    }
    if second not in pairs:
        return f"{opens}.", f"{value}. One run of each gives no information about chance.", None
    gap = f"{value}, {_gap(pairs[second], best, varied, second, scale)}."
    if pairs[second].q <= Q:
        return f"{opens}.", gap, True
    alike = [other for other, c in pairs.items() if c.q > Q]
    worse = [varied.level_words(other) for other in pairs if other not in alike]
    names = " and ".join(
        [varied.level_words(best), *(varied.level_words(other) for other in alike)]
    )
    tail = f" {', '.join(worse)} {'is' if len(worse) == 1 else 'are'} worse." if worse else ""
    return (
        f"{names} do not differ significantly in {called(main)}.",
        f"{varied.level_words(best)}: {gap}{tail}",
        False,
    )


def _contrast(
    contrasts: Sequence[Contrast], number: int, a: int, b: int, outcome: str
) -> Contrast | None:
    return next(
        (
            c
            for c in contrasts
            if c.varied == number and c.outcome == outcome and {c.first, c.second} == {a, b}
        ),
        None,
    )


def _gap(c: Contrast, best: int, varied: Varied, other: int, scale: OutcomeScale) -> str:
    """Return a phrase such as `3.1 more than red (95 % interval 2.0 to 4.2, q < 0.001)`."""
    between = c.compared.difference
    turn = 1 if c.second == best else -1
    low, high = sorted((turn * between.low, turn * between.high))
    half = between.half_width
    word = "more" if turn * between.mean >= 0 else "less"
    shown = scale.number(abs(between.mean), half)
    span = f"{scale.number(low, half)} to {scale.number(high, half)}"
    q = q_text(c.q)
    q = f"q {q}" if q.startswith("<") else f"q = {q}"
    level = f"{100 * between.level:.3g} % interval"
    return f"{shown} {word} than {varied.level_words(other)} ({level} {span}, {q})"


def _best_number(
    swept: Swept, number: int, bests: dict[tuple[int, str], Best],
    contrasts: Sequence[Contrast], scale: OutcomeScale,
) -> tuple[str, str, bool | None]:  # fmt: skip
    """Return the headline, detail and significance for the best value of a numeric factor."""
    best = bests.get((number, swept.outcomes[0]))
    if best is None:
        return "", "", None
    own = [c for c in contrasts if c.varied == number and c.outcome == swept.outcomes[0]]
    if own and not any(c.q <= Q for c in own):
        sentence = (
            f"{called(swept.outcomes[0])} does not change with {swept.varied[number].factor.name}"
        )
        return f"{sentence}, as far as these runs show.", "", False
    words = _best_words(swept, number, swept.outcomes[0], best, scale)
    return *words, bool(own) or None


def _best_words(
    swept: Swept, number: int, outcome: str, best: Best, scale: OutcomeScale
) -> tuple[str, str]:
    varied = swept.varied[number]
    unit = f" {varied.factor.unit}" if varied.factor.unit else ""
    word = "highest" if better(outcome) > 0 else "lowest"
    opens = f"{called(outcome)} is {word} at {varied.factor.name} {best.x:.4g}{unit}."
    others = " on average over the other parameters" if len(swept.varied) > 1 else ""
    mean = scale.with_unit(scale.between(best.mean, best.half))
    value = f"{mean} there{others}, of the values run"
    if not math.isfinite(best.low):
        return opens, f"{value}."
    if best.low == best.high:
        end = best.x in (min(varied.factor.values), max(varied.factor.values))
        more = "; values beyond this end of the range may be better still" if end else ""
        return opens, f"{value}{more}."
    what = "peaks" if better(outcome) > 0 else "is lowest"
    span = f"{100 * swept.level:.3g} % interval {best.low:.4g} to {best.high:.4g}{unit}"
    detail = f"{value}; the curve through the means {what} at {best.at:.4g}{unit} ({span})."
    return opens, f"{detail} {_LIMITS[best.limit]}".strip()


def _matters_words(swept: Swept, matters: Matters) -> str:
    shares, name = matters.total or matters.alone, called(matters.outcome)
    parts = []
    for i in matters.order()[:3]:
        if shares[i].mean > 0.005:
            sure = "" if shares[i].low > 0 else ", not sure"  # also for NaN (too few replicates)
            parts.append(f"{swept.varied[i].factor.name} ({percent_of(shares[i].mean)}{sure})")
    if not parts:
        return f"No parameter matters for {name}."
    return f"Most important parameters for {name}, by share of variance: {', '.join(parts)}."


def _more(
    swept: Swept, bests: dict[tuple[int, str], Best], contrasts: Sequence[Contrast],
    matters: Sequence[Matters], lead: int | None, scale: OutcomeScale,
) -> tuple[str, ...]:  # fmt: skip
    sentences = []
    main = swept.outcomes[0]
    for number, _ in enumerate(swept.varied):
        best = bests.get((number, main))
        if number != lead and best is not None:
            opens, detail, _ = _best_number(swept, number, bests, contrasts, scale)
            sentences.append(f"{opens} {detail}".strip())
    if len(swept.varied) > 1 and matters and matters[0].outcome == main:
        sentences.append(_matters_words(swept, matters[0]))
    if contrasts:
        count = sum(c.q <= Q for c in contrasts)
        count_text = f"{count} of {len(contrasts)} comparisons differ" if count else (
            f"No significant difference in {len(contrasts)} comparisons")  # fmt: skip
        sentences.append(f"{count_text} (q \u2264 {Q:g}, false discoveries controlled).")
    ratios = [c.ratio for c in contrasts if math.isfinite(c.ratio)]
    if swept.paired and ratios:
        sentences.append(_pairing_words(ratios))
    return tuple(sentences)


def _pairing_words(ratios: Any) -> str:
    middle = float(np.median(ratios))
    runs = 1 / max(middle, 1e-3) ** 2
    if middle >= 0.95:
        return (
            "Pairing seeds made little difference here: standard errors of differences are "
            f"{middle:.2f} times as large as with independent seeds (median of {len(ratios)})."
        )
    return (
        f"Paired seeds: the standard error of a difference is {middle:.2f} times as large as with "
        f"independent seeds (median of {len(ratios)}), worth {runs:.2g} times the runs."
    )
