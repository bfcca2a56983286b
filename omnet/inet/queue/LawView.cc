// SPDX-License-Identifier: LGPL-3.0-or-later
#include "queue/LawView.h"

#include <cstdio>
#include <variant>

namespace ecnomy::omnet {

namespace {

void say(std::string& text, const char* what, double value, const char* unit = "") {
  char words[64];
  std::snprintf(words, sizeof words, ", %s %.4g%s", what, value, unit);
  text += words;
}

}  // namespace

std::string describeLaw(const MarkingHost& host) {
  char first[40];
  std::snprintf(first, sizeof first, "probability %.4g", host.probability());
  std::string text = first;
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.average(); }) say(text, "average queue", law.average());
        if constexpr (requires { law.price(); }) say(text, "price", law.price());
        if constexpr (requires { law.load(); }) say(text, "load", law.load());
        if constexpr (requires { law.backlog_bytes(); }) {
          say(text, "virtual queue", law.backlog_bytes(), " B");
        }
        if constexpr (requires { law.capacity_share(); }) {
          say(text, "virtual capacity", 100 * law.capacity_share(), " %");
        }
        if constexpr (requires { law.excess_bytes(); }) {
          say(text, "projected excess", law.excess_bytes(), " B");
        }
        if constexpr (requires { law.rho(); }) say(text, "rho", law.rho());
      },
      host.law());
  return text;
}

}  // namespace ecnomy::omnet
