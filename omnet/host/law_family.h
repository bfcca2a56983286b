// SPDX-License-Identifier: Apache-2.0
// A family of laws as a list of types. This file provides its variant, finds its laws by name, and calls the selected
// law. The lists are in marking_laws.h, window_laws.h, traffic_laws.h and scheduling_laws.h. A law in a list is hosted,
// described and dispatched. No other code depends on its position.
#ifndef ECNOMY_HOST_LAW_FAMILY_H_
#define ECNOMY_HOST_LAW_FAMILY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "laws/parameter.h"

namespace ecnomy {

// True if no two laws have the same name.
template <class... Laws>
consteval bool has_distinct_names() {
  const std::string_view names[] = {Laws::kName...};
  for (std::size_t i = 0; i < sizeof...(Laws); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (names[i] == names[j]) return false;
    }
  }
  return true;
}

template <class... Laws>
struct LawList {
  using Variant = std::variant<Laws...>;

  // Calls `f` with std::type_identity<Law> for each law, in order.
  template <class F>
  static void each(F&& f) {
    (f(std::type_identity<Laws>{}), ...);
  }

  // Calls `f` only for the law with this name. Throws BadParameter if there is no such law.
  template <class F>
  static void named(const char* family, const std::string& name, F&& f) {
    if (((name == Laws::kName && (f(std::type_identity<Laws>{}), true)) || ...)) return;
    throw BadParameter(std::string("this engine has no ") + family + " law '" + name + "'");
  }

  // Makes this law from its values. Throws BadParameter if the law is unknown or a value is out of range.
  static Variant make(const char* family, const std::string& name, const double* values) {
    std::optional<Variant> made;
    named(family, name, [&]<class Law>(std::type_identity<Law>) {
      if constexpr (std::is_constructible_v<Law, const double*>) {
        made.emplace(std::in_place_type<Law>, values);
      } else {
        made.emplace(std::in_place_type<Law>);
      }
    });
    return *std::move(made);
  }
};

template <class... Lists>
struct JoinedLists;
template <class... Laws>
struct JoinedLists<LawList<Laws...>> {
  using List = LawList<Laws...>;
};
template <class... Laws, class... More, class... Lists>
struct JoinedLists<LawList<Laws...>, LawList<More...>, Lists...>
    : JoinedLists<LawList<Laws..., More...>, Lists...> {};

template <class Law>
inline constexpr auto kTraitsOf = std::decay_t<Law>::kTraits;

// Calls f(law) for the law that a variant holds. Compilers turn this chain of comparisons into a jump. The chain is
// inlined, but std::visit over more than eleven laws is not.
template <std::size_t I = 0, class Variant, class F>
[[gnu::always_inline]] inline decltype(auto) on_law(Variant& law, F&& f) {
  if constexpr (I + 1 == std::variant_size_v<std::remove_const_t<Variant>>) {
    return f(*std::get_if<I>(&law));
  } else {
    if (law.index() == I) return f(*std::get_if<I>(&law));
    return on_law<I + 1>(law, std::forward<F>(f));
  }
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_LAW_FAMILY_H_
