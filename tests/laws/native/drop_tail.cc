// SPDX-License-Identifier: Apache-2.0
#include "marking/drop_tail.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {

bool register_drop_tail() {
  registry().marking[ecnomy::DropTail::kName] = {
      {}, [](const std::vector<double>& values) {
        check_count({}, values);
        return std::make_unique<MarkingOf<ecnomy::DropTail>>(ecnomy::DropTail(), nullptr);
      }};
  return true;
}

const bool registered = register_drop_tail();

}  // namespace
}  // namespace ecnomy_testing
