// SPDX-License-Identifier: Apache-2.0
// Sizes of files: fixed, exponential, truncated Pareto, or drawn from a list with a weight for each size
// (andreassen2002 section 2.2.2 and Fig. 4: a text file of addresses, so that "the user can create any
// empirical file distribution"). Each size takes one draw, but a fixed size takes no draw. Sizes are whole bytes, at
// least 1.
//
// A draw from a list is the first size at which the cumulative weight exceeds U times the sum of all weights. Doubles
// are added in the order of the list, so both engines draw the same sizes.
#ifndef ECNOMY_LAWS_TRAFFIC_SIZES_H_
#define ECNOMY_LAWS_TRAFFIC_SIZES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../parameter.h"
#include "../random/inversion.h"

namespace ecnomy {

class SizeList {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::int64_t kMostBytes = 1'000'000'000'000;
  static constexpr double kMostWeight = 1e12;

  // An empty list.
  SizeList() = default;

  // Throws BadParameter if there are no sizes or too many, if the numbers of sizes and weights differ, or if a
  // size or weight is out of range.
  SizeList(std::vector<std::int64_t> bytes, std::vector<double> weights)
      : bytes_(std::move(bytes)), weights_(std::move(weights)) {
    check(!bytes_.empty() && bytes_.size() <= kMost, "not 1 to 10000 sizes");
    check(bytes_.size() == weights_.size(), "the numbers of weights and sizes differ");
    double sum = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      check(bytes_[i] >= 1 && bytes_[i] <= kMostBytes, "a size is not from 1 to 10^12 bytes");
      check(weights_[i] > 0 && weights_[i] <= kMostWeight,
            "a weight is not above 0 and up to 10^12");
      up_to_.push_back(sum += weights_[i]);
    }
  }

  bool empty() const noexcept { return bytes_.empty(); }
  const std::vector<std::int64_t>& bytes() const noexcept { return bytes_; }
  const std::vector<double>& weights() const noexcept { return weights_; }

  std::int64_t draw(double u) const noexcept {
    const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), u * up_to_.back());
    const auto index = static_cast<std::size_t>(found - up_to_.begin());
    return bytes_[std::min(index, bytes_.size() - 1)];
  }

 private:
  static void check(bool holds, const char* fault) {
    if (!holds) throw BadParameter(std::string("sizes: ") + fault);
  }

  std::vector<std::int64_t> bytes_;
  std::vector<double> weights_;
  std::vector<double> up_to_;  // cumulative weights
};

// A size distribution of one of the four kinds. It has five values, in the order of a law's table: kind, mean, minimum
// and maximum bytes, shape of the tail.
class SizeLaw {
 public:
  SizeLaw(const char* law, const double* values, SizeList list = {})
      : kind_(static_cast<Kind>(static_cast<int>(values[0]))),
        mean_bytes_(values[1]),
        min_bytes_(values[2]),
        max_bytes_(values[3]),
        shape_(values[4]),
        list_(std::move(list)) {
    if (max_bytes_ < min_bytes_) {
      throw BadParameter(std::string(law) + ": size_max_bytes is below size_min_bytes");
    }
    if ((kind_ == Kind::list) == list_.empty()) {
      throw BadParameter(std::string(law) +
                         ": size list needs sizes, and other sizes take no list");
    }
  }

  template <class Uniform>
  std::int64_t draw(Uniform&& uniform) const noexcept {
    if (kind_ == Kind::list) return list_.draw(uniform());
    double bytes = mean_bytes_;
    if (kind_ == Kind::exponential) bytes = exponential(mean_bytes_, uniform());
    if (kind_ == Kind::pareto) bytes = truncated_pareto(min_bytes_, max_bytes_, shape_, uniform());
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(bytes)));
  }

 private:
  enum class Kind { fixed, exponential, pareto, list };
  Kind kind_;
  double mean_bytes_, min_bytes_, max_bytes_, shape_;
  SizeList list_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_SIZES_H_
