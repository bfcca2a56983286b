// SPDX-License-Identifier: Apache-2.0
// Checks of a law's description and table at compile time. host/registry.cc asserts them for each law in a list.
//
// A check returns the number, from 0, of the first row that does not pass it, or kFits.
#ifndef ECNOMY_LAWS_PARAMETER_CHECKS_H_
#define ECNOMY_LAWS_PARAMETER_CHECKS_H_

#include <cstddef>
#include <string_view>

#include "parameter.h"

namespace ecnomy {

inline constexpr int kFits = -1;

// Units that only the reference shows. Values are written without them.
inline constexpr std::string_view kShownUnits[] = {"1/s", "frames", "pages", "objects"};
inline constexpr std::string_view kReadUnits[] = {"",      "whole",   "flag",      "choice",
                                                  "s",     "packets", "bytes",     "bit/s",
                                                  "marks", "marks/s", "packets/s", "unit"};

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True for lower-case words with digits, joined by `joint`, such as min_threshold or wtp-sender.
constexpr bool is_name(std::string_view text, char joint) {
  if (text.empty() || !is_lower(text.front()) || text.back() == joint) return false;
  for (const char c : text) {
    if (!is_lower(c) && !is_digit(c) && c != joint) return false;
  }
  return true;
}

// True for a text that can be printed: a sentence with a full stop.
constexpr bool is_sentence(const char* text) {
  if (text == nullptr) return false;
  const std::string_view all = text;
  return all.size() > 2 && all.front() != ' ' && all.front() != '.' && all.ends_with('.');
}

// The parameter of this name, or nullptr.
template <Described Law>
constexpr const Parameter* parameter_of(std::string_view name) {
  for (const Parameter& one : Law::kParameters) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// Takes the first item off a list "a,b,c".
constexpr std::string_view take_item(std::string_view& list) {
  const std::size_t end = list.find(',');
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  return item;
}

constexpr bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    if (take_item(list) == item) return true;
  }
  return false;
}

constexpr bool has_choice(const Parameter& parameter, std::string_view choice) {
  return has_item(parameter.choices, choice);
}

// True if a list "a,b" names parameters only.
template <Described Law>
consteval bool are_parameters(std::string_view names) {
  while (!names.empty()) {
    if (parameter_of<Law>(take_item(names)) == nullptr) return false;
  }
  return true;
}

// The first row for which `fails(parameter)` is true.
template <Described Law, class Fails>
consteval int first_row(Fails&& fails) {
  int number = 0;
  for (const Parameter& one : Law::kParameters) {
    if (fails(one)) return number;
    ++number;
  }
  return kFits;
}

template <Described Law>
consteval int without_name() {
  return first_row<Law>(
      [](const Parameter& one) { return one.name == nullptr || !is_name(one.name, '_'); });
}

template <Described Law>
consteval int without_sentence() {
  return first_row<Law>([](const Parameter& one) { return !is_sentence(one.about); });
}

// A row whose unit is unknown, or differs from the end of its name, or is "unit" without a choice of that name.
template <Described Law>
consteval int with_wrong_unit() {
  return first_row<Law>([](const Parameter& one) {
    const std::string_view unit = one.unit, name = one.name;
    bool known = false;
    for (const std::string_view all : kReadUnits) known = known || unit == all;
    for (const std::string_view all : kShownUnits) known = known || unit == all;
    if (!known) return true;
    for (const auto& [ending_unit, end] : kNameEnds) {
      const bool ends = name.ends_with(end), named = unit == ending_unit;
      if (ends && !named && unit != "choice" && unit != "flag") return true;
      if (named && !ends && unit != "packets") return true;
    }
    if (unit != "unit") return false;
    const Parameter* choice = parameter_of<Law>("unit");
    return choice == nullptr || !has_choice(*choice, "packets") || !has_choice(*choice, "bytes");
  });
}

// A row whose key is that of an earlier one.
template <Described Law>
consteval int with_used_key() {
  return first_row<Law>([](const Parameter& one) {
    for (const Parameter& other : Law::kParameters) {
      if (&one == &other) return false;
      if (key_of(one) == key_of(other)) return true;
    }
    return false;
  });
}

// A row with an empty range, or a choice or flag whose range does not count its values.
template <Described Law>
consteval int with_wrong_range() {
  return first_row<Law>([](const Parameter& one) {
    const std::string_view unit = one.unit;
    if (unit == "flag") return one.min != 0 || one.max != 1;
    std::string_view names = one.choices;
    if (unit != "choice") return !(one.min < one.max) || !names.empty();
    int count = 0;
    while (!names.empty()) {
      const std::string_view name = take_item(names);
      if (!is_name(name, '-') || has_item(names, name)) return true;
      ++count;
    }
    return count < 2 || one.min != 0 || one.max != count - 1;
  });
}

// A row whose default is neither NaN nor in its range, or is a fraction of a byte.
template <Described Law>
consteval int with_wrong_default() {
  return first_row<Law>([](const Parameter& one) {
    const bool given = one.fallback >= 0 || one.fallback < 0;  // false for NaN
    const std::string_view unit = one.unit;
    const bool counts = unit == "bytes" || unit == "unit";
    return given && (!accepts(one, one.fallback) || (counts && !is_integer(one.fallback)));
  });
}

// A row of kOrder that does not name two numbers of one unit, repeats or contradicts an earlier row, or has defaults in
// the other order.
template <Described Law>
consteval int with_wrong_order() {
  if constexpr (requires { Law::kOrder; }) {
    int number = 0;
    for (const AtLeast& pair : Law::kOrder) {
      const Parameter* more = parameter_of<Law>(pair.more);
      const Parameter* less = parameter_of<Law>(pair.less);
      if (more == nullptr || less == nullptr || more == less) return number;
      const std::string_view unit = more->unit, other_unit = less->unit;
      if (unit != other_unit || unit == "choice" || unit == "flag") return number;
      if (more->fallback < less->fallback) return number;
      for (const AtLeast& other : Law::kOrder) {
        if (&other == &pair) break;
        const std::string_view high = other.more, low = other.less;
        if (high == pair.more && low == pair.less) return number;
        if (high == pair.less && low == pair.more) return number;
      }
      ++number;
    }
  }
  return kFits;
}

// A row of kDefaultsWhere that does not name a parameter and the choice of another, repeats an earlier row, or has a
// default out of range.
template <Described Law>
consteval int with_wrong_default_where() {
  if constexpr (requires { Law::kDefaultsWhere; }) {
    int number = 0;
    for (const DefaultWhere& one : Law::kDefaultsWhere) {
      const Parameter* parameter = parameter_of<Law>(one.parameter);
      const Parameter* where = parameter_of<Law>(one.where);
      if (parameter == nullptr || where == nullptr || parameter == where) return number;
      if (!has_choice(*where, one.value) || !accepts(*parameter, one.fallback)) return number;
      for (const DefaultWhere& other : Law::kDefaultsWhere) {
        if (&other == &one) break;
        const std::string_view name = other.parameter, choice = other.where, value = other.value;
        if (name == one.parameter && choice == one.where && value == one.value) return number;
      }
      ++number;
    }
  }
  return kFits;
}

// True for an expression of parameters, as in MarkingTraits: names, numbers, + - * ( ), and name == choice.
template <Described Law>
consteval bool is_expression(std::string_view text) {
  int open = 0;
  bool operand = false;               // the text so far ends in an operand
  const Parameter* latest = nullptr;  // it ends in this name
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '(' && !operand) {
      ++open;
    } else if (c == ')' && operand && open > 0) {
      --open;
      latest = nullptr;
    } else if ((c == '+' || c == '-' || c == '*') && operand) {
      operand = false;
      latest = nullptr;
    } else if (text.starts_with("==") && latest != nullptr) {
      length = 2;
      while (length < text.size() && text[length] == ' ') ++length;
      const std::size_t begin = length;
      while (length < text.size() && text[length] != ' ' && text[length] != ')') ++length;
      if (!has_choice(*latest, text.substr(begin, length - begin))) return false;
      latest = nullptr;
    } else if (is_digit(c) && !operand) {
      while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
      operand = true;
    } else if (is_lower(c) && !operand) {
      while (length < text.size() &&
             (is_lower(text[length]) || is_digit(text[length]) || text[length] == '_')) {
        ++length;
      }
      latest = parameter_of<Law>(text.substr(0, length));
      if (latest == nullptr) return false;
      operand = true;
    } else if (c != ' ') {
      return false;
    }
    text.remove_prefix(length);
  }
  return operand && open == 0;
}

// Likewise, or "" where a trait may be empty.
template <Described Law>
consteval bool is_expression_or_empty(std::string_view text) {
  return text.empty() || is_expression<Law>(text);
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_PARAMETER_CHECKS_H_
