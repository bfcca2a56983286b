// SPDX-License-Identifier: Apache-2.0
#include "host/plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "host/registry.h"
#include "host/traffic_parts.h"
#include "laws/scheduling/deficit_round_robin.h"

namespace ecnomy {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMost =
    1'000'000'000'000'000;  // maximum of bit/s, and of a buffer's packets and bytes
constexpr std::int32_t kMostBytes = 65'535;     // maximum size of a packet or of its parts
constexpr std::int32_t kMostFlows = 1'000'000;  // maximum number of flows per source
constexpr std::int32_t kMostBins = 1'000'000;
constexpr double kMostKept = 1e6;  // maximum of a minimum window, whose packets are all in memory
constexpr std::int32_t kMostNodes = std::numeric_limits<std::int32_t>::max();

constexpr std::size_t kShown = 60;  // bytes of a value that a message repeats

std::string cut(const std::string& text, std::size_t most = kShown) {
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

// A value as JSON in ASCII.
std::string ascii(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// A JSON value with its place, which error messages name.
class Node {
 public:
  Node(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  Node at(const char* key) const {
    const auto found = json_.is_object() ? json_.find(key) : json_.end();
    if (!json_.is_object() || found == json_.end()) fail(std::string("has no key '") + key + "'");
    return {*found, place_ + "." + key};
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }

  template <class T>
  T get() const {
    try {
      return json_.get<T>();
    } catch (const Json::exception&) {
      constexpr bool text = std::is_same_v<T, std::string>, flag = std::is_same_v<T, bool>;
      refuse(text ? "a text" : flag ? "true or false" : "a number");
    }
  }
  template <class T>
  T get(const char* key) const {
    return at(key).get<T>();
  }

  // Reads a value that must be one of these names.
  std::string among(std::initializer_list<const char*> names) const {
    const std::string value = get<std::string>();
    if (std::find(names.begin(), names.end(), value) == names.end()) {
      std::string listed;
      for (const char* const* name = names.begin(); name != names.end(); ++name) {
        listed += (name == names.begin() ? "" : name + 1 == names.end() ? " or " : ", ");
        listed += *name;
      }
      refuse(listed);
    }
    return value;
  }
  std::string among(const char* key, std::initializer_list<const char*> names) const {
    return at(key).among(names);
  }

  // A whole number in its range. The JSON library would convert numbers without a check.
  std::int64_t whole(std::int64_t least, std::int64_t most) const {
    const bool fits = json_.is_number_integer() &&
                      !(json_.is_number_unsigned() &&
                        json_.get<std::uint64_t>() > static_cast<std::uint64_t>(most));
    const std::int64_t value = fits ? json_.get<std::int64_t>() : 0;
    if (!fits || value < least || value > most) {
      refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }
  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const {
    return at(key).whole(least, most);
  }
  std::int32_t small(const char* key, std::int32_t least, std::int32_t most) const {
    return static_cast<std::int32_t>(whole(key, least, most));
  }
  Time time(const char* key, Time least = 0) const { return whole(key, least, kFarthest); }
  // The value -1 means that there is no value.
  std::int64_t whole_or_none(const char* key, std::int64_t most) const {
    const std::int64_t value = whole(key, -1, most);
    if (value == 0) at(key).refuse("more, or -1 for none");
    return value;
  }

  double number(const char* key, double least, double most) const {
    const Node node = at(key);
    const double value = node.json_.is_number() ? node.json_.get<double>() : std::nan("");
    if (!(value >= least && value <= most)) {
      node.refuse("a number from " + Json(least).dump() + " to " + Json(most).dump());
    }
    return value;
  }

  template <class F>
  auto each(const char* key, F&& read) const {
    const Node list = at(key);
    if (!list.json_.is_array()) list.refuse("a list");
    std::vector<decltype(read(list))> out;
    for (std::size_t i = 0; i < list.json_.size(); ++i) {
      out.push_back(read(Node(list.json_[i], list.place_ + "[" + std::to_string(i) + "]")));
    }
    return out;
  }

  std::uint64_t seed() const {
    if (!json_.is_number_unsigned()) refuse("0 to 2^64 - 1");
    return json_.get<std::uint64_t>();
  }

  bool is_null() const { return json_.is_null(); }

  [[noreturn]] void refuse(const std::string& expected) const {
    fail("is " + cut(ascii(json_)) + ", expected " + expected);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw BadPlan("plan" + place_ + ": " + what);
  }

 private:
  const Json& json_;
  std::string place_;
};

LawPlan read_law(const Node& node, const char* family) {
  LawPlan plan{node.get<std::string>("law"), {}};
  const Node params = node.at("params");
  try {
    for (const Parameter& p : find_law(family, plan.law).parameters) {
      const bool absent = !std::isnan(p.fallback) && !params.has(p.name);  // an older plan
      plan.values.push_back(absent ? p.fallback : params.get<double>(p.name));
      check_parameter(plan.law.c_str(), p, plan.values.back());
    }
    check_law(family, plan);
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
  return plan;
}

// A value of null means that the link has one queue.
SchedulerPlan read_scheduler(const Node& node) {
  if (node.is_null()) return {};
  SchedulerPlan plan{read_law(node.at("law"), "scheduling"),
                     node.each("classes", [](const Node& n) { return read_law(n, "service"); }),
                     {}};
  if (plan.classes.empty()) node.fail("has no classes");
  if (plan.law.law != DeficitRoundRobin::kName) return plan;
  plan.marking = node.each("marking", [](const Node& n) { return read_law(n, "marking"); });
  if (plan.marking.size() != plan.classes.size()) node.fail("needs one marking law per class");
  return plan;
}

// A plan without the key has a wire that keeps the order.
ReorderingPlan read_reordering(const Node& link) {
  if (!link.has("reordering")) return {};
  const Node node = link.at("reordering");
  return {node.number("probability", 0, 1), node.time("delay_ps"), node.get<std::string>("stream")};
}

// A plan without the key has a wire with a constant delay.
DelayProfile read_delay_profile(const Node& link) {
  if (!link.has("delay_profile")) return {};
  const Node node = link.at("delay_profile");
  std::vector<DelayProfile::Step> steps = node.each("steps", [](const Node& step) {
    return DelayProfile::Step{step.time("at_ps"), step.time("delay_ps")};
  });
  try {
    return DelayProfile(node.time("period_ps"), std::move(steps));
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
}

LinkPlan read_link(const Node& node) {
  LinkPlan link{node.get<std::string>("name"),
                node.small("source", 0, kMostNodes),
                node.small("target", 0, kMostNodes),
                node.whole("rate_bps", 1, kMost),
                node.time("delay_ps"),
                node.whole("buffer_packets", -1, kMost),
                node.whole("buffer_bytes", -1, kMost),
                node.small("framing_bytes", 0, kMostBytes),
                node.among("not_ect", {"drop", "pass"}) == "drop",
                read_law(node.at("marking"), "marking"),
                node.get<std::string>("stream"),
                read_scheduler(node.at("scheduler")),
                node.number("loss", 0, 1),
                node.get<std::string>("loss_stream"),
                read_reordering(node),
                read_delay_profile(node)};
  if (link.loss == 1) node.at("loss").refuse("less");
  if (!link.scheduler.classes.empty()) {
    try {
      check_scheduler(link);
    } catch (const BadParameter& error) {
      node.at("scheduler").fail(error.what());
    }
  }
  return link;
}

Echo read_echo(const Node& node) {
  const std::string name = node.get<std::string>();
  if (const std::optional<Echo> echo = echo_named(name)) return *echo;
  node.refuse("off, accurate, accecn or rfc3168");
}

bool read_ect_1(const Node& node) { return node.among("codepoint", {"ect-0", "ect-1"}) == "ect-1"; }

TransportPlan read_udp(const Node& node) {
  TransportPlan udp{};
  udp.ect = node.get<bool>("ect");
  udp.ect_1 = read_ect_1(node);
  udp.payload_bytes = node.small("payload_bytes", 1, kMostBytes);
  udp.header_bytes = node.small("header_bytes", 0, kMostBytes);
  udp.initial_mark_rate = -1;
  return udp;
}

TransportPlan read_transport(const Node& node) {
  if (node.among("kind", {"tcp", "udp"}) == "udp") return read_udp(node);
  TransportPlan tcp{};
  tcp.tcp = true;
  tcp.payload_bytes = node.small("mss_bytes", 1, kMostBytes);
  tcp.header_bytes = node.small("header_bytes", 0, kMostBytes);
  tcp.ack_bytes = node.small("ack_bytes", 1, kMostBytes);
  tcp.window = read_law(node.at("window"), "window");
  tcp.paced = node.among("send", {"paced", "ack-clocked"}) == "paced";
  tcp.slow_start = node.get<bool>("slow_start");
  tcp.echo = read_echo(node.at("echo"));
  tcp.ect = tcp.echo != Echo::off;
  tcp.ect_1 = read_ect_1(node);
  tcp.ect_all = node.among("ect", {"data", "all"}) == "all" && tcp.ect;
  tcp.sack = node.get<bool>("sack");
  tcp.delayed_acks = node.small("delayed_acks", 1, kMostBytes);
  tcp.delayed_ack = node.time("delayed_ack_ps", tcp.delayed_acks > 1 ? 1 : 0);
  tcp.receiver_window = node.whole_or_none("receiver_window", kMost);
  tcp.initial_window = node.number("initial_window", 0, kUnlimited);
  tcp.min_window = node.number("min_window", 1e-6, kMostKept);
  tcp.max_window = node.number("max_window", tcp.min_window, kUnlimited);
  tcp.initial_mark_rate = node.number("initial_mark_rate", -1, 1e15);
  tcp.min_rto = node.time("min_rto_ps", 1);
  tcp.max_rto = node.time("max_rto_ps", 1);
  tcp.initial_rto = node.time("initial_rto_ps", 1);
  tcp.reference_rtt = node.whole_or_none("reference_rtt_ps", kFarthest);
  tcp.rtt_mean = node.among("rtt", {"smoothed", "mean"}) == "mean";
  tcp.reduce_from = reduce_from(node.among("reduce_from", {"window", "flight", "pipe"}));
  tcp.repair = node.get<bool>("repair");
  if (!tcp.repair && (tcp.sack || tcp.delayed_acks > 1)) {
    node.fail("repair is false with sack or delayed ACKs");
  }
  return tcp;
}

std::int32_t read_link_index(const Node& node, std::size_t links) {
  if (links == 0) node.fail("names no link");
  return static_cast<std::int32_t>(node.whole(0, static_cast<std::int64_t>(links) - 1));
}

// There is one entry per link of the path: the index of one of the link's classes, or -1 if the link has one queue. An
// empty list means that no link of the path has classes.
void check_classes(const Node& node, const std::vector<LinkPlan>& links,
                   const std::vector<std::int32_t>& path, std::vector<std::int32_t>& classes) {
  if (classes.empty()) classes.assign(path.size(), -1);
  bool fits = path.size() == classes.size();
  for (std::size_t i = 0; fits && i < path.size(); ++i) {
    const auto count = static_cast<std::int32_t>(
        links[static_cast<std::size_t>(path[i])].scheduler.classes.size());
    fits = count == 0 ? classes[i] == -1 : classes[i] >= 0 && classes[i] < count;
  }
  if (!fits) node.fail("are not the classes of its links");
}

bool read_together(const Node& node) { return node.among({"each", "together"}) == "together"; }

// A period of -1 means that there is no profile.
Profile read_profile(const Node& node) {
  const Time period = node.time("period_ps", kNever);
  std::vector<Profile::Step> steps = node.each("steps", [](const Node& step) {
    return Profile::Step{step.time("at_ps"), step.whole("factor_ppm", 0, kMost)};
  });
  if (period == kNever && steps.empty()) return Profile();
  try {
    return Profile(period, std::move(steps));
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
}

// An empty list means that no sizes are given.
SizeList read_sizes(const Node& node) {
  const auto bytes = node.each("bytes", [](const Node& n) { return n.whole(1, kMost); });
  const auto weights = node.each("weights", [](const Node& n) { return n.get<double>(); });
  if (bytes.empty() && weights.empty()) return SizeList();
  try {
    return SizeList(bytes, weights);
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
}

void check_source(const Node& node, const std::vector<LinkPlan>& links, SourcePlan& source) {
  if (source.path.empty()) node.fail("path is empty");
  const Time room = kFarthest - source.start_at - source.start_spread;
  if (room < 0 || (source.count > 1 && source.start_stagger > room / (source.count - 1))) {
    node.at("start").fail("its last flow starts beyond 2^62 ps (53 days)");
  }
  check_classes(node.at("classes"), links, source.path, source.classes);
  check_classes(node.at("ack_classes"), links, source.ack_path, source.ack_classes);
  if (source.transport.tcp && source.ack_path.empty()) node.fail("ack_path is empty");
  if (sends_datagrams(source.traffic.law) == source.transport.tcp) {
    node.fail("traffic " + in_quotes(source.traffic.law) + " does not go with its transport");
  }
  try {
    check_traffic(source);
  } catch (const BadParameter& error) {
    node.at("traffic").fail(error.what());
  }
}

SourcePlan read_source(const Node& node, const std::vector<LinkPlan>& links) {
  const auto link_index = [&](const Node& item) { return read_link_index(item, links.size()); };
  const auto number = [](const Node& item) {
    return static_cast<std::int32_t>(item.whole(-1, kMostBytes));
  };
  const Node start = node.at("start");
  SourcePlan source{node.get<std::string>("name"),
                    node.small("count", 1, kMostFlows),
                    node.each("path", link_index),
                    node.each("ack_path", link_index),
                    node.each("classes", number),
                    node.each("ack_classes", number),
                    start.time("at_ps"),
                    start.time("stagger_ps"),
                    start.time("spread_ps"),
                    node.time("stop_ps", kNever),
                    read_profile(node.at("profile")),
                    read_together(node.at("rows")),
                    read_law(node.at("traffic"), "traffic"),
                    node.each("parts", [](const Node& n) { return read_law(n, "part"); }),
                    read_sizes(node.at("sizes")),
                    read_transport(node.at("transport")),
                    node.time("send_overhead_ps"),
                    node.at("calls").get<bool>("ask"),
                    node.at("calls").time("max_delay_ps", kNever),
                    node.at("calls").time("longest_ps", kNever)};
  check_source(node, links, source);
  return source;
}

HistogramPlan read_histogram(const Node& node) {
  const bool of_delay = node.among("of", {"delay", "queue"}) == "delay";
  return {of_delay, node.whole("width", 1, kFarthest), node.whole("bins", 1, kMostBins)};
}

RecordPlan read_record(const Node& node) {
  return {node.each("series", [](const Node& n) { return n.among(kSeriesNames); }),
          node.whole_or_none("every_ps", kFarthest),
          node.each("delay_thresholds_ps", [](const Node& n) { return n.whole(0, kFarthest); }),
          node.get<bool>("trace"),
          node.get<bool>("transfers"),
          node.get<bool>("calls"),
          node.each("histograms", read_histogram),
          node.each("counts", [](const Node& n) { return n.among(kCountNames); }),
          node.whole_or_none("counts_every_ps", kFarthest),
          node.whole_or_none("classes_every_ps", kFarthest)};
}

}  // namespace

std::string in_quotes(const std::string& text) {
  const std::string json = ascii(text);
  return "'" + cut(json.substr(1, json.size() - 2)) + "'";
}

Plan parse_plan(const std::string& json_text) {
  Json json;
  try {
    json = Json::parse(json_text);
  } catch (const Json::exception& error) {
    const std::string what = ascii(error.what());
    throw BadPlan("plan: " + cut(what.substr(1, what.size() - 2), 3 * kShown));
  }
  const Node root(json, "");
  if (root.at("plan").whole(0, kMostBytes) != 1) root.at("plan").fail("is not version 1");
  Plan plan{root.get<std::string>("digest"),
            root.at("seed").seed(),
            root.time("duration_ps", 1),
            root.time("warmup_ps"),
            root.time("epoch_ps", 1),
            root.each("links", read_link),
            {},
            read_record(root.at("record"))};
  plan.sources = root.each("sources", [&](const Node& n) { return read_source(n, plan.links); });
  for (std::size_t i = 1; i < plan.record.histograms.size(); ++i) {
    const bool again =
        i > 1 || plan.record.histograms[0].of_delay == plan.record.histograms[1].of_delay;
    if (again) root.at("record").at("histograms").fail("has two entries of the same kind");
  }
  if (!plan.record.counts.empty() && plan.record.counts_every < 0) {
    root.at("record").fail("counts_every_ps must be positive where there are counts");
  }
  return plan;
}

}  // namespace ecnomy
