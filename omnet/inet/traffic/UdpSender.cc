// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/UdpSender.h"

#include <algorithm>

namespace ecnomy::omnet {

Define_Module(UdpSender);

void UdpSender::openMembers() {
  DatagramSender::openMembers();
  for (int member = 0; member < plan().count; ++member) {
    members_.push_back({stream(member, "traffic"), DatagramLaw(plan())});
  }
}

void UdpSender::begin(int member) {
  Member& one = members_[static_cast<std::size_t>(member)];
  one.due = one.last = now();
  schedule(member, one.law.first(one.traffic));
}

void UdpSender::due(int member) {
  Member& one = members_[static_cast<std::size_t>(member)];
  if (active(member)) {
    sendDatagram(member, 0, one.law.payload_bytes(plan().transport.payload_bytes));
  }
  schedule(member, one.law.gap(one.traffic));
}

void UdpSender::schedule(int member, Time gap) {
  Member& one = members_[static_cast<std::size_t>(member)];
  one.due += plan().profile.stretch(one.due, gap);
  one.last = std::max(one.last, later(one.due, drawOverhead(member)));
  if (plan().stop_ps >= 0 && one.last >= plan().stop_ps) return;
  wake(member, one.last);
}

}  // namespace ecnomy::omnet
