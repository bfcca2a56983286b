// SPDX-License-Identifier: Apache-2.0
// The files that a flow sends one after the other: the law that draws them, and the current file. This state is
// separate from the flow, so that flows without files need no memory for it.
#ifndef ECNOMY_ENGINE_FILES_H_
#define ECNOMY_ENGINE_FILES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "engine/source.h"
#include "laws/random/stream.h"
#include "laws/traffic/files.h"
#include "laws/traffic/web_user.h"

namespace ecnomy::engine {

class Files {
 public:
  // Returns null for traffic without files. Web users share their source's law.
  static std::unique_ptr<Files> make(const SourceConfig& source, const Stream& stream) {
    const LawPlan& plan = source.plan->traffic;
    const double* const values = plan.values.data();
    if (source.web) return std::unique_ptr<Files>(new Files(WebUser(&*source.web), stream));
    if (plan.law == OneFile::kName) {
      return std::unique_ptr<Files>(new Files(OneFile(values), stream));
    }
    if (plan.law == OnOff::kName) return std::unique_ptr<Files>(new Files(OnOff(values), stream));
    return nullptr;
  }

  // The pause before the next file, or kNever if no file follows.
  Time pause() {
    return std::visit([this](auto& law) { return law.pause(stream_); }, law_);
  }
  std::int64_t bytes(std::int32_t packet_payload) {
    return std::visit([&](auto& law) { return law.file_bytes(stream_, packet_payload); }, law_);
  }
  // The time after which a fetch is given up, or kNever for traffic that never gives up.
  Time patience() const noexcept {
    const WebUser* user = std::get_if<WebUser>(&law_);
    return user ? user->patience() : kNever;
  }
  // Abandons the current file, whether it was fetched in part or not at all.
  void give_up() noexcept {
    if (WebUser* user = std::get_if<WebUser>(&law_)) user->give_up();
  }

  // True if one connection serves all files.
  bool lasting() const noexcept {
    return std::visit([](const auto& law) { return law.lasting(); }, law_);
  }

  Time due = kNever;       // when the next file begins
  Time given_up = kNever;  // when the current file is given up

  // The current file, and the flow's counts of retransmissions and ECE before it (low bits).
  struct File {
    Time start = 0;
    std::int64_t bytes = 0;
    std::uint32_t retransmitted = 0, ece = 0;
  };
  File present;
  std::uint32_t number = 0;  // number of the current file
  std::uint32_t finished = 0;
  std::int64_t requested_bytes = 0;

 private:
  using Law = std::variant<WebUser, OneFile, OnOff>;

  Files(Law law, const Stream& stream) : law_(law), stream_(stream) {}

  Law law_;
  Stream stream_;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_FILES_H_
