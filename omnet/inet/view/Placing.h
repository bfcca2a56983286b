// SPDX-License-Identifier: LGPL-3.0-or-later
// Where a label goes so that it covers nothing that is there already: nodes, other labels, and lines between
// nodes. Coordinates are the canvas's, y downwards.
#ifndef ECNOMY_INET_VIEW_PLACING_H_
#define ECNOMY_INET_VIEW_PLACING_H_

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ecnomy::omnet {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;  // of its upper left corner

  double right() const noexcept { return x + width; }
  double bottom() const noexcept { return y + height; }

  double overlap(const Box& other) const noexcept {
    const double wide = std::min(right(), other.right()) - std::max(x, other.x);
    const double high = std::min(bottom(), other.bottom()) - std::max(y, other.y);
    return wide > 0 && high > 0 ? wide * high : 0;
  }

  Box padded(double by) const noexcept { return {x - by, y - by, width + 2 * by, height + 2 * by}; }

  // The point of the box next to one outside it.
  std::pair<double, double> nearest(double to_x, double to_y) const noexcept {
    return {std::clamp(to_x, x, right()), std::clamp(to_y, y, bottom())};
  }
};

struct Stretch {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;

  double length() const noexcept { return std::hypot(x2 - x1, y2 - y1); }

  // The length of it inside a box (clipping after Liang and Barsky 1984).
  double inside(const Box& box) const noexcept {
    double from = 0, to = 1;
    const auto clip = [&](double step, double room) {
      if (step == 0) return room >= 0;
      (step < 0 ? from : to) = step < 0 ? std::max(from, room / step) : std::min(to, room / step);
      return true;
    };
    const bool crosses = clip(x1 - x2, x1 - box.x) && clip(x2 - x1, box.right() - x1) &&
                         clip(y1 - y2, y1 - box.y) && clip(y2 - y1, box.bottom() - y1);
    return crosses && from < to ? (to - from) * length() : 0;
  }
};

// The dotted line from a label to what it is about.
inline Stretch leader(const Box& label, const Box& about) noexcept {
  const auto [x, y] = about.nearest(label.x + label.width / 2, label.y + label.height / 2);
  const auto [near_x, near_y] = label.nearest(x, y);
  return {near_x, near_y, x, y};
}

// Likewise to the middle part of a line, where it is nearest.
inline Stretch leader(const Box& label, const Stretch& about) noexcept {
  Stretch best;
  for (const double at : {0.5, 0.4, 0.6, 0.3, 0.7}) {
    const Box point{about.x1 + at * (about.x2 - about.x1), about.y1 + at * (about.y2 - about.y1)};
    const Stretch one = leader(label, point);
    if (at == 0.5 || one.length() < best.length()) best = one;
  }
  return best;
}

class Placing {
 public:
  static constexpr double kAway = 14;  // a label further from its place than this has a leader

  // area: labels stay in it.
  explicit Placing(const Box& area) : area_(area) {}

  void keep(const Box& box) { taken_.push_back(box); }
  void keep(const Stretch& line) { lines_.push_back(line); }

  // A label of this size for a line, beside it, near its middle; the place is kept.
  Box beside(const Stretch& line, double width, double height) {
    const double along_x = line.x2 - line.x1, along_y = line.y2 - line.y1;
    const double length = std::max(line.length(), 1.0);
    const double normal_x = -along_y / length, normal_y = along_x / length;
    const double half = (std::fabs(normal_x) * width + std::fabs(normal_y) * height) / 2;
    std::vector<Box> tries;
    for (const double at : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
      for (const double side : {1.0, -1.0}) {
        for (int step = 0; step < kSteps; ++step) {
          const double off = side * (half + kGap + step * kStep);
          const double x = line.x1 + at * along_x + normal_x * off;
          const double y = line.y1 + at * along_y + normal_y * off;
          tries.push_back({x - width / 2, y - height / 2, width, height});
        }
      }
    }
    return best(std::move(tries), line);
  }

  // A label of this size for a node, its name included: above it, else at a side or below; the place is kept.
  Box near(const Box& node, double width, double height) {
    const double middle_x = node.x + node.width / 2, middle_y = node.y + node.height / 2;
    std::vector<Box> tries;
    for (int step = 0; step < kSteps; ++step) {
      const double gap = kNodeGap + step * kStep;
      const double above = node.y - gap - height, below = node.bottom() + gap;
      for (const double y : {above, below}) {
        for (const double x : {middle_x - width / 2, node.x, node.right() - width}) {
          tries.push_back({x, y, width, height});
        }
      }
      tries.push_back({node.right() + gap, middle_y - height / 2, width, height});
      tries.push_back({node.x - gap - width, middle_y - height / 2, width, height});
    }
    return best(std::move(tries), node);
  }

 private:
  static constexpr int kSteps = 8;
  static constexpr double kStep = 9;
  static constexpr double kGap = 7, kNodeGap = 3;  // between line or node and label
  static constexpr double kApart = 3;              // between a label and anything else
  static constexpr double kLine = 30;       // what a pixel of a line costs, in pixels covered
  static constexpr double kOver = 5;        // what a pixel of a leader over a label or node costs
  static constexpr double kDistance = 0.5;  // what a pixel further away costs
  static constexpr double kGrid = 12;

  // The cheapest of these, the first of equals; where each of them covers something, of all places in the area.
  template <class About>
  Box best(std::vector<Box> tries, const About& about) {
    const Box* found = cheapest(tries, about);
    if (covered(*found) + crossed(leader(*found, about)) > 0) {
      const double width = found->width, height = found->height;
      for (double left = area_.x; left + width <= area_.right(); left += kGrid) {
        for (double top = area_.y; top + height <= area_.bottom(); top += kGrid / 3) {
          tries.push_back({left, top, width, height});
        }
      }
      found = cheapest(tries, about);
    }
    const Box box = *found;
    keep(box);
    if (const Stretch line = leader(box, about); line.length() > kAway) leaders_.push_back(line);
    return box;
  }

  template <class About>
  const Box* cheapest(const std::vector<Box>& tries, const About& about) const {
    const Box* best = nullptr;
    double least = 0;
    for (const Box& box : tries) {
      const Stretch line = leader(box, about);
      const double cost = covered(box) + kDistance * line.length() + crossed(line);
      if (!best || cost < least) {
        least = cost;
        best = &box;
      }
    }
    return best;
  }

  double covered(const Box& label) const noexcept {
    const Box box = label.padded(kApart);
    double sum = label.width * label.height - label.overlap(area_);
    for (const Box& other : taken_) sum += box.overlap(other);
    for (const Stretch& line : lines_) sum += kLine * line.inside(box);
    for (const Stretch& line : leaders_) sum += kOver * line.inside(label);
    return sum;
  }

  // What the line from a label to its place runs over.
  double crossed(const Stretch& line) const noexcept {
    if (line.length() <= kAway) return 0;
    double sum = 0;
    for (const Box& other : taken_) sum += kOver * line.inside(other);
    return sum;
  }

  Box area_;
  std::vector<Box> taken_;
  std::vector<Stretch> lines_, leaders_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_PLACING_H_
