// SPDX-License-Identifier: LGPL-3.0-or-later
// The queue of a sending interface under any marking law: one direction of a link.
//
// The interface pulls a packet when its transmitter is free, possibly after an arrival at the same time.
// The books follow the transmitter's times, computed from the bytes on the wire. For an arrival at t, a
// transmission that begins at the same t has already begun, as in the built-in engine (engine/link.h).
// If the interface is slower or faster than computed, its actual times count.
#ifndef ECNOMY_INET_QUEUE_MARKINGQUEUE_H_
#define ECNOMY_INET_QUEUE_MARKINGQUEUE_H_

#include <omnetpp.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "InetCompat.h"
#include "host/queue/link_queue.h"
#include "inet/common/packet/Packet.h"
#include "inet/networklayer/common/NetworkInterface.h"
#include "inet/queueing/contract/IActivePacketSink.h"
#include "laws/wire.h"
#include "market/MarketBridge.h"
#include "queue/HostedMarking.h"
#include "queue/MarksUnderWay.h"
#include "results/Sample.h"

namespace ecnomy::omnet {

class MarkingQueue : public InetQueue, public IMarkingLink, public ISampled {
 public:
  ~MarkingQueue() override;

  // IPacketQueue
  int getNumPackets() const override { return storage_.getLength(); }
  int getMaxNumPackets() const override { return -1; }  // this queue itself drops packets
  inet::b getTotalLength() const override { return inet::b(storage_.getBitLength()); }
  inet::b getMaxTotalLength() const override { return inet::b(-1); }
  bool isEmpty() const override { return storage_.isEmpty(); }
  inet::Packet* getPacket(int index) const override;
  void removePacket(inet::Packet* packet) override;
  void removeAllPackets() override;
  bool supportsPacketPushing(QueueGate* gate) const override { return gate == inputGate; }
  bool supportsPacketPulling(QueueGate* gate) const override { return gate == outputGate; }
  bool canPushPacket(inet::Packet*, QueueGate*) const override { return true; }
  inet::Packet* canPullPacket(QueueGate* gate) const override;
  void pushPacket(inet::Packet* packet, QueueGate* gate) override;
  inet::Packet* pullPacket(QueueGate* gate) override;

  // Returns for how long the wire holds back a packet that this queue's interface sent and that now reaches the far end.
  // kNever: the wire loses it, and the queue counts it. It must be called once per packet, in order of arrival.
  Time held(inet::Packet* packet);

  // IMarkingLink
  LinkState state() override;
  LinkState look() const override;
  void tellInFlight() override;
  double heldPrice() const override { return par("pricePerMark").doubleValue(); }
  void reconfigure(const std::vector<std::pair<std::size_t, double>>& changes) override;

  // ISampled
  void sample(const Sample& sample) override;

 protected:
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;
  std::string resolveDirective(char directive) const override;

  struct Slot {
    inet::Packet* packet;
    Label label;
    Hop* hop;  // nullptr for packets without a source
    std::int32_t bytes, wireBytes;
    bool ipv4, ect, ce, ect1;
    Time arrived;
    std::size_t service = 0;  // its class, in a ClassQueue
  };

  // Overridden by a queue of several classes (ClassQueue.h).
  virtual void readLaw();
  virtual void openLaw();
  virtual bool enter(Slot& slot, Time now);  // returns false if the packet is dropped
  // Moves the next packet to the front. Returns false if all waiting packets were dropped. This must not happen if
  // `taken` is true, since the interface is already taking a packet.
  virtual bool choose(Time started, bool taken) {
    (void)started, (void)taken;
    return true;
  }
  virtual void departing(Slot& slot, Time started);
  virtual void updateLaw(Time now) { (void)now; }  // updates its law, for a report
  virtual double probability() const { return law_->probability(); }

  // Set-up
  void readPlan();
  std::uint64_t seed();  // seed of the streams
  void adoptRate();

  // Books
  Slot look(inet::Packet* packet, Time now) const;
  bool busy(Time now) const { return queue_.free_at > now || queue_.packets > 0; }
  QueueView view(Time now) const;
  PacketView view(const Slot& slot) const;
  PacketAccounts accounts(const Slot& slot) const;
  void catchUp(Time now);
  void begin(Slot& slot, Time started);
  void depart();
  bool admitted(Slot& slot, Time now);
  void accept(const Slot& slot, Time now);
  void mark(Slot& slot, Time now);
  void markWaiting(std::int32_t flow, Time now);
  void dropWaiting(std::int32_t position, Time now);
  void countDrop(const Slot& slot, bool byLaw, Time now);
  void forget(std::size_t position, bool byLaw, Time now);
  void note(TraceEvent what, const Slot& slot, Time now);
  void tellListeners();
  void watchLaw();
  void beSampled();

  MarketBridge* market_ = nullptr;  // nullptr if there are only this queue's own books
  int link_ = -1;
  LinkPlan plan_;
  std::int32_t shortest_ = 0, gap_ = 0;  // bytes on the wire
  std::optional<HostedMarking> law_;
  std::optional<Wire> wire_;
  omnetpp::cMessage* timer_ = nullptr;
  inet::NetworkInterface* interface_ = nullptr;
  inet::queueing::IActivePacketSink* collector_ = nullptr;
  double datarate_ = 0;  // the interface's last datarate

  omnetpp::cPacketQueue storage_{"waiting"};
  std::deque<Slot> slots_;  // the packets in storage_, in the same order
  bool begun_ = false;  // the first packet's transmission has begun, and the packet is still here
  LinkQueue queue_;
  MarksUnderWay underWay_;
  std::int64_t emittedWaiting_ = -1;  // number of waiting packets last emitted
  LinkStats sampledStats_;            // at the last sample

  static omnetpp::simsignal_t waitingSignal_;
  static omnetpp::simsignal_t markedSignal_;
  static omnetpp::simsignal_t probabilitySignal_;
  static omnetpp::simsignal_t queueSampleSignal_;
  static omnetpp::simsignal_t queueMeanSignal_;
  static omnetpp::simsignal_t probabilitySampleSignal_;
  static omnetpp::simsignal_t markedShareSignal_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_MARKINGQUEUE_H_
