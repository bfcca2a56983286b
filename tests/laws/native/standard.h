// SPDX-License-Identifier: Apache-2.0
// The standard library's headers that the laws' files include. law_build.py compiles them once,
// ahead of these files; test_headers.py omits them and checks that laws include what they need.
#ifndef ECNOMY_TESTS_LAWS_STANDARD_H_
#define ECNOMY_TESTS_LAWS_STANDARD_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#endif  // ECNOMY_TESTS_LAWS_STANDARD_H_
