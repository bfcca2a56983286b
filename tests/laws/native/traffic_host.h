// SPDX-License-Identifier: Apache-2.0
// Registering traffic laws, and the host of those that send packets one by one.
#ifndef ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_
#define ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_

#include <utility>

#include "host.h"

namespace ecnomy_testing {

template <class Law>
class PacketsOf : public Traffic {
 public:
  explicit PacketsOf(Law law) : law_(std::move(law)) {}
  explicit PacketsOf(const double* values) : PacketsOf(Law(values)) {}
  Drawn first(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.first(uniforms);
    return {value, uniforms.used()};
  }
  Drawn gap(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.gap(uniforms);
    return {value, uniforms.used()};
  }

 protected:
  Law law_;
};

template <class Law, class Host>
Entry<Traffic> entry_of() {
  const Rows rows = rows_of(Law::kParameters);
  return {rows, [rows](const std::vector<double>& values) {
            check_count(rows, values);
            return std::make_unique<Host>(values.data());
          }};
}

template <class Law, class Host>
void add_traffic() {
  registry().traffic[Law::kName] = entry_of<Law, Host>();
}

template <class Law, class Host>
void add_part() {
  registry().part[Law::kName] = entry_of<Law, Host>();
}

}  // namespace ecnomy_testing

#endif  // ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_
