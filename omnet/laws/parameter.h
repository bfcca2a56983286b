// SPDX-License-Identifier: Apache-2.0
// A law as data: its description, and the name, unit, default, range and meaning of each parameter. Only
// the law's header states them. `ecnomy-engine describe` prints them, and the keys in YAML, the NED types
// and the reference follow from that output (omnet/tools/law_tables.py).
//
// A law is constructed from one double per parameter, in the order of its table. A flag is 0 or 1.
// A choice is an index into its comma-separated names.
#ifndef ECNOMY_LAWS_PARAMETER_H_
#define ECNOMY_LAWS_PARAMETER_H_

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simulated_time.h"

namespace ecnomy {

inline constexpr double kUnlimited = 1e300;

// Hosts check each value against its row. A law in this folder calls check_parameters(this, values) as well, in its
// constructor and in configure(), because it may also be used without a host.
struct Parameter {
  const char* name;
  // "" for a pure number, "whole" for a whole number, "flag" (0 or 1), or "choice". "s", "packets", "bytes", "bit/s",
  // "marks", "marks/s" and "packets/s" are read with their unit. The name ends in _s, _bytes or _bps, and the key does
  // not; for packets, the name may end in _packets. With "unit", the law has a choice `unit` of packets and bytes, in
  // which the value counts. The units in kShownUnits (parameter_checks.h), such as "1/s", are only shown.
  const char* unit;
  double fallback;      // the default; NaN if the user must give a value
  double min;           // -1 in "packets" or "unit": no limit, which scenarios write as `none`
  double max;           // kUnlimited: no bound; of a choice the last index, of a flag 1
  const char* choices;  // "a,b,c" for a choice, else ""
  const char* about;    // its meaning in a sentence
};

// A parameter's default that applies only if a choice has a certain value: a scheduling law lists them in
// kDefaultsWhere.
struct DefaultWhere {
  const char* parameter;
  const char* where;  // the choice
  const char* value;  // a name of the choice
  double fallback;
};

// A number that must not be below another of the same unit: a law lists such pairs in kOrder.
struct AtLeast {
  const char* more;
  const char* less;
};

// A law in a sentence, and its source: paper and equation, or RFC.
struct About {
  const char* what;
  const char* source;
};

// A law that has a name, a description and a table of parameters.
template <class Law>
concept Described = requires {
  { Law::kName } -> std::convertible_to<const char*>;
  { Law::kAbout } -> std::convertible_to<About>;
  { std::begin(Law::kParameters) } -> std::convertible_to<const Parameter*>;
};

inline constexpr std::string_view kNameEnds[][2] = {
    {"s", "_s"}, {"packets", "_packets"}, {"bytes", "_bytes"}, {"bit/s", "_bps"}};

// A parameter's name without its unit, which is its key in scenarios: interval for interval_s.
constexpr std::string_view key_of(const Parameter& parameter) {
  std::string_view name = parameter.name;
  for (const auto& [unit, end] : kNameEnds) {
    if (unit == parameter.unit && name.ends_with(end)) name.remove_suffix(end.size());
  }
  return name;
}

// True for a parameter that takes only whole numbers.
constexpr bool is_whole(const Parameter& parameter) {
  const std::string_view unit = parameter.unit;
  return unit == "whole" || unit == "flag" || unit == "choice";
}

constexpr bool is_integer(double value) {
  return value > -1e18 && value < 1e18 &&
         value == static_cast<double>(static_cast<long long>(value));
}

// True for a value that a parameter may have.
constexpr bool accepts(const Parameter& parameter, double value) {
  const bool within = value >= parameter.min && value <= parameter.max;  // false for NaN
  return within && (!is_whole(parameter) || is_integer(value));
}

// Thrown if a parameter is out of its range. The message names the law, the parameter, the value and the range.
class BadParameter : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A number in at most 7 digits.
inline std::string in_short(double value) {
  std::array<char, 32> text{};  // no to_chars of a double in Emscripten 3.1.6
  std::snprintf(text.data(), text.size(), "%.7g", value);
  return text.data();
}

inline void check_parameter(const char* law, const Parameter& parameter, double value) {
  if (accepts(parameter, value)) return;
  throw BadParameter(std::string(law) + ": " + parameter.name + " is " + in_short(value) +
                     ", expected " + (is_whole(parameter) ? "a whole number from " : "") +
                     in_short(parameter.min) + " to " + in_short(parameter.max));
}

template <std::size_t N>
void check_parameters(const char* law, const Parameter (&table)[N], const double* values) {
  for (std::size_t i = 0; i < N; ++i) check_parameter(law, table[i], values[i]);
}

// Also checks the parameters that bound each other, if the law has kOrder.
template <Described Law>
void check_parameters(const double* values) {
  check_parameters(Law::kName, Law::kParameters, values);
  if constexpr (requires { Law::kOrder; }) {
    const auto value = [&](std::string_view name) {
      std::size_t i = 0;
      while (name != Law::kParameters[i].name) ++i;
      return values[i];
    };
    for (const AtLeast& pair : Law::kOrder) {
      if (value(pair.more) >= value(pair.less)) continue;
      throw BadParameter(std::string(Law::kName) + ": " + pair.more + " is below " + pair.less);
    }
  }
}

// The same for the law whose member function calls it with `this`.
template <Described Law>
void check_parameters(const Law* /* law */, const double* values) {
  check_parameters<Law>(values);
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_PARAMETER_H_
