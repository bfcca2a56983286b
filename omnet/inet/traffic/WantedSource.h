// SPDX-License-Identifier: LGPL-3.0-or-later
// The source that a sink expects, by index or name. This is a check: addresses and ports determine the source.
#ifndef ECNOMY_INET_TRAFFIC_WANTEDSOURCE_H_
#define ECNOMY_INET_TRAFFIC_WANTEDSOURCE_H_

#include <omnetpp.h>

#include <string>

#include "host/plan.h"

namespace ecnomy::omnet {

class WantedSource {
 public:
  // Reads the parameters `sourceIndex` and `sourceName` of a sink. -1 and "" mean any source.
  explicit WantedSource(const omnetpp::cComponent* sink)
      : index_(static_cast<int>(sink->par("sourceIndex").intValue())),
        name_(sink->par("sourceName").stdstringValue()) {}

  bool is(int index, const SourcePlan& source) const {
    return (index_ < 0 || index_ == index) && (name_.empty() || name_ == source.name);
  }

  // Returns a text such as " of index 2 called gold", or "" if any source is expected.
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
