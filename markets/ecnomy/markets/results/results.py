# SPDX-License-Identifier: Apache-2.0
"""The results of a run, from `run` or from a folder (`open_run`)."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.manifest import Manifest, Measured
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.results.runtables import RunTables
from ecnomy.markets.support.additions import load_added

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Results", "open_run"]


class Results(RunTables):
    """The results of a run: rates and payments, over time and in total.

    `flows`, `links`, `agents` and `ledger` are frames with names, seconds, Mbps and money. Their
    `attrs["units"]` holds the unit of each column. All other tables, and all tables of `raw`, are
    as stored on disk, in integer picoseconds and micro-units (markets/README.md).

    Attributes:
        folder: folder of the results; `(in memory)` for a run with `tables=False`.
    """

    def __init__(self, of: str | os.PathLike[str] | RawRun) -> None:
        """Create the results from raw tables, or from a folder that is read on first use."""
        self._of = of
        self.folder = of.path if isinstance(of, RawRun) else Path(of)

    @cached_property
    def raw(self) -> RawRun:
        """Return the tables as stored on disk.

        Raises:
            ResultsError: the folder does not exist, does not hold results, or has another format.
        """
        return self._of if isinstance(self._of, RawRun) else open_raw(self.folder)

    @property
    def path(self) -> Path:
        """Return the folder of the results."""
        return self.folder

    @property
    def manifest(self) -> Manifest:
        """Return the manifest, which has the scenario, the versions and the state of the run."""
        return self.raw.manifest

    @property
    def plan(self) -> Plan:
        """Return the plan of the run."""
        return self.raw.plan

    @property
    def title(self) -> str:
        """Return the scenario's title."""
        return self.raw.title

    @property
    def seed(self) -> int:
        """Return the seed of the run."""
        return self.manifest.seed

    @property
    def complete(self) -> bool:
        """Return whether the run reached its end."""
        return self.manifest.complete

    @property
    def note(self) -> str | None:
        """Return a line that explains why the run is partial, or None for a complete run."""
        return self.raw.note

    @property
    def measured(self) -> Measured:
        """Return the window that `flows` and `links` cover, in picoseconds."""
        return self.raw.measured

    @property
    def window_s(self) -> tuple[float, float]:
        """Return the measured window in seconds, from the end of the warm-up to the run's end.

        If the run ended during the warm-up, the window begins at 0 s.
        """
        return self.measured.from_ps / PS_PER_S, self.measured.to_ps / PS_PER_S

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Return one row per flow, indexed by name, over the measured window.

        The columns include `source`, `class`, `provider`, `goodput_mbps`, `marks_per_s`, `fee`
        (money paid for classes and contracts), `charge` (money paid for marks), `price_per_mark`
        (money), `mean_delay_s` and the engine's counters. A source with `rows: together` has one
        row, which covers `members` flows.
        """
        from ecnomy.markets.results.frames import flow_frame

        return flow_frame(self.raw)

    @cached_property
    def links(self) -> pd.DataFrame:
        """Return one row per link, indexed by name, over the measured window.

        The columns are `rate_mbps`, `utilization`, `marking_probability` (share of all arrivals;
        `ecnomy show` prints the share of ECN-capable data), `mean_queue_packets`, `mean_wait_s` and
        the engine's counters.
        """
        from ecnomy.markets.results.frames import link_frame

        return link_frame(self.raw)

    @cached_property
    def agents(self) -> pd.DataFrame:
        """Return the decisions of agents, one row per changed value.

        The columns are `t_s`, `agent`, `flow`, `what`, `value`, `unit` and `meaning`. `value` is in
        `unit`. If the value is a code, `meaning` explains it (a class, on, off, none).
        """
        from ecnomy.markets.results.frames import agent_frame

        return agent_frame(self.raw)

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Return all postings of the run: `payer` paid `payee` an `amount` of money at `t_s`.

        `kind` is the reason. `quantity` is in `unit`, and `price` is the price of one unit (NaN if
        the amount has several prices). `flow` and `source` name the traffic, and are "" if a
        posting concerns no traffic.
        """
        from ecnomy.markets.results.frames import ledger_frame

        return ledger_frame(self.raw)

    @cached_property
    def balances(self) -> pd.Series[float]:
        """Return the balance of each account at the end: money received minus money paid."""
        import pandas as pd

        money_by_account = {
            name: micro / MICRO for name, micro in (self.manifest.balances_micro or {}).items()
        }
        series = pd.Series(money_by_account, name="balance", dtype=float).rename_axis("account")
        series.attrs["unit"] = "money"
        return series

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Return the rates and payments that `ecnomy run` prints, one row per class or source.

        Rates and payments are means per flow over the measured window. There are no rows if the run
        was killed, or ended at 0 s or exactly at the end of its warm-up.
        """
        from ecnomy.markets.results.notebook_display import summary_frame

        return summary_frame(self.raw)

    def timeseries(
        self,
        what: str,
        by: str | None = None,
        *,
        every_s: float | None = None,
        per_flow: bool = False,
    ) -> pd.DataFrame:
        """Return a quantity over time, with one value for each interval between reports.

            timeseries("goodput", by="class")        Mbps of all gold flows, of all silver flows ...

        By flow, source, class, provider or codepoint of data packets (not-ect, ect-0, ect-1), or
        over all flows if `by` is None:

            goodput, sent [Mbps]    delivered, lost [packets/s]    marks [marks/s]    marking [1]
            delay, rtt [s]          window [packets, mean of a flow]                  active [flows]
            fee, charge, willingness [money/s]    price_per_mark [money/mark, as paid]

        By link (`by="link"`, the default for quantities that only links have):

            throughput [Mbps]    utilization, marking, loss [1]    queue [packets]    wait [s]
            arrivals, drops [packets/s]    marks [marks/s]

        By carrier: price [money/mark, as posted]. By account: received, paid [money/s], balance
        [money].

        Args:
            what: one of these quantities.
            by: the grouping of the quantity, such as "link".
            every_s: minimum length of an interval in seconds. By default, an interval lasts from
                one report to the next.
            per_flow: whether to divide the sum of a group by the number of its flows.

        Returns:
            One row per interval, indexed by its end `t_s`, and one column per flow, class or other
            group. A flow counts for the class that it has at the start of the interval. A value is
            NaN if it cannot be measured (such as a delay without packets, or a class without
            flows). `attrs["unit"]` is the unit of the values.

        Raises:
            InputError: the quantity does not exist or does not have this grouping, `every_s` is not
                positive, or `per_flow` is set for links, carriers or accounts.
            ResultsError: a table is missing or unreadable.
        """
        from ecnomy.markets.results.timeseries import timeseries_of

        return timeseries_of(self.raw, what, by, every_s, per_flow)

    def payments(self, who: str | None = None) -> pd.DataFrame:
        """Return the payments of the whole run, by payer, payee, kind, source and link.

        Args:
            who: an account, which selects the payments that it made, or a class, source or flow,
                which selects the payments for it by any payer (such as a customer's fee and a
                provider's mark charges). If an account shares its name with one of these, both
                selections are returned. None selects all payments.

        Returns:
            A frame with the columns `payer`, `payee`, `kind`, `source`, `link`, `quantity` in
            `unit`, `price` (the mean for this payer, payee, kind and source) and `amount` in money,
            sorted by decreasing amount. Mark charges have one row for each link that marked the
            source's packets. They are divided in proportion to the links' marks in the whole run,
            whatever the price at the time. The amounts of a payer sum to the total in the ledger,
            exact to the micro-unit.

        Raises:
            InputError: the name does not exist.
            ResultsError: a table is missing or unreadable.
        """
        from ecnomy.markets.results.payments import payments_of

        return payments_of(self.raw, who)

    def plot(self) -> Figure:
        """Return a figure of rates, payments, marking and queues over time, to save with `savefig`.

        Raises:
            ResultsError: a table is missing, or the run has fewer than two reports to draw.
            InputError: ecnomy.analysis is not installed.
        """
        try:
            draw = load_added("overview")
        except ImportError:
            draw = None
        if draw is None:
            raise InputError("plot requires ecnomy.analysis, which is not installed")
        figure: Figure | None = draw(self.raw)
        if figure is None:
            raise ResultsError(
                f"{self.folder}: the run has fewer than two reports, too few to draw"
            )
        return figure

    def table(self, name: str) -> pd.DataFrame:
        """Return the table `<name>.parquet` as stored on disk, read again at each call.

        Raises:
            ResultsError: the table cannot be read, or is missing (see RawRun.table).
        """
        return self.raw.table(name)

    def __eq__(self, other: object) -> bool:
        """Return whether both are results of the same folder, or of the same tables in memory."""
        return isinstance(other, Results) and self._place() == other._place()

    def __hash__(self) -> int:
        """Return the hash of the folder, or of the tables in memory."""
        return hash(self._place())

    def _place(self) -> Path | int:
        return id(self._of) if isinstance(self._of, RawRun) else self.folder.resolve()

    def __repr__(self) -> str:
        """Return one line that identifies the run."""
        try:
            state = self.note or "complete"
            return f"<Results of {self.title!r}, seed {self.seed}, {state}: {self.folder}>"
        except ResultsError as error:
            return f"<Results: {error}>"

    def _repr_html_(self) -> str:
        from ecnomy.markets.results.notebook_display import results_page

        return results_page(self)


def open_run(path: str | os.PathLike[str]) -> Results:
    """Open the results folder of a complete or partial run (see `Results.note`).

    Raises:
        ResultsError: the folder does not exist, does not hold results, or has another format.
    """
    results = Results(path)
    _ = results.raw
    return results
