// SPDX-License-Identifier: Apache-2.0
#include "linux/market_desk.h"

#include <sys/eventfd.h>

#include <utility>

namespace ecnomy::kernel {

MarketDesk::MarketDesk(Recorder& recorder)
    : recorder_(&recorder),
      ready_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      thread_([this] { serve(); }) {}

// A decision that is still awaited ends with the market's process, whose end of the socket closes.
MarketDesk::~MarketDesk() {
  {
    const std::lock_guard guard(lock_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MarketDesk::submit(EpochReport report) {
  busy_ = true;
  {
    const std::lock_guard guard(lock_);
    report_.emplace(std::move(report));
  }
  changed_.notify_all();
}

std::optional<bridge::Decide> MarketDesk::collect() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(ready_.get(), &count, sizeof count);
  const std::lock_guard guard(lock_);
  if (fault_) std::rethrow_exception(fault_);
  if (!decision_) return std::nullopt;
  busy_ = false;
  return std::exchange(decision_, std::nullopt);
}

bridge::Decide MarketDesk::await() {
  {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return decision_ || fault_; });
  }
  return *collect();
}

void MarketDesk::serve() {
  for (;;) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return over_ || report_; });
    if (over_) return;
    EpochReport report = *std::exchange(report_, std::nullopt);
    guard.unlock();
    std::optional<bridge::Decide> decision;
    std::exception_ptr fault;
    try {
      decision = recorder_->report(report.accounts, report.links, std::move(report.states),
                                   report.at, report.epoch);
    } catch (...) {
      fault = std::current_exception();
    }
    guard.lock();
    decision_ = std::move(decision);
    fault_ = fault;
    guard.unlock();
    changed_.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(ready_.get(), &one, sizeof one);
  }
}

}  // namespace ecnomy::kernel
