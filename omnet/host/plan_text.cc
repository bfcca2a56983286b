// SPDX-License-Identifier: Apache-2.0
#include "host/plan_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ecnomy {
namespace {

using Json = nlohmann::json;

class Text {
 public:
  explicit Text(const FindLaw& find) : find_(find) {}

  Json law(const char* family, const LawPlan& plan) const {
    Json params = Json::object();
    const std::vector<Parameter>& table = find_(family, plan.law).parameters;
    for (std::size_t i = 0; i < table.size(); ++i) params[table[i].name] = plan.values.at(i);
    return {{"law", plan.law}, {"params", params}};
  }

  Json laws(const char* family, const std::vector<LawPlan>& plans) const {
    Json out = Json::array();
    for (const LawPlan& plan : plans) out.push_back(law(family, plan));
    return out;
  }

  Json scheduler(const SchedulerPlan& plan) const {
    if (plan.classes.empty()) return nullptr;
    return {{"law", law("scheduling", plan.law)},
            {"classes", laws("service", plan.classes)},
            {"marking", laws("marking", plan.marking)}};
  }

  Json link(const LinkPlan& plan) const {
    Json out{{"name", plan.name},
             {"rate_bps", plan.rate_bps},
             {"delay_ps", plan.delay_ps},
             {"buffer_packets", plan.buffer_packets},
             {"buffer_bytes", plan.buffer_bytes},
             {"framing_bytes", plan.framing_bytes},
             {"not_ect", plan.drop_not_ect ? "drop" : "pass"},
             {"marking", law("marking", plan.marking)},
             {"stream", plan.stream},
             {"scheduler", scheduler(plan.scheduler)},
             {"loss", plan.loss},
             {"loss_stream", plan.loss_stream}};
    const ReorderingPlan& late = plan.reordering;
    if (late.probability > 0) {
      out["reordering"] = {
          {"probability", late.probability}, {"delay_ps", late.delay_ps}, {"stream", late.stream}};
    }
    if (!plan.delay_profile.none()) {
      Json steps = Json::array();
      for (const DelayProfile::Step& step : plan.delay_profile.steps()) {
        steps.push_back({{"at_ps", step.at}, {"delay_ps", step.value}});
      }
      out["delay_profile"] = {{"period_ps", plan.delay_profile.period()}, {"steps", steps}};
    }
    return out;
  }

  Json transport(const TransportPlan& plan) const {
    if (!plan.tcp) {
      return {{"kind", "udp"},
              {"payload_bytes", plan.payload_bytes},
              {"header_bytes", plan.header_bytes},
              {"ect", plan.ect},
              {"codepoint", codepoint(plan)}};
    }
    return {{"kind", "tcp"},
            {"window", law("window", plan.window)},
            {"mss_bytes", plan.payload_bytes},
            {"header_bytes", plan.header_bytes},
            {"ack_bytes", plan.ack_bytes},
            {"send", plan.paced ? "paced" : "ack-clocked"},
            {"echo", echo(plan.echo)},
            {"ect", plan.ect_all ? "all" : "data"},
            {"codepoint", codepoint(plan)},
            {"sack", plan.sack},
            {"delayed_acks", plan.delayed_acks},
            {"delayed_ack_ps", plan.delayed_ack},
            {"receiver_window", plan.receiver_window},
            {"slow_start", plan.slow_start},
            {"initial_window", plan.initial_window},
            {"min_window", plan.min_window},
            {"max_window", plan.max_window},
            {"min_rto_ps", plan.min_rto},
            {"max_rto_ps", plan.max_rto},
            {"initial_rto_ps", plan.initial_rto},
            {"initial_mark_rate", plan.initial_mark_rate},
            {"reference_rtt_ps", plan.reference_rtt},
            {"rtt", plan.rtt_mean ? "mean" : "smoothed"},
            {"reduce_from", plan.reduce_from == ReduceFrom::pipe     ? "pipe"
                            : plan.reduce_from == ReduceFrom::flight ? "flight"
                                                                     : "window"},
            {"repair", plan.repair}};
  }

  Json source(const SourcePlan& plan) const {
    return {{"name", plan.name},
            {"count", plan.count},
            {"path", plan.path},
            {"ack_path", plan.ack_path},
            {"classes", classes(plan.classes)},
            {"ack_classes", classes(plan.ack_classes)},
            {"start",
             {{"at_ps", plan.start_at},
              {"stagger_ps", plan.start_stagger},
              {"spread_ps", plan.start_spread}}},
            {"stop_ps", plan.stop_ps},
            {"profile", profile(plan.profile)},
            {"rows", plan.together ? "together" : "each"},
            {"traffic", law("traffic", plan.traffic)},
            {"parts", laws("part", plan.parts)},
            {"sizes", {{"bytes", plan.sizes.bytes()}, {"weights", plan.sizes.weights()}}},
            {"transport", transport(plan.transport)},
            {"send_overhead_ps", plan.send_overhead_ps},
            {"calls",
             {{"ask", plan.calls_ask},
              {"max_delay_ps", plan.calls_max_delay},
              {"longest_ps", plan.calls_longest}}}};
  }

  static Json record(const RecordPlan& plan) {
    Json histograms = Json::array();
    for (const HistogramPlan& one : plan.histograms) {
      histograms.push_back(
          {{"of", one.of_delay ? "delay" : "queue"}, {"width", one.width}, {"bins", one.bins}});
    }
    return {{"series", plan.series},
            {"every_ps", plan.every_ps},
            {"delay_thresholds_ps", plan.delay_thresholds},
            {"trace", plan.trace},
            {"transfers", plan.transfers},
            {"calls", plan.calls},
            {"histograms", histograms},
            {"counts", plan.counts},
            {"counts_every_ps", plan.counts_every},
            {"classes_every_ps", plan.classes_every}};
  }

 private:
  static const char* echo(Echo echo) {
    for (const auto& [name, known] : kEchoes) {
      if (known == echo) return name.data();
    }
    return "";
  }

  static const char* codepoint(const TransportPlan& plan) { return plan.ect_1 ? "ect-1" : "ect-0"; }

  // Returns an empty list if no link has classes.
  static std::vector<std::int32_t> classes(const std::vector<std::int32_t>& all) {
    const bool none =
        std::all_of(all.begin(), all.end(), [](std::int32_t one) { return one == -1; });
    return none ? std::vector<std::int32_t>() : all;
  }

  static Json profile(const Profile& profile) {
    Json steps = Json::array();
    for (const Profile::Step& step : profile.steps()) {
      steps.push_back({{"at_ps", step.at}, {"factor_ppm", step.value}});
    }
    return {{"period_ps", profile.none() ? kNever : profile.period()}, {"steps", steps}};
  }

  const FindLaw& find_;
};

}  // namespace

std::string plan_text(const Plan& plan, const FindLaw& find) {
  const Text text(find);
  Json links = Json::array(), sources = Json::array();
  for (const LinkPlan& link : plan.links) links.push_back(text.link(link));
  for (const SourcePlan& source : plan.sources) sources.push_back(text.source(source));
  const Json all{{"seed", plan.seed},
                 {"duration_ps", plan.duration},
                 {"warmup_ps", plan.warmup},
                 {"epoch_ps", plan.epoch},
                 {"links", std::move(links)},
                 {"sources", std::move(sources)},
                 {"record", Text::record(plan.record)}};
  return all.dump();
}

}  // namespace ecnomy
