// SPDX-License-Identifier: LGPL-3.0-or-later
// Recent values of sources and links, computed from the books: rates over a window of simulated time. Reading does not
// change the books.
#ifndef ECNOMY_INET_VIEW_READINGS_H_
#define ECNOMY_INET_VIEW_READINGS_H_

#include <vector>

#include "market/MarketBridge.h"
#include "view/Reading.h"

namespace ecnomy::omnet {

class Readings {
 public:
  explicit Readings(Time window) : window_(window) {}

  // Reads the present state of the books.
  void look(const MarketBridge& market, Time now);

  const std::vector<SourceReading>& sources() const { return sourceReadings_; }
  const std::vector<LinkReading>& links() const { return linkReadings_; }
  double span_s() const { return span_s_; }  // simulated time over which rates are computed

 private:
  struct Books {
    Time t = 0;
    std::vector<FlowStats> sources;  // sums over their flows
    std::vector<LinkState> links;
  };

  static Books read(const MarketBridge& market, Time now);
  void readSources(const MarketBridge& market, const Books& then, const Books& now);
  void readLinks(const MarketBridge& market, const Books& then, const Books& now);

  Time window_;
  bool begun_ = false;
  Books older_, newer_;  // rates are computed since older_, over one to two windows
  std::vector<SourceReading> sourceReadings_;
  std::vector<LinkReading> linkReadings_;
  double span_s_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_READINGS_H_
