// SPDX-License-Identifier: LGPL-3.0-or-later
// The simulation's end of the bridge to the market, with the books of the run. The network has one such module,
// `market`.
//
// Sources and queues register in INITSTAGE_LOCAL. The books are open from INITSTAGE_PHYSICAL_ENVIRONMENT
// on: labels, indices and counters are valid from then on. The module reports at every multiple of the
// epoch, at the end of the warm-up and at the end of the run, before any other event of that time. Then it
// waits for the decision. Without an address it is a null bridge: there is no market, and only OMNeT++'s own results
// are recorded.
#ifndef ECNOMY_INET_MARKET_MARKETBRIDGE_H_
#define ECNOMY_INET_MARKET_MARKETBRIDGE_H_

#include <omnetpp.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bridge/client.h"
#include "host/accounts.h"
#include "host/class_tally.h"
#include "host/plan.h"
#include "host/queue/link_queue.h"
#include "host/recorder.h"
#include "host/tally.h"
#include "inet/common/packet/Packet.h"
#include "inet/networklayer/common/L3Address.h"
#include "results/Sample.h"

namespace inet::tcp {
class TcpHeader;
}

namespace ecnomy::omnet {

inline Time now() { return omnetpp::simTime().raw(); }  // the resolution is checked to be 1 ps
inline omnetpp::simtime_t simtime(Time ps) { return omnetpp::SimTime::fromRaw(ps); }

// A source of flows; `member` counts its flows from 0.
class ISource {
 public:
  virtual ~ISource() = default;
  virtual void takeOrder(int member, const FlowOrder& order) = 0;
  virtual FlowState state(int member) = 0;          // in_flight is filled in by the bridge
  virtual double heldWeight(int member) const = 0;  // the weight set by hand; -1: none
  virtual double heldWillingness() const = 0;       // the willingness to pay set by hand; -1: none
  virtual std::string path(bool ack) const = 0;  // names or indices of links, separated by spaces
  // Telephone sources: hands in the calls that are complete, or all calls at the end.
  virtual void settleCalls(bool end) { (void)end; }
};

// One direction of a link.
class IMarkingLink {
 public:
  virtual ~IMarkingLink() = default;
  virtual LinkState state() = 0;  // brings all accounts up to now
  // The state at the last event of this link. It is only for displays, and changes nothing.
  virtual LinkState look() const = 0;
  virtual void tellInFlight() = 0;                 // sets Hop::ce_in_flight of its hops
  virtual double heldPrice() const { return -1; }  // the price set by hand; -1: none
  // Sets several parameters of the marking law at once. Throws BadParameter.
  virtual void reconfigure(const std::vector<std::pair<std::size_t, double>>& changes) = 0;
};

// A packet's source, flow and kind, read from its headers: see MarketBridge::label.
struct Label {
  int source = -1;       // -1: not from a source of the plan
  int flow = -1;         // index over all flows
  bool ack = false;      // on the way from receiver to sender
  bool data = false;     // carries payload of its source (not a SYN, pure ACK or FIN alone)
  std::int64_t seq = 0;  // TCP: number of the first byte; datagrams: their number, if traced
};

class MarketBridge : public omnetpp::cSimpleModule {
 public:
  MarketBridge() = default;
  ~MarketBridge() override;

  // Returns the network's MarketBridge. If there is none, throws cRuntimeError with the path of `asking`.
  static MarketBridge& of(const omnetpp::cComponent* asking);
  static MarketBridge* find();  // nullptr if there is none

  // Must be called in INITSTAGE_LOCAL, with indices as in the plan, each once. An index of -1 means the place of the
  // name in the parameter `links` or `sources`, or the next index if this parameter is empty. Returns the index.
  int addLink(int index, const LinkPlan& plan, IMarkingLink* link);
  // Packets to (remote, port + member) belong to flow `member`, and its ACKs come from there.
  int addSource(int index, const SourcePlan& plan, const inet::L3Address& remote, int port,
                ISource* source);

  // Valid from INITSTAGE_PHYSICAL_ENVIRONMENT on.
  Accounts& accounts() { return accounts_; }
  // The accounts of a packet at a link, given the hop of its source.
  PacketAccounts accounts(const Label& label, Hop* hop) {
    const bool counts = label.data && label.flow >= 0;  // not for a host without a source
    return {hop, counts ? &flow(label.flow) : nullptr, accounts_.tally};
  }
  FlowStats& flow(int index) { return accounts_.flows.at(static_cast<std::size_t>(index)); }
  ISource* sourceNamed(const std::string& name) const;  // nullptr if none has registered
  void grow(int source) { ++plan_.sources.at(static_cast<std::size_t>(source)).count; }
  void keep(std::unique_ptr<ISource> source) { kept_.push_back(std::move(source)); }

  int firstFlow(int source) const {
    return sources_.at(static_cast<std::size_t>(source)).firstFlow;
  }
  const SourcePlan& sourcePlan(int source) const {
    return plan_.sources.at(static_cast<std::size_t>(source));
  }
  ISource* sourceHost(int source) const {
    return sources_.at(static_cast<std::size_t>(source)).host;
  }
  const FlowStats& flow(int index) const {
    return accounts_.flows.at(static_cast<std::size_t>(index));
  }
  IMarkingLink* linkHost(int link) const { return links_.at(static_cast<std::size_t>(link)); }
  const Plan& plan() const { return plan_; }
  bool opened() const { return opened_; }  // the books are open
  std::uint64_t seed() const { return plan_.seed; }
  bool inSeries(const std::string& name) const;  // cwnd, rtt, rate ...

  // Adds an object that samples values for OMNeT++'s results. It must live as long as the network.
  void addSampled(ISampled* one) { sampled_.push_back(one); }

  // For displays: whether a market is connected, and the number of reports so far.
  bool connected() const { return client_ != nullptr; }
  std::int64_t reports() const { return epoch_; }
  // Called at each report with the market's `show`, a JSON object.
  using Listener = std::function<void(const std::string& json, Time at)>;
  void onShown(Listener listener) { listener_ = std::move(listener); }

  // The recorder, which is valid from the first event on. It is a TransferSink and a CallRegister.
  Recorder& recorder() { return *recorder_; }

  // The label of an IPv4 datagram whose header begins at `offset`.
  Label label(const inet::Packet* packet, inet::b offset = inet::b(0)) const;
  Label label(const inet::L3Address& from, int fromPort, const inet::L3Address& to,
              int toPort) const;
  // Returns the account of a packet with this label at this link, or nullptr if it has none.
  Hop* hop(const Label& label, int link);

 protected:
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;

 private:
  struct Source {
    ISource* host = nullptr;
    inet::L3Address remote;
    int port = 0, firstFlow = 0;
  };
  struct Peer {  // the ports of one source at its remote address
    int port, count, source, firstFlow;
  };

  // Parameters
  void readParameters();
  void readRecord();
  Time warmup() const;

  // Books
  int placeOf(const char* list, const std::string& name);
  std::vector<std::int32_t> linksOf(const SourcePlan& source, const std::string& path) const;
  void openBooks();
  void checkClass(const SourcePlan& source, const Hop& hop) const;
  const Peer* peer(const inet::L3Address& address, int port) const;
  Label hostLabel(const inet::tcp::TcpHeader& tcp) const;

  // The run
  void begin();
  void connect();
  void boundary();
  void end();
  void exchange();
  void give(std::size_t flow, const FlowOrder& order);
  void tellHand();
  void holdWeights();
  void holdWeight(ISource& host, int member, std::size_t flow);
  void lookUp();
  void beginTally();
  void scheduleBoundary();
  void sampleFigures();
  std::vector<FlowState> states() const;
  std::vector<LinkState> linkStates() const;
  bool keepWaiting();

  Plan plan_;
  std::unordered_map<std::string, std::unordered_map<std::string, int>> places_;  // by list
  std::vector<IMarkingLink*> links_;
  std::vector<Source> sources_;
  std::unordered_map<std::uint32_t, std::vector<Peer>> peers_;    // by IPv4 address
  std::vector<std::vector<std::pair<int, std::uint32_t>>> hops_;  // by 2 source + ack: (link, hop)
  Accounts accounts_;
  std::unique_ptr<bridge::Client> client_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Tally> tally_;
  std::unique_ptr<ClassTally> classTally_;

  omnetpp::cMessage* boundary_ = nullptr;
  omnetpp::cMessage* sample_ = nullptr;
  omnetpp::cMessage* look_ = nullptr;
  Time lookEvery_ = 1'000'000'000;
  bool opened_ = false;
  std::int64_t epoch_ = 0;
  std::vector<FlowOrder> orders_;   // the last order, by flow
  std::vector<double> ownWeights_;  // the weight before it was set by hand, by flow
  std::vector<bool> held_;          // whether the weight is set by hand, by flow
  std::string hand_ = "{}";         // the last `hand` sent
  Listener listener_;
  std::vector<ISampled*> sampled_;
  std::vector<std::unique_ptr<ISource>> kept_;  // sources that are not modules
  Time sampledAt_ = -1;
  std::int64_t lookedNs_ = 0, aliveNs_ = 0, stopRequestedNs_ = 0, exchangeBeganNs_ = 0,
               waited_s_ = 0;
  double cpuBefore_s_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_MARKET_MARKETBRIDGE_H_
