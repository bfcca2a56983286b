// SPDX-License-Identifier: Apache-2.0
// The exchange with the market while the network runs. A thread sends a report or a request and awaits the answer,
// because packets do not wait. Only one exchange is under way at a time, and meanwhile no other code uses the client.
#ifndef ECNOMY_LINUX_MARKET_DESK_H_
#define ECNOMY_LINUX_MARKET_DESK_H_

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "bridge/client.h"
#include "bridge/messages.h"
#include "host/accounts.h"
#include "host/recorder.h"
#include "linux/descriptor.h"

namespace ecnomy::kernel {

// All counters and states at the end of an epoch.
struct EpochReport {
  Accounts accounts;
  std::vector<LinkState> links;
  std::vector<FlowState> states;  // by row
  Time at;
  std::int64_t epoch;
};

using Question = std::variant<EpochReport, bridge::Request>;
// The decision on a report, or true if a call is admitted.
using Answer = std::variant<bridge::Decide, bool>;

class MarketDesk {
 public:
  MarketDesk(Recorder& recorder, bridge::Client& client);
  ~MarketDesk();
  MarketDesk(const MarketDesk&) = delete;
  MarketDesk& operator=(const MarketDesk&) = delete;

  bool busy() const noexcept { return busy_; }
  int ready() const noexcept { return ready_.get(); }  // readable when an answer has arrived
  void submit(Question question);
  // Returns the answer if it has arrived. Throws the exchange's exception.
  std::optional<Answer> collect();
  // Waits for the answer.
  Answer await();

 private:
  void serve();
  Answer exchange(Question question);

  Recorder* recorder_;
  bridge::Client* client_;
  Descriptor ready_;
  bool busy_ = false;
  std::mutex lock_;
  std::condition_variable changed_;
  std::optional<Question> question_;
  std::optional<Answer> answer_;
  std::exception_ptr fault_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_MARKET_DESK_H_
