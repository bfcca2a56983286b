// SPDX-License-Identifier: Apache-2.0
// ecnomy-linux: a packet engine with the kernel's TCP and UDP, in wall-clock time.
//
//   ecnomy-linux run --plan FILE [--bridge-fd N] [--facts FILE]
//       runs the plan. Without a bridge there is no market, and the totals are printed as one JSON
//       line. The file of facts receives the lateness and the kernel's counts, as JSON
//   ecnomy-linux check [--plan FILE]      checks the machine, and whether this plan can run
//   ecnomy-linux --version
//
// Exit status: 0 if it finished, 1 if the run failed, 2 if the command line, the plan or the machine is unsuitable.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bridge/client.h"
#include "host/cpu_time.h"
#include "host/plan.h"
#include "host/program.h"
#include "host/recorder.h"
#include "linux/abilities.h"
#include "linux/kernel_laws.h"
#include "linux/machine.h"
#include "linux/router.h"

namespace {

using ecnomy::Plan;
namespace bridge = ecnomy::bridge;
namespace kernel = ecnomy::kernel;
using ecnomy::Options;

constexpr const char* kUsage =
    "usage: ecnomy-linux run --plan FILE [--bridge-fd N] [--facts FILE]\n"
    "       ecnomy-linux check [--plan FILE] | --version";

Plan load_plan(const Options& options) {
  Plan plan = ecnomy::plan_of(options);
  kernel::check_abilities(plan);
  return plan;
}

// Reports how punctual the run was: the seconds between a packet's due time and its actual time at its host.
nlohmann::ordered_json facts_of(kernel::Router& router) {
  const kernel::Lateness& late = router.lateness();
  const kernel::KernelCounts counts = router.kernel_counts();
  return {{"valid", late.valid()},
          {"bound_p99_s", kernel::Lateness::kMostP99_s},
          {"bound_p999_s", kernel::Lateness::kMostP999_s},
          {"late_p50_s", late.quantile_s(0.5)},
          {"late_p99_s", late.quantile_s(0.99)},
          {"late_p999_s", late.quantile_s(0.999)},
          {"late_worst_s", late.worst_s()},
          {"slowest_decision_s", router.slowest_decision_s()},
          {"kernel_sent", counts.sent},
          {"kernel_received", counts.received},
          {"kernel_received_ce", counts.received_ce},
          {"kernel", kernel::kernel_release()}};
}

// Raises the priority of the process, since runs on a busy machine are late. Returns false if that is not permitted.
bool take_precedence() {
  ::prctl(PR_SET_TIMERSLACK, 1);
  sched_param priority{};
  priority.sched_priority = 1;
  return ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0;
}

// Allows as many descriptors as the kernel permits, since every flow has one or two sockets.
void allow_many_sockets() {
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
}

void run(const Plan& plan, bridge::Client* client, const Options& options) {
  if (client) {
    client->set_limits(ecnomy::limits_of(plan));
    client->handshake({"linux", ECNOMY_VERSION, plan.digest, plan.seed, "", false, ""});
  }
  allow_many_sockets();
  kernel::Router router(plan, client);
  const bool precedence = take_precedence();
  const double before = ecnomy::cpu_s();
  const kernel::RunTotals totals = router.run();
  const double cpu = ecnomy::cpu_s() - before;
  nlohmann::ordered_json facts = facts_of(router);
  facts["precedence"] = precedence;
  if (const auto path = options.find("--facts"); path != options.end()) {
    std::ofstream(path->second) << facts.dump() << "\n";
  }
  if (client) {
    client->finish({plan.duration, totals.events, totals.data_packets, totals.packet_hops, cpu});
    return;
  }
  facts["events"] = totals.events;
  facts["data_packets"] = totals.data_packets;
  facts["packet_hops"] = totals.packet_hops;
  facts["cpu_s"] = cpu;
  std::cout << facts.dump() << "\n";
}

int command_run(const Options& options) {
  const Plan plan = load_plan(options);
  kernel::check_machine(&plan);
  std::unique_ptr<bridge::Client> client;
  if (const auto fd = options.find("--bridge-fd"); fd != options.end()) {
    client = std::make_unique<bridge::Client>(std::stoi(fd->second));
  }
  try {
    run(plan, client.get(), options);
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
  if (verb == "--version") {
    std::cout << "ecnomy-linux " << ECNOMY_VERSION << "\n";
    return 0;
  }
  const Options options = ecnomy::parse_options(argc, argv, {"--plan", "--bridge-fd", "--facts"});
  if (verb == "run") return command_run(options);
  if (verb != "check") {
    throw ecnomy::BadUsage(verb.empty() ? "no command given" : "unknown command '" + verb + "'");
  }
  std::optional<Plan> plan;
  if (options.count("--plan")) plan = load_plan(options);
  kernel::check_machine(plan ? &*plan : nullptr);
  std::cout << "Linux " << kernel::kernel_release()
            << (kernel::has_own_laws() ? ", with wtp and multcp" : ", without wtp and multcp")
            << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return ecnomy::status_of("ecnomy-linux", kUsage, [&] { return command(argc, argv); });
}
