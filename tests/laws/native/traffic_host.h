// SPDX-License-Identifier: Apache-2.0
// Registering traffic laws, and the host of those that send packets one by one.
#ifndef ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_
#define ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_

#include "host.h"

namespace ecnomy_testing {

template <class Law>
class PacketsOf : public Traffic {
 public:
  explicit PacketsOf(const double* values) : law_(values) {}
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

 private:
  Law law_;
};

template <class Law, class Host>
void add_traffic() {
  const Rows rows = rows_of(Law::kParameters);
  registry().traffic[Law::kName] = {rows, [rows](const std::vector<double>& values) {
                                      check_count(rows, values);
                                      return std::make_unique<Host>(values.data());
                                    }};
}

}  // namespace ecnomy_testing

#endif  // ECNOMY_TESTS_LAWS_TRAFFIC_HOST_H_
