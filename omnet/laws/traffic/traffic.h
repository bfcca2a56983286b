// SPDX-License-Identifier: Apache-2.0
// Traffic laws of sources, as small state machines. Each call of `uniform()` draws one value from the flow's own
// traffic stream, in the stated order, so both engines draw the same times and sizes.
//
//   greedy        always has data
//   rate-capped   always has data, sent at most at rate_bps (IP bits) until until_s (-1: always)
//   cbr           a packet every interval_s; the first one after U * interval_s if random_phase
//   poisson       exponential gaps of mean_interval_s, also before the first packet
//   web           reads and fetches one file in turn, and begins by reading. File sizes are those of sizes.h.
//                 Reading times are exponential, or hyper-exponential with four branches and coefficient of
//                 variation 2.9 (andreassen2002 section 2.2.2; experiments T5), both scaled to their mean.
//                 A fetch longer than patience_s is given up. web_user.h adds sessions and pages.
#ifndef ECNOMY_LAWS_TRAFFIC_TRAFFIC_H_
#define ECNOMY_LAWS_TRAFFIC_TRAFFIC_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <utility>

#include "../parameter.h"
#include "../random/inversion.h"
#include "sizes.h"

namespace ecnomy {

// Traits of a traffic law, for hosts and scenarios. A law of timed packets has
//   Time first(Uniform&&)   time to the first packet
//   Time gap(Uniform&&)     time between two packets
// and is constructed from its values. With `own_sizes`, it is constructed from its values and the maximum payload of
// a packet, and also has
//   std::int32_t payload_bytes() const   payload of the last timed packet
struct TrafficTraits {
  bool datagrams = false;      // uses udp, not tcp
  bool timed_packets = false;  // datagrams at times that the law gives, without calls
  bool own_sizes = false;      // timed packets of several sizes
};

// Concepts for the optional hooks.
template <class Law>
concept TimesPackets = requires(Law& law, double (&uniform)()) {
  { law.first(uniform) } noexcept -> std::same_as<Time>;
  { law.gap(uniform) } noexcept -> std::same_as<Time>;
};
template <class Law>
concept SizesPackets = requires(const Law& law) {
  { law.payload_bytes() } noexcept -> std::same_as<std::int32_t>;
};

// A complete traffic law has a description and exactly the hooks that its traits name.
template <class Law>
concept TrafficHooks =
    Described<Law> && std::same_as<decltype(Law::kTraits), const TrafficTraits> &&
    Law::kTraits.timed_packets == TimesPackets<Law> &&
    Law::kTraits.own_sizes == SizesPackets<Law> &&
    (Law::kTraits.datagrams || !Law::kTraits.timed_packets) &&
    (Law::kTraits.timed_packets || !Law::kTraits.own_sizes);

// Unlimited traffic: only the window limits it.
struct Greedy {
  static constexpr const char* kName = "greedy";
  static constexpr About kAbout{"Always has data to send.", ""};
  static constexpr TrafficTraits kTraits{};
  static constexpr std::array<Parameter, 0> kParameters{};
};

class RateCapped {
 public:
  static constexpr const char* kName = "rate-capped";
  static constexpr About kAbout{"Always has data, sent at most at a given rate until a given time.",
                                ""};
  static constexpr TrafficTraits kTraits{};
  static constexpr Parameter kParameters[] = {
      {"rate_bps", "bit/s", NAN, 1, 1e15, "", "Maximum sending rate, IP headers included."},
      {"until_s", "s", -1, -1, 9e6, "", "Time at which the cap is lifted; -1: never."},
  };

  explicit RateCapped(const double* values) {
    check_parameters(this, values);
    rate_bps_ = static_cast<std::int64_t>(values[0]);
    until_ = values[1] < 0 ? kNever : picoseconds(values[1]);
  }

  // The cap, or kNever (-1) once it is lifted.
  std::int64_t cap_bps(Time now) const noexcept {
    return until_ != kNever && now >= until_ ? -1 : rate_bps_;
  }
  Time lifted_at() const noexcept { return until_; }

 private:
  std::int64_t rate_bps_;
  Time until_;
};

class Cbr {
 public:
  static constexpr const char* kName = "cbr";
  static constexpr About kAbout{"A constant bit rate: packets at a constant interval.", ""};
  static constexpr TrafficTraits kTraits{.datagrams = true, .timed_packets = true};
  static constexpr Parameter kParameters[] = {
      {"interval_s", "s", NAN, 1e-9, 1e6, "", "Time between two packets."},
      {"random_phase", "flag", 1, 0, 1, "",
       "The first packet leaves after a random part of the interval, not at once."},
  };

  explicit Cbr(const double* values) {
    check_parameters(this, values);
    interval_ = picoseconds(values[0]);
    random_phase_ = values[1] != 0;
  }

  template <class Uniform>
  Time first(Uniform&& uniform) const noexcept {
    return random_phase_ ? drawn(uniform() * static_cast<double>(interval_)) : 0;
  }
  template <class Uniform>
  Time gap(Uniform&&) const noexcept {
    return interval_;
  }

 private:
  Time interval_;
  bool random_phase_;
};

class Poisson {
 public:
  static constexpr const char* kName = "poisson";
  static constexpr About kAbout{"Packets at exponential intervals.", ""};
  static constexpr TrafficTraits kTraits{.datagrams = true, .timed_packets = true};
  static constexpr Parameter kParameters[] = {
      {"mean_interval_s", "s", NAN, 1e-12, 2e5, "",
       "Mean time between two packets, exponentially distributed."},
  };

  explicit Poisson(const double* values) {
    check_parameters(this, values);
    mean_ps_ = values[0] * kPsPerSecond;
  }

  template <class Uniform>
  Time first(Uniform&& uniform) const noexcept {
    return gap(uniform);
  }
  template <class Uniform>
  Time gap(Uniform&& uniform) const noexcept {
    return drawn(exponential(mean_ps_, uniform()));
  }

 private:
  double mean_ps_;
};

class Web {
 public:
  static constexpr const char* kName = "web";
  static constexpr About kAbout{"A web user, who reads and fetches one file in turn.",
                                "andreassen2002 section 2.2.2"};
  static constexpr TrafficTraits kTraits{};
  static constexpr Parameter kParameters[] = {
      {"reading_mean_s", "s", 5, 1e-9, 2e5, "",
       "Mean reading time before each fetch (andreassen2002 section 2.2.2)."},
      {"size", "choice", 2, 0, 3, "fixed,exponential,pareto,list",
       "Distribution of file sizes; list: the source's `sizes`."},
      {"size_mean_bytes", "bytes", 50000, 1, 1e12, "", "Mean of fixed and exponential sizes."},
      {"size_min_bytes", "bytes", 1, 1, 1e12, "",
       "Minimum size of the truncated Pareto distribution."},
      {"size_max_bytes", "bytes", 5e6, 1, 1e12, "",
       "Maximum size of the truncated Pareto distribution."},
      {"size_shape", "", 1.2, 1e-3, 1e3, "",
       "Shape of the Pareto distribution of sizes; a smaller shape has a heavier tail."},
      {"reading", "choice", 0, 0, 1, "exponential,hyper-exponential",
       "Distribution of reading times; hyper-exponential: coefficient of variation 2.9 "
       "(andreassen2002)."},
      {"patience_s", "s", -1, -1, 2e5, "",
       "Duration after which the user gives up a fetch; -1: never."},
      {"lasting", "flag", 0, 0, 1, "",
       "One connection serves all files, instead of a connection per file."},
  };

  // `list` is the list of sizes, used if `size` is list.
  explicit Web(const double* values, SizeList list = {})
      : sizes_(kName, checked(values) + 1, std::move(list)) {
    reading_mean_ps_ = values[0] * kPsPerSecond;
    hyper_ = values[6] != 0;
    patience_ = values[7] < 0 ? kNever : picoseconds(values[7]);
    lasting_ = values[8] != 0;
  }

  template <class Uniform>
  Time reading(Uniform&& uniform) const noexcept {
    if (!hyper_) return drawn(exponential(reading_mean_ps_, uniform()));
    const double branch = hyper_branch_mean(uniform()) / hyper_mean();
    return drawn(exponential(reading_mean_ps_ * branch, uniform()));
  }
  Time patience() const noexcept { return patience_; }
  bool lasting() const noexcept { return lasting_; }  // one connection serves all files (files.h)

  template <class Uniform>
  std::int64_t file_bytes(Uniform&& uniform) const noexcept {
    return sizes_.draw(uniform);
  }

 private:
  static constexpr double kBranchMean[] = {5, 20, 80, 400};
  static constexpr double kBranchProbability[] = {0.44674, 0.3, 0.20855, 0.04471};

  static constexpr double hyper_mean() noexcept {
    double mean = 0;
    for (int i = 0; i < 4; ++i) mean += kBranchProbability[i] * kBranchMean[i];
    return mean;
  }
  static double hyper_branch_mean(double u) noexcept {
    for (int i = 0; i < 3; ++i) {
      if (u < kBranchProbability[i]) return kBranchMean[i];
      u -= kBranchProbability[i];
    }
    return kBranchMean[3];
  }

  static const double* checked(const double* values) {
    check_parameters<Web>(values);
    return values;
  }

  SizeLaw sizes_;
  double reading_mean_ps_;
  bool hyper_, lasting_;
  Time patience_;
};

// Start of a flow: at + index * stagger + U * spread, at most kFarthest. U is drawn from the flow's start stream.
struct StartLaw {
  Time at, stagger, spread;
  template <class Uniform>
  Time draw(std::int64_t index, Uniform&& uniform) const noexcept {
    const Time jitter = spread > 0 ? drawn(uniform() * static_cast<double>(spread)) : 0;
    return later(later(at, repeated(index, stagger)), jitter);
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_TRAFFIC_H_
