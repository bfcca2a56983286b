// SPDX-License-Identifier: Apache-2.0
// The agents of the page, each a part of a strategy of ecnomy (agents/ecnomy/agents/strategies):
//
//   Crowd            switches the first `knobs.load` flows of a source on, the others off
//   Payer            constant-charge: each flow of some sources pays a constant amount per second
//   Switchers        best-offer: users choose the carrier with the larger surplus; they never leave
//   CallSeller       marking-quantile: admits calls by the marks on test streams
//
// `knobs` are the present values of the sliders.
"use strict";
(function (play) {
  class Crowd {
    constructor(source, knobs) {
      Object.assign(this, { source, knobs });
    }

    decide(market) {
      market.sources[this.source].forEach((row, i) => {
        market.active[row] = i < this.knobs.load ? 1 : 0;
      });
    }
  }

  class Payer {
    // `charge(knobs)` and `price(knobs)` are in money/s and money per mark.
    constructor(sources, knobs, charge, price) {
      Object.assign(this, { sources, knobs, charge, price });
    }

    decide(market) {
      for (const source of this.sources) {
        for (const row of market.sources[source]) {
          if (this.charge) market.pay[row] = play.micro(this.charge(this.knobs));
          market.price[row] = play.micro(this.price(this.knobs));
        }
      }
    }
  }

  // Uniform random numbers in [0, 1) that depend on the seed only (mulberry32).
  function uniform(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  // User i may send over flow i of each source; the surplus of a carrier is a log(1 + x / x0) less the bill.
  class Switchers {
    constructor(sources, knobs, strategy, interval_s, seed) {
      Object.assign(this, { sources, knobs, strategy, interval_s, seed });
      this.weight = Math.min(Math.max(1 - strategy.loyalty, 0.1), 0.5);
      this.users = null;
      this.spread = sources.map(() => 0);
      this.since = { t_s: 0, bits: null, bill: null };
    }

    decide(market) {
      if (!this.users) this.begin(market);
      this.users.forEach((user, i) => {
        for (const row of this.rows(market, i)) {
          this.since.bits[row] += market.flows.acked_bytes[row] * 8;
          this.since.bill[row] += market.charge[row];
        }
      });
      if (market.t_s - this.since.t_s >= this.interval_s - 1e-6) {
        this.learn(market, market.t_s - this.since.t_s);
        this.move();
        this.since.t_s = market.t_s;
        this.since.bits.fill(0);
        this.since.bill.fill(0);
      }
      this.users.forEach((user, i) => {
        this.rows(market, i).forEach((row, k) => {
          market.active[row] = i < this.knobs.load && k === user.choice ? 1 : 0;
          market.pay[row] = play.micro(this.knobs.willing);
        });
      });
    }

    rows(market, user) {
      return this.sources.map((source) => market.sources[source][user]);
    }

    begin(market) {
      this.random = uniform(this.seed);
      this.users = market.sources[this.sources[0]].map(() => ({
        choice: Math.floor(this.random() * this.sources.length),
        known: this.sources.map(() => NaN),
        latest: -Infinity,
        fresh: true,
      }));
      this.since.bits = new Float64Array(market.pay.length);
      this.since.bill = new Float64Array(market.pay.length);
    }

    inside() {
      return this.users.slice(0, this.knobs.load);
    }

    learn(market, dt_s) {
      const { a, x0 } = this.strategy.utility;
      const moved = this.sources.map(() => []);
      this.inside().forEach((user, i) => {
        const row = this.rows(market, i)[user.choice];
        const rate = this.since.bits[row] / dt_s;
        const surplus = a * Math.log1p(Math.max(rate / x0, 1e-3)) - this.since.bill[row] / dt_s;
        const before = user.known[user.choice];
        if (!user.fresh && before === before) moved[user.choice].push(Math.abs(surplus - before));
        user.fresh = user.fresh && surplus > user.latest;
        user.latest = surplus;
        const smoothed = before + this.weight * (surplus - before);
        user.known[user.choice] = user.fresh || before !== before ? surplus : smoothed;
      });
      moved.forEach((some, k) => {
        if (some.length) this.spread[k] += this.weight * (mean(some) - this.spread[k]);
      });
    }

    // What a user expects of each carrier: its own experience, or the mean of the carrier's users.
    expected(user) {
      const expected = this.sources.map((_, k) => {
        if (k === user.choice) return user.known[k];
        const others = this.inside().filter((one) => one.choice === k);
        const settled = others.filter((one) => !one.fresh);
        const heard = (settled.length ? settled : others).map((one) => one.known[k]);
        return heard.length ? mean(heard) : user.known[k];
      });
      const best = Math.max(...expected.filter((one) => one === one));
      return expected.map((one) => (one === one ? one : best));
    }

    move() {
      const { loyalty, switching_cost: cost, horizon } = this.strategy;
      const choices = this.inside().map((user) => {
        const expected = this.expected(user);
        const best = expected.indexOf(Math.max(...expected));
        const gain = expected[best] - expected[user.choice] - cost / horizon;
        const doubt = 2 * (this.spread[user.choice] + this.spread[best]) * this.random();
        const compares = this.random() >= loyalty && !user.fresh;
        return compares && gain > 0 && gain > doubt ? best : user.choice;
      });
      this.inside().forEach((user, i) => {
        if (choices[i] === user.choice) return;
        Object.assign(user, { choice: choices[i], fresh: true, latest: -Infinity });
      });
    }
  }

  const mean = (some) => some.reduce((sum, one) => sum + one, 0) / some.length;

  // Andreassen 2002, 4.2: blocks a call while the marking rate M of the test streams over the last `sample`
  // seconds is above the quantile of its earlier samples.
  class CallSeller {
    constructor(streams, tariff, strategy, knobs) {
      Object.assign(this, { streams, tariff, strategy, knobs });
      Object.assign(this, { window: [], samples: [], since_s: 0, underWay: 0 });
      Object.assign(this, { requested: 0, refused: 0, charged: 0, refunded: 0 });
      this.threshold = Infinity;
    }

    decide(market) {
      const rows = this.streams.flatMap((name) => market.sources[name]);
      const sum = (column) => rows.reduce((total, row) => total + column[row], 0);
      this.window.push([market.dt_s, sum(market.flows.sent), sum(market.flows.ce)]);
      while (this.length() - this.window[0][0] >= this.strategy.sample - 1e-6) this.window.shift();
      this.since_s += market.dt_s;
      if (this.since_s >= this.strategy.sample - 1e-6) {
        this.since_s = 0;
        if (this.total(1) > 0) this.samples.push(this.rate());
      }
      this.learn();
    }

    length() {
      return this.total(0);
    }

    total(part) {
      return this.window.reduce((sum, row) => sum + row[part], 0);
    }

    rate() {
      return this.total(1) ? this.total(2) / this.total(1) : 0;
    }

    // The k-th smallest of N samples, k = ceil(q (N + 1)); no threshold if k > N.
    learn() {
      const count = this.samples.length;
      const blocked = 1 - this.knobs.willing;
      const place = Math.max(Math.ceil((1 - blocked) * (count + 1) - 1e-9), 1);
      const sorted = Float64Array.from(this.samples).sort();
      const learnt = count >= this.strategy.learning && place <= count;
      this.threshold = learnt && sorted[place - 1] < 1 ? sorted[place - 1] : Infinity;
    }

    admit() {
      const accepted = this.rate() <= this.threshold;
      this.requested += 1;
      if (!accepted) this.refused += 1;
      if (accepted) this.underWay += 1;
      if (accepted) this.charged += this.tariff.price_micro / play.MICRO;
      return accepted;
    }

    record(message) {
      if (message.table !== "calls") return;
      const [accepted, complete, sent, late, lost] = ["accepted", "complete", "sent", "late", "lost"]
        .map((name) => play.values(message.columns[name]));
      for (let i = 0; i < accepted.length; ++i) {
        if (!accepted[i]) continue;
        this.underWay -= 1;
        const broken = late[i] + lost[i] > this.tariff.max_delay_rate * sent[i];
        if (complete[i] && broken) this.refunded += this.tariff.reimbursement_micro / play.MICRO;
      }
    }
  }

  Object.assign(play, { CallSeller, Crowd, Payer, Switchers });
})(globalThis.ecnomyPlay);
