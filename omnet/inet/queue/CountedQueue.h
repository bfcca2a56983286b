// SPDX-License-Identifier: LGPL-3.0-or-later
// One direction of a link whose queue is INET's or a custom one, not a MarkingQueue. This module contains that queue,
// and counts for the market the packets that enter, leave and are dropped. It has no law. A mark set by the inner
// queue, for example by its RedDropper, counts as this link's mark.
//
// Its books follow the interface's calls, whereas a MarkingQueue's books follow the transmitter's times.
#ifndef ECNOMY_INET_QUEUE_COUNTEDQUEUE_H_
#define ECNOMY_INET_QUEUE_COUNTEDQUEUE_H_

#include <omnetpp.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "InetCompat.h"
#include "host/queue/link_queue.h"
#include "inet/networklayer/common/NetworkInterface.h"
#include "inet/queueing/contract/IPacketQueue.h"
#include "market/MarketBridge.h"
#include "queue/MarksUnderWay.h"

namespace ecnomy::omnet {

class CountedQueue : public InetQueue, public IMarkingLink, public omnetpp::cListener {
 public:
  // IPacketQueue, forwarded to the inner queue
  int getNumPackets() const override { return inner_->getNumPackets(); }
  int getMaxNumPackets() const override { return inner_->getMaxNumPackets(); }
  inet::b getTotalLength() const override { return inner_->getTotalLength(); }
  inet::b getMaxTotalLength() const override { return inner_->getMaxTotalLength(); }
  bool isEmpty() const override { return inner_->isEmpty(); }
  inet::Packet* getPacket(int index) const override { return inner_->getPacket(index); }
  void removePacket(inet::Packet* packet) override;
  void removeAllPackets() override;
  bool supportsPacketPushing(QueueGate* gate) const override { return gate == inputGate; }
  bool supportsPacketPulling(QueueGate* gate) const override { return gate == outputGate; }
  bool canPushSomePacket(QueueGate*) const override { return inner_->canPushSomePacket(in_); }
  bool canPushPacket(inet::Packet* packet, QueueGate*) const override {
    return inner_->canPushPacket(packet, in_);
  }
  bool canPullSomePacket(QueueGate*) const override { return inner_->canPullSomePacket(out_); }
  inet::Packet* canPullPacket(QueueGate*) const override { return inner_->canPullPacket(out_); }
  void pushPacket(inet::Packet* packet, QueueGate* gate) override;
  inet::Packet* pullPacket(QueueGate* gate) override;

  // IMarkingLink
  LinkState state() override;
  LinkState look() const override;
  void tellInFlight() override;
  void reconfigure(const std::vector<std::pair<std::size_t, double>>& changes) override;

  // Called when the inner queue drops a packet.
  void receiveSignal(omnetpp::cComponent* source, omnetpp::simsignal_t signal,
                     omnetpp::cObject* packet, omnetpp::cObject* details) override;

 protected:
  void initialize(int stage) override;

 private:
  struct Held {
    Label label;
    Hop* hop;  // nullptr for packets without a source
    std::int32_t bytes, wireBytes;
    bool ect, ce;
  };
  using Waiting = std::unordered_map<const inet::Packet*, Held>;

  Held look(const inet::Packet* packet) const;
  PacketAccounts accounts(const Held& packet) const;
  void depart(Held& packet, bool ce);
  void mark(const Held& packet);
  void lose(Waiting::iterator packet, bool byLaw);
  void note(TraceEvent what, const Held& packet);
  Time transmission(std::int32_t wireBytes) const;

  MarketBridge* market_ = nullptr;  // nullptr if there is no market
  int link_ = -1;
  LinkPlan plan_;
  std::int32_t shortest_ = 0, gap_ = 0;  // bytes on the wire
  inet::NetworkInterface* interface_ = nullptr;
  inet::queueing::IPacketQueue* inner_ = nullptr;
  omnetpp::cGate *in_ = nullptr, *out_ = nullptr;  // gates of the inner queue

  Waiting waiting_;
  LinkQueue queue_;
  MarksUnderWay underWay_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_COUNTEDQUEUE_H_
