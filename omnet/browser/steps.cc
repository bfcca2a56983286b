// SPDX-License-Identifier: Apache-2.0
// The built-in engine as a WebAssembly module, advanced by JavaScript one epoch at a time.
//
//   ecnomy_open(plan)   begins a run of a plan (JSON): hello, welcome. Returns 0, or -1 after an error
//   ecnomy_step()       report, decision, then the packets up to the next report. 1: a further step follows,
//                       0: finished, -1 after an error
//   ecnomy_error()      returns the text of the last error
//
// There is one run at a time: the next ecnomy_open ends the previous run.
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "bridge/client.h"
#include "engine/simulation.h"
#include "host/plan.h"
#include "host/recorder.h"

namespace {

using ecnomy::Plan;
using ecnomy::engine::RunTotals;
using ecnomy::engine::Simulation;
namespace bridge = ecnomy::bridge;

class Run {
 public:
  explicit Run(Plan plan) : plan_(std::move(plan)), client_(0) {
    client_.set_limits(ecnomy::limits_of(plan_));
    client_.handshake({"builtin", ECNOMY_VERSION, plan_.digest, plan_.seed, ""});
    simulation_ = std::make_unique<Simulation>(plan_, &client_);
  }

  bool step() {
    try {
      if (simulation_->step()) return true;
      const RunTotals totals = simulation_->totals();
      client_.finish({plan_.duration, totals.events, totals.data_packets, totals.packet_hops, 0});
      return false;
    } catch (const bridge::ProtocolError&) {
      throw;
    } catch (const std::exception& error) {
      client_.error(error.what());
      throw;
    }
  }

 private:
  Plan plan_;
  bridge::Client client_;
  std::unique_ptr<Simulation> simulation_;
};

// The state of the module in JavaScript, which has one engine.
struct State {
  std::unique_ptr<Run> run;
  std::string error;
};

State& state() {
  static State one;
  return one;
}

template <class Act>
int guarded(Act&& act) noexcept {
  try {
    return act();
  } catch (const std::exception& error) {
    state().error = error.what();
  }
  state().run.reset();
  return -1;
}

}  // namespace

extern "C" {

int ecnomy_open(const char* plan) {
  return guarded([plan] {
    state().run.reset();
    state().run = std::make_unique<Run>(ecnomy::parse_plan(plan));
    return 0;
  });
}

int ecnomy_step() {
  return guarded([] { return state().run && state().run->step() ? 1 : 0; });
}

const char* ecnomy_error() { return state().error.c_str(); }
}
