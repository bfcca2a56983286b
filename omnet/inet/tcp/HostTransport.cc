// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/HostTransport.h"

#include <algorithm>
#include <sstream>

#include "parameters/OwnLaws.h"
#include "parameters/Parameters.h"
#include "tcp/HostedWindow.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cRuntimeError;
using omnetpp::cValue;
using omnetpp::cValueMap;

namespace {

// The index of a name among the names of a choice; -1 if it is not one of them.
int choiceOf(const Parameter& parameter, const std::string& wanted) {
  std::istringstream names(parameter.choices);
  int index = 0;
  for (std::string name; std::getline(names, name, ','); ++index) {
    if (name == wanted) return index;
  }
  return -1;
}

double lawValue(const Parameter& parameter, const cValue& value) {
  if (value.getType() == cValue::BOOL) return value.boolValue() ? 1 : 0;
  if (value.getType() != cValue::STRING) return value.doubleValue();
  if (const int index = choiceOf(parameter, value.stdstringValue()); index >= 0) return index;
  throw BadParameter(std::string(parameter.name) + " is '" + value.stdstringValue() +
                     "', expected one of " + parameter.choices);
}

// Parameters that are not given have the defaults of the law's table.
LawPlan lawOf(const std::string& law, const cValueMap& given) {
  LawPlan plan{law, {}};
  const std::vector<Parameter>& table = findLaw("window", law).parameters;
  for (const auto& field : given.getFields()) {
    const bool known = std::any_of(table.begin(), table.end(),
                                   [&](const Parameter& p) { return field.first == p.name; });
    if (!known) throw BadParameter("law '" + law + "' has no parameter '" + field.first + "'");
  }
  for (const Parameter& p : table) {
    plan.values.push_back(given.containsKey(p.name) ? lawValue(p, given.get(p.name)) : p.fallback);
    check_parameter(law.c_str(), p, plan.values.back());
  }
  return plan;
}

// Reads a choice between two values. With the value "by-law", the law decides.
bool chosen(const cComponent* tcp, const char* name, const char* yes, bool byLaw) {
  const std::string value = tcp->par(name).stdstringValue();
  return value == "by-law" ? byLaw : value == yes;
}

Echo echoOf(const cComponent* tcp, Echo byLaw) {
  const std::string value = tcp->par("echo").stdstringValue();
  return echo_named(value).value_or(byLaw);
}

void readTimes(const cComponent* tcp, TransportPlan& plan) {
  plan.delayed_ack = timeParameter(tcp, "delayedAck");
  plan.min_rto = timeParameter(tcp, "minRto");
  plan.max_rto = timeParameter(tcp, "maxRto");
  plan.initial_rto = timeParameter(tcp, "initialRto");
  plan.reference_rtt = timeParameter(tcp, "referenceRtt");
}

// Whether packets are ECT(1) by default: of a scalable law, unless its trait `classic`, which is "0" or
// "CHOICE == NAME", is true for its values.
bool isScalable(const WindowTraits& law, const LawPlan& window) {
  std::istringstream words(law.classic);
  std::string choice, equal, name;
  if (!law.ect_1 || !(words >> choice >> equal >> name)) return law.ect_1;
  const std::vector<Parameter>& table = findLaw("window", window.law).parameters;
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const Parameter& p) { return choice == p.name; });
  if (at == table.end() || equal != "==" || choiceOf(*at, name) < 0) {
    throw BadParameter("law '" + window.law + "': trait classic is '" + law.classic +
                       "', expected '0' or 'CHOICE == NAME'");
  }
  return window.values[static_cast<std::size_t>(at - table.begin())] != choiceOf(*at, name);
}

// By default, a law that needs each mark is paced and has an accurate echo.
void readChoices(const cComponent* tcp, TransportPlan& plan, const WindowTraits& law,
                 bool scalable) {
  const bool perMark = law.per_mark;
  plan.paced = chosen(tcp, "send", "paced", perMark);
  plan.slow_start = chosen(tcp, "slowStart", "on", !perMark);
  plan.echo = echoOf(tcp, perMark ? Echo::accurate : Echo::rfc3168);
  plan.ect = plan.echo != Echo::off;
  plan.ect_all = plan.ect && chosen(tcp, "ect", "all", scalable);
  plan.ect_1 = chosen(tcp, "codepoint", "ect-1", scalable);
  plan.sack = tcp->par("sack").boolValue();
  plan.rtt_mean = tcp->par("rtt").stdstringValue() == "mean";
  plan.reduce_from = reduce_from(tcp->par("reduceFrom").stdstringValue());
  plan.repair = true;
  plan.delayed_acks = static_cast<std::int32_t>(tcp->par("delayedAcks").intValue());
}

}  // namespace

TransportPlan hostTransport(const cComponent* tcp, const std::string& law) {
  TransportPlan plan{};
  plan.tcp = true;
  const auto* given =
      omnetpp::check_and_cast<const cValueMap*>(tcp->par("lawParameters").objectValue());
  try {
    plan.window = lawOf(law.empty() ? tcp->par("law").stdstringValue() : law, *given);
    const HostedWindow hosted(plan.window);
    readChoices(tcp, plan, hosted.traits(), isScalable(hosted.traits(), plan.window));
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s: parameters 'law' and 'lawParameters': %s", tcp->getFullPath().c_str(),
                        error.what());
  }
  readTimes(tcp, plan);
  plan.payload_bytes = static_cast<std::int32_t>(tcp->par("mss").intValue());
  plan.header_bytes = plan.ack_bytes = 40;
  plan.receiver_window = -1;
  plan.initial_window = tcp->par("initialWindow").doubleValue();
  const double least = tcp->par("minWindow").doubleValue();
  plan.min_window = least > 0 ? least : plan.paced ? 1.0 / 64 : 1.0;
  plan.max_window = tcp->par("maxWindow").doubleValue();
  plan.initial_mark_rate = tcp->par("markRate").doubleValue();
  if (plan.delayed_acks < 1) {
    throw cRuntimeError("%s: parameter 'delayedAcks' is below 1", tcp->getFullPath().c_str());
  }
  return plan;
}

}  // namespace ecnomy::omnet
