// SPDX-License-Identifier: LGPL-3.0-or-later
// Knobs: weights, willingness to pay and prices that a user sets by hand. Weights act here and override the market's
// orders, and the market is notified. The other knobs are sent to the market, which uses them in its decisions.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "market/MarketBridge.h"

namespace ecnomy::omnet {

namespace {

constexpr FlowOrder kNone{-1, -1, -1, true, -1};

}  // namespace

void MarketBridge::give(std::size_t flow, const FlowOrder& order) {
  const auto after = std::find_if(sources_.begin(), sources_.end(), [&](const Source& s) {
    return s.firstFlow > static_cast<int>(flow);
  });
  const Source& source = *(after - 1);
  orders_.resize(accounts_.flows.size(), kNone);
  FlowOrder& last = orders_[flow];
  const FlowOrder before = std::exchange(last, order);
  if (last.mark_rate < 0 && last.weight < 0) {
    last.mark_rate = before.mark_rate;
    last.weight = before.weight;
  }
  source.host->takeOrder(static_cast<int>(flow) - source.firstFlow, order);
}

void MarketBridge::tellHand() {
  nlohmann::json settings = nlohmann::json::object();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const double pay = sources_[i].host->heldWillingness();
    if (pay >= 0) settings["willingness"][plan_.sources[i].name] = pay;
    for (int member = 0; member < plan_.sources[i].count; ++member) {
      const double weight = sources_[i].host->heldWeight(member);
      if (weight >= 0) settings["weights"][plan_.sources[i].name].push_back(weight);
    }
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const double price = links_[i]->heldPrice();
    if (price >= 0) settings["prices"][plan_.links[i].name] = price;
  }
  std::string text = settings.dump();
  if (text == hand_) return;
  hand_ = std::move(text);
  client_->hand(hand_);
}

// A released weight returns to the ordered value if there is one, otherwise to its value before it was set by hand.
void MarketBridge::holdWeights() {
  held_.resize(accounts_.flows.size(), false);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    for (int member = 0; member < plan_.sources[i].count; ++member) {
      holdWeight(*sources_[i].host, member,
                 static_cast<std::size_t>(sources_[i].firstFlow + member));
    }
  }
}

void MarketBridge::holdWeight(ISource& host, int member, std::size_t flow) {
  const double weight = host.heldWeight(member);
  if (weight < 0 && !held_[flow]) return;
  orders_.resize(accounts_.flows.size(), kNone);
  ownWeights_.resize(accounts_.flows.size(), -1);
  if (!held_[flow]) ownWeights_[flow] = host.state(member).weight;
  FlowOrder order = orders_[flow];
  if (weight >= 0) {
    order.mark_rate = -1;
    order.weight = weight;
  } else if (order.mark_rate < 0 && order.weight < 0) {
    order.weight = ownWeights_[flow];
  }
  host.takeOrder(member, order);
  held_[flow] = weight >= 0;
}

}  // namespace ecnomy::omnet
