// SPDX-License-Identifier: LGPL-3.0-or-later
// The market's data for displays (bridge/PROTOCOL.md, message `show`), and payments per second over the last ten
// seconds, or since the previous report if this is longer.
#ifndef ECNOMY_INET_VIEW_SHOWN_H_
#define ECNOMY_INET_VIEW_SHOWN_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "laws/simulated_time.h"

namespace ecnomy::omnet {

struct SourceShown {
  std::string name, offer;                 // offer: its service class, or "" for none
  double marks = 0, fees = 0;              // money paid so far
  std::optional<double> willing;           // willingness to pay for marks, money per second
  double marks_per_s = 0, fees_per_s = 0;  // recent payments, money per second
};

struct LinkShown {
  std::string owner;
  std::optional<double> price;         // money per mark
  double earned = 0, earns_per_s = 0;  // price times marks so far; recent income, money per second
};

struct AgentShown {
  std::string name, role;
  double balance = 0, per_s = 0;  // money; recent change, money per second
};

// The money that one account pays another for a source's marks, fees and so on. per_s is the recent rate.
struct PaymentShown {
  std::string from, to, kind, source;  // source: "" for none
  double money = 0, per_s = 0;
};

class Shown {
 public:
  // Reads a JSON object of time `t`, and the number of marks that each link has set until then. A second object of the
  // same time is ignored. Throws std::exception if the object is malformed.
  void read(const std::string& json, Time t, const std::vector<std::int64_t>& marks);

  bool any() const { return t_ >= 0; }
  double span_s() const { return span_s_; }  // time over which money per second is computed
  const std::vector<SourceShown>& sources() const { return sources_; }
  const std::vector<LinkShown>& links() const { return links_; }
  std::size_t owners() const;  // number of owners of links
  // The payee for marks of a path: the owner of all its links. It is "" if the links have several owners, since the
  // market's settlement then determines their shares.
  std::string payee(const std::vector<std::int32_t>& path) const;
  // The agent that receives fees; "" if several agents sell classes or calls.
  std::string seller() const;
  const std::vector<AgentShown>& agents() const { return agents_; }
  const std::vector<PaymentShown>& payments() const { return payments_; }
  const std::deque<std::string>& news() const { return news_; }  // "time  text", the latest first

 private:
  static constexpr std::size_t kNews = 8;
  static constexpr Time kSpan = 10'000'000'000'000;

  struct Totals {  // money, at one report
    Time t;
    std::vector<double> marks, fees, earned, balances;
    std::vector<double> payments;  // new payments are appended
  };

  void earn(const std::vector<std::int64_t>& marks);
  void rates();

  Time t_ = -1;
  double span_s_ = 0;
  std::deque<Totals> reports_;        // reports in the span, and the report with which it begins
  std::vector<std::int64_t> marked_;  // marks by link, at the last report
  std::vector<SourceShown> sources_;
  std::vector<LinkShown> links_;
  std::vector<AgentShown> agents_;
  std::vector<PaymentShown> payments_;
  std::deque<std::string> news_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_SHOWN_H_
