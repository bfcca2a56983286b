// SPDX-License-Identifier: Apache-2.0
// A law as data: its description, and the name, unit, default, range and meaning of each parameter. Only
// the law's header states them. `ecnomy-engine describe` prints them, and the keys in YAML, the NED types
// and the reference follow from that output (omnet/tools/law_tables.py).
//
// A law is constructed from one double per parameter, in the order of its table. A flag is 0 or 1.
// A choice is an index into its comma-separated names.
#ifndef ECNOMY_LAWS_PARAMETER_H_
#define ECNOMY_LAWS_PARAMETER_H_

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simulated_time.h"

namespace ecnomy {

inline constexpr double kUnlimited = 1e300;

struct Parameter {
  const char* name;
  const char* unit;  // "" for a pure number, "whole" for a whole number, "flag", or "choice"
  double fallback;   // the default; NaN if the user must give a value
  double min;
  double max;
  const char* choices;  // "a,b,c" for a choice, else ""
  const char* about;    // its meaning in a sentence
};

// The default of a parameter if a choice has a certain value.
struct DefaultWhere {
  const char* parameter;
  const char* where;  // the choice
  const char* value;  // a name of the choice
  double fallback;
};

// A parameter that must not be below another.
struct AtLeast {
  const char* more;
  const char* less;
};

// A law in a sentence, and its source: paper and equation, or RFC.
struct About {
  const char* what;
  const char* source;
};

// A law with a name, a sentence and a table of parameters.
template <class Law>
concept Described = requires {
  { Law::kName } -> std::convertible_to<const char*>;
  { Law::kAbout } -> std::convertible_to<About>;
  { std::begin(Law::kParameters) } -> std::convertible_to<const Parameter*>;
};

// True if law and parameters have names and sentences.
template <Described Law>
consteval bool has_sentences() {
  const auto sentence = [](const char* text) {
    return text != nullptr && std::string_view(text).ends_with('.');
  };
  for (const Parameter& one : Law::kParameters) {
    if (one.name == nullptr || one.name[0] == '\0' || !sentence(one.about)) return false;
  }
  return Law::kName[0] != '\0' && sentence(Law::kAbout.what);
}

// A parameter's name without its unit, which is its key in scenarios: interval for interval_s.
constexpr std::string_view key_of(const Parameter& parameter) {
  constexpr std::string_view kEnds[][2] = {
      {"s", "_s"}, {"packets", "_packets"}, {"bytes", "_bytes"}, {"bit/s", "_bps"}};
  std::string_view name = parameter.name;
  for (const auto& [unit, end] : kEnds) {
    if (unit == parameter.unit && name.ends_with(end)) name.remove_suffix(end.size());
  }
  return name;
}

// True if no two parameters have the same key.
template <Described Law>
consteval bool has_distinct_keys() {
  for (const Parameter& one : Law::kParameters) {
    for (const Parameter& other : Law::kParameters) {
      if (&one != &other && key_of(one) == key_of(other)) return false;
    }
  }
  return true;
}

// A parameter is out of its range. The message names law, parameter, value and range.
class BadParameter : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

inline void check_parameter(const char* law, const Parameter& parameter, double value) {
  const std::string_view unit = parameter.unit;
  const bool whole = unit == "whole" || unit == "flag" || unit == "choice";
  const bool fits = !whole || value == std::floor(value);
  if (std::isfinite(value) && value >= parameter.min && value <= parameter.max && fits) return;
  throw BadParameter(std::string(law) + ": " + parameter.name + " is " + std::to_string(value) +
                     ", expected " + (whole ? "a whole number from " : "") +
                     std::to_string(parameter.min) + " to " + std::to_string(parameter.max));
}

template <std::size_t N>
void check_parameters(const char* law, const Parameter (&table)[N], const double* values) {
  for (std::size_t i = 0; i < N; ++i) check_parameter(law, table[i], values[i]);
}

// Also checks parameters that bound each other.
template <std::size_t N, std::size_t M>
void check_parameters(const char* law, const Parameter (&table)[N], const AtLeast (&order)[M],
                      const double* values) {
  check_parameters(law, table, values);
  const auto value = [&](std::string_view name) {
    std::size_t i = 0;
    while (i < N && name != table[i].name) ++i;
    return values[i];
  };
  for (const AtLeast& pair : order) {
    if (value(pair.more) >= value(pair.less)) continue;
    throw BadParameter(std::string(law) + ": " + pair.more + " is below " + pair.less);
  }
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_PARAMETER_H_
