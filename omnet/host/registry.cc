// SPDX-License-Identifier: Apache-2.0
#include "host/registry.h"

#include <cmath>
#include <concepts>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "host/law_log.h"
#include "host/marking_host.h"
#include "host/scheduler_host.h"
#include "host/traffic_laws.h"
#include "host/window_host.h"
#include "laws/parameter_checks.h"

namespace ecnomy {
namespace {

// Calls f(family, std::type_identity<Law>) for every law, family by family.
template <class F>
void each_law(F&& f) {
  const auto all = [&]<class... Laws>(const char* family, std::type_identity<LawList<Laws...>>) {
    static_assert(has_distinct_names<Laws...>(), "two laws of a family have the same name");
    LawList<Laws...>::each([&](auto law) { f(family, law); });
  };
  all("marking", std::type_identity<MarkingLaws>{});
  all("window", std::type_identity<WindowLaws>{});
  all("traffic", std::type_identity<TrafficLaws>{});
  all("part", std::type_identity<TrafficParts>{});
  all("scheduling", std::type_identity<SchedulingLaws>{});
  all("service", std::type_identity<ServiceLaws>{});
}

nlohmann::ordered_json describe(const Parameter& p) {
  nlohmann::ordered_json out{{"name", p.name}, {"key", key_of(p)}, {"unit", p.unit}};
  out["default"] = nullptr;
  if (!std::isnan(p.fallback)) out["default"] = p.fallback;
  out["min"] = p.min;
  out["max"] = p.max;
  out["choices"] = nlohmann::ordered_json::array();
  std::istringstream names(p.choices);
  for (std::string name; std::getline(names, name, ',');) out["choices"].push_back(name);
  out["about"] = p.about;
  return out;
}

nlohmann::ordered_json traits(const MarkingTraits& law) {
  return {{"departures", law.departures},
          {"clock", law.clock},
          {"drops", law.drops},
          {"link_buffer", law.link_buffer},
          {"arrivals_only", law.arrivals_only()},
          {"ceiling", law.ceiling},
          {"per_load", law.per_load},
          {"saturates", law.saturates},
          {"late", law.late}};
}

nlohmann::ordered_json traits(const WindowTraits& law) {
  const char* recoveries[] = {"first-ack", "all-acked", "go-back"};
  const char* steps[] = {"none", "per-mark", "per-round"};
  return {{"recovery", recoveries[static_cast<int>(law.recovery)]},
          {"per_mark", law.per_mark},
          {"every_ack", law.every_ack},
          {"halves", law.halves},
          {"ect_1", law.ect_1},
          {"classic", law.classic},
          {"weighted", law.weighted},
          {"needs_sack", law.needs_sack},
          {"deaf_beyond", law.deaf_beyond},
          {"longest_rtt", law.longest_rtt},
          {"begins", law.begins},
          {"hears_rtt", law.hears_rtt},
          {"noisy", law.noisy},
          {"weighs", law.weighs},
          {"aims", law.aims},
          {"paced", law.paced},
          {"gain", law.gain},
          {"sees", law.sees},
          {"tracks", law.tracks},
          {"weight", law.weight},
          {"steps", steps[static_cast<int>(law.steps)]}};
}

nlohmann::ordered_json traits(const TrafficTraits& law) {
  return {{"datagrams", law.datagrams},
          {"timed_packets", law.timed_packets},
          {"own_sizes", law.own_sizes}};
}

nlohmann::ordered_json traits(const SchedulingTraits& law) {
  return {{"class_marking", law.class_marking},
          {"by_codepoint", law.by_codepoint},
          {"drops_classic", law.drops_classic},
          {"by_flow", law.by_flow},
          {"draws", law.draws},
          {"judges", law.judges},
          {"controls", law.controls}};
}

// Asserts the traits that are texts or need parameters.
template <Described Law>
consteval void check_traits() {
  constexpr auto kTraits = Law::kTraits;
  if constexpr (std::same_as<decltype(kTraits), const MarkingTraits>) {
    static_assert(is_expression<Law>(kTraits.ceiling), "ceiling is not an expression");
    static_assert(is_expression_or_empty<Law>(kTraits.per_load), "per_load is not an expression");
    static_assert(is_expression<Law>(kTraits.late), "late is not an expression");
    static_assert(!kTraits.link_buffer || are_parameters<Law>("buffer_packets,mean_packet_bytes"),
                  "link_buffer needs the parameters buffer_packets and mean_packet_bytes");
  } else if constexpr (std::same_as<decltype(kTraits), const WindowTraits>) {
    constexpr const char* kNeeded[] = {"", "gain,form,w_inc,w_dec", "gain,w"};
    static_assert(is_expression<Law>(kTraits.classic), "classic is not an expression");
    static_assert(is_expression_or_empty<Law>(kTraits.longest_rtt),
                  "longest_rtt is not an expression");
    static_assert(are_parameters<Law>(kTraits.weight), "weight is not a list of parameters");
    static_assert(are_parameters<Law>(kNeeded[static_cast<int>(kTraits.steps)]),
                  "steps needs the parameters gain, form, w_inc and w_dec, or gain and w");
  }
  if constexpr (!std::same_as<decltype(kTraits), const SchedulingTraits>) {
    static_assert(
        !requires { Law::kDefaultsWhere; },
        "only a scheduling law has defaults that depend on a choice");
  }
}

// Asserts the description and the table. A row number, from 0, is the first value in the compiler's message.
template <Described Law>
consteval void check_table() {
  static_assert(is_name(Law::kName, '-'), "a law's name has lower-case words joined by -");
  static_assert(is_sentence(Law::kAbout.what), "a law needs a sentence with a full stop");
  static_assert(Law::kAbout.source != nullptr, "a law needs a source; \"\" if there is none");
  static_assert(without_name<Law>() == kFits, "parameter without a name of words joined by _");
  static_assert(without_sentence<Law>() == kFits, "parameter without a sentence");
  static_assert(with_wrong_unit<Law>() == kFits,
                "parameter with an unknown unit, or with another unit than its name ends in");
  static_assert(with_wrong_range<Law>() == kFits,
                "parameter with an empty range, or choices that its range does not count");
  static_assert(with_wrong_default<Law>() == kFits,
                "parameter with a default outside its range, or a fraction of a byte");
  static_assert(with_wrong_order<Law>() == kFits,
                "kOrder: a row needs two numbers of one unit, with defaults in this order, once");
  static_assert(with_wrong_default_where<Law>() == kFits,
                "kDefaultsWhere: a row needs a parameter, a choice and a default in range, once");
  if constexpr (requires { Law::kTraits; }) {
    static_assert(with_used_key<Law>() == kFits,
                  "parameter with an earlier one's key: their names differ only in the unit");
    check_traits<Law>();
  }
}

template <Described Law>
nlohmann::ordered_json describe() {
  check_table<Law>();
  nlohmann::ordered_json out{{"about", Law::kAbout.what}, {"source", Law::kAbout.source}};
  out["traits"] = nlohmann::ordered_json::object();
  if constexpr (requires { Law::kTraits; }) out["traits"] = traits(Law::kTraits);
  out["parameters"] = nlohmann::ordered_json::array();
  for (const Parameter& p : Law::kParameters) out["parameters"].push_back(describe(p));
  out["at_least"] = nlohmann::ordered_json::array();
  if constexpr (requires { Law::kOrder; }) {
    for (const AtLeast& pair : Law::kOrder) out["at_least"].push_back({pair.more, pair.less});
  }
  if constexpr (requires { Law::kDefaultsWhere; }) {
    for (const DefaultWhere& one : Law::kDefaultsWhere) {
      out["defaults_where"].push_back({{"parameter", one.parameter},
                                       {"where", one.where},
                                       {"value", one.value},
                                       {"default", one.fallback}});
    }
  }
  return out;
}

}  // namespace

const std::vector<LawEntry>& law_registry() {
  static const std::vector<LawEntry> laws = [] {
    std::vector<LawEntry> all;
    each_law([&]<class Law>(const char* family, std::type_identity<Law>) {
      all.push_back(
          {family, Law::kName, {std::begin(Law::kParameters), std::end(Law::kParameters)}});
    });
    return all;
  }();
  return laws;
}

const LawEntry& find_law(const std::string& family, const std::string& name) {
  std::string known;
  for (const LawEntry& law : law_registry()) {
    if (law.family != family) continue;
    if (law.name == name) return law;
    known += std::string(known.empty() ? "" : ", ") + law.name;
  }
  throw BadParameter("unknown " + family + " law " + in_quotes(name) +
                     ", expected one of: " + known);
}

void check_law(const std::string& family, const LawPlan& plan) {
  if (family == "marking") MarkingLaws::make("marking", plan.law, plan.values.data());
  if (family == "window") WindowLaws::make("window", plan.law, plan.values.data());
}

void check_scheduler(const LinkPlan& link) {
  make_scheduler(link.scheduler, link.rate_bps);
  for (const LawPlan& plan : link.scheduler.marking) make_class_marking(plan);
}

std::string describe_laws() {
  nlohmann::ordered_json out;
  each_law([&]<class Law>(const char* family, std::type_identity<Law>) {
    out[family][Law::kName] = describe<Law>();
  });
  return out.dump(1);
}

MarkingVariant make_marking(const std::string& law, const std::vector<double>& values) {
  LawLog::made("marking", law, values);
  return MarkingLaws::make("marking", law, values.data());
}

const char* service_law(const std::string& scheduling) {
  const char* law = nullptr;
  SchedulingLaws::named("scheduling", scheduling,
                        [&]<class Law>(std::type_identity<Law>) { law = Law::Class::kName; });
  return law;
}

MarkingVariant make_class_marking(const LawPlan& plan) {
  MarkingVariant law = make_marking(plan.law, plan.values);
  if (!traits_of(law).arrivals_only())
    throw BadParameter("a class cannot mark by " + in_quotes(plan.law));
  return law;
}

SchedulerVariant make_scheduler(const SchedulerPlan& plan, std::int64_t rate_bps) {
  const std::string service = service_law(plan.law.law);
  std::vector<std::vector<double>> classes;
  std::vector<double> all{static_cast<double>(rate_bps)};
  all.insert(all.end(), plan.law.values.begin(), plan.law.values.end());
  for (const LawPlan& one : plan.classes) {
    if (one.law != service) {
      throw BadParameter("a class is a " + in_quotes(one.law) + ", expected " + service);
    }
    classes.push_back(one.values);
    all.insert(all.end(), one.values.begin(), one.values.end());
  }
  LawLog::made("scheduling", plan.law.law, all);
  std::optional<SchedulerVariant> made;
  SchedulingLaws::named("scheduling", plan.law.law, [&]<class Law>(std::type_identity<Law>) {
    made.emplace(std::in_place_type<Law>, plan.law.values.data(), classes, rate_bps);
  });
  return *std::move(made);
}

WindowVariant make_window(const std::string& law, const std::vector<double>& values) {
  LawLog::made("window", law, values);
  return WindowLaws::make("window", law, values.data());
}

}  // namespace ecnomy
