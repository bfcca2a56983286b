// SPDX-License-Identifier: Apache-2.0
// The common part of the engines' programs: options, the file of the plan, and exit statuses.
#ifndef ECNOMY_HOST_PROGRAM_H_
#define ECNOMY_HOST_PROGRAM_H_

#include <fstream>
#include <initializer_list>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/plan.h"

namespace ecnomy {

class BadUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if the machine lacks a privilege or something else that the run needs.
class BadMachine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Options = std::map<std::string, std::string>;

// Returns the options after the verb, each with its value. Throws BadUsage.
inline Options parse_options(int argc, char** argv, std::initializer_list<std::string_view> known) {
  Options options;
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    bool found = false;
    for (const std::string_view one : known) found = found || one == name;
    if (!found) throw BadUsage("unknown option '" + name + "'");
    if (i + 1 == argc) throw BadUsage(name + " needs a value");
    options[name] = argv[i + 1];
  }
  return options;
}

// Returns the plan in the file named by --plan. Throws BadUsage or BadPlan.
inline Plan plan_of(const Options& options) {
  const auto path = options.find("--plan");
  if (path == options.end()) throw BadUsage("--plan is missing");
  std::ifstream file(path->second, std::ios::binary);
  if (!file) throw BadPlan("plan: cannot read " + path->second);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_plan(text.str());
}

// Returns the exit status: that of `command`, 2 if the command line, the plan or the machine is unsuitable, or 1 if the
// command failed.
template <class Command>
int status_of(const char* program, const char* usage, Command&& command) {
  const auto say = [&](const std::exception& error) -> std::ostream& {
    return std::cerr << program << ": " << error.what() << "\n";
  };
  try {
    return command();
  } catch (const BadUsage& error) {
    say(error) << usage << "\n";
    return 2;
  } catch (const BadPlan& error) {
    say(error);
    return 2;
  } catch (const BadMachine& error) {
    say(error);
    return 2;
  } catch (const std::exception& error) {
    say(error);
    return 1;
  }
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_PROGRAM_H_
