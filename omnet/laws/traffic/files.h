// SPDX-License-Identifier: Apache-2.0
// Sources that send one file after another, besides the web user (traffic.h):
//
//   file     one file of size_bytes, at the start
//   on-off   files of a geometric number of packets, mean packets_mean (at least 1), and an exponential
//            pause of mean pause_mean_s after each file (christin2003 section 5.1; experiments T2). It begins
//            with a file.
//
// Before each file a host calls `pause`, which returns kNever if no more files follow, and then `file_bytes`. Each file
// has its own connection, with a SYN and an unbounded slow start. With `lasting`, one connection serves all files, and
// its window restarts after a pause longer than the retransmission timeout (RFC 2861, RFC 7661).
#ifndef ECNOMY_LAWS_TRAFFIC_FILES_H_
#define ECNOMY_LAWS_TRAFFIC_FILES_H_

#include <utility>

#include "../parameter.h"
#include "../random/inversion.h"
#include "traffic.h"

namespace ecnomy {

class OneFile {
 public:
  static constexpr const char* kName = "file";
  static constexpr About kAbout{"One file, sent at the start.", ""};
  static constexpr TrafficTraits kTraits{};
  static constexpr Parameter kParameters[] = {
      {"size_bytes", "bytes", NAN, 1, 1e15, "", "Size of the file."},
  };

  explicit OneFile(const double* values) {
    check_parameters(this, values);
    bytes_ = static_cast<std::int64_t>(std::llround(values[0]));
  }

  template <class Uniform>
  Time pause(Uniform&&) noexcept {
    return std::exchange(sent_, true) ? kNever : 0;
  }
  template <class Uniform>
  std::int64_t file_bytes(Uniform&&, std::int32_t) const noexcept {
    return bytes_;
  }
  bool lasting() const noexcept { return false; }

 private:
  std::int64_t bytes_;
  bool sent_ = false;
};

class OnOff {
 public:
  static constexpr const char* kName = "on-off";
  static constexpr About kAbout{
      "Files of a geometric number of packets, with an exponential pause after each.",
      "christin2003 section 5.1"};
  static constexpr TrafficTraits kTraits{};
  static constexpr Parameter kParameters[] = {
      {"packets_mean", "packets", 300, 1, 1e9, "",
       "Mean number of packets per file, geometrically distributed (christin2003 section 5.1)."},
      {"pause_mean_s", "s", 1, 1e-9, 2e5, "",
       "Mean pause after each file, exponentially distributed."},
      {"lasting", "flag", 0, 0, 1, "",
       "One connection serves all files, instead of a connection per file."},
  };

  explicit OnOff(const double* values) {
    check_parameters(this, values);
    packets_mean_ = values[0];
    pause_mean_ps_ = values[1] * kPsPerSecond;
    lasting_ = values[2] != 0;
  }

  template <class Uniform>
  Time pause(Uniform&& uniform) noexcept {
    if (!std::exchange(begun_, true)) return 0;
    return drawn(exponential(pause_mean_ps_, uniform()));
  }

  template <class Uniform>
  std::int64_t file_bytes(Uniform&& uniform, std::int32_t packet_payload) noexcept {
    const std::int64_t packets = packets_mean_ > 1 ? geometric(packets_mean_, uniform()) : 1;
    return packets * packet_payload;
  }
  bool lasting() const noexcept { return lasting_; }

 private:
  double packets_mean_, pause_mean_ps_;
  bool lasting_, begun_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_FILES_H_
