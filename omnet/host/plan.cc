// SPDX-License-Identifier: Apache-2.0
#include "host/plan.h"

#include <nlohmann/json.hpp>

#include "host/registry.h"
#include "host/traffic_parts.h"
#include "laws/scheduling/deficit_round_robin.h"

namespace ecnomy {
namespace {

using Json = nlohmann::json;

// A JSON value with its place, so that an error can say where.
class Node {
 public:
  Node(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  Node at(const char* key) const {
    const auto found = json_.is_object() ? json_.find(key) : json_.end();
    if (!json_.is_object() || found == json_.end()) fail(std::string("has no key '") + key + "'");
    return {*found, place_ + "." + key};
  }

  template <class T>
  T get() const {
    try {
      return json_.get<T>();
    } catch (const Json::exception& error) {
      fail(error.what());
    }
  }
  template <class T>
  T get(const char* key) const {
    return at(key).get<T>();
  }

  template <class F>
  auto each(const char* key, F&& read) const {
    const Node list = at(key);
    if (!list.json_.is_array()) list.fail("is no list");
    std::vector<decltype(read(list))> out;
    for (std::size_t i = 0; i < list.json_.size(); ++i) {
      out.push_back(read(Node(list.json_[i], list.place_ + "[" + std::to_string(i) + "]")));
    }
    return out;
  }

  bool is_null() const { return json_.is_null(); }

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
      plan.values.push_back(params.get<double>(p.name));
      check_parameter(plan.law.c_str(), p, plan.values.back());
    }
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
  return plan;
}

// null where the link has one queue.
SchedulerPlan read_scheduler(const Node& node) {
  if (node.is_null()) return {};
  SchedulerPlan plan{read_law(node.at("law"), "scheduling"),
                     node.each("classes", [](const Node& n) { return read_law(n, "service"); }),
                     {}};
  if (plan.classes.empty()) node.fail("has no classes");
  if (plan.law.law != DeficitRoundRobin::kName) return plan;
  plan.marking = node.each("marking", [](const Node& n) { return read_law(n, "marking"); });
  if (plan.marking.size() != plan.classes.size()) node.fail("has not one marking law a class");
  return plan;
}

LinkPlan read_link(const Node& node) {
  LinkPlan link{node.get<std::string>("name"),
                node.get<std::int32_t>("source"),
                node.get<std::int32_t>("target"),
                node.get<std::int64_t>("rate_bps"),
                node.get<Time>("delay_ps"),
                node.get<std::int64_t>("buffer_packets"),
                node.get<std::int64_t>("buffer_bytes"),
                node.get<std::int32_t>("framing_bytes"),
                node.get<std::string>("not_ect") == "drop",
                read_law(node.at("marking"), "marking"),
                node.get<std::string>("stream"),
                read_scheduler(node.at("scheduler")),
                node.get<double>("loss"),
                node.get<std::string>("loss_stream")};
  if (link.rate_bps <= 0) node.fail("rate_bps is not positive");
  if (link.delay_ps < 0) node.fail("delay_ps is negative");
  if (!(link.loss >= 0 && link.loss < 1)) node.fail("loss is not from 0 to below 1");
  if (link.framing_bytes < 0 || link.framing_bytes > 65'535) node.fail("framing_bytes is absurd");
  return link;
}

Echo read_echo(const Node& node) {
  const std::string name = node.get<std::string>();
  if (name == "off") return Echo::off;
  if (name == "accurate") return Echo::accurate;
  if (name == "rfc3168") return Echo::rfc3168;
  node.fail("is '" + name + "', expected off, accurate or rfc3168");
}

TransportPlan read_udp(const Node& node) {
  TransportPlan udp{};
  udp.ect = node.get<bool>("ect");
  udp.payload_bytes = node.get<std::int32_t>("payload_bytes");
  udp.header_bytes = node.get<std::int32_t>("header_bytes");
  udp.initial_mark_rate = -1;
  return udp;
}

TransportPlan read_transport(const Node& node) {
  const std::string kind = node.get<std::string>("kind");
  if (kind == "udp") return read_udp(node);
  if (kind != "tcp") node.at("kind").fail("is '" + kind + "', expected tcp or udp");
  TransportPlan tcp{};
  tcp.tcp = true;
  tcp.payload_bytes = node.get<std::int32_t>("mss_bytes");
  tcp.header_bytes = node.get<std::int32_t>("header_bytes");
  tcp.ack_bytes = node.get<std::int32_t>("ack_bytes");
  tcp.window = read_law(node.at("window"), "window");
  tcp.paced = node.get<std::string>("send") == "paced";
  tcp.slow_start = node.get<bool>("slow_start");
  tcp.echo = read_echo(node.at("echo"));
  tcp.ect = tcp.echo != Echo::off;
  tcp.ect_all = tcp.ect && node.get<std::string>("ect") == "all";
  tcp.sack = node.get<bool>("sack");
  tcp.delayed_acks = node.get<std::int32_t>("delayed_acks");
  tcp.delayed_ack = node.get<Time>("delayed_ack_ps");
  tcp.receiver_window = node.get<std::int64_t>("receiver_window");
  tcp.initial_window = node.get<double>("initial_window");
  tcp.min_window = node.get<double>("min_window");
  tcp.max_window = node.get<double>("max_window");
  tcp.initial_mark_rate = node.get<double>("initial_mark_rate");
  tcp.min_rto = node.get<Time>("min_rto_ps");
  tcp.max_rto = node.get<Time>("max_rto_ps");
  tcp.initial_rto = node.get<Time>("initial_rto_ps");
  tcp.reference_rtt = node.get<Time>("reference_rtt_ps");
  tcp.rtt_mean = node.get<std::string>("rtt") == "mean";
  tcp.reduce_from = reduce_from(node.get<std::string>("reduce_from"));
  tcp.repair = node.get<bool>("repair");
  if (tcp.payload_bytes <= 0) node.fail("mss_bytes is not positive");
  if (!(tcp.min_window >= 1e-6)) node.fail("min_window is below 1e-6 packets");
  if (tcp.delayed_acks < 1) node.fail("delayed_acks is below 1");
  if (tcp.delayed_acks > 1 && tcp.delayed_ack <= 0) node.fail("delayed_ack_ps is not positive");
  if (tcp.receiver_window == 0) node.fail("receiver_window is 0");
  if (!tcp.repair && (tcp.sack || tcp.delayed_acks > 1)) {
    node.fail("repair is false with sack or delayed ACKs");
  }
  if (tcp.reference_rtt == 0) node.fail("reference_rtt_ps is 0");
  return tcp;
}

std::int32_t read_link_index(const Node& node, std::size_t links) {
  const std::int32_t link = node.get<std::int32_t>();
  if (link < 0 || static_cast<std::size_t>(link) >= links) node.fail("names no link");
  return link;
}

// One a link of the path: the index of one of its classes, -1 where it has one queue.
// An empty list: no link of the path has classes.
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

bool read_together(const Node& node) {
  const std::string rows = node.get<std::string>();
  if (rows != "each" && rows != "together")
    node.fail("is '" + rows + "', expected each or together");
  return rows == "together";
}

// A period of -1 is no profile.
Profile read_profile(const Node& node) {
  const Time period = node.get<Time>("period_ps");
  std::vector<Profile::Step> steps = node.each("steps", [](const Node& step) {
    return Profile::Step{step.get<Time>("at_ps"), step.get<std::int64_t>("factor_ppm")};
  });
  if (period == kNever && steps.empty()) return Profile();
  try {
    return Profile(period, std::move(steps));
  } catch (const BadParameter& error) {
    node.fail(error.what());
  }
}

// An empty list is none.
SizeList read_sizes(const Node& node) {
  const auto bytes = node.each("bytes", [](const Node& n) { return n.get<std::int64_t>(); });
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
  check_classes(node.at("classes"), links, source.path, source.classes);
  check_classes(node.at("ack_classes"), links, source.ack_path, source.ack_classes);
  if (source.transport.tcp && source.ack_path.empty()) node.fail("ack_path is empty");
  if (sends_datagrams(source.traffic.law) == source.transport.tcp) {
    node.fail("traffic '" + source.traffic.law + "' does not go with its transport");
  }
  try {
    check_traffic(source);
  } catch (const BadParameter& error) {
    node.at("traffic").fail(error.what());
  }
}

SourcePlan read_source(const Node& node, const std::vector<LinkPlan>& links) {
  const auto link_index = [&](const Node& item) { return read_link_index(item, links.size()); };
  const auto number = [](const Node& item) { return item.get<std::int32_t>(); };
  const Node start = node.at("start");
  SourcePlan source{node.get<std::string>("name"),
                    node.get<std::int32_t>("count"),
                    node.each("path", link_index),
                    node.each("ack_path", link_index),
                    node.each("classes", number),
                    node.each("ack_classes", number),
                    start.get<Time>("at_ps"),
                    start.get<Time>("stagger_ps"),
                    start.get<Time>("spread_ps"),
                    node.get<Time>("stop_ps"),
                    read_profile(node.at("profile")),
                    read_together(node.at("rows")),
                    read_law(node.at("traffic"), "traffic"),
                    node.each("parts", [](const Node& n) { return read_law(n, "part"); }),
                    read_sizes(node.at("sizes")),
                    read_transport(node.at("transport")),
                    node.get<Time>("send_overhead_ps"),
                    node.at("calls").get<bool>("ask"),
                    node.at("calls").get<Time>("max_delay_ps"),
                    node.at("calls").get<Time>("longest_ps")};
  check_source(node, links, source);
  return source;
}

HistogramPlan read_histogram(const Node& node) {
  const std::string of = node.get<std::string>("of");
  if (of != "delay" && of != "queue") node.fail("is of '" + of + "', expected delay or queue");
  const HistogramPlan plan{of == "delay", node.get<std::int64_t>("width"),
                           node.get<std::int64_t>("bins")};
  if (plan.width <= 0 || plan.bins <= 0) node.fail("needs a positive width and bins");
  return plan;
}

RecordPlan read_record(const Node& node) {
  return {node.each("series", [](const Node& n) { return n.get<std::string>(); }),
          node.get<Time>("every_ps"),
          node.each("delay_thresholds_ps", [](const Node& n) { return n.get<Time>(); }),
          node.get<bool>("trace"),
          node.get<bool>("transfers"),
          node.get<bool>("calls"),
          node.each("histograms", read_histogram),
          node.each("counts", [](const Node& n) { return n.get<std::string>(); }),
          node.get<Time>("counts_every_ps"),
          node.get<Time>("classes_every_ps")};
}

}  // namespace

Plan parse_plan(const std::string& json_text) {
  Json json;
  try {
    json = Json::parse(json_text);
  } catch (const Json::exception& error) {
    throw BadPlan(std::string("plan: ") + error.what());
  }
  const Node root(json, "");
  if (root.get<int>("plan") != 1) root.at("plan").fail("is not version 1");
  Plan plan{root.get<std::string>("digest"),
            root.get<std::uint64_t>("seed"),
            root.get<Time>("duration_ps"),
            root.get<Time>("warmup_ps"),
            root.get<Time>("epoch_ps"),
            root.each("links", read_link),
            {},
            read_record(root.at("record"))};
  plan.sources = root.each("sources", [&](const Node& n) { return read_source(n, plan.links); });
  for (std::size_t i = 1; i < plan.record.histograms.size(); ++i) {
    const bool again =
        i > 1 || plan.record.histograms[0].of_delay == plan.record.histograms[1].of_delay;
    if (again) root.at("record").at("histograms").fail("has two of one kind");
  }
  if (!plan.record.counts.empty() && plan.record.counts_every <= 0) {
    root.at("record").fail("counts_every_ps must be positive where there are counts");
  }
  if (plan.duration <= 0 || plan.epoch <= 0) root.fail("duration_ps and epoch_ps must be positive");
  if (plan.duration > kFarthest || plan.epoch > kFarthest) {
    root.fail("duration_ps and epoch_ps must be 2^62 at most (53 days)");
  }
  return plan;
}

}  // namespace ecnomy
