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
#include <charconv>
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

// Hosts check each value against its row. A law in this folder calls check_parameters(kName, kParameters, values) as well,
// in its constructor and in configure(), with kOrder as third argument if it has one: it may also be used without a host.
struct Parameter {
  const char* name;
  // "" for a pure number, "whole" for a whole number, "flag" (0 or 1), or "choice". "s", "packets", "bytes", "bit/s",
  // "marks", "marks/s" and "packets/s" are read with their unit; the first four also end the name, and not the key. With
  // "unit", the law has a choice `unit` of packets and bytes, in which the value counts. Any other text, such as "1/s",
  // is only shown.
  const char* unit;
  double fallback;      // the default; NaN if the user must give a value
  double min;           // -1 in "packets" or "unit": no limit, which scenarios write as `none`
  double max;           // kUnlimited: no bound; of a choice the last index, of a flag 1
  const char* choices;  // "a,b,c" for a choice, else ""
  const char* about;    // its meaning in a sentence
};

// A parameter's default that applies only if a choice has a certain value: a law lists them in kDefaultsWhere.
struct DefaultWhere {
  const char* parameter;
  const char* where;  // the choice
  const char* value;  // a name of the choice
  double fallback;
};

// A parameter that must not be below another: a law lists such pairs in kOrder.
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

// A text that can be printed: a sentence ends with a full stop.
constexpr bool is_sentence(const char* text) {
  return text != nullptr && std::string_view(text).ends_with('.');
}

// Number of the first parameter without a name or a sentence; -1: each has both.
template <Described Law>
consteval int without_sentence() {
  int number = 0;
  for (const Parameter& one : Law::kParameters) {
    if (one.name == nullptr || one.name[0] == '\0' || !is_sentence(one.about)) return number;
    ++number;
  }
  return -1;
}

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

// Number of the first parameter whose key is that of an earlier one; -1: all keys differ.
template <Described Law>
consteval int with_used_key() {
  int number = 0;
  for (const Parameter& one : Law::kParameters) {
    for (const Parameter& other : Law::kParameters) {
      if (&one == &other) break;
      if (key_of(one) == key_of(other)) return number;
    }
    ++number;
  }
  return -1;
}

// Number of the first parameter whose name ends in a unit that it does not have; -1: there is none.
template <Described Law>
consteval int with_other_unit() {
  int number = 0;
  for (const Parameter& one : Law::kParameters) {
    const std::string_view given = one.unit;
    for (const auto& [unit, end] : kNameEnds) {
      const bool ends = std::string_view(one.name).ends_with(end);
      if (ends && given != unit && given != "choice" && given != "flag") return number;
    }
    ++number;
  }
  return -1;
}

constexpr bool is_whole(const Parameter& parameter) {
  const std::string_view unit = parameter.unit;
  return unit == "whole" || unit == "flag" || unit == "choice";
}

// True for a value that a parameter may have.
constexpr bool accepts(const Parameter& parameter, double value) {
  const bool within = value >= parameter.min && value <= parameter.max;  // false for NaN
  return within &&
         (!is_whole(parameter) || value == static_cast<double>(static_cast<long long>(value)));
}

// Number of the first parameter whose default is neither NaN nor within its range; -1: there is none.
template <Described Law>
consteval int with_bad_default() {
  int number = 0;
  for (const Parameter& one : Law::kParameters) {
    const bool given = one.fallback >= 0 || one.fallback < 0;  // false for NaN
    if (given && !accepts(one, one.fallback)) return number;
    ++number;
  }
  return -1;
}

// The parameter of this name, or nullptr.
template <Described Law>
constexpr const Parameter* parameter_of(std::string_view name) {
  for (const Parameter& one : Law::kParameters) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

constexpr bool has_choice(const Parameter& parameter, std::string_view choice) {
  std::string_view all = parameter.choices;
  while (!all.empty()) {
    const std::size_t end = all.find(',');
    if (all.substr(0, end) == choice) return true;
    if (end == std::string_view::npos) return false;
    all.remove_prefix(end + 1);
  }
  return false;
}

// True if a list "a,b" names parameters only.
template <Described Law>
consteval bool are_parameters(std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = names.find(',');
    if (parameter_of<Law>(names.substr(0, end)) == nullptr) return false;
    if (end == std::string_view::npos) break;
    names.remove_prefix(end + 1);
  }
  return true;
}

// True if kOrder and kDefaultsWhere name parameters and choices that exist, and each default is in its range.
template <Described Law>
consteval bool names_exist() {
  if constexpr (requires { Law::kOrder; }) {
    for (const AtLeast& pair : Law::kOrder) {
      if (parameter_of<Law>(pair.more) == nullptr || parameter_of<Law>(pair.less) == nullptr) {
        return false;
      }
    }
  }
  if constexpr (requires { Law::kDefaultsWhere; }) {
    for (const DefaultWhere& one : Law::kDefaultsWhere) {
      const Parameter* where = parameter_of<Law>(one.where);
      const Parameter* parameter = parameter_of<Law>(one.parameter);
      if (parameter == nullptr || where == nullptr || !has_choice(*where, one.value) ||
          !accepts(*parameter, one.fallback)) {
        return false;
      }
    }
  }
  return true;
}

// True for an expression of parameters, as in MarkingTraits: names, numbers, + - * ( ), and name == choice.
template <Described Law>
consteval bool is_expression(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  const Parameter* latest = nullptr;
  bool compared = false;
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '=') {
      if (!text.starts_with("==") || latest == nullptr) return false;
      compared = true;
      length = 2;
    } else if (c >= 'a' && c <= 'z') {
      while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) {
        ++length;
      }
      const std::string_view word = text.substr(0, length);
      if (compared) {
        if (!has_choice(*latest, word)) return false;
        compared = false;
      } else {
        latest = parameter_of<Law>(word);
        if (latest == nullptr) return false;
      }
    } else if (std::string_view("+-*() ").find(c) == std::string_view::npos && !is_digit(c)) {
      return false;
    }
    text.remove_prefix(length);
  }
  return !compared;
}

// Thrown if a parameter is out of its range. The message names the law, the parameter, the value and the range.
class BadParameter : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A number in at most 7 digits.
inline std::string in_short(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 7).ptr;
  return {text.begin(), end};
}

inline void check_parameter(const char* law, const Parameter& parameter, double value) {
  const bool whole = is_whole(parameter);
  const bool fits = !whole || value == std::floor(value);
  if (std::isfinite(value) && value >= parameter.min && value <= parameter.max && fits) return;
  throw BadParameter(std::string(law) + ": " + parameter.name + " is " + in_short(value) +
                     ", expected " + (whole ? "a whole number from " : "") +
                     in_short(parameter.min) + " to " + in_short(parameter.max));
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
