// SPDX-License-Identifier: Apache-2.0
// The Python module `ecnomy_laws_testing`: the laws of omnet/laws, for tests only.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "host.h"

namespace nb = nanobind;

namespace ecnomy_testing {

Registry& registry() {
  static Registry instance;
  return instance;
}

namespace {

template <class Host>
std::unique_ptr<Host> make(const std::map<std::string, Entry<Host>>& laws, const std::string& name,
                           const std::vector<double>& values) {
  const auto found = laws.find(name);
  if (found == laws.end()) throw nb::key_error(name.c_str());
  return found->second.make(values);
}

template <class Host>
std::map<std::string, Rows> tables_of(const std::map<std::string, Entry<Host>>& laws) {
  std::map<std::string, Rows> tables;
  for (const auto& [name, entry] : laws) tables[name] = entry.rows;
  return tables;
}

MarkedPacket plain(const Packet& packet) {
  return {std::get<0>(packet), std::get<1>(packet), true, false};
}

void bind_marking(nb::module_& module) {
  nb::class_<Marking>(module, "Marking")
      .def("on_arrival", &Marking::on_arrival)
      .def("on_arrival",
           [](Marking& law, const Queue& queue, const Packet& packet, Ps now, const Draws& draws) {
             return law.on_arrival(queue, plain(packet), now, draws);
           })
      .def("on_departure", &Marking::on_departure)
      .def("on_departure",
           [](Marking& law, const Queue& queue, const Packet& packet, Ps now, const Draws& draws) {
             return law.on_departure(queue, plain(packet), now, draws);
           })
      .def("on_drop", &Marking::on_drop)
      .def("watches_departures", &Marking::watches_departures)
      .def("first_timer", &Marking::first_timer)
      .def("on_timer", &Marking::on_timer)
      .def("probability", &Marking::probability)
      .def("configure", &Marking::configure)
      .def("measure", &Marking::measure);
  module.def("marking", [](const std::string& name, const std::vector<double>& values) {
    return make(registry().marking, name, values);
  });
}

void bind_window(nb::module_& module) {
  nb::class_<WindowLaw>(module, "Window")
      .def("per_mark", &WindowLaw::per_mark)
      .def("recovery", &WindowLaw::recovery)
      .def("on_ack", &WindowLaw::on_ack, nb::arg(), nb::arg(), nb::arg(), nb::arg() = -1.0)
      .def("on_congestion", &WindowLaw::on_congestion)
      .def("on_loss", &WindowLaw::on_loss)
      .def("see", &WindowLaw::see)
      .def("on_timeout", &WindowLaw::on_timeout)
      .def("weight", &WindowLaw::weight)
      .def("set_weight", &WindowLaw::set_weight)
      .def("gain", &WindowLaw::gain)
      .def("set_gain", &WindowLaw::set_gain)
      .def("every_ack", &WindowLaw::every_ack)
      .def("halves", &WindowLaw::halves)
      .def("begin", &WindowLaw::begin)
      .def("on_rtt", &WindowLaw::on_rtt)
      .def("disturb", &WindowLaw::disturb)
      .def("aim", &WindowLaw::aim)
      .def("send_rate", &WindowLaw::send_rate)
      .def("on_sent", &WindowLaw::on_sent)
      .def("on_delivered", &WindowLaw::on_delivered)
      .def("on_lost", &WindowLaw::on_lost);
  module.def("window", [](const std::string& name, const std::vector<double>& values) {
    return make(registry().window, name, values);
  });
  nb::class_<RoundTripHost>(module, "RoundTrip")
      .def("sample", &RoundTripHost::sample)
      .def("known", &RoundTripHost::known)
      .def("min", &RoundTripHost::min)
      .def("mean", &RoundTripHost::mean)
      .def("for_weight", &RoundTripHost::for_weight)
      .def("saturated", &RoundTripHost::saturated);
  module.def("round_trip", [] { return registry().round_trip(); });
  nb::class_<RtoHost>(module, "Rto")
      .def("sample", &RtoHost::sample)
      .def("back_off", &RtoHost::back_off)
      .def("rto", &RtoHost::rto)
      .def("srtt", &RtoHost::srtt);
  module.def("rto", [](Ps initial, Ps min, Ps max) { return registry().rto(initial, min, max); });
}

void bind_traffic(nb::module_& module) {
  nb::class_<Traffic>(module, "Traffic")
      .def("cap_bps", &Traffic::cap_bps)
      .def("lifted_at", &Traffic::lifted_at)
      .def("first", &Traffic::first)
      .def("gap", &Traffic::gap)
      .def("reading", &Traffic::reading)
      .def("file_bytes", &Traffic::file_bytes)
      .def("give_up", &Traffic::give_up)
      .def("payload_bytes", &Traffic::payload_bytes);
  module.def("traffic", [](const std::string& name, const std::vector<double>& values) {
    return make(registry().traffic, name, values);
  });
  module.def("part", [](const std::string& name, const std::vector<double>& values) {
    return make(registry().part, name, values);
  });
  module.def("sizes", [](const std::vector<std::int64_t>& bytes, const std::vector<double>& weights,
                         const Draws& draws) { return registry().sizes(bytes, weights, draws); });
  nb::class_<ProfileHost>(module, "Profile")
      .def("stretch", &ProfileHost::stretch)
      .def("at", &ProfileHost::at)
      .def("next_step", &ProfileHost::next_step)
      .def("on", &ProfileHost::on);
  module.def("profile",
             [](Ps period, const Steps& steps) { return registry().profile(period, steps); });
  module.def("start", [](Ps at, Ps stagger, Ps spread, std::int64_t index, const Draws& draws) {
    return registry().start(at, stagger, spread, index, draws);
  });
}

void bind_scheduling(nb::module_& module) {
  nb::class_<Scheduler>(module, "Scheduler")
      .def("arrive", &Scheduler::arrive)
      .def("join", &Scheduler::join)
      .def("drop", &Scheduler::drop)
      .def("settle", &Scheduler::settle)
      .def("next", &Scheduler::next)
      .def("next", &Scheduler::draw_next)
      .def("classes", &Scheduler::classes)
      .def("projected", &Scheduler::projected)
      .def("idle_since", &Scheduler::idle_since);
  module.def("scheduler", &scheduler, nb::arg("values"), nb::arg("classes"), nb::arg("rate_bps"),
             nb::arg("law") = "class-based");
  module.def("weights",
             [](const std::vector<double>& ratios) { return registry().weights(ratios); });
  module.def("codepoint_class", [](bool ect, bool ce, bool ect_1) {
    return registry().codepoint_class(ect, ce, ect_1);
  });
  module.def("flow_class", [](int flow, std::uint64_t salt, std::size_t queues) {
    return registry().flow_class(flow, salt, queues);
  });
}

void bind_random(nb::module_& module) {
  nb::class_<StreamHost>(module, "Stream")
      .def("next", &StreamHost::next)
      .def("uniform", &StreamHost::uniform);
  module.def("stream", [](std::uint64_t seed, const std::string& name) {
    return registry().stream(seed, name);
  });
  module.def("philox4x32",
             [](Words4 counter, Words2 key) { return registry().philox4x32(counter, key); });
  module.def("fnv1a64", [](const std::string& text) { return registry().fnv1a64(text); });
  module.def("mix64", [](std::uint64_t value) { return registry().mix64(value); });
  module.def("uniform_from_words",
             [](std::uint32_t word) { return registry().uniform_from_words(word); });
}

}  // namespace
}  // namespace ecnomy_testing

NB_MODULE(ecnomy_laws_testing, module) {
  using namespace ecnomy_testing;
  bind_marking(module);
  bind_window(module);
  bind_traffic(module);
  bind_scheduling(module);
  bind_random(module);
  module.def("tables", [] {
    std::map<std::string, std::map<std::string, Rows>> tables;
    tables["marking"] = tables_of(registry().marking);
    tables["window"] = tables_of(registry().window);
    tables["traffic"] = tables_of(registry().traffic);
    tables["part"] = tables_of(registry().part);
    for (const auto& [name, entry] : registry().scheduling) {
      tables["scheduling"][name] = entry.rows;
      tables["service"][entry.service] = entry.classes;
    }
    return tables;
  });
}
