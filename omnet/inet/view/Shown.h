// SPDX-License-Identifier: LGPL-3.0-or-later
// What the market lets a screen know (bridge/PROTOCOL.md, message `show`), and what was paid a second
// over the last ten seconds, or since the report before if that is longer.
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
  std::string name, offer;                 // offer: its service class, "" where it has none
  double marks = 0, fees = 0;              // money paid so far
  std::optional<double> willing;           // money a second for marks
  double marks_per_s = 0, fees_per_s = 0;  // money a second, lately
};

struct LinkShown {
  std::string owner;
  std::optional<double> price;         // money a mark
  double earned = 0, earns_per_s = 0;  // price times marks so far; money a second, lately
};

struct AgentShown {
  std::string name, role;
  double balance = 0, per_s = 0;  // money; a second, lately
};

// Money that one account pays another for marks, fees and so on of a source; lately, a second.
struct PaymentShown {
  std::string from, to, kind, source;  // source: "" for none
  double money = 0, per_s = 0;
};

class Shown {
 public:
  // A JSON object of time `t`, and the marks that each link has set until then; the same time twice is read once.
  // Throws std::exception where it is malformed.
  void read(const std::string& json, Time t, const std::vector<std::int64_t>& marks);

  bool any() const { return t_ >= 0; }
  double span_s() const { return span_s_; }  // that money a second is over
  const std::vector<SourceShown>& sources() const { return sources_; }
  const std::vector<LinkShown>& links() const { return links_; }
  std::size_t owners() const;  // of links, how many
  // Who is paid for marks of a path: the owner of all its links. "" if several are: who of them is paid how much
  // is the market's settlement.
  std::string payee(const std::vector<std::int32_t>& path) const;
  std::string seller() const;  // the agent that fees go to; "" if several sell classes or calls
  const std::vector<AgentShown>& agents() const { return agents_; }
  const std::vector<PaymentShown>& payments() const { return payments_; }
  const std::deque<std::string>& news() const { return news_; }  // "time  text", the latest first

 private:
  static constexpr std::size_t kNews = 8;
  static constexpr Time kSpan = 10'000'000'000'000;

  struct Totals {  // money, of one report
    Time t;
    std::vector<double> marks, fees, earned, balances;
    std::vector<double> payments;  // later ones are appended
  };

  void earn(const std::vector<std::int64_t>& marks);
  void rates();

  Time t_ = -1;
  double span_s_ = 0;
  std::deque<Totals> reports_;        // those of the span, and the one that it begins with
  std::vector<std::int64_t> marked_;  // by each link, at the last report
  std::vector<SourceShown> sources_;
  std::vector<LinkShown> links_;
  std::vector<AgentShown> agents_;
  std::vector<PaymentShown> payments_;
  std::deque<std::string> news_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_SHOWN_H_
