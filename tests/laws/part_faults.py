# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the parts of traffic laws, in lists of sizes and in video."""

from __future__ import annotations

from typing import Final

from planted_faults import Mutation

__all__ = ["PART_MUTATIONS"]

USER: Final = "traffic/web_user.h"
PART_MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "sessions": [
        Mutation("case", USER, "std::exchange(read_, true) ? ", "true ? "),
        Mutation("threshold", USER, "pages(uniform) - 1;", "pages(uniform);"),
        Mutation("range", USER, '"pages", NAN, 1, 1e6', '"pages", NAN, 0, 1e6'),
    ],
    "page": [
        Mutation("sign", USER, "geometric(objects_mean_ + 1", "geometric(objects_mean_ + 2"),
        Mutation("guard", USER, "std::exchange(page_is_there_, false)", "page_is_there_"),
        Mutation("case", USER, "page_is_there_ = false;\n    objects_ = 0;", ""),
        Mutation("threshold", USER, "return later(parsing, before", "return later(0, before"),
    ],
    "speech": [
        Mutation("sign", "traffic/speech.h", "talking_ ? talk_mean", "!talking_ ? talk_mean"),
        Mutation("reversed", "traffic/speech.h", "uniform() < talk_mean", "uniform() > talk_mean"),
        Mutation("clamp", "traffic/speech.h", "tick + interval - 1)", "tick + 2 * interval)"),
        Mutation("case", "traffic/speech.h", "talking_ = !talking_;", ""),
    ],
    "sizes": [
        Mutation("threshold", "traffic/sizes.h", "sum += weights_[i]", "sum = weights_[i]"),
        Mutation("range", "traffic/sizes.h", "bytes_[i] >= 1 &&", "bytes_[i] >= 0 &&"),
        Mutation("guard", "traffic/sizes.h", "bytes_.size() <= kMost,", "true,"),
    ],
    "video": [
        Mutation("sign", "traffic/video.h", "std::exp(-variance / 2)", "std::exp(variance / 2)"),
        Mutation("threshold", "traffic/video.h", "++packet_ < packets_", "++packet_ <= packets_"),
        Mutation("case", "traffic/video.h", "if (frame == 0) return types_[0];", ""),
        Mutation("clamp", "traffic/video.h", "std::clamp(bytes, 1.0, kMostBytes)", "bytes"),
    ],
}
