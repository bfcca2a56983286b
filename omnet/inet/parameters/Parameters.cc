// SPDX-License-Identifier: LGPL-3.0-or-later
#include "parameters/Parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "host/registry.h"
#include "host/scheduler_host.h"
#include "host/traffic_parts.h"
#include "parameters/OwnLaws.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cPar;
using omnetpp::cRuntimeError;

namespace {

[[noreturn]] void refuse(const cComponent* module, const char* name, const std::string& what) {
  throw cRuntimeError("%s: parameter '%s' %s", module->getFullPath().c_str(), name, what.c_str());
}

// Returns the index of a choice's name in "a,b,c".
double choice(const cComponent* module, const Parameter& parameter, const std::string& value) {
  std::istringstream names(parameter.choices);
  int index = 0;
  for (std::string name; std::getline(names, name, ','); ++index) {
    if (name == value) return index;
  }
  refuse(module, parameter.name, "is '" + value + "', expected one of " + parameter.choices);
}

// Quantities with a NED unit: interval_s in a law's table is `interval @unit(s)` in NED, if it is declared so.
constexpr struct {
  const char *unit, *suffix, *ned;
} kQuantities[] = {{"s", "_s", "s"}, {"bit/s", "_bps", "bps"}, {"bytes", "_bytes", "B"}};

std::string nedName(const cComponent* module, const Parameter& parameter) {
  const std::string name = parameter.name;
  for (const auto& [unit, suffix, ned] : kQuantities) {
    const std::size_t at = name.rfind(suffix);
    if (parameter.unit != std::string(unit) || at == std::string::npos) continue;
    const std::string stem = name.substr(0, at);
    if (!module->hasPar(stem.c_str())) continue;
    const char* declared = const_cast<cComponent*>(module)->par(stem.c_str()).getUnit();
    if (declared && declared == std::string(ned)) return stem;
  }
  return name;
}

double lawValue(const cComponent* module, const Parameter& parameter) {
  const std::string name = nedName(module, parameter);
  const cPar& par = const_cast<cComponent*>(module)->par(name.c_str());
  switch (par.getType()) {
    case cPar::BOOL:
      return par.boolValue() ? 1 : 0;
    case cPar::STRING:
      return choice(module, parameter, par.stdstringValue());
    default:
      return par.doubleValue();
  }
}

std::int32_t bytes(const cComponent* module, const char* name) {
  const std::int64_t value = static_cast<std::int64_t>(module->par(name).intValue());
  if (value <= 0 || value > 65'535) refuse(module, name, "is not the size of a packet");
  return static_cast<std::int32_t>(value);
}

// The profile that the parameters `<prefix>Period` and `<prefix>Steps` of a module describe. A step is a time in ps and a
// value, with a colon in between.
template <class AnyProfile>
AnyProfile profileOf(const cComponent* module, const std::string& prefix, const char* form) {
  const std::string stepsName = prefix + "Steps";
  const Time period = timeParameter(module, (prefix + "Period").c_str());
  if (period == kNever) return {};
  std::vector<typename AnyProfile::Step> steps;
  std::istringstream text(module->par(stepsName.c_str()).stdstringValue());
  char colon = 0;
  std::int64_t at = 0, value = 0;
  while (text >> at >> colon >> value) steps.push_back({at, value});
  if (!text.eof()) refuse(module, stepsName.c_str(), form);
  try {
    return {period, std::move(steps)};
  } catch (const BadParameter& error) {
    refuse(module, stepsName.c_str(), error.what());
  }
}

TransportPlan tcpTransport(const cComponent* module, const cComponent* window) {
  TransportPlan tcp{};
  tcp.tcp = true;
  tcp.payload_bytes = bytes(module, "mss");
  tcp.header_bytes = bytes(module, "header");
  tcp.ack_bytes = bytes(module, "ack");
  tcp.window = lawParameters(window, "window");
  tcp.paced = module->par("send").stdstringValue() == "paced";
  tcp.slow_start = module->par("slowStart").boolValue();
  tcp.echo = echo_named(module->par("echo").stdstringValue()).value_or(Echo::rfc3168);
  tcp.ect = tcp.echo != Echo::off;
  tcp.ect_all = tcp.ect && module->par("ect").stdstringValue() == "all";
  tcp.ect_1 = module->par("codepoint").stdstringValue() == "ect-1";
  tcp.sack = module->par("sack").boolValue();
  tcp.delayed_acks = static_cast<std::int32_t>(module->par("delayedAcks").intValue());
  tcp.delayed_ack = timeParameter(module, "delayedAck");
  tcp.receiver_window = static_cast<std::int64_t>(module->par("receiverWindow").intValue());
  tcp.initial_window = module->par("initialWindow").doubleValue();
  tcp.min_window = module->par("minWindow").doubleValue();
  tcp.max_window = module->par("maxWindow").doubleValue();
  tcp.initial_mark_rate = module->par("initialMarkRate").doubleValue();
  tcp.min_rto = timeParameter(module, "minRto");
  tcp.max_rto = timeParameter(module, "maxRto");
  tcp.initial_rto = timeParameter(module, "initialRto");
  tcp.reference_rtt = timeParameter(module, "referenceRtt");
  tcp.rtt_mean = module->par("rtt").stdstringValue() == "mean";
  tcp.reduce_from = reduce_from(module->par("reduceFrom").stdstringValue());
  tcp.repair = true;
  if (tcp.delayed_acks < 1) refuse(module, "delayedAcks", "is below 1");
  if (tcp.receiver_window == 0) refuse(module, "receiverWindow", "is 0");
  if (!(tcp.min_window >= 1e-6)) refuse(module, "minWindow", "is below 1e-6 packets");
  return tcp;
}

// Returns a law with its defaults.
LawPlan unset(const char* family, const std::string& law) {
  LawPlan plan{law, {}};
  for (const Parameter& parameter : find_law(family, law).parameters) {
    plan.values.push_back(parameter.fallback);
  }
  return plan;
}

// Sets one value of a law from NAME=NUMBER.
void setValue(const cComponent* module, const char* name, const std::string& word,
              const char* family, LawPlan& law) {
  const std::vector<Parameter>& table = find_law(family, law.law).parameters;
  const std::size_t equals = word.find('=');
  const auto found = std::find_if(table.begin(), table.end(), [&](const Parameter& parameter) {
    return word.substr(0, equals) == parameter.name;
  });
  if (equals == std::string::npos || found == table.end()) {
    refuse(module, name, "has '" + word + "', expected a value of " + law.law);
  }
  char* end = nullptr;
  const char* digits = word.c_str() + equals + 1;
  const double value = std::strtod(digits, &end);
  if (end == digits || *end != 0) refuse(module, name, "has '" + word + "', not a number");
  law.values[static_cast<std::size_t>(found - table.begin())] = value;
}

TransportPlan udpTransport(const cComponent* module) {
  TransportPlan udp{};
  udp.ect = module->par("ect").boolValue();
  udp.ect_1 = module->par("codepoint").stdstringValue() == "ect-1";
  udp.payload_bytes = bytes(module, "payload");
  udp.header_bytes = bytes(module, "header");
  udp.initial_mark_rate = -1;
  return udp;
}

}  // namespace

Time timeParameter(const cComponent* module, const char* name) {
  const double ps = module->par(name).doubleValueInUnit("ps");
  if (ps < 0) return kNever;
  if (ps > 4e18) refuse(module, name, "is beyond 50 days");
  return static_cast<Time>(std::llround(ps));
}

DelayProfile delayProfile(const cComponent* module) {
  return profileOf<DelayProfile>(module, "delayProfile", "is not 'ps:ps ps:ps ...'");
}

std::vector<std::int32_t> indexList(const cComponent* module, const char* name) {
  std::vector<std::int32_t> out;
  std::istringstream text(module->par(name).stdstringValue());
  for (std::int32_t index = 0; text >> index;) out.push_back(index);
  if (!text.eof()) refuse(module, name, "is not a list of whole numbers");
  return out;
}

LawPlan lawParameters(const cComponent* module, const char* family) {
  LawPlan plan{module->par("law").stdstringValue(), {}};
  try {
    for (const Parameter& parameter : findLaw(family, plan.law).parameters) {
      plan.values.push_back(lawValue(module, parameter));
      check_parameter(plan.law.c_str(), parameter, plan.values.back());
    }
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s: %s", module->getFullPath().c_str(), error.what());
  }
  return plan;
}

void readClasses(const cComponent* module, const char* name, SchedulerPlan& scheduler) {
  const std::string service = service_law(scheduler.law.law);
  std::istringstream text(const_cast<cComponent*>(module)->par(name).stdstringValue());
  for (std::string one; std::getline(text, one, ';');) {
    LawPlan promised = unset("service", service), marking = unset("marking", DropTail::kName);
    LawPlan* law = &promised;
    std::istringstream words(one);
    std::string word;
    if (!(words >> word)) refuse(module, name, "has a class without a name");
    while (words >> word) {
      if (word.rfind("marking=", 0) == 0) {
        marking = unset("marking", word.substr(8));
        law = &marking;
      } else {
        setValue(module, name, word, law == &promised ? "service" : "marking", *law);
      }
    }
    scheduler.classes.push_back(promised);
    if (service == WeightedClass::kName) scheduler.marking.push_back(marking);
  }
}

namespace {

// Reads "law value=1 ...; law ...", in the form used for classes.
std::vector<LawPlan> parts(const cComponent* module) {
  std::vector<LawPlan> found;
  std::istringstream text(module->par("parts").stdstringValue());
  for (std::string one; std::getline(text, one, ';');) {
    std::istringstream words(one);
    std::string word;
    if (!(words >> word)) refuse(module, "parts", "has a part without a name");
    try {
      LawPlan law = unset("part", word);
      while (words >> word) setValue(module, "parts", word, "part", law);
      const std::vector<Parameter>& table = find_law("part", law.law).parameters;
      for (std::size_t i = 0; i < table.size(); ++i) {
        check_parameter(law.law.c_str(), table[i], law.values[i]);
      }
      found.push_back(std::move(law));
    } catch (const BadParameter& error) {
      refuse(module, "parts", error.what());
    }
  }
  return found;
}

SizeList sizes(const cComponent* module) {
  std::vector<std::int64_t> bytes;
  std::vector<double> weights;
  std::istringstream text(module->par("sizes").stdstringValue());
  for (std::string word; text >> word;) {
    std::int64_t size = 0;
    double weight = 0;
    char colon = 0;
    std::istringstream pair(word);
    if (!(pair >> size >> colon >> weight)) refuse(module, "sizes", "is not 'bytes:weight ...'");
    bytes.push_back(size);
    weights.push_back(weight);
  }
  if (bytes.empty()) return SizeList();
  try {
    return SizeList(bytes, weights);
  } catch (const BadParameter& error) {
    refuse(module, "sizes", error.what());
  }
}

}  // namespace

SourcePlan sourceParameters(const cComponent* module, const cComponent* traffic,
                            const cComponent* window) {
  SourcePlan source{};
  source.name = module->par("sourceName").stdstringValue();
  source.count = static_cast<std::int32_t>(module->par("count").intValue());
  source.classes = indexList(module, "classes");
  source.ack_classes = indexList(module, "ackClasses");
  source.start_at = timeParameter(module, "start");
  source.start_stagger = timeParameter(module, "startStagger");
  source.start_spread = timeParameter(module, "startSpread");
  source.stop_ps = timeParameter(module, "stop");
  source.profile = profileOf<Profile>(module, "profile", "is not 'ps:ppm ps:ppm ...'");
  source.together = module->par("rowsTogether").boolValue();
  source.traffic = lawParameters(traffic, "traffic");
  source.parts = parts(module);
  source.sizes = sizes(module);
  source.transport = window ? tcpTransport(module, window) : udpTransport(module);
  source.send_overhead_ps = timeParameter(module, "sendOverhead");
  source.calls_max_delay = source.calls_longest = kNever;
  if (module->hasPar("callsAsk")) {
    source.calls_ask = module->par("callsAsk").boolValue();
    source.calls_max_delay = timeParameter(module, "callsMaxDelay");
    source.calls_longest = timeParameter(module, "callsLongest");
  }
  if (source.count < 1) refuse(module, "count", "is below 1");
  try {
    check_traffic(source);
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s: %s", module->getFullPath().c_str(), error.what());
  }
  return source;
}

}  // namespace ecnomy::omnet
