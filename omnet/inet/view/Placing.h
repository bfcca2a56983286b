// SPDX-License-Identifier: LGPL-3.0-or-later
// Where a label goes so that it covers least of what is there already. Coordinates are the canvas's, y downwards.
#ifndef ECNOMY_INET_VIEW_PLACING_H_
#define ECNOMY_INET_VIEW_PLACING_H_

#include <algorithm>
#include <cmath>
#include <vector>

namespace ecnomy::omnet {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;  // of its upper left corner

  double overlap(const Box& other) const noexcept {
    const double wide = std::min(x + width, other.x + other.width) - std::max(x, other.x);
    const double high = std::min(y + height, other.y + other.height) - std::max(y, other.y);
    return wide > 0 && high > 0 ? wide * high : 0;
  }
};

struct Stretch {
  double x1, y1, x2, y2;
};

class Placing {
 public:
  void keep(const Box& box) { taken_.push_back(box); }

  // A label of this size for a line, beside it, near its middle; the place is kept.
  Box beside(const Stretch& line, double width, double height) {
    const double along_x = line.x2 - line.x1, along_y = line.y2 - line.y1;
    const double length = std::max(std::hypot(along_x, along_y), 1.0);
    const double normal_x = -along_y / length, normal_y = along_x / length;
    const double half = (std::fabs(normal_x) * width + std::fabs(normal_y) * height) / 2;
    Box best;
    double least = -1;
    for (const double at : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
      for (const double side : {1.0, -1.0}) {
        for (int step = 0; step < kSteps; ++step) {
          const double off = side * (half + kGap + step * height / 2);
          const double x = line.x1 + at * along_x + normal_x * off;
          const double y = line.y1 + at * along_y + normal_y * off;
          const Box box{x - width / 2, y - height / 2, width, height};
          const double away = std::fabs(at - 0.5) * length + step * height / 2;
          const double cost =
              covered(box) + beyond(box) + kDistance * away + (side < 0 ? kOtherSide : 0);
          if (least < 0 || cost < least) {
            least = cost;
            best = box;
          }
        }
      }
    }
    keep(best);
    return best;
  }

 private:
  static constexpr int kSteps = 6;
  static constexpr double kGap = 5;         // between line and label
  static constexpr double kDistance = 0.5;  // what a pixel further away costs, in pixels covered
  static constexpr double kOtherSide = 0.1;

  double covered(const Box& box) const noexcept {
    double sum = 0;
    for (const Box& other : taken_) sum += box.overlap(other);
    return sum;
  }

  // Left of or above the picture, where nobody looks.
  static double beyond(const Box& box) noexcept {
    return std::max(-box.x, 0.0) * box.height + std::max(-box.y, 0.0) * box.width;
  }

  std::vector<Box> taken_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_PLACING_H_
