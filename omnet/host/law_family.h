// SPDX-License-Identifier: Apache-2.0
// A family of laws as a list of types: its variant, its members by name, and calls on the one that was
// chosen. The lists are in marking_laws.h, window_laws.h, traffic_laws.h and scheduling_laws.h. A law
// that joins one is hosted, described and dispatched; nothing else knows its number.
#ifndef ECNOMY_HOST_LAW_FAMILY_H_
#define ECNOMY_HOST_LAW_FAMILY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "laws/parameter.h"

namespace ecnomy {

template <class... Laws>
struct LawList {
  using Variant = std::variant<Laws...>;

  // Calls `f` with std::type_identity<Law> for each law, in order.
  template <class F>
  static void each(F&& f) {
    (f(std::type_identity<Laws>{}), ...);
  }

  // The same for the law of a name. Throws BadParameter: there is none.
  template <class F>
  static void named(const char* family, const std::string& name, F&& f) {
    if (((name == Laws::kName && (f(std::type_identity<Laws>{}), true)) || ...)) return;
    throw BadParameter(std::string("this engine hosts no ") + family + " law '" + name + "'");
  }

  // That law, made from its values. Throws BadParameter: unknown, or a value out of its range.
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

// f(law) of the law that a variant holds. A chain of comparisons, which compilers turn into a jump; it is
// inlined, as std::visit over more than eleven laws is not.
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
