// SPDX-License-Identifier: Apache-2.0
// A web user as a state machine over the law `web`, with two optional parts (andreassen2002 section 2.2.2,
// Fig. 3; GenSyn):
//
//   sessions   idle for an exponential time of mean idle_mean_s, then a session of a geometric number of
//              pages (mean pages_mean, at least 1) with a reading time after each page, and so on. The user
//              begins with an idle time. The first page of a session follows the idle time at once.
//   page       a page is one file, a time to parse it (exponential, mean parse_mean_s), then a geometric
//              number of embedded objects (0 or more, mean objects_mean), one after another, with their own
//              size distribution. If the user gives up a fetch, the rest of its page is given up as well.
//
// Without these parts the user reads and fetches one file in turn.
//
// The draws have this order. Before a page: the reading time of the previous page (with sessions, no reading time
// before the first page), and at the beginning of a session the idle time and the number of its pages. After a page:
// the number of its objects (no draw if the mean is 0) and the time to parse. Sizes are drawn when files are requested.
#ifndef ECNOMY_LAWS_TRAFFIC_WEB_USER_H_
#define ECNOMY_LAWS_TRAFFIC_WEB_USER_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "../parameter.h"
#include "../random/inversion.h"
#include "sizes.h"
#include "traffic.h"

namespace ecnomy {

class Sessions {
 public:
  static constexpr const char* kName = "sessions";
  static constexpr About kAbout{
      "Sessions of a web user: idle times and sessions of several pages in turn.",
      "andreassen2002 section 2.2.2, Fig. 3"};
  static constexpr Parameter kParameters[] = {
      {"idle_mean_s", "s", 1800, 1e-6, 2e5, "",
       "Mean idle time between sessions, exponentially distributed."},
      {"pages_mean", "pages", NAN, 1, 1e6, "",
       "Mean number of pages per session, geometrically distributed."},
  };

  explicit Sessions(const double* values) {
    check_parameters(this, values);
    idle_mean_ps_ = values[0] * kPsPerSecond;
    pages_mean_ = values[1];
  }

  template <class Uniform>
  Time idle(Uniform&& uniform) const noexcept {
    return drawn(exponential(idle_mean_ps_, uniform()));
  }
  template <class Uniform>
  std::int32_t pages(Uniform&& uniform) const noexcept {
    return static_cast<std::int32_t>(geometric(pages_mean_, uniform()));  // at most 37 means
  }

 private:
  double idle_mean_ps_, pages_mean_;
};

class Page {
 public:
  static constexpr const char* kName = "page";
  static constexpr About kAbout{
      "Pages of a web user: a file, a time to parse it, then its embedded objects.",
      "andreassen2002 section 2.2.2, Fig. 3"};
  static constexpr Parameter kParameters[] = {
      {"parse_mean_s", "s", 0.1, 0, 2e5, "",
       "Mean time to parse a page before its objects are fetched, exponentially distributed."},
      {"objects_mean", "objects", NAN, 0, 1e6, "",
       "Mean number of objects per page besides its file, geometrically distributed."},
      {"size", "choice", 1, 0, 2, "fixed,exponential,pareto", "Distribution of object sizes."},
      {"size_mean_bytes", "bytes", 8000, 1, 1e12, "", "Mean of fixed and exponential sizes."},
      {"size_min_bytes", "bytes", 1, 1, 1e12, "",
       "Minimum size of the truncated Pareto distribution."},
      {"size_max_bytes", "bytes", 5e6, 1, 1e12, "",
       "Maximum size of the truncated Pareto distribution."},
      {"size_shape", "", 1.2, 1e-3, 1e3, "",
       "Shape of the Pareto distribution of sizes; a smaller shape has a heavier tail."},
  };

  explicit Page(const double* values) : sizes_(kName, checked(values) + 2) {
    parse_mean_ps_ = values[0] * kPsPerSecond;
    objects_mean_ = values[1];
  }

  template <class Uniform>
  std::int32_t objects(Uniform&& uniform) const noexcept {
    if (!(objects_mean_ > 0)) return 0;
    return static_cast<std::int32_t>(geometric(objects_mean_ + 1, uniform()) - 1);
  }
  template <class Uniform>
  Time parsing(Uniform&& uniform) const noexcept {
    return drawn(exponential(parse_mean_ps_, uniform()));
  }
  template <class Uniform>
  std::int64_t object_bytes(Uniform&& uniform) const noexcept {
    return sizes_.draw(uniform);
  }

 private:
  static const double* checked(const double* values) {
    check_parameters<Page>(values);
    return values;
  }

  SizeLaw sizes_;
  double parse_mean_ps_, objects_mean_;
};

// Parameters that the users of one source share.
struct WebTraffic {
  Web web;
  std::optional<Sessions> sessions;
  std::optional<Page> page;
};

class WebUser {
 public:
  // The traffic must outlive it.
  explicit WebUser(const WebTraffic* traffic) noexcept : traffic_(traffic) {}

  // Time before the next file.
  template <class Uniform>
  Time pause(Uniform&& uniform) noexcept {
    Time parsing = 0;
    if (std::exchange(page_is_there_, false)) {
      objects_ = traffic_->page->objects(uniform);
      parsing = traffic_->page->parsing(uniform);
    }
    object_ = objects_ > 0;
    if (object_) {
      --objects_;
      return parsing;
    }
    page_is_there_ = traffic_->page.has_value();
    return later(parsing, before_page(uniform));
  }

  template <class Uniform>
  std::int64_t file_bytes(Uniform&& uniform, std::int32_t) noexcept {
    return object_ ? traffic_->page->object_bytes(uniform) : traffic_->web.file_bytes(uniform);
  }

  // Ends the page, because the last requested file was not fetched completely or was not fetched at all.
  void give_up() noexcept {
    page_is_there_ = false;
    objects_ = 0;
  }

  Time patience() const noexcept { return traffic_->web.patience(); }
  bool lasting() const noexcept { return traffic_->web.lasting(); }

 private:
  template <class Uniform>
  Time before_page(Uniform&& uniform) noexcept {
    const std::optional<Sessions>& sessions = traffic_->sessions;
    if (!sessions) return traffic_->web.reading(uniform);
    const Time reading = std::exchange(read_, true) ? traffic_->web.reading(uniform) : 0;
    if (pages_ > 0) {
      --pages_;
      return reading;
    }
    const Time idle = sessions->idle(uniform);
    pages_ = sessions->pages(uniform) - 1;
    return later(reading, idle);
  }

  const WebTraffic* traffic_;
  std::int32_t pages_ = 0;      // remaining pages of the session
  std::int32_t objects_ = 0;    // remaining objects of the page
  bool object_ = false;         // the last requested file is an object, not a page
  bool page_is_there_ = false;  // the last requested file is a page, with objects not drawn yet
  bool read_ = false;           // a page has been requested before
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_WEB_USER_H_
