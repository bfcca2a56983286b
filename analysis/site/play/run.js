// SPDX-License-Identifier: Apache-2.0
// One run of a scenario: the engine, its market, and the values of all charts in the last epochs.
"use strict";
(function (play) {
  const EPOCHS = 120; // on a chart

  class Run {
    // `scenario` is an entry of scenarios.js, `knobs` the values of the sliders by name.
    constructor(scenario, knobs) {
      this.scenario = scenario;
      this.view = play.views[scenario.name](scenario);
      this.knobs = { ...Object.fromEntries(this.view.knobs.map((one) => [one.id, one.value])), ...knobs };
      this.lines = this.view.charts.flatMap((chart) => chart.lines);
      this.times = [];
      this.history = this.lines.map(() => []);
      const plan = JSON.parse(scenario.plan);
      this.market = new play.Market(plan, this.view.agents(this.knobs), (market) => this.note(market));
      this.bridge = new play.Bridge(this.market);
      this.computing_s = 0;
      this.over = false;
    }

    // Opens the engine, of which `factory` makes an instance.
    async open(factory) {
      this.engine = await factory({ market: this.bridge });
      this.check(this.engine.ccall("ecnomy_open", "number", ["string"], [this.scenario.plan]));
    }

    // Simulates one epoch.
    step() {
      if (this.over) return;
      const start = performance.now();
      this.over = this.check(this.engine.ccall("ecnomy_step", "number", [], [])) === 0;
      this.computing_s += (performance.now() - start) / 1000;
    }

    check(status) {
      if (this.bridge.failure) throw this.bridge.failure;
      if (status < 0) throw new Error(this.engine.ccall("ecnomy_error", "string", [], []));
      return status;
    }

    note(market) {
      this.times.push(market.t_s);
      this.history.forEach((values, i) => values.push(this.lines[i].of(market)));
      if (this.times.length <= EPOCHS) return;
      this.times.shift();
      for (const values of this.history) values.shift();
    }

    // The values of each line of a chart.
    of(chart) {
      return chart.lines.map((one) => this.history[this.lines.indexOf(one)]);
    }
  }

  Object.assign(play, { EPOCHS, Run });
})(globalThis.ecnomyPlay);
