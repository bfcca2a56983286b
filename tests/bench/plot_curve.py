# SPDX-License-Identifier: Apache-2.0
"""Draws curve.png beside this file from the newest record of bench_curve.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd
import seaborn as sns

import history

matplotlib.use("Agg")

import matplotlib.pyplot as plt

ACCEPTED = {10: 1.5, 1_000: 1.0, 10_000: 0.5, 100_000: 0.3}  # million packets per CPU second


def main() -> None:
    """Two panels: data packets against flows, packet-hops against links."""
    curve = history.newest("curve")
    sns.set_theme(style="whitegrid", context="paper")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    flows = pd.DataFrame(
        [(int(n), at["packets_per_cpu_s"] / 1e6) for n, at in curve["flows"].items()],
        columns=["flows", "rate"],
    ).sort_values("flows")
    sns.lineplot(flows, x="flows", y="rate", marker="o", ax=left, label="measured")
    sns.lineplot(
        x=list(ACCEPTED), y=list(ACCEPTED.values()), marker="_", linestyle="--", ax=left,
        label="target",
    )  # fmt: skip
    left.set(xscale="log", ylim=(0, None), xlabel="flows, 10 Mbps each")
    left.set(ylabel="million data packets\nper CPU second")
    links = pd.DataFrame(
        [(int(n), at["hops_per_cpu_s"] / 1e6) for n, at in curve["links"].items()],
        columns=["links", "rate"],
    ).sort_values("links")
    sns.lineplot(links, x="links", y="rate", marker="o", ax=right)
    right.set(xscale="log", ylim=(0, None), xlabel="links, two flows each")
    right.set(ylabel="million packet-hops\nper CPU second")
    figure.savefig(Path(__file__).with_name("curve.png"), dpi=110)


if __name__ == "__main__":
    main()
