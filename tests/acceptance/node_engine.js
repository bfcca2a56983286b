#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The engine for browsers in the place of ecnomy-engine: `run --plan FILE --bridge-fd N`, where N is the market's
// socket. ECNOMY_BROWSER_ENGINE names the module. It writes the CPU seconds of all
// steps to the file in ECNOMY_BROWSER_SPEED.
"use strict";
const fs = require("fs");

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const socket = Number(option("--bridge-fd"));
const market = {
  send: (bytes) => {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(socket, bytes, done);
  },
  receive: (size) => {
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, fs.readSync(socket, bytes, 0, size, null));
  },
};

require(process.env.ECNOMY_BROWSER_ENGINE)({ market }).then((engine) => {
  const call = (name, type, value) => {
    const done = engine.ccall(name, "number", type, value);
    if (done >= 0) return done;
    console.error(engine.ccall("ecnomy_error", "string", [], []));
    process.exit(1);
  };
  call("ecnomy_open", ["string"], [fs.readFileSync(option("--plan"), "utf8")]);
  const start = process.cpuUsage();
  while (call("ecnomy_step", [], []));
  const used = process.cpuUsage(start);
  const seconds = (used.user + used.system) / 1e6;
  if (process.env.ECNOMY_BROWSER_SPEED) fs.writeFileSync(process.env.ECNOMY_BROWSER_SPEED, String(seconds));
});
