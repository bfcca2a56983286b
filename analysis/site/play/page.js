// SPDX-License-Identifier: Apache-2.0
// The page: tabs, sliders, the clock. It simulates in short slices between two pictures, so that it stays responsive.
"use strict";
(function (play) {
  const SLICE_MS = 14; // of computing for one picture
  const MOVES = 8; // of sliders that charts show

  const element = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html.trim();
    return holder.content.firstElementChild;
  };

  class Page {
    constructor(home) {
      this.home = home;
      this.playing = true;
      home.replaceChildren();
      this.tabs = home.appendChild(element('<div class="play-tabs" role="tablist"></div>'));
      this.stage = home.appendChild(element('<div class="play-stage"></div>'));
      for (const scenario of play.scenarios) this.tabs.append(this.tab(scenario));
      this.choose(play.scenarios[0]);
      requestAnimationFrame(() => this.frame());
    }

    tab(scenario) {
      const name = play.views[scenario.name](scenario).tab;
      const button = element(`<button type="button" role="tab" data-name="${scenario.name}">${name}</button>`);
      button.addEventListener("click", () => this.choose(scenario));
      return button;
    }

    choose(scenario) {
      for (const tab of this.tabs.children) {
        tab.setAttribute("aria-selected", String(tab.dataset.name === scenario.name));
      }
      const view = play.views[scenario.name](scenario);
      this.stage.innerHTML = `<p class="play-asks">${view.asks}</p><p>${view.about}</p>`
        + '<div class="play-knobs"></div><div class="play-buttons"><button type="button" class="play-pause"></button>'
        + '<button type="button" class="play-again">Start again</button><span class="play-status"></span></div>'
        + '<div class="play-charts"></div>'
        + `<p><small>Scenario: <a href="../gallery/${scenario.name}.html">${scenario.title}</a></small></p>`;
      const knobs = this.stage.querySelector(".play-knobs");
      for (const knob of view.knobs) knobs.append(this.knob(knob));
      this.stage.querySelector(".play-again").addEventListener("click", () => this.start(scenario, this.run.knobs));
      const pause = this.stage.querySelector(".play-pause");
      pause.addEventListener("click", () => this.pause(!this.playing));
      this.start(scenario, {});
      this.pause(true);
    }

    knob({ id, label, unit, least, most, step, value }) {
      const row = element(`<label><span>${label}</span><output></output>`
        + `<input type="range" name="${id}" min="${least}" max="${most}" step="${step}"></label>`);
      const input = row.querySelector("input");
      const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      const show = () => {
        row.querySelector("output").textContent = `${Number(input.value).toFixed(digits)} ${unit}`.trim();
      };
      input.value = value;
      show();
      input.addEventListener("input", () => {
        show();
        this.run.knobs[id] = Number(input.value);
        this.moved = [...this.moved.slice(1 - MOVES), this.run.market.t_s];
      });
      return row;
    }

    pause(playing) {
      this.playing = playing;
      this.stage.querySelector(".play-pause").textContent = playing ? "Pause" : "Go on";
    }

    async start(scenario, knobs) {
      const run = new play.Run(scenario, knobs);
      const home = this.stage.querySelector(".play-charts");
      home.replaceChildren();
      Object.assign(this, { run, ready: false, moved: [], due_s: scenario.ahead_s, at_ms: performance.now() });
      this.charts = run.view.charts.map((chart) => new play.Chart(chart, home));
      try {
        await run.open(EcnomyEngine);
      } catch (error) {
        return this.fail(error);
      }
      if (this.run === run) this.ready = true;
      return undefined;
    }

    frame() {
      const now_ms = performance.now();
      const passed_s = Math.min((now_ms - this.at_ms) / 1000, 0.25); // a page in the background stands still
      this.at_ms = now_ms;
      if (this.ready && this.playing) {
        try {
          this.advance(passed_s);
        } catch (error) {
          this.fail(error);
        }
      }
      requestAnimationFrame(() => this.frame());
    }

    // The time that is due runs with the wall clock, and does not run ahead of a slow machine.
    advance(passed_s) {
      const { run } = this;
      const { speed, epoch_s } = run.scenario;
      const steps = run.times.length;
      this.due_s = Math.min(this.due_s + passed_s * speed, Math.max(run.market.t_s, run.scenario.ahead_s) + speed);
      const end_ms = performance.now() + SLICE_MS;
      while (run.market.t_s + epoch_s <= this.due_s && performance.now() < end_ms && !run.over) run.step();
      if (run.over) return void this.start(run.scenario, run.knobs);
      if (run.times.length !== steps || run.times.length === play.EPOCHS) this.draw();
      return undefined;
    }

    draw() {
      const { run } = this;
      const span_s = play.EPOCHS * run.scenario.epoch_s;
      this.charts.forEach((chart) => chart.draw(run.times, run.of(chart.chart), span_s, this.moved));
      const packets = run.market.packets;
      const speed = packets / Math.max(run.computing_s, 1e-3);
      this.stage.querySelector(".play-status").textContent = `${run.market.t_s.toFixed(0)} s simulated, `
        + `${(packets / 1e6).toFixed(2)} million packets, ${(speed / 1e6).toFixed(1)} million per second of computing`;
    }

    fail(error) {
      this.ready = false;
      this.stage.querySelector(".play-status").textContent = `The simulation has ended: ${error.message}`;
    }
  }

  play.open = (home) => {
    play.page = new Page(home);
  };
})(globalThis.ecnomyPlay);
