// SPDX-License-Identifier: LGPL-3.0-or-later
// Chooses places for labels such that they do not cover nodes, other labels, or lines between nodes. Coordinates are
// those of the canvas, with y pointing down.
#ifndef ECNOMY_INET_VIEW_PLACING_H_
#define ECNOMY_INET_VIEW_PLACING_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace ecnomy::omnet {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;  // x and y of the upper left corner

  double right() const noexcept { return x + width; }
  double bottom() const noexcept { return y + height; }

  double overlap(const Box& other) const noexcept {
    const double wide = std::min(right(), other.right()) - std::max(x, other.x);
    const double high = std::min(bottom(), other.bottom()) - std::max(y, other.y);
    return wide > 0 && high > 0 ? wide * high : 0;
  }

  bool holds(double at_x, double at_y) const noexcept {
    return x <= at_x && at_x <= right() && y <= at_y && at_y <= bottom();
  }

  Box padded(double by) const noexcept { return {x - by, y - by, width + 2 * by, height + 2 * by}; }

  // The point of the box nearest to a point outside it.
  std::pair<double, double> nearest(double to_x, double to_y) const noexcept {
    return {std::clamp(to_x, x, right()), std::clamp(to_y, y, bottom())};
  }
};

struct Stretch {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;

  double length() const noexcept { return std::hypot(x2 - x1, y2 - y1); }

  // The length of the part inside a box, by the clipping method of Liang and Barsky (1984).
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

  bool crosses(const Stretch& other) const noexcept {
    const auto side = [](const Stretch& of, double x, double y) {
      return (of.x2 - of.x1) * (y - of.y1) - (of.y2 - of.y1) * (x - of.x1) > 0;
    };
    return side(*this, other.x1, other.y1) != side(*this, other.x2, other.y2) &&
           side(other, x1, y1) != side(other, x2, y2);
  }
};

// The dotted line from a label to its node.
inline Stretch leader(const Box& label, const Box& about) noexcept {
  const auto [x, y] = about.nearest(label.x + label.width / 2, label.y + label.height / 2);
  const auto [near_x, near_y] = label.nearest(x, y);
  return {near_x, near_y, x, y};
}

// The dotted line from a label to the nearest point in the middle part of its link's line.
inline Stretch leader(const Box& label, const Stretch& about) noexcept {
  Stretch best;
  for (const double at : {0.5, 0.4, 0.6, 0.3, 0.7}) {
    const Box point{about.x1 + at * (about.x2 - about.x1), about.y1 + at * (about.y2 - about.y1)};
    const Stretch one = leader(label, point);
    if (at == 0.5 || one.length() < best.length()) best = one;
  }
  return best;
}

// The object of a label: the box of a node, with its name, or the line of a link.
struct About {
  bool node = false;
  Box box;
  Stretch line;
};

inline Stretch leader(const Box& label, const About& about) noexcept {
  return about.node ? leader(label, about.box) : leader(label, about.line);
}

struct Place {
  Box box;
  Stretch leader;  // drawn if it is longer than Placing::kAway
};

class Placing {
 public:
  static constexpr double kAway = 14;  // a label further from its object has a leader

  // Labels stay in `area`.
  explicit Placing(const Box& area) : area_(area) {}

  void keep(const Box& box) { taken_.push_back(box); }
  void keep(const Stretch& line) { lines_.push_back(line); }
  // Adds a label of this size. keep() must have been called for all boxes and lines. The object of a link's label is
  // the part of its line outside the link's node.
  void add(About about, double width, double height) {
    Stretch& line = about.line;
    for (const Box& node : taken_) {
      if (about.node || !node.holds(line.x1, line.y1)) continue;
      const double part = std::min(line.inside(node) / std::max(line.length(), 1.0), kMostHidden);
      line.x1 += part * (line.x2 - line.x1);
      line.y1 += part * (line.y2 - line.y1);
    }
    labels_.push_back({about, {0, 0, width, height}, false});
  }

  // Returns the places of the labels, in the order in which they were added. Each label takes the best place left by
  // the labels before it. Then each label moves to the place with the least cost, as long as the sum of costs falls. If
  // a label still covers something, the search begins again with the labels that found no room.
  std::vector<Place> places() {
    std::vector<std::size_t> order(labels_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Label> best;
    double least = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (Label& label : labels_) label.placed = false;
      for (const std::size_t i : order) place(i);
      const double now = improve(order);
      if (best.empty() || now < least) {
        least = now;
        best = labels_;
      }
      const auto covers = [&](std::size_t i) { return trouble(i, labels_[i].box, kAny) > 0; };
      if (std::stable_partition(order.begin(), order.end(), covers) == order.begin()) break;
    }
    labels_ = std::move(best);
    std::vector<Place> found;
    for (const Label& label : labels_) found.push_back({label.box, label.line()});
    return found;
  }

 private:
  static constexpr int kSteps = 8;
  static constexpr double kStep = 9;
  static constexpr double kGap = 7, kNodeGap = 3;  // between line or node and label
  static constexpr double kApart = 3;              // between a label and anything else
  static constexpr double kLine = 30;       // cost per pixel of a covered line, in pixels of area
  static constexpr double kOver = 5;        // cost per pixel of a leader over a label or node
  static constexpr double kDistance = 0.5;  // cost per pixel of distance
  static constexpr double kGrid = 12;
  static constexpr double kCross = 30;  // cost of a crossing of two leaders
  static constexpr int kRounds = 4;
  static constexpr double kMostHidden = 0.9;  // largest part of a line hidden by its node
  static constexpr double kAny = std::numeric_limits<double>::infinity();

  struct Label {
    About about;
    Box box;
    bool placed = false;

    Stretch line() const noexcept { return leader(box, about); }
  };

  // Returns places next to a line, beginning near its middle.
  static std::vector<Box> beside(const Stretch& line, double width, double height) {
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
    return tries;
  }

  static std::vector<Box> near(const Box& node, double width, double height) {
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
    return tries;
  }

  // Takes the place with the lowest cost, or the first of several. If each nearby place covers something, all places in
  // the area are tried.
  void place(std::size_t number) {
    Label& label = labels_[number];
    label.placed = true;
    const double width = label.box.width, height = label.box.height;
    std::vector<Box> tries = label.about.node ? near(label.about.box, width, height)
                                              : beside(label.about.line, width, height);
    Box found = cheapest(tries, number);
    if (trouble(number, found, kAny) > 0) {
      for (double left = area_.x; left + width <= area_.right(); left += kGrid) {
        for (double top = area_.y; top + height <= area_.bottom(); top += kGrid / 3) {
          tries.push_back({left, top, width, height});
        }
      }
      found = cheapest(tries, number);
    }
    label.box = found;
  }

  // Moves labels, one after the other, while the sum of costs falls. Returns this sum.
  double improve(const std::vector<std::size_t>& order) {
    for (double before = cost();;) {
      const std::vector<Label> then = labels_;
      for (const std::size_t i : order) place(i);
      const double now = cost();
      if (!(now < before)) {  // also if a cost is NaN because Qtenv has not placed a node yet
        labels_ = then;
        return before;
      }
      before = now;
    }
  }

  Box cheapest(const std::vector<Box>& tries, std::size_t number) const {
    Box best = tries.front();
    double least = cost(number, best, kAny);
    for (const Box& box : tries) {
      if (const double now = cost(number, box, least); now < least) {
        least = now;
        best = box;
      }
    }
    return best;
  }

  double cost() const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) sum += cost(i, labels_[i].box, kAny);
    return sum;
  }

  // Returns the cost of a label in this place. If the cost is not below `limit`, the result is some value of at least
  // `limit`.
  double cost(std::size_t number, const Box& label, double limit) const noexcept {
    const double away = kDistance * leader(label, labels_[number].about).length();
    return away < limit ? away + trouble(number, label, limit - away) : away;
  }

  // Returns the cost of covered objects, and of leaders over labels and nodes, for a label in this place. `limit` is as
  // above.
  double trouble(std::size_t number, const Box& label, double limit) const noexcept {
    const Box box = label.padded(kApart);
    const Stretch line = leader(label, labels_[number].about);
    const bool led = line.length() > kAway;
    double sum = label.width * label.height - label.overlap(area_);
    for (const Box& other : taken_) {
      sum += box.overlap(other);
      if (led) sum += kOver * line.inside(other);
      if (sum >= limit) return sum;
    }
    for (const Stretch& other : lines_) sum += kLine * other.inside(box);
    for (std::size_t i = 0; i < labels_.size() && sum < limit; ++i) {
      const Label& other = labels_[i];
      if (i == number || !other.placed) continue;
      sum += box.overlap(other.box);
      if (led) sum += kOver * line.inside(other.box);
      const Stretch theirs = other.line();
      if (theirs.length() <= kAway) continue;
      sum += kOver * theirs.inside(label);
      if (led && line.crosses(theirs)) sum += kCross;
    }
    return sum;
  }

  Box area_;
  std::vector<Box> taken_;
  std::vector<Stretch> lines_;
  std::vector<Label> labels_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_PLACING_H_
