// SPDX-License-Identifier: LGPL-3.0-or-later
// Watches that compute their text when it is displayed. A module makes them while it initializes, and owns them, as
// with WATCH.
#ifndef ECNOMY_INET_RESULTS_WATCHING_H_
#define ECNOMY_INET_RESULTS_WATCHING_H_

#include <omnetpp.h>

#include <functional>
#include <string>
#include <utility>

namespace ecnomy::omnet {

class Watching : public omnetpp::cWatchBase {
 public:
  Watching(const char* name, std::function<std::string()> look)
      : cWatchBase(name), look_(std::move(look)) {}
  const char* getClassName() const override { return "text"; }
  bool supportsAssignment() const override { return false; }
  std::string str() const override { return look_(); }

 private:
  std::function<std::string()> look_;
};

// A watch with several lines.
class WatchingMany : public omnetpp::cStdVectorWatcherBase {
 public:
  WatchingMany(const char* name, std::function<int()> count, std::function<std::string(int)> look)
      : cStdVectorWatcherBase(name), count_(std::move(count)), look_(std::move(look)) {}
  const char* getClassName() const override { return "texts"; }
  const char* getElemTypeName() const override { return "text"; }
  int size() const override { return count_(); }
  std::string at(int index) const override { return look_(index); }

 private:
  std::function<int()> count_;
  std::function<std::string(int)> look_;
};

inline void watch(const char* name, std::function<std::string()> look) {
  new Watching(name, std::move(look));
}
inline void watchEach(const char* name, std::function<int()> count,
                      std::function<std::string(int)> look) {
  new WatchingMany(name, std::move(count), std::move(look));
}

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_WATCHING_H_
