// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/UdpSender.h"

#include <algorithm>

namespace ecnomy::omnet {

using omnetpp::cRuntimeError;

Define_Module(UdpSender);

namespace {

std::variant<Cbr, Poisson> makeLaw(const LawPlan& plan, const std::string& source) {
  if (plan.law == Cbr::kName) return Cbr(plan.values.data());
  if (plan.law == Poisson::kName) return Poisson(plan.values.data());
  throw cRuntimeError("source '%s': its traffic is '%s', expected cbr or poisson", source.c_str(),
                      plan.law.c_str());
}

}  // namespace

void UdpSender::openMembers() {
  DatagramSender::openMembers();
  for (int member = 0; member < plan().count; ++member) {
    members_.push_back({stream(member, "traffic"), makeLaw(plan().traffic, plan().name)});
  }
}

void UdpSender::begin(int member) {
  Member& one = members_[static_cast<std::size_t>(member)];
  one.due = one.last = now();
  schedule(member, std::visit([&](auto& law) { return law.first(one.traffic); }, one.law));
}

void UdpSender::due(int member) {
  Member& one = members_[static_cast<std::size_t>(member)];
  if (active(member)) sendDatagram(member, 0);
  schedule(member, std::visit([&](auto& law) { return law.gap(one.traffic); }, one.law));
}

void UdpSender::schedule(int member, Time gap) {
  Member& one = members_[static_cast<std::size_t>(member)];
  one.due += plan().profile.stretch(one.due, gap);
  one.last = std::max(one.last, later(one.due, drawOverhead(member)));
  if (plan().stop_ps >= 0 && one.last >= plan().stop_ps) return;
  wake(member, one.last);
}

}  // namespace ecnomy::omnet
