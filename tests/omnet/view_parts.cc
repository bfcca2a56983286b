// SPDX-License-Identifier: LGPL-3.0-or-later
// The parts of omnet/inet/view that need no OMNeT++, for test_market_view.py: commands from stdin, answers to stdout.
//
//   words X                        X as a number, as bit/s and as a share
//   area X Y W H                   labels stay in it; nothing is there yet
//   keep X Y W H                   something is there already
//   line X1 Y1 X2 Y2               a line is there already
//   beside X1 Y1 X2 Y2 W H         a label of this size for a line. At the end: where it goes, X Y W H, and its
//                                  leader: X1 Y1 X2 Y2
//   near X Y W H W H               the same for a node
//   colour LOAD MARKED DROPPED WAITING   of a link's line
//   show T_PS MARKS JSON           the market's news at that time, and the marks that its first link has set:
//                                  rates of its sources, links, agents, payments, the span, news
//   whom LINK ...                  who is paid for marks of such a path, and who for fees, as shown last
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "view/Placing.h"
#include "view/Shown.h"
#include "view/Style.h"
#include "view/Words.h"

using namespace ecnomy::omnet;

// Also nan, which streams do not read.
static double coordinate(std::istream& in) {
  std::string word;
  in >> word;
  return std::stod(word);
}

static Box box(std::istream& in) {
  Box box;
  for (double* one : {&box.x, &box.y, &box.width, &box.height}) *one = coordinate(in);
  return box;
}

static Stretch stretch(std::istream& in) {
  Stretch line;
  for (double* one : {&line.x1, &line.y1, &line.x2, &line.y2}) *one = coordinate(in);
  return line;
}

int main() {
  Placing placing({-1e6, -1e6, 2e6, 2e6});
  Shown shown;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (what == "words") {
      double value = 0;
      in >> value;
      std::cout << number(value) << '|' << bits_per_second(value) << '|' << percent(value) << '\n';
    } else if (what == "keep") {
      placing.keep(box(in));
    } else if (what == "area") {
      placing = Placing(box(in));
    } else if (what == "line") {
      placing.keep(stretch(in));
    } else if (what == "beside" || what == "near") {
      const About about = what == "near" ? About{true, box(in), {}} : About{false, {}, stretch(in)};
      double width = 0, height = 0;
      in >> width >> height;
      placing.add(about, width, height);
    } else if (what == "colour") {
      LinkReading link;
      in >> link.load >> link.marked >> link.dropped >> link.waiting;
      std::cout << lineColour(link) << ' ' << congested(link) << '\n';
    } else if (what == "whom") {
      std::vector<std::int32_t> path;
      for (std::int32_t link = 0; in >> link;) path.push_back(link);
      std::cout << shown.payee(path) << '|' << shown.seller() << '\n';
    } else {
      ecnomy::Time t = 0;
      std::int64_t marks = 0;
      std::string json;
      in >> t >> marks;
      std::getline(in, json);
      shown.read(json, t, {marks});
      for (const SourceShown& one : shown.sources()) {
        std::cout << one.marks_per_s << ' ' << one.fees_per_s << ' ';
      }
      for (const LinkShown& one : shown.links()) std::cout << one.earns_per_s << ' ';
      for (const AgentShown& one : shown.agents()) std::cout << one.per_s << ' ';
      for (const PaymentShown& one : shown.payments()) std::cout << one.per_s << ' ';
      std::cout << shown.span_s() << ' ' << shown.news().size() << '\n';
    }
  }
  for (const auto& [at, to] : placing.places()) {
    std::cout << at.x << ' ' << at.y << ' ' << at.width << ' ' << at.height << ' ' << to.x1 << ' '
              << to.y1 << ' ' << to.x2 << ' ' << to.y2 << '\n';
  }
}
