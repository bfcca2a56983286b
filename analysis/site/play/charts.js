// SPDX-License-Identifier: Apache-2.0
// Line charts in SVG: values over simulated time, the newest at the right edge.
"use strict";
(function (play) {
  const HEIGHT = 150;
  const LEFT = 40;
  const BOTTOM = 18;
  const TOP = 8;

  // A round number that is at least `value`: 1, 2 or 5 times a power of ten.
  function round(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
    return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= value * 0.999);
  }

  const shown = (value) => {
    if (!Number.isFinite(value)) return "–";
    if (Number.isInteger(value)) return String(value);
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 || value === 0 ? 2 : 4;
    return value.toFixed(digits);
  };
  const tick = (value) => String(Number(value.toPrecision(3)));

  class Chart {
    // `chart` is one of a view; its place is a new element of `home`.
    constructor(chart, home) {
      this.chart = chart;
      this.top = 0;
      const place = document.createElement("figure");
      const names = chart.lines.map((one) =>
        `<span class="play-name"><i style="background:${one.color}"></i>${one.name} <b>–</b></span>`);
      place.innerHTML = `<figcaption><strong>${chart.title}</strong> <small>${chart.unit}</small>`
        + `<div>${names.join("")}</div></figcaption><svg role="img" aria-label="${chart.title} over time"></svg>`;
      home.append(place);
      this.svg = place.querySelector("svg");
      this.values = [...place.querySelectorAll("b")];
    }

    // `moved` are the times at which a slider moved.
    draw(times, lines, span_s, moved) {
      if (!times.length) return;
      const width = this.svg.clientWidth || 320;
      const end = times[times.length - 1];
      const top = this.limit(lines);
      const x = (t_s) => LEFT + ((t_s - end) / span_s + 1) * (width - LEFT - 4);
      const y = (value) => HEIGHT - BOTTOM - (Math.min(value, top) / top) * (HEIGHT - BOTTOM - TOP);
      const parts = [0, top / 2, top].map((value) =>
        `<line class="play-grid" x1="${LEFT}" x2="${width}" y1="${y(value)}" y2="${y(value)}"/>`
        + `<text x="${LEFT - 5}" y="${y(value) + 4}" text-anchor="end">${tick(value)}</text>`);
      parts.push(...this.clock(end, span_s, x));
      for (const t_s of moved) {
        if (t_s > end - span_s) parts.push(`<line class="play-moved" x1="${x(t_s)}" x2="${x(t_s)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`);
      }
      lines.forEach((values, i) => {
        const points = values.map((value, k) => (Number.isFinite(value) ? `${x(times[k]).toFixed(1)},${y(value).toFixed(1)}` : ""));
        parts.push(`<polyline points="${points.join(" ")}" stroke="${this.chart.lines[i].color}"/>`);
        this.values[i].textContent = shown(values[values.length - 1]);
      });
      this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      this.svg.innerHTML = parts.join("");
    }

    // The top of the vertical axis. It follows a larger value at once, and a much smaller one.
    limit(lines) {
      const most = Math.max(1e-6, ...lines.flat().filter(Number.isFinite));
      if (most > this.top || most < this.top / 4) this.top = round(most);
      return this.top;
    }

    clock(end, span_s, x) {
      const step = round(span_s / 5);
      const first = Math.ceil(Math.max(end - span_s, 0) / step) * step;
      const parts = [];
      for (let t_s = first; t_s <= end - span_s * 0.02; t_s += step) {
        if (x(t_s) < LEFT + 8) continue;
        parts.push(`<text x="${x(t_s)}" y="${HEIGHT - 4}" text-anchor="middle">${tick(t_s)} s</text>`);
      }
      return parts;
    }
  }

  Object.assign(play, { Chart });
})(globalThis.ecnomyPlay);
