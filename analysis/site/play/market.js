// SPDX-License-Identifier: Apache-2.0
// The market of the page: what each flow pays for its marks, the orders to the engine, and what happened in
// the last epoch. Agents (agents.js) decide. A part of ecnomy.markets: without a ledger, contracts and fees.
"use strict";
(function (play) {
  const PS_PER_S = 1e12;
  const MICRO = 1e6;
  const COUNTED = ["sent", "acked", "acked_bytes", "delivered", "ce", "lost", "late_0"];

  const micro = (money) => Math.round(money * MICRO);

  // The rows of each source, and its links by name.
  function rowsOf(plan) {
    const sources = {};
    let row = 0;
    for (const source of plan.sources) {
      const rows = source.rows === "together" ? 1 : source.count;
      sources[source.name] = Array.from({ length: rows }, (_, i) => row + i);
      row += rows;
    }
    return { sources, count: row };
  }

  // Cumulative columns as differences from the last report.
  class Differences {
    constructor(names, real = []) {
      this.names = names;
      this.real = new Set(real);
      this.last = {};
    }

    of(columns) {
      const found = {};
      for (const name of this.names) {
        if (!(name in columns)) continue;
        const now = play.values(columns[name], this.real.has(name));
        const before = this.last[name];
        found[name] = before ? now.map((value, i) => value - before[i]) : now;
        this.last[name] = now;
      }
      return found;
    }
  }

  // Keeps what the engine has been told, and returns only what has changed.
  class Orders {
    constructor(rows, weighted) {
      this.weighted = weighted; // rows whose window law takes a rate of marks
      this.rate = new Float64Array(rows).fill(-1);
      this.active = new Float64Array(rows).fill(1);
    }

    // The decision on the flows, from payments [micro-units/s; -1: unchanged], prices [micro-units], switches.
    changed(pay, price, active) {
      const rows = [];
      const rates = [];
      for (let row = 0; row < pay.length; ++row) {
        const steers = this.weighted[row] && pay[row] >= 0 && price[row] > 0;
        const rate = steers ? pay[row] / price[row] : -1;
        const anew = rate >= 0 && rate !== this.rate[row];
        if (!anew && active[row] === this.active[row]) continue;
        rows.push(row);
        rates.push(rate);
        if (anew) this.rate[row] = rate;
        this.active[row] = active[row];
      }
      if (!rows.length) return {};
      const unlimited = rows.map(() => -1);
      return {
        flow: play.column(rows),
        mark_rate: play.column(rates, true),
        rate_cap_bps: play.column(unlimited, true),
        mark_cap: play.column(unlimited),
        active: play.column(rows.map((row) => active[row])),
      };
    }
  }

  // A market between an engine and agents. `agents` have `decide(market)`, and may have `admit(request, market)`
  // and `record(message, market)`.
  class Market {
    constructor(plan, agents, onEpoch) {
      const { sources, count } = rowsOf(plan);
      Object.assign(this, { plan, agents, onEpoch, sources, t_s: 0, dt_s: 0, packets: 0 });
      this.pay = new Float64Array(count).fill(-1);
      this.price = new Float64Array(count);
      this.active = new Float64Array(count).fill(1);
      const weighted = plan.sources.flatMap((source) =>
        sources[source.name].map(() => source.transport.window?.law === "wtp"));
      this.orders = new Orders(count, weighted);
      this.flowDifferences = new Differences(COUNTED);
      const counted = ["arrivals", "marks", "drops", "departed_bytes", "queue_integral"];
      this.linkDifferences = new Differences(counted, ["queue_integral"]);
    }

    report(message) {
      const t_s = message.t_ps / PS_PER_S;
      this.dt_s = t_s - this.t_s;
      this.t_s = t_s;
      this.flows = this.flowDifferences.of(message.flows);
      this.links = this.linkDifferences.of(message.links);
      this.packets += this.flows.delivered.reduce((sum, one) => sum + one, 0);
      this.charge = this.flows.ce.map((marks, row) => (marks * this.price[row]) / MICRO);
      for (const agent of this.agents) agent.decide(this);
      if (this.dt_s > 0) this.onEpoch(this);
      return { flows: this.orders.changed(this.pay, this.price, this.active), links: {} };
    }

    admit(request) {
      return this.agents.every((agent) => !agent.admit || agent.admit(request, this));
    }

    record(message) {
      for (const agent of this.agents) agent.record?.(message, this);
    }

    finish() {}

    // The mean of a column of flows over some rows, per second.
    perSecond(name, rows) {
      const column = name === "charge" ? this.charge : this.flows[name];
      return rows.reduce((sum, row) => sum + column[row], 0) / this.dt_s;
    }

    // Mbit/s of IP packets acknowledged, of some rows together.
    mbps(rows) {
      return (this.perSecond("acked_bytes", rows) * 8) / 1e6;
    }

    link(name) {
      return this.plan.links.findIndex((link) => link.name === name);
    }

    // Waiting packets on a link, averaged over the epoch.
    queue(link) {
      return this.links.queue_integral[link] / this.dt_s;
    }

    // The share of a link's packets that it marked in the epoch.
    marked(link) {
      return this.links.marks[link] / Math.max(this.links.arrivals[link], 1);
    }
  }

  Object.assign(play, { MICRO, Market, PS_PER_S, micro });
})(globalThis.ecnomyPlay);
