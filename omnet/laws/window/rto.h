// SPDX-License-Identifier: Apache-2.0
// The retransmission timeout of RFC 6298, with alpha = 1/8, beta = 1/4, K = 4.
//   first sample R:  SRTT = R, RTTVAR = R / 2
//   then             RTTVAR += (|SRTT - R| - RTTVAR) / 4,  SRTT += (R - SRTT) / 8
//   RTO = clamp(SRTT + 4 RTTVAR, min, max); doubled on each timeout (5.5), reset by a new sample.
// `initial`, `min` and `max` are parameters of the transport (initial_rto, ... in scenario/tcp_options.py of
// ecnomy.markets; in NED, parameters of MarketTcp and Sources).
#ifndef ECNOMY_LAWS_WINDOW_RTO_H_
#define ECNOMY_LAWS_WINDOW_RTO_H_

#include <algorithm>

#include "../parameter.h"

namespace ecnomy {

class Rto {
 public:
  Rto(Time initial, Time min, Time max) noexcept : rto_(initial), min_(min), max_(max) {}

  void sample(Time rtt) noexcept {
    if (srtt_ == 0) {
      srtt_ = rtt;
      rttvar_ = rtt / 2;
    } else {
      const Time error = srtt_ > rtt ? srtt_ - rtt : rtt - srtt_;
      rttvar_ += (error - rttvar_) / 4;
      srtt_ += (rtt - srtt_) / 8;
    }
    rto_ = std::clamp(srtt_ + 4 * rttvar_, min_, max_);
  }
  void at_least(Time rto) noexcept { rto_ = std::max(rto_, rto); }
  void back_off() noexcept { rto_ = std::min(2 * rto_, max_); }

  Time rto() const noexcept { return rto_; }
  Time srtt() const noexcept { return srtt_; }

 private:
  Time rto_, min_, max_;
  Time srtt_ = 0, rttvar_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_RTO_H_
