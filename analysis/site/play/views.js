// SPDX-License-Identifier: Apache-2.0
// The four scenarios of the page: their sliders, agents and charts. Numbers come from the scenario files, through
// scenarios.js, which the build writes.
"use strict";
(function (play) {
  const COLORS = {
    amber: "#e69f00", grey: "#8a93a0", sky: "#56b4e9", green: "#009e73", blue: "#0072b2", red: "#d55e00",
    pink: "#cc79a7",
  };
  const money = (micro) => micro / play.MICRO;
  const agent = (scenario, name) => scenario.market.agents.find((one) => one.name === name);
  const knob = (id, label, unit, least, most, step, value) =>
    ({ id, label, unit, least, most, step, value });
  const line = (name, color, of) => ({ name, color: COLORS[color], of });
  const loadOf = (scenario, label, least) => {
    const { count, most } = scenario.load;
    return knob("load", label, "", least, most, 1, count);
  };
  const queue = (link) => ({
    title: "Waiting packets", unit: "packets, mean", lines: [line("bottleneck", "blue", (m) => m.queue(m.link(link)))],
  });
  const marked = (link) => ({
    title: "Marked packets", unit: "%", lines: [line("bottleneck", "red", (m) => 100 * m.marked(m.link(link)))],
  });
  const each = (name, rows) => (m) => m.perSecond(name, m.sources[rows]) / m.sources[rows].length;
  const rateEach = (rows) => (m) => m.mbps(m.sources[rows]) / m.sources[rows].length;

  function goldSilver(scenario) {
    const classes = agent(scenario, "shop").classes;
    const fee = (name) => money(classes.find((one) => one.name === name).fee_micro_per_s);
    return {
      tab: "Gold and silver",
      asks: "What does a gold customer get for paying four times as much as a silver one?",
      about: "Two gold and two silver customers share a link of 10 Mbit/s with web users. The link marks packets when "
        + "its queue grows. Gold and silver send as fast as their marks stay affordable. Web users send as ordinary TCP.",
      knobs: [
        knob("price", "Price of a mark", "money", 0.02, 0.5, 0.005, money(scenario.market.price_micro_per_mark)),
        knob("willing", "Gold pays for marks", "money/s", 0, 8, 0.1, fee("gold")),
        loadOf(scenario, "Web users", 0),
      ],
      agents: (knobs) => [
        new play.Crowd("background", knobs),
        new play.Payer(["gold"], knobs, (k) => k.willing, (k) => k.price),
        new play.Payer(["silver"], knobs, () => fee("silver"), (k) => k.price),
        new play.Payer(["background"], knobs, null, (k) => k.price),
      ],
      charts: [
        { title: "Rate", unit: "Mbit/s", lines: [
          line("a gold customer", "amber", rateEach("gold")),
          line("a silver customer", "grey", rateEach("silver")),
          line("all web users", "sky", (m) => m.mbps(m.sources.background))] },
        queue("bottleneck"),
        marked("bottleneck"),
        { title: "Payments for marks", unit: "money/s", lines: [
          line("a gold customer", "amber", each("charge", "gold")),
          line("a silver customer", "grey", each("charge", "silver")),
          line("all web users", "sky", (m) => m.perSecond("charge", m.sources.background))] },
      ],
    };
  }

  function twoCarriers(scenario) {
    const users = agent(scenario, "users");
    const carriers = ["cheap", "dear"].map((name) => ({
      name, color: name === "cheap" ? "green" : "pink", rows: `over-${name}`, link: `${name}-link`,
      price: money(agent(scenario, `${name}-carrier`).price_micro_per_mark),
    }));
    const strategy = users.strategy.params;
    const lines = (of) => carriers.map((one) => line(`${one.name} carrier`, one.color, of(one)));
    const active = (m, rows) => m.sources[rows].filter((row) => m.active[row]);
    return {
      tab: "Two carriers",
      asks: "Do users go to the carrier with the lower price, or to the one with the empty link?",
      about: "Each user sends over one of two carriers, and may switch every five seconds. The cheap carrier has 4 Mbit/s, "
        + "the dear one 8 Mbit/s. A user compares what its rate is worth with what its marks cost.",
      knobs: [
        knob("price", "Price, cheap carrier", "money", 0.02, 0.4, 0.005, carriers[0].price),
        knob("willing", "A user pays for marks", "money/s", 0.1, 2, 0.05, strategy.pay),
        loadOf(scenario, "Users", 2),
      ],
      agents: (knobs) => [
        new play.Payer([carriers[0].rows], knobs, null, (k) => k.price),
        new play.Payer([carriers[1].rows], knobs, null, () => carriers[1].price),
        new play.Switchers(carriers.map((one) => one.rows), knobs, strategy,
          users.decision_interval_ps / play.PS_PER_S, scenario.seed),
      ],
      charts: [
        { title: "Users", unit: "number", lines: lines((one) => (m) => active(m, one.rows).length) },
        { title: "Rate of a user", unit: "Mbit/s", lines: lines((one) => (m) => {
          const rows = active(m, one.rows);
          return rows.length ? m.mbps(rows) / rows.length : 0;
        }) },
        { title: "Waiting packets", unit: "packets, mean", lines: lines((one) => (m) => m.queue(m.link(one.link))) },
        { title: "Marked packets", unit: "%", lines: lines((one) => (m) => 100 * m.marked(m.link(one.link))) },
        { title: "Income of the carriers", unit: "money/s",
          lines: lines((one) => (m) => m.perSecond("charge", m.sources[one.rows])) },
      ],
    };
  }

  // Differences of a sum over the last minute, per minute.
  function perMinute(of) {
    const samples = [];
    return (market) => {
      samples.push([market.t_s, of(market)]);
      while (samples[0][0] < market.t_s - 60) samples.shift();
      const passed = Math.max(market.t_s - samples[0][0], 1);
      return ((samples[samples.length - 1][1] - samples[0][1]) * 60) / passed;
    };
  }

  function calls(scenario) {
    const gsp = agent(scenario, "gsp");
    const { tariff } = gsp.lines[0];
    const strategy = gsp.strategy.params;
    const seller = (m) => m.agents.find((one) => one instanceof play.CallSeller);
    const bought = (m) => [...m.sources.callers, ...gsp.test_streams.flatMap((name) => m.sources[name])];
    let paid = 0;
    return {
      tab: "A provider of calls",
      asks: "Can someone sell good calls over a network that guarantees nothing?",
      about: "A provider sells calls at a fixed price and pays for their marks. It refunds a call if more than 1 % of its "
        + "packets are lost or late. It watches the marks on its test streams, and refuses calls while they are unusually many.",
      knobs: [
        knob("price", "Price of a mark", "money", 0, 0.02, 0.0005, money(scenario.market.price_micro_per_mark)),
        knob("willing", "Accept calls up to quantile", "", 0.5, 1, 0.01, strategy.quantile),
        loadOf(scenario, "Web users", 0),
      ],
      agents: (knobs) => [
        new play.Crowd("surfers", knobs),
        new play.Crowd("rush", { load: 0 }),
        new play.Payer(["callers", ...gsp.test_streams], knobs, null, (k) => k.price),
        new play.CallSeller(gsp.test_streams, tariff, strategy, knobs),
      ],
      charts: [
        { title: "Calls", unit: "number", lines: [
          line("in progress", "green", (m) => seller(m).underWay),
          line("refused per minute", "red", perMinute((m) => seller(m).refused))] },
        { title: "Marks on test streams", unit: "%", lines: [
          line(`last ${strategy.sample} s`, "blue", (m) => 100 * seller(m).rate()),
          line("refuse above", "red", (m) => 100 * seller(m).threshold)] },
        { title: "Rate of all web users", unit: "Mbit/s", lines: [line("web", "sky", (m) => m.mbps(m.sources.surfers))] },
        queue("trunk"),
        { title: "The provider's money", unit: "money/min", lines: [
          line("calls sold", "green", perMinute((m) => seller(m).charged)),
          line("refunds", "red", perMinute((m) => seller(m).refunded)),
          line("marks", "amber", perMinute((m) => (paid += m.perSecond("charge", bought(m)) * m.dt_s)))] },
      ],
    };
  }

  function l4s(scenario) {
    const charge = (name) => agent(scenario, name).strategy.params.charge;
    const price = (k) => k.price;
    const flows = [["gold", "gold (WTP)", "amber"], ["silver", "silver (WTP)", "grey"], ["prague", "Prague", "blue"],
      ["cubic", "a CUBIC flow", "red"]];
    const crowd = (of) => (m) => {
      const rows = m.sources.crowd.filter((row) => m.active[row]);
      return rows.length ? of(m, rows) / rows.length : 0;
    };
    return {
      tab: "L4S",
      asks: "Who pays if a mark costs the same for L4S and for classic traffic?",
      about: "One access link of 200 Mbit/s has the dual queue of L4S. Gold and silver buy marks. Prague and CUBIC send as "
        + "their congestion control does, and pay for the marks they get.",
      knobs: [
        knob("price", "Price of a mark", "money", 0.0002, 0.004, 0.0001, money(scenario.market.price_micro_per_mark)),
        knob("willing", "Gold pays for marks", "money/s", 0, 1.5, 0.05, charge("gold-user")),
        loadOf(scenario, "Prague flows of a crowd", 0),
      ],
      agents: (knobs) => [
        new play.Crowd("crowd", knobs),
        new play.Payer(["gold"], knobs, (k) => k.willing, price),
        new play.Payer(["silver"], knobs, () => charge("silver-user"), price),
        new play.Payer(["prague", "crowd", "cubic"], knobs, null, price),
      ],
      charts: [
        { title: "Rate of a flow", unit: "Mbit/s", lines: [
          ...flows.map(([rows, name, color]) => line(name, color, rateEach(rows))),
          line("one of the crowd", "sky", crowd((m, rows) => m.mbps(rows)))] },
        queue("bottleneck"),
        marked("bottleneck"),
        { title: "Payments for marks of a flow", unit: "money/s", lines: [
          ...flows.map(([rows, name, color]) => line(name, color, each("charge", rows))),
          line("one of the crowd", "sky", crowd((m, rows) => m.perSecond("charge", rows)))] },
      ],
    };
  }

  play.views = { "gold-silver": goldSilver, switching: twoCarriers, gsp: calls, l4s };
})(globalThis.ecnomyPlay);
