// SPDX-License-Identifier: LGPL-3.0-or-later
// What of omnet/inet/view needs no OMNeT++, for test_market_view.py: commands from stdin, answers to stdout.
//
//   words X                        X as a number, as bit/s and as a share
//   keep X Y W H                   something is there already
//   beside X1 Y1 X2 Y2 W H         where a label of this size goes: X Y W H
//   show T_PS JSON                 what the market says at that time: rates of its sources, agents, news
#include <iostream>
#include <sstream>
#include <string>

#include "view/Placing.h"
#include "view/Shown.h"
#include "view/Words.h"

int main() {
  using namespace ecnomy::omnet;
  Placing placing;
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
      Box box;
      in >> box.x >> box.y >> box.width >> box.height;
      placing.keep(box);
    } else if (what == "beside") {
      Stretch stretch{};
      double width = 0, height = 0;
      in >> stretch.x1 >> stretch.y1 >> stretch.x2 >> stretch.y2 >> width >> height;
      const Box box = placing.beside(stretch, width, height);
      std::cout << box.x << ' ' << box.y << ' ' << box.width << ' ' << box.height << '\n';
    } else {
      ecnomy::Time t = 0;
      std::string json;
      in >> t;
      std::getline(in, json);
      shown.read(json, t);
      for (const SourceShown& one : shown.sources()) {
        std::cout << one.marks_per_s << ' ' << one.fees_per_s << ' ';
      }
      for (const AgentShown& one : shown.agents()) std::cout << one.per_s << ' ';
      std::cout << shown.span_s() << ' ' << shown.news().size() << '\n';
    }
  }
}
