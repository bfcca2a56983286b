// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/Shown.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace ecnomy::omnet {

namespace {

using Json = nlohmann::json;

std::optional<double> perhaps(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

void Shown::read(const std::string& json, Time t, const std::vector<std::int64_t>& marks) {
  if (json.empty() || t == t_) return;
  const Json document = Json::parse(json);
  sources_.clear();
  for (const Json& one : document.at("sources")) {
    sources_.push_back({one.at("name"), one.at("class"), one.at("marks"), one.at("fees"),
                        perhaps(one.at("willing"))});
  }
  earn(marks);
  links_.resize(document.at("links").size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Json& one = document.at("links")[i];
    links_[i].owner = one.at("owner");
    links_[i].price = perhaps(one.at("price"));
  }
  agents_.clear();
  for (const Json& one : document.at("agents")) {
    agents_.push_back({one.at("name"), one.at("role"), one.at("balance")});
  }
  payments_.clear();
  for (const Json& one : document.value("payments", Json::array())) {
    payments_.push_back(
        {one.at("from"), one.at("to"), one.at("for"), one.at("source"), one.at("money")});
  }
  char at[32];
  std::snprintf(at, sizeof at, "%8.1f s  ", static_cast<double>(t) * 1e-12);
  for (const Json& line : document.at("news")) news_.push_front(at + line.get<std::string>());
  if (news_.size() > kNews) news_.resize(kNews);
  t_ = t;
  rates();
}

std::size_t Shown::owners() const {
  std::set<std::string> names;
  for (const LinkShown& link : links_) names.insert(link.owner);
  return names.size();
}

std::string Shown::payee(const std::vector<std::int32_t>& path) const {
  std::string found;
  for (const std::int32_t link : path) {
    const auto at = static_cast<std::size_t>(link);
    if (at >= links_.size() || links_[at].owner.empty()) return "";
    if (!found.empty() && found != links_[at].owner) return "";
    found = links_[at].owner;
  }
  return found;
}

std::string Shown::seller() const {
  std::string found;
  for (const AgentShown& agent : agents_) {
    if (agent.role != "application-provider" && agent.role != "guaranteed-stream-provider")
      continue;
    if (!found.empty()) return "";
    found = agent.name;
  }
  return found;
}

// Adds the income from marks, which are charged at the price before this report.
void Shown::earn(const std::vector<std::int64_t>& marks) {
  for (std::size_t i = 0; i < links_.size() && i < marks.size() && i < marked_.size(); ++i) {
    const auto set = static_cast<double>(marks[i] - marked_[i]);
    if (links_[i].price) links_[i].earned += *links_[i].price * set;
  }
  marked_ = marks;
}

// Computes the rates. The lists of a run's sources, links and agents do not change.
void Shown::rates() {
  Totals now{t_, {}, {}, {}, {}, {}};
  for (const SourceShown& source : sources_) {
    now.marks.push_back(source.marks);
    now.fees.push_back(source.fees);
  }
  for (const LinkShown& link : links_) now.earned.push_back(link.earned);
  for (const AgentShown& agent : agents_) now.balances.push_back(agent.balance);
  for (const PaymentShown& one : payments_) now.payments.push_back(one.money);
  reports_.push_back(std::move(now));
  while (reports_.size() > 2 && reports_[1].t <= t_ - kSpan) reports_.pop_front();
  const Totals& then = reports_.front();
  span_s_ = static_cast<double>(t_ - then.t) * 1e-12;
  if (span_s_ <= 0) return;
  for (std::size_t i = 0; i < sources_.size() && i < then.marks.size(); ++i) {
    sources_[i].marks_per_s = (sources_[i].marks - then.marks[i]) / span_s_;
    sources_[i].fees_per_s = (sources_[i].fees - then.fees[i]) / span_s_;
  }
  for (std::size_t i = 0; i < links_.size() && i < then.earned.size(); ++i) {
    links_[i].earns_per_s = (links_[i].earned - then.earned[i]) / span_s_;
  }
  for (std::size_t i = 0; i < agents_.size() && i < then.balances.size(); ++i) {
    agents_[i].per_s = (agents_[i].balance - then.balances[i]) / span_s_;
  }
  for (std::size_t i = 0; i < payments_.size(); ++i) {
    const double before = i < then.payments.size() ? then.payments[i] : 0;
    payments_[i].per_s = (payments_[i].money - before) / span_s_;
  }
}

}  // namespace ecnomy::omnet
