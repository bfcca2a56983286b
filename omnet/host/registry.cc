// SPDX-License-Identifier: Apache-2.0
#include "host/registry.h"

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/law_log.h"
#include "host/marking_host.h"
#include "host/scheduler_host.h"
#include "host/window_host.h"
#include "laws/traffic/files.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/traffic.h"
#include "laws/traffic/video.h"
#include "laws/traffic/voip.h"
#include "laws/traffic/web_user.h"

namespace ecnomy {
namespace {

template <class Law>
LawEntry entry(const char* family) {
  return {family, Law::kName, {std::begin(Law::kParameters), std::end(Law::kParameters)}};
}

nlohmann::ordered_json describe(const Parameter& p) {
  nlohmann::ordered_json out{{"name", p.name}, {"unit", p.unit}};
  out["default"] = nullptr;
  if (!std::isnan(p.fallback)) out["default"] = p.fallback;
  out["min"] = p.min;
  out["max"] = p.max;
  out["choices"] = nlohmann::ordered_json::array();
  std::istringstream names(p.choices);
  for (std::string name; std::getline(names, name, ',');) out["choices"].push_back(name);
  return out;
}

}  // namespace

const std::vector<LawEntry>& law_registry() {
  static const std::vector<LawEntry> laws = {
      {"marking", DropTail::kName, {}},
      entry<FixedMarking>("marking"),
      entry<Red>("marking"),
      entry<VirtualQueue>("marking"),
      entry<LoadBased>("marking"),
      entry<Threshold>("marking"),
      entry<Rem>("marking"),
      entry<Pi>("marking"),
      entry<AdaptiveVirtualQueue>("marking"),
      entry<FlowProjection>("marking"),
      entry<FlowProjectionHeuristic>("marking"),
      entry<Wtp>("window"),
      entry<Reno>("window"),
      entry<NewReno>("window"),
      entry<Tahoe>("window"),
      entry<MulTcp>("window"),
      entry<WtpSender>("window"),
      entry<RemSource>("window"),
      entry<Vegas>("window"),
      entry<Primal>("window"),
      {"traffic", "greedy", {}},
      entry<RateCapped>("traffic"),
      entry<Cbr>("traffic"),
      entry<Poisson>("traffic"),
      entry<Voip>("traffic"),
      entry<Web>("traffic"),
      entry<OneFile>("traffic"),
      entry<OnOff>("traffic"),
      entry<Video>("traffic"),
      entry<Sessions>("part"),
      entry<Page>("part"),
      entry<Speech>("part"),
      entry<ClassScheduler>("scheduling"),
      entry<DeficitRoundRobin>("scheduling"),
      entry<ServiceClass>("service"),
      entry<WeightedClass>("service"),
  };
  return laws;
}

const LawEntry& find_law(const std::string& family, const std::string& name) {
  std::string known;
  for (const LawEntry& law : law_registry()) {
    if (law.family != family) continue;
    if (law.name == name) return law;
    known += std::string(known.empty() ? "" : ", ") + law.name;
  }
  throw BadParameter("unknown " + family + " law '" + name + "', expected one of: " + known);
}

std::string describe_laws() {
  nlohmann::ordered_json out;
  for (const LawEntry& law : law_registry()) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const Parameter& p : law.parameters) parameters.push_back(describe(p));
    out[law.family][law.name] = parameters;
  }
  return out.dump(1);
}

MarkingVariant make_marking(const std::string& law, const std::vector<double>& values) {
  LawLog::made("marking", law, values);
  const double* v = values.data();
  if (law == DropTail::kName) return DropTail();
  if (law == FixedMarking::kName) return FixedMarking(v);
  if (law == Red::kName) return Red(v);
  if (law == VirtualQueue::kName) return VirtualQueue(v);
  if (law == LoadBased::kName) return LoadBased(v);
  if (law == Threshold::kName) return Threshold(v);
  if (law == Rem::kName) return Rem(v);
  if (law == Pi::kName) return Pi(v);
  if (law == AdaptiveVirtualQueue::kName) return AdaptiveVirtualQueue(v);
  if (law == FlowProjection::kName) return FlowProjection(v);
  if (law == FlowProjectionHeuristic::kName) return FlowProjectionHeuristic(v);
  throw BadParameter("this engine hosts no marking law '" + law + "'");
}

const char* service_law(const std::string& scheduling) {
  if (scheduling == ClassScheduler::kName) return ServiceClass::kName;
  if (scheduling == DeficitRoundRobin::kName) return WeightedClass::kName;
  throw BadParameter("this engine hosts no scheduling law '" + scheduling + "'");
}

SchedulerVariant make_scheduler(const SchedulerPlan& plan, std::int64_t rate_bps) {
  const std::string service = service_law(plan.law.law);
  std::vector<std::vector<double>> classes;
  std::vector<double> all{static_cast<double>(rate_bps)};
  all.insert(all.end(), plan.law.values.begin(), plan.law.values.end());
  for (const LawPlan& one : plan.classes) {
    if (one.law != service) {
      throw BadParameter("a class is a '" + one.law + "', expected " + service);
    }
    classes.push_back(one.values);
    all.insert(all.end(), one.values.begin(), one.values.end());
  }
  LawLog::made("scheduling", plan.law.law, all);
  const double* values = plan.law.values.data();
  if (service == ServiceClass::kName) return ClassScheduler(values, classes, rate_bps);
  return DeficitRoundRobin(values, classes, rate_bps);
}

WindowVariant make_window(const std::string& law, const std::vector<double>& values) {
  LawLog::made("window", law, values);
  if (law == Wtp::kName) return Wtp(values.data());
  if (law == Reno::kName) return Reno(values.data());
  if (law == NewReno::kName) return NewReno(values.data());
  if (law == Tahoe::kName) return Tahoe(values.data());
  if (law == MulTcp::kName) return MulTcp(values.data());
  if (law == WtpSender::kName) return WtpSender(values.data());
  if (law == RemSource::kName) return RemSource(values.data());
  if (law == Vegas::kName) return Vegas(values.data());
  if (law == Primal::kName) return Primal(values.data());
  throw BadParameter("this engine hosts no window law '" + law + "'");
}

}  // namespace ecnomy
