// SPDX-License-Identifier: LGPL-3.0-or-later
// Telephone users: calls, their packets, and a record of each call, as in the built-in engine. If calls are
// sold (`callsAsk`), a `request` goes to the market when a call begins. A refused call sends nothing.
#ifndef ECNOMY_INET_TRAFFIC_CALLSENDER_H_
#define ECNOMY_INET_TRAFFIC_CALLSENDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/callers.h"
#include "host/open_calls.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/voip.h"
#include "traffic/DatagramSender.h"
#include "traffic/IDeliveryListener.h"

namespace ecnomy::omnet {

class CallSender : public DatagramSender, public IDeliveryListener {
 public:
  void delivered(int member, std::uint16_t call, Time delay, bool ce) override;
  void settleCalls(bool end) override;
  void sample(const Sample& sample) override;

 protected:
  void openMembers() override;
  void begin(int member) override;
  void due(int member) override;
  std::string display() const override;

 private:
  struct User {
    Stream traffic, speechDraws;
    std::optional<Speech> speech;  // empty if packets are also sent in silences
    bool talking = false;
    Voip::Call next{};
    Time due = 0;   // time of the next packet, without overhead
    Time end = 0;   // end of the present call
    Time left = 0;  // when the latest packet leaves, overhead included
    OpenCalls calls{};
  };

  User& user(int member) { return users_[static_cast<std::size_t>(member)]; }
  void awaitCall(int member, Time from);
  void passTurn();
  void beginCall(int member);
  void dueAt(int member, Time tick);
  void packetOrEnd(int member);
  void endCall(int member);
  void settle(int member);
  void countTalking(int change);

  std::unique_ptr<Voip> law_;
  std::optional<Callers> callers_;  // for calls from an unlimited population
  Time latest_ = 0;                 // see latest_by()
  std::vector<User> users_;         // by member
  std::int64_t talking_ = 0, begun_ = 0, refused_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_CALLSENDER_H_
