// SPDX-License-Identifier: Apache-2.0
// The engine's event list by hand. Reads a script of lines from standard input and answers on standard
// output, for test_event_list.py:
//   push TIME SUBJECT
//   due END      answers "none", or "TIME SUBJECT" of the first event, which stays
//   pop
//   replace TIME
#include <iostream>
#include <stdexcept>
#include <string>

#include "engine/event_queue.h"

using ecnomy::Time;
using ecnomy::engine::EventKind;
using ecnomy::engine::EventQueue;

namespace {

void answer(EventQueue& events, Time end) {
  if (!events.due(end)) {
    std::cout << "none\n";
    return;
  }
  std::cout << events.top().time << ' ' << events.top().subject << '\n';
}

int run() {
  std::ios::sync_with_stdio(false);
  EventQueue events;
  events.reserve(16);
  Time time = 0;
  std::uint32_t subject = 0;
  for (std::string word; std::cin >> word;) {
    if (word == "push" && std::cin >> time >> subject) {
      events.push(time, EventKind::application, subject);
    } else if (word == "due" && std::cin >> time) {
      answer(events, time);
    } else if (word == "replace" && std::cin >> time) {
      events.replace_top(time);
    } else if (word == "pop") {
      events.pop();
    } else {
      return 2;
    }
  }
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::overflow_error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
