// SPDX-License-Identifier: Apache-2.0
// Stochastic Fair Blue (Feng, Kandlur, Saha and Shin, IEEE INFOCOM 2001; Linux's sch_sfb). Hashes of a packet's flow
// select one bin in each of L levels. A bin counts its waiting packets and has a probability p, which follows its
// own queue instead of the link's:
//
//   a packet arrives at an empty bin                       p <- max(0, p - decrement)
//   a packet arrives at a bin of at least bin packets      p <- min(1, p + increment)
//
// The packet's p_min is the smallest p of its bins, so a flow that shares one bin with an unresponsive flow is not
// taken for it. The packet is
//
//   dropped if each of its bins has at least max packets;
//   else, for p_min = 1, from a flow that does not respond: dropped, except penalty_rate packets/s of all such flows;
//   else dropped with probability max(0, 2 p_min - 1), marked with probability p_min less that.
//
// One draw decides: a packet with u < p_min is marked, or dropped if u < 2 p_min - 1. After rehash_s the hash
// functions change, because two flows may share all bins. For warmup_s before that, flows with p_min = 1 also update the
// bins of the next hash. As in Linux, a packet stays in the bins of its hashes until it leaves.
//
// A bin counts the packets that wait: a packet that the link refused after on_arrival leaves its bins again.
#ifndef ECNOMY_LAWS_MARKING_SFB_H_
#define ECNOMY_LAWS_MARKING_SFB_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "../boxed.h"
#include "../random/stream.h"
#include "marking.h"

namespace ecnomy {

class Sfb : public MarkingLaw {
 public:
  static constexpr const char* kName = "sfb";
  static constexpr About kAbout{
      "Marks by the queues of bins of flows, and limits the rate of flows that do not respond.",
      "Feng, Kandlur, Saha and Shin 2001; Linux sch_sfb"};
  static constexpr MarkingTraits kTraits{.departures = true, .ceiling = "0.5"};  // it drops above
  static constexpr Parameter kParameters[] = {
      {"levels", "whole", 8, 1, 16, "",
       "Number of hash tables, in each of which a flow has one bin: L of the paper."},
      {"bins", "whole", 16, 1, 65536, "",
       "Number of bins of a level, to which flows are hashed: N of the paper."},
      {"increment", "", 0.001, 0, 1, "",
       "Increase of a bin's probability at a packet that meets a full bin: d1 of the paper."},
      {"decrement", "", 0.000167, 0, 1, "",
       "Decrease of a bin's probability at a packet that meets an empty bin: d2 of the paper."},
      {"bin_packets", "packets", 20, 1, kUnlimited, "",
       "Waiting packets from which on a bin is full."},
      {"max_packets", "packets", 25, 1, kUnlimited, "",
       "Waiting packets in each of a packet's bins from which on it is dropped."},
      {"penalty_rate", "packets/s", 10, 0, 1e9, "",
       "Packets per second of all flows that do not respond to marks."},
      {"penalty_burst", "packets", 20, 0, 1e9, "",
       "Largest burst of packets of flows that do not respond to marks."},
      {"rehash_s", "s", 600, 0, 1e6, "", "Time between two hashes of flows; 0: one hash."},
      {"warmup_s", "s", 60, 0, 1e6, "",
       "Time before a new hash in which flows that do not respond fill its bins."},
  };

  explicit Sfb(const double* values) { configure(values); }

  // May be called between packets. The state is kept, unless the number of bins changes.
  void configure(const double* values) {
    check_parameters(this, values);
    const auto levels = static_cast<std::size_t>(values[0]);
    const auto bins = static_cast<std::size_t>(values[1]);
    if (levels != levels_ || bins != bins_) {
      levels_ = levels;
      bins_ = bins;
      for (Hash& hash : own_->hashes) hash.bins.assign(levels * bins, Bin{});
      for (Hashes& one : own_->waiting) one = {};  // no longer counted
    }
    increment_ = values[2];
    decrement_ = values[3];
    full_ = values[4];
    max_ = values[5];
    penalty_rate_ = values[6];
    penalty_burst_ = values[7];
    rehash_ = picoseconds(values[8]);
    warmup_ = picoseconds(values[9]);
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                                        Uniform&& uniform) noexcept {
    keep(queue.packets);
    renew(now, uniform);
    const auto [p, least] = update(own_->hashes[own_->active], packet.flow);
    own_->probability = p;
    if (static_cast<double>(least) >= max_) return {Action::drop, kNoFlow};
    std::array<bool, 2> in{own_->active == 0, own_->active == 1};
    Action action = Action::pass;
    if (p >= 1) {
      if (warm(now)) {
        update(own_->hashes[1 - own_->active], packet.flow);
        in = {true, true};
      }
      if (!within_penalty(now)) return {Action::drop, kNoFlow};
    } else if (p > 0) {
      const double u = uniform();
      if (u < 2 * p - 1) return {Action::drop, kNoFlow};
      if (u < p) action = Action::mark;
    }
    enter(packet.flow, in);
    return {action, kNoFlow};
  }

  template <class Uniform>
  Decision on_departure(const QueueView& queue, const PacketView&, Time, Uniform&&) noexcept {
    keep(queue.packets + 1);
    if (!own_->waiting.empty()) {
      count(own_->waiting.front(), -1);
      own_->waiting.pop_front();
    }
    return {};
  }

  bool watches_departures() const noexcept { return true; }

  double probability() const noexcept { return own_->probability; }

 private:
  struct Bin {
    double p = 0.0;
    std::int64_t packets = 0;
  };
  struct Hash {
    std::uint64_t salt = 0;
    std::vector<Bin> bins;
  };
  // A packet's hashes, by which it is counted in the bins; one of 0 is not in them.
  using Hashes = std::array<std::uint64_t, 2>;
  struct State {
    std::array<Hash, 2> hashes;
    std::size_t active = 0;
    std::deque<Hashes> waiting;  // in their order of arrival
    Time renewed = kNever;       // time of the active hash
    Time penalised = 0;          // time at which tokens were last made
    double tokens = 0.0;
    double probability = 0.0;
  };
  struct Smallest {
    double p;
    std::int64_t packets;
  };

  static std::uint64_t hash_of(std::int32_t flow, std::uint64_t salt) noexcept {
    const std::uint64_t hash = mix64(salt ^ mix64(static_cast<std::uint64_t>(flow)));
    return hash == 0 ? 1 : hash;
  }
  std::size_t place(std::uint64_t hash, std::size_t level) const noexcept {
    return level * bins_ + mix64(hash + level) % bins_;
  }

  // Changes the probabilities of a flow's bins; returns the smallest values among them.
  Smallest update(Hash& hash, std::int32_t flow) noexcept {
    const std::uint64_t own = hash_of(flow, hash.salt);
    Smallest least{1.0, INT64_MAX};
    for (std::size_t level = 0; level < levels_; ++level) {
      Bin& bin = hash.bins[place(own, level)];
      if (bin.packets == 0) {
        bin.p = std::max(0.0, bin.p - decrement_);
      } else if (static_cast<double>(bin.packets) >= full_) {
        bin.p = std::min(1.0, bin.p + increment_);
      }
      least = {std::min(least.p, bin.p), std::min(least.packets, bin.packets)};
    }
    return least;
  }

  // Draws the first two salts, and a new one when the hashes change.
  template <class Uniform>
  void renew(Time now, Uniform&& uniform) noexcept {
    const auto draw = [&] { return static_cast<std::uint64_t>(uniform() * 0x1p53); };
    if (own_->renewed == kNever) {
      for (Hash& hash : own_->hashes) hash.salt = draw();
      own_->renewed = own_->penalised = now;
      own_->tokens = penalty_burst_;
    } else if (rehash_ > 0 && now - own_->renewed > rehash_) {
      own_->hashes[own_->active].salt = draw();
      own_->active = 1 - own_->active;
      own_->renewed = now;
    }
  }

  bool warm(Time now) const noexcept {
    return rehash_ > 0 && warmup_ > 0 && now - own_->renewed > rehash_ - warmup_;
  }

  // Takes a token for a packet of a flow that does not respond. Tokens are made in whole numbers, and only once all
  // have been used. Linux restarts the clock at every packet that finds none, so that a flow which sends faster than
  // penalty_rate gets no token at all. Here the clock runs until a token is made.
  bool within_penalty(Time now) noexcept {
    if (penalty_rate_ == 0 || penalty_burst_ == 0) return false;
    if (own_->tokens < 1) {
      const double seconds =
          std::min(10.0, static_cast<double>(now - own_->penalised) / kPsPerSecond);
      const double made = std::min(std::floor(seconds * penalty_rate_), penalty_burst_);
      if (made < 1) return false;
      own_->tokens = made;
      own_->penalised = now;
    }
    own_->tokens -= 1;
    return true;
  }

  void enter(std::int32_t flow, std::array<bool, 2> in) noexcept {
    Hashes hashes{};
    for (std::size_t i = 0; i < 2; ++i) {
      if (in[i]) hashes[i] = hash_of(flow, own_->hashes[i].salt);
    }
    count(hashes, 1);
    own_->waiting.push_back(hashes);
  }
  void leave() noexcept {
    if (own_->waiting.empty()) return;
    count(own_->waiting.back(), -1);
    own_->waiting.pop_back();
  }
  // The queue has at most this many packets: what was refused after on_arrival is no longer counted.
  void keep(std::int64_t packets) noexcept {
    while (static_cast<std::int64_t>(own_->waiting.size()) > packets) leave();
  }
  void count(const Hashes& hashes, int change) noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
      if (hashes[i] == 0) continue;
      for (std::size_t level = 0; level < levels_; ++level) {
        own_->hashes[i].bins[place(hashes[i], level)].packets += change;
      }
    }
  }

  std::size_t levels_ = 0, bins_ = 0;
  double increment_, decrement_, full_, max_, penalty_rate_, penalty_burst_;
  Time rehash_, warmup_;
  Boxed<State> own_{State{}};
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_SFB_H_
