// SPDX-License-Identifier: Apache-2.0
// Random exponential marking, the link's algorithm (athuraliya2000 Eq. 1, 2, sections II-C, VII and VIII,
// Fig. 3). Every T (`interval_s`) the link measures its input rate x and its backlog b, both smoothed,
//   x <- (1 - input_weight) x + input_weight arrived / T
//   b <- (1 - backlog_weight) b + backlog_weight backlog
// and sets its price p and marking probability m, with c = capacity_share C and b0 =
// target_backlog_packets:
//   pc1   p <- [p + gamma (x - c) T]+                            (in the paper c is 85 % of the capacity)
//   pc2   p <- gamma b
//   pc3   p <- [p + gamma (alpha (b - b0) + (x - c) T)]+         (c is the capacity)
//   m = 1 - phi^-p,  so 1 - m of a path is phi^-(sum of its prices)  (Eq. 3)
//
// All quantities are in packets. With `unit` bytes, mean_packet_bytes are one packet, so x = c is a full
// link for all packet sizes. The paper's rates are per period, hence the factor T.
//
// Packets are marked at departure (Fig. 3) or at arrival (Eq. 2). For packets that are not ECT the law
// always decides at arrival, because they can only be dropped then (section VIII).
#ifndef ECNOMY_LAWS_MARKING_REM_H_
#define ECNOMY_LAWS_MARKING_REM_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class Rem : public MarkingLaw {
 public:
  static constexpr const char* kName = "rem";
  static constexpr About kAbout{
      "Random exponential marking: backlog and excess load set a price, which sets the marking "
      "probability.",
      "athuraliya2000 Eq. 1 and 2, sections II-C, VII and VIII"};
  static constexpr MarkingTraits kTraits{.departures = true, .clock = true};
  static constexpr Parameter kParameters[] = {
      {"price", "choice", 2, 0, 2, "pc1,pc2,pc3",
       "Rule by which queue and input rate set the price: PC1, PC2 or PC3 (athuraliya2000 section "
       "VIII)."},
      {"phi", "", 1.001, 1.000001, 1e6, "",
       "Base of the marking probability 1 - phi^-price (Eq. 2). REM sources need the same value."},
      {"gamma", "", 0.005, 0, 1e6, "", "Step size of the price (Eq. 1)."},
      {"alpha", "", 0.1, 0, 1e6, "",
       "Weight of the backlog relative to the excess rate, in PC3 (Eq. 1)."},
      {"target_backlog_packets", "packets", 0, 0, 1e12, "", "Target backlog in PC3: b0."},
      {"capacity_share", "", 1, 1e-6, 1, "",
       "Target rate as a share of the capacity; with price: pc1, scenarios have the paper's 0.85."},
      {"interval_s", "s", 0.002, 1e-6, 1e6, "", "Time between two updates of the price: T."},
      {"input_weight", "", 0.1, 1e-9, 1, "",
       "Weight of the latest interval in the smoothed input rate."},
      {"backlog_weight", "", 1, 1e-9, 1, "",
       "Weight of the current backlog in the smoothed backlog; 1: no smoothing."},
      {"mark_at", "choice", 0, 0, 1, "departure,arrival",
       "Point at which packets are marked: at departure (Fig. 3) or at arrival (Eq. 2)."},
      {"unit", "choice", 1, 0, 1, "packets,bytes",
       "Whether input and backlog count packets, or bytes over mean_packet; gamma, alpha are per "
       "packet in both."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Mean packet size, which converts the capacity (and bytes, if unit is bytes) to packets."},
  };

  explicit Rem(const double* values) { configure(values); }

  // May be called between packets; the state is kept. A new interval applies from the next update on.
  void configure(const double* values) {
    check_parameters(this, values);
    price_rule_ = static_cast<PriceRule>(static_cast<int>(values[0]));
    log_phi_ = std::log(values[1]);
    gamma_ = values[2];
    alpha_ = values[3];
    target_ = values[4];
    capacity_share_ = values[5];
    interval_ = picoseconds(values[6]);
    input_weight_ = values[7];
    backlog_weight_ = values[8];
    at_departure_ = values[9] == 0;
    in_bytes_ = values[10] != 0;
    mean_packet_bytes_ = values[11];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView& packet, Time,
                      Uniform&& uniform) noexcept {
    arrived_ += in_bytes_ ? packet.bytes / mean_packet_bytes_ : 1.0;
    return at_departure_ && packet.ect ? Decision{} : draw(uniform);
  }

  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView& packet, Time,
                        Uniform&& uniform) noexcept {
    return at_departure_ && packet.ect ? draw(uniform) : Decision{};
  }
  bool watches_departures() const noexcept { return at_departure_; }

  Time first_timer() const noexcept { return interval_; }

  Time on_timer(const QueueView& queue, Time now) noexcept {
    const double backlog = in_bytes_ ? static_cast<double>(queue.bytes) / mean_packet_bytes_
                                     : static_cast<double>(queue.packets);
    input_ += input_weight_ * (arrived_ / seconds(now - updated_) - input_);
    backlog_ += backlog_weight_ * (backlog - backlog_);
    arrived_ = 0.0;
    updated_ = now;
    price_ = next_price(static_cast<double>(queue.rate_bps) / (8.0 * mean_packet_bytes_));
    probability_ = -std::expm1(-price_ * log_phi_);
    return now + interval_;
  }

  double probability() const noexcept { return probability_; }
  double price() const noexcept { return price_; }

 private:
  enum class PriceRule { pc1, pc2, pc3 };

  template <class Uniform>
  Decision draw(Uniform&& uniform) noexcept {
    const bool mark = probability_ > 0 && uniform() < probability_;
    return {mark ? Action::mark : Action::pass, kNoFlow};
  }

  double next_price(double packets_per_s) const noexcept {
    if (price_rule_ == PriceRule::pc2) return gamma_ * backlog_;
    double excess = (input_ - capacity_share_ * packets_per_s) * seconds(interval_);
    if (price_rule_ == PriceRule::pc3) excess += alpha_ * (backlog_ - target_);
    return std::max(price_ + gamma_ * excess, 0.0);
  }

  PriceRule price_rule_;
  double log_phi_, gamma_, alpha_, target_, capacity_share_, input_weight_, backlog_weight_;
  double mean_packet_bytes_;
  Time interval_;
  bool at_departure_, in_bytes_;
  Time updated_ = 0;
  double arrived_ = 0.0;  // packets since updated_
  double input_ = 0.0;    // packets/s
  double backlog_ = 0.0;
  double price_ = 0.0;
  double probability_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_REM_H_
