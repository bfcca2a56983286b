// SPDX-License-Identifier: Apache-2.0
// A scenario of the page Play in Node, without a browser: `node play_run.js ENGINE FOLDER NAME DURATION_S`.
// FOLDER has the page's scripts. It prints the counters of all flows at the end, the prices, and the last values of the charts.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [engine, folder, name, duration_s] = process.argv.slice(2);
for (const script of ["bridge", "scenarios", "market", "agents", "views", "run"]) {
  vm.runInThisContext(fs.readFileSync(path.join(folder, `${script}.js`), "utf8"), { filename: script });
}
const scenario = globalThis.ecnomyPlay.scenarios.find((one) => one.name === name);
const run = new globalThis.ecnomyPlay.Run(scenario, {});
const totals = {};
const report = run.market.report.bind(run.market);
run.market.report = (message) => {
  const orders = report(message);
  for (const counted of ["ce", "acked_bytes", "delivered"]) {
    const grown = Array.from(run.market.flows[counted], Number);
    totals[counted] = grown.map((value, row) => value + (totals[counted]?.[row] ?? 0));
  }
  return orders;
};
(async () => {
  await run.open(require(engine));
  while (run.market.t_s < Number(duration_s)) run.step();
  const charts = run.view.charts.map((chart) => run.of(chart).map((values) => values[values.length - 1]));
  console.log(JSON.stringify({ t_s: run.market.t_s, price: Array.from(run.market.price), charts, ...totals }));
})();
