// SPDX-License-Identifier: LGPL-3.0-or-later
// Whose packets a sink expects, by the source's index or name: a check, for addresses and ports decide.
#ifndef ECNOMY_INET_TRAFFIC_WANTEDSOURCE_H_
#define ECNOMY_INET_TRAFFIC_WANTEDSOURCE_H_

#include <omnetpp.h>

#include <string>

#include "host/plan.h"

namespace ecnomy::omnet {

class WantedSource {
 public:
  // By the parameters `sourceIndex` and `sourceName` of a sink; -1 and "" are any.
  explicit WantedSource(const omnetpp::cComponent* sink)
      : index_(static_cast<int>(sink->par("sourceIndex").intValue())),
        name_(sink->par("sourceName").stdstringValue()) {}

  bool is(int index, const SourcePlan& source) const {
    return (index_ < 0 || index_ == index) && (name_.empty() || name_ == source.name);
  }

  // " of index 2 called gold", "" where any will do.
  std::string words() const {
    return (index_ < 0 ? "" : " of index " + std::to_string(index_)) +
           (name_.empty() ? "" : " called " + name_);
  }

 private:
  int index_;
  std::string name_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_WANTEDSOURCE_H_
