// SPDX-License-Identifier: LGPL-3.0-or-later
// One flow of a TcpSender: its connections and their data. The rules and the order of draws are those of the
// built-in engine (engine/tcp_flow.cc).
//
// The last segment of a file carries the FIN. When it is acknowledged or the file is given up, the sender's end is
// released without a message. The receiver's end is released when the flow's next connection begins. So a file has the
// same packets as in the built-in engine, and a flow has at most two connections. A lasting connection stays open for
// the next file.
#ifndef ECNOMY_INET_TCP_TCPMEMBER_H_
#define ECNOMY_INET_TCP_TCPMEMBER_H_

#include <omnetpp.h>

#include <variant>

#include "inet/transportlayer/contract/tcp/TcpSocket.h"
#include "laws/random/stream.h"
#include "laws/traffic/files.h"
#include "laws/traffic/web_user.h"
#include "tcp/FlowSender.h"
#include "tcp/MarketTcp.h"

namespace ecnomy::omnet {

class TcpMember : public FlowOwner {
 public:
  // The flow's modules and addresses.
  struct Place {
    omnetpp::cSimpleModule* module;
    MarketTcp* tcp;
    MarketBridge* market;
    inet::L3Address local, remote;
    int port;  // port at the receiver
  };

  // `web` is the traffic of a source of web users, which they share.
  TcpMember(const Place& place, const FlowSender::Identity& identity, FlowStats& stats,
            Outbox outbox, Stream traffic, const WebTraffic* web);
  ~TcpMember() override;

  void start(Time now);
  void order(const FlowOrder& order, Time now);
  void onTimer(const omnetpp::cMessage* timer, Time now);
  FlowState state(Time now) const;
  FlowSender& sender() { return sender_; }
  const FlowSender& sender() const { return sender_; }

  void allAcked() override;
  void gaveUp() override;
  void wantsData() override;
  void lost(const char* how) override;

 private:
  static constexpr int kFirstPort = 10'000, kPorts = 50'000;
  static constexpr std::int64_t kPortion = std::int64_t{1} << 29;  // well below 2 GiB

  const SourcePlan& plan() const { return *sender_.plan(); }
  bool sendsFiles() const { return files_.index() != 0; }
  void onStep(Time now);
  void awaitFile(Time now);
  void nextFile(Time now);
  void endFile(bool complete, Time now);
  void giveUpPage();
  bool lasting() const;
  void connect(std::int64_t segments, Time now);
  void handOver();
  void schedule(omnetpp::cMessage& timer, Time at);

  Place place_;
  FlowSender sender_;
  Stream stream_;
  std::variant<std::monostate, WebUser, OneFile, OnOff> files_;
  inet::TcpSocket socket_;
  std::int64_t left_ = 0;  // payload that is not handed over yet, as on the wire; -1: unlimited
  std::int64_t connections_ = 0;
  Transfer file_{};
  FileCounts counts_;       // without `left`
  omnetpp::cMessage due_;   // the next file begins, this one is given up, or the cap is lifted
  omnetpp::cMessage step_;  // the next step of the profile
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_TCPMEMBER_H_
