// SPDX-License-Identifier: Apache-2.0
#include "linux/market_desk.h"

#include <sys/eventfd.h>

#include <utility>

namespace ecnomy::kernel {

MarketDesk::MarketDesk(Recorder& recorder, bridge::Client& client)
    : recorder_(&recorder),
      client_(&client),
      ready_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      thread_([this] { serve(); }) {}

// If an answer is still awaited, the wait ends when the market's process ends and closes its socket.
MarketDesk::~MarketDesk() {
  {
    const std::lock_guard guard(lock_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MarketDesk::submit(Question question) {
  busy_ = true;
  {
    const std::lock_guard guard(lock_);
    question_.emplace(std::move(question));
  }
  changed_.notify_all();
}

std::optional<Answer> MarketDesk::collect() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(ready_.get(), &count, sizeof count);
  const std::lock_guard guard(lock_);
  if (fault_) std::rethrow_exception(fault_);
  if (!answer_) return std::nullopt;
  busy_ = false;
  return std::exchange(answer_, std::nullopt);
}

Answer MarketDesk::await() {
  {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return answer_ || fault_; });
  }
  return *collect();
}

Answer MarketDesk::exchange(Question question) {
  if (const auto* const request = std::get_if<bridge::Request>(&question)) {
    return client_->request(*request);
  }
  auto& report = std::get<EpochReport>(question);
  return recorder_->report(report.accounts, report.links, std::move(report.states), report.at,
                           report.epoch);
}

void MarketDesk::serve() {
  for (;;) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return over_ || question_; });
    if (over_) return;
    Question question = *std::exchange(question_, std::nullopt);
    guard.unlock();
    std::optional<Answer> answer;
    std::exception_ptr fault;
    try {
      answer = exchange(std::move(question));
    } catch (...) {
      fault = std::current_exception();
    }
    guard.lock();
    answer_ = std::move(answer);
    fault_ = fault;
    guard.unlock();
    changed_.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(ready_.get(), &one, sizeof one);
  }
}

}  // namespace ecnomy::kernel
