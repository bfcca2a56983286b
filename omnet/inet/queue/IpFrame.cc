// SPDX-License-Identifier: LGPL-3.0-or-later
#include "queue/IpFrame.h"

#include "inet/common/ProtocolGroup.h"
#include "inet/common/ProtocolTag_m.h"
#include "inet/linklayer/ethernet/common/Ethernet.h"
#include "inet/linklayer/ethernet/common/EthernetMacHeader_m.h"
#include "inet/networklayer/ipv4/Ipv4Header_m.h"
#include "inet/queueing/marker/EcnMarker.h"

namespace ecnomy::omnet {

using inet::Packet;
using inet::Protocol;

namespace {

// Returns the protocol that follows an Ethernet header, or nullptr if the header does not contain it. Moves `offset`
// past the header.
const Protocol* behindEthernet(const Packet* packet, inet::b& offset) {
  const auto& header = packet->peekDataAt<inet::EthernetMacHeader>(offset);
  offset += header->getChunkLength();
  if (!inet::isEth2Header(*header)) return nullptr;
  return inet::ProtocolGroup::getEthertypeProtocolGroup()->findProtocol(header->getTypeOrLength());
}

}  // namespace

IpFrame readFrame(const Packet* packet) {
  IpFrame frame;
  const auto& tag = packet->findTag<inet::PacketProtocolTag>();
  const Protocol* protocol = tag ? tag->getProtocol() : nullptr;
  if (protocol == &Protocol::ethernetMac) protocol = behindEthernet(packet, frame.offset);
  frame.ipv4 = protocol == &Protocol::ipv4;
  if (!frame.ipv4) {
    const inet::b length = packet->getDataLength() - frame.offset;
    frame.bytes = static_cast<std::int32_t>((length.get() + 7) / 8);
    return frame;
  }
  const auto& header = packet->peekDataAt<inet::Ipv4Header>(frame.offset);
  frame.bytes = static_cast<std::int32_t>(inet::B(header->getTotalLengthField()).get());
  frame.ect = header->getEcn() != inet::IP_ECN_NOT_ECT;
  frame.ce = header->getEcn() == inet::IP_ECN_CE;
  frame.ect1 = header->getEcn() == inet::IP_ECN_ECT_1;
  return frame;
}

void markFrame(Packet* packet) { inet::queueing::EcnMarker::setEcn(packet, inet::IP_ECN_CE); }

}  // namespace ecnomy::omnet
