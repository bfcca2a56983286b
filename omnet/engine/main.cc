// SPDX-License-Identifier: Apache-2.0
// ecnomy-engine: the built-in packet engine.
//
//   ecnomy-engine run --plan FILE [--bridge-fd N | --connect ADDRESS [--token-file FILE]]
//       runs the plan. Without a bridge there is no market, and the totals are printed as one line of JSON
//   ecnomy-engine read --plan FILE      prints the plan as the engine reads it, as JSON
//   ecnomy-engine describe      prints the laws it hosts and their parameters, as JSON
//   ecnomy-engine --version
//
// Exit status: 0 if it finished, 1 if the run failed, 2 if the command line or the plan is wrong.
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bridge/client.h"
#include "engine/simulation.h"
#include "host/cpu_time.h"
#include "host/plan.h"
#include "host/plan_text.h"
#include "host/program.h"
#include "host/recorder.h"
#include "host/registry.h"

namespace {

using ecnomy::Plan;
using ecnomy::engine::RunTotals;
using ecnomy::engine::Simulation;
namespace bridge = ecnomy::bridge;

constexpr const char* kUsage =
    "usage: ecnomy-engine run --plan FILE [--bridge-fd N | --connect ADDRESS [--token-file FILE]]\n"
    "       ecnomy-engine read --plan FILE | describe | --version";

ecnomy::Options options_of(int argc, char** argv) {
  return ecnomy::parse_options(argc, argv, {"--plan", "--bridge-fd", "--connect", "--token-file"});
}

std::unique_ptr<bridge::Client> open_bridge(const ecnomy::Options& options) {
  if (const auto fd = options.find("--bridge-fd"); fd != options.end()) {
    return std::make_unique<bridge::Client>(std::stoi(fd->second));
  }
  if (const auto to = options.find("--connect"); to != options.end()) {
    return std::make_unique<bridge::Client>(bridge::Client::connect(to->second));
  }
  return nullptr;
}

// Returns the first line of the file named by --token-file. The token itself is not an option, since every user of the
// machine can see the command line.
std::string token_in(const ecnomy::Options& options) {
  std::string token;
  if (const auto path = options.find("--token-file"); path != options.end()) {
    std::ifstream file(path->second);
    if (!std::getline(file, token))
      throw ecnomy::BadUsage("--token-file: cannot read " + path->second);
  }
  return token;
}

void print_totals(const RunTotals& totals, double cpu) {
  const nlohmann::ordered_json out{{"events", totals.events},
                                   {"data_packets", totals.data_packets},
                                   {"packet_hops", totals.packet_hops},
                                   {"cpu_s", cpu}};
  std::cout << out.dump() << "\n";
}

// Runs the plan. A guest, which is an engine that connects to an address, also sends its plan.
void run(const Plan& plan, bridge::Client* client, const std::string& token, bool guest) {
  if (client) {
    client->set_limits(ecnomy::limits_of(plan));
    client->handshake({"builtin", ECNOMY_VERSION, plan.digest, plan.seed, token, false,
                       guest ? ecnomy::plan_text(plan, ecnomy::find_law) : ""});
  }
  Simulation simulation(plan, client);
  const double before = ecnomy::cpu_s();
  const RunTotals totals = simulation.run();
  const double cpu = ecnomy::cpu_s() - before;
  if (!client) return print_totals(totals, cpu);
  client->finish({plan.duration, totals.events, totals.data_packets, totals.packet_hops, cpu});
}

int command_run(int argc, char** argv) {
  const ecnomy::Options options = options_of(argc, argv);
  const Plan plan = ecnomy::plan_of(options);
  const std::unique_ptr<bridge::Client> client = open_bridge(options);
  try {
    run(plan, client.get(), token_in(options), options.count("--connect") != 0);
  } catch (const bridge::ProtocolError&) {
    throw;
  } catch (const std::exception& error) {
    if (client) client->error(error.what());
    throw;
  }
  return 0;
}

int command(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "run") return command_run(argc, argv);
  if (verb == "read") {
    const Plan plan = ecnomy::plan_of(options_of(argc, argv));
    std::cout << ecnomy::plan_text(plan, ecnomy::find_law) << "\n";
    return 0;
  }
  if (verb == "describe") {
    std::cout << ecnomy::describe_laws() << "\n";
    return 0;
  }
  if (verb == "--version") {
    std::cout << "ecnomy-engine " << ECNOMY_VERSION << "\n";
    return 0;
  }
  throw ecnomy::BadUsage(verb.empty() ? "no command given" : "unknown command '" + verb + "'");
}

}  // namespace

int main(int argc, char** argv) {
  return ecnomy::status_of("ecnomy-engine", kUsage, [&] { return command(argc, argv); });
}
