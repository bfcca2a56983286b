// SPDX-License-Identifier: Apache-2.0
// The REM source (athuraliya2000 Eq. 4, 5 and Fig. 4; experiments A10, A11). On every ACK
//
//   RTT  <- (1 - beta) RTT + beta sample          the first sample is the initial RTT
//   m     = share of marks among the last N ACKs  (N bits, which begin with the initial share)
//   p     = -ln(1 - m) / ln phi                   the path's price
//   x     = U'^-1(p) in [min_rate, max_rate];  m = 0: max_rate;  m = 1: min_rate
//             log        U = w ln x                        x = w / p
//             quadratic  U = -(max_rate - x)^2 / (2 w)     x = max_rate - w p
//   cwnd  = ceil(x RTT)
//
// Smoothed (section II-D): once per round trip (after cwnd acknowledged packets) the window moves by 1
// (unit) or by the share `step` of the window (fraction) towards ceil(x RTT), but not beyond it.
//
// An ACK of n packets counts n times; a loss does not count. The papers have no losses: here the law still
// determines the window, and retransmission repairs losses. A requested mark rate sets w = rate / ln phi: with
// few marks (m ~ p ln phi) a flow receives this rate, with many marks less. In the last line an error is added
// to RTT: `rtt_error_s`, plus at each ACK a normal draw (a float) times `rtt_error_std_s` (section V-B, Table II).
#ifndef ECNOMY_LAWS_WINDOW_REM_SOURCE_H_
#define ECNOMY_LAWS_WINDOW_REM_SOURCE_H_

#include <array>
#include <bitset>
#include <memory>

#include "window.h"

namespace ecnomy {

class RemSource {
 public:
  static constexpr const char* kName = "rem";
  static constexpr About kAbout{
      "The REM source: estimates the path's price from its share of marks and sends at the optimal "
      "rate.",
      "athuraliya2000 Eq. 4 and 5, Fig. 4"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .every_ack = true,
                                        .weighted = true,
                                        .begins = true,
                                        .hears_rtt = true,
                                        .noisy = true,
                                        .aims = true,
                                        .weight = "w"};
  static constexpr int kMostSamples = 128;
  static constexpr Parameter kParameters[] = {
      {"utility", "choice", 0, 0, 1, "log,quadratic",
       "Utility of the rate x: w ln x, or -(max_rate - x)^2 / (2 w) if quadratic (athuraliya2000 "
       "section V)."},
      {"w", "packets/s", NAN, 1e-9, 1e12, "",
       "Weight w of the utility: the rate is w / p (log) or max_rate - w p (quadratic) at the "
       "price p of the path."},
      {"phi", "", NAN, 1.000001, 1e6, "",
       "Base of the marking probability, the same as at the links (Eq. 4)."},
      {"min_rate", "packets/s", 1, 1e-9, 1e12, "",
       "Least sending rate, whatever the price of the path."},
      {"max_rate", "packets/s", NAN, 1e-9, 1e12, "",
       "Maximum rate, which is also the rate without marks."},
      {"samples", "whole", 100, 1, kMostSamples, "",
       "Number of latest ACKs whose share of marks estimates the path's price: N (Fig. 4)."},
      {"initial_fraction", "", 1, 0, 1, "",
       "Share of marks assumed until `samples` ACKs have arrived."},
      {"rtt_weight", "", 0.01, 1e-9, 1, "",
       "Weight of the latest sample in the smoothed RTT: beta (Fig. 4)."},
      {"smoothed", "choice", 0, 0, 2, "off,unit,fraction",
       "Step of the window to its target: the whole way, a packet, or a share of the window "
       "(section II-D)."},
      {"step", "", 0.1, 1e-9, 1, "",
       "Share of the window by which it moves per round trip, if smoothed is fraction."},
      {"rtt_error_s", "s", 0, -1e3, 1e3, "", "Constant error added to the RTT (section V-B)."},
      {"rtt_error_std_s", "s", 0, 0, 1e3, "",
       "Standard deviation of a normal error of the RTT, drawn at each ACK (Table II)."},
  };
  static constexpr AtLeast kOrder[] = {{"max_rate", "min_rate"}};

  explicit RemSource(const double* values) {
    check_parameters(this, values);
    setup_ = std::make_shared<const Setup>(values);
    w_ = values[1];
    forget();
  }

  void begin(Window&) noexcept { forget(); }
  void on_rtt(Window&, Time rtt) noexcept {
    const double beta = setup_->rtt_weight;
    const double sample_s = seconds(rtt);
    rtt_s_ = rtt_s_ == 0 ? sample_s : (1 - beta) * rtt_s_ + beta * sample_s;
  }
  void disturb(double normal) noexcept { normal_ = static_cast<float>(normal); }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const std::int64_t packets = std::max(ack.newly_acked, ack.marks);
    note(packets - ack.marks, false);
    note(ack.marks, true);
    if (rtt_s_ == 0) return;
    const double error_s = setup_->rtt_error_s + setup_->rtt_error_std_s * double{normal_};
    const double target = std::ceil(rate() * std::max(rtt_s_ + error_s, 0.0));
    if (setup_->smoothed == Smoothed::off) return window.set(target);
    const std::int64_t round = std::min(round_ + packets, kLongestRound);
    round_ = static_cast<std::uint32_t>(round) & kLongestRound;
    if (static_cast<double>(round) < window.cwnd && round < kLongestRound) return;
    round_ = 0;
    const double step = setup_->smoothed == Smoothed::unit ? 1.0 : setup_->step * window.cwnd;
    window.set(std::clamp(target, window.cwnd - step, window.cwnd + step));
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept { window.ssthresh = 0; }
  void on_timeout(Window& window, double) noexcept { window.ssthresh = 0; }

  bool noisy() const noexcept { return setup_->rtt_error_std_s > 0; }
  double weight() const noexcept { return w_; }
  void set_weight(double w) noexcept { w_ = w; }
  void aim(double marks_per_s) noexcept { w_ = marks_per_s / setup_->ln_phi; }

 private:
  enum class Smoothed { off, unit, fraction };
  // Data that all flows of a source share. price[i] is the price at i marks in N packets.
  struct Setup {
    explicit Setup(const double* values) noexcept
        : quadratic(values[0] != 0),
          smoothed(static_cast<Smoothed>(static_cast<int>(values[8]))),
          samples(static_cast<int>(values[5])),
          ln_phi(std::log(values[2])),
          min_rate(values[3]),
          max_rate(values[4]),
          initial_fraction(values[6]),
          rtt_weight(values[7]),
          step(values[9]),
          rtt_error_s(values[10]),
          rtt_error_std_s(values[11]) {
      for (int i = 0; i < samples; ++i) {
        price[static_cast<std::size_t>(i)] = -std::log1p(-double(i) / samples) / ln_phi;
      }
    }
    bool quadratic;
    Smoothed smoothed;
    int samples;
    double ln_phi, min_rate, max_rate, initial_fraction, rtt_weight, step;
    double rtt_error_s, rtt_error_std_s;
    std::array<double, kMostSamples> price{};
  };

  // The marks of the initial share are spread evenly over the ring.
  void forget() noexcept {
    rtt_s_ = 0;
    normal_ = 0;
    bits_ = {};
    next_ = 0;
    round_ = 0;
    const int n = setup_->samples;
    const int marks = static_cast<int>(std::lround(setup_->initial_fraction * n));
    for (int i = 0; i < n; ++i) note(1, (i + 1) * marks / n > i * marks / n);
  }
  void note(std::int64_t packets, bool marked) noexcept {
    const std::int64_t last = std::min<std::int64_t>(packets, setup_->samples);
    std::uint32_t next = next_;
    for (std::int64_t i = 0; i < last; ++i) {
      std::uint64_t& word = bits_[next >> 6];
      const std::uint64_t bit = std::uint64_t{1} << (next & 63);
      word = marked ? word | bit : word & ~bit;
      next = next + 1 == static_cast<std::uint32_t>(setup_->samples) ? 0 : next + 1;
    }
    next_ = next & 0xff;
  }
  double rate() const noexcept {
    const std::size_t marks = std::bitset<64>(bits_[0]).count() + std::bitset<64>(bits_[1]).count();
    if (marks == 0) return setup_->max_rate;
    if (marks == static_cast<std::size_t>(setup_->samples)) return setup_->min_rate;
    const double price = setup_->price[marks];
    const double x = setup_->quadratic ? setup_->max_rate - w_ * price : w_ / price;
    return std::clamp(x, setup_->min_rate, setup_->max_rate);
  }

  static constexpr std::int64_t kLongestRound = 0xffffff;  // packets

  // 56 bytes, because every flow has one.
  std::shared_ptr<const Setup> setup_;
  double w_;
  double rtt_s_ = 0;
  std::array<std::uint64_t, 2> bits_{};
  float normal_ = 0;
  std::uint32_t next_ : 8;
  std::uint32_t round_ : 24;  // packets acknowledged since the last step
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_REM_SOURCE_H_
