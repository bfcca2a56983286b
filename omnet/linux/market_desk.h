// SPDX-License-Identifier: Apache-2.0
// The exchange with the market beside the running network: a report is sent and its decision
// awaited in a thread, because packets do not wait. Only one exchange is under way at a time. While
// it is, no other code uses the client.
#ifndef ECNOMY_LINUX_MARKET_DESK_H_
#define ECNOMY_LINUX_MARKET_DESK_H_

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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

class MarketDesk {
 public:
  explicit MarketDesk(Recorder& recorder);
  ~MarketDesk();
  MarketDesk(const MarketDesk&) = delete;
  MarketDesk& operator=(const MarketDesk&) = delete;

  bool busy() const noexcept { return busy_; }
  int ready() const noexcept { return ready_.get(); }  // readable when a decision has come
  void submit(EpochReport report);
  // The decision if it has come. Throws the exchange's exception.
  std::optional<bridge::Decide> collect();
  // Waits for it.
  bridge::Decide await();

 private:
  void serve();

  Recorder* recorder_;
  Descriptor ready_;
  bool busy_ = false;
  std::mutex lock_;
  std::condition_variable changed_;
  std::optional<EpochReport> report_;
  std::optional<bridge::Decide> decision_;
  std::exception_ptr fault_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_MARKET_DESK_H_
