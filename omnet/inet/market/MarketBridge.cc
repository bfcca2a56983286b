// SPDX-License-Identifier: LGPL-3.0-or-later
#include "market/MarketBridge.h"

#include <algorithm>
#include <chrono>
#include <climits>

#include "host/cpu_time.h"
#include "host/plan_text.h"
#include "host/row_states.h"
#include "inet/common/InitStages.h"
#include "parameters/OwnLaws.h"

namespace ecnomy::omnet {

using omnetpp::cMessage;
using omnetpp::cRuntimeError;

Define_Module(MarketBridge);

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLookNs = kSecondNs / 5;
constexpr std::int64_t kPatienceNs = 5 * kSecondNs;  // maximum wait after a request to stop

std::int64_t wallNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Connects to the market at an address. If no market answers, the error explains how to start one.
bridge::Client reach(const std::string& address) {
  try {
    return bridge::Client::connect(address);
  } catch (const bridge::ProtocolError& error) {
    if (error.name() != "hung-up") throw;
    throw cRuntimeError(
        "%s. Start the market first, in another terminal: ecnomy serve SCENARIO.yaml --listen %s "
        "(SCENARIO.yaml describes this network); or choose a configuration without a "
        "market",
        error.detail().c_str(), address.c_str());
  }
}

}  // namespace

MarketBridge::~MarketBridge() {
  for (cMessage* message : {boundary_, sample_, look_}) cancelAndDelete(message);
}

void MarketBridge::initialize(int stage) {
  if (stage == inet::INITSTAGE_LOCAL) {
    readParameters();
    boundary_ = new cMessage("report");
    boundary_->setSchedulingPriority(SHRT_MIN);
    scheduleAt(SIMTIME_ZERO, boundary_);
  } else if (stage == inet::INITSTAGE_PHYSICAL_ENVIRONMENT) {
    openBooks();
  }
}

void MarketBridge::handleMessage(cMessage* message) {
  try {
    if (message == sample_) {
      const std::vector<LinkState> links = linkStates();
      if (client_) recorder_->sample(accounts_, links, states(), now());
      recorder_->flush_if_many();
      sampleFigures();
      scheduleAfter(simtime(plan_.record.every_ps), sample_);
    } else if (message == look_) {
      lookUp();
    } else if (now() == 0) {
      begin();
    } else {
      boundary();
    }
  } catch (const bridge::ProtocolError& error) {
    throw cRuntimeError("the market: %s", error.what());
  } catch (const bridge::PeerError& error) {
    throw cRuntimeError("the market: %s", error.what());
  } catch (const BadParameter& error) {
    if (client_) client_->error(error.what());
    throw cRuntimeError("%s", error.what());
  }
}

// Called before any other event of the run.
void MarketBridge::begin() {
  connect();
  recorder_ = std::make_unique<Recorder>(plan_, client_.get());
  tally_ = std::make_unique<Tally>(plan_);
  classTally_ = std::make_unique<ClassTally>(plan_);
  if (client_ && plan_.record.classes_every > 0) accounts_.classes = classTally_.get();
  accounts_.trace = recorder_->trace();
  cpuBefore_s_ = cpu_s();
  if (plan_.warmup == 0) beginTally();
  exchange();
  sampleFigures();
  if (plan_.record.every_ps > 0) {
    sample_ = new cMessage("sample");
    scheduleAt(SIMTIME_ZERO, sample_);
  }
  if (client_) {
    look_ = new cMessage("look up");
    lookedNs_ = wallNs();
    scheduleAfter(simtime(lookEvery_), look_);
  }
  scheduleBoundary();
}

void MarketBridge::connect() {
  const std::string address = par("connect").stdstringValue();
  const int socket = static_cast<int>(par("socket").intValue());
  if (socket >= 0) {
    client_ = std::make_unique<bridge::Client>(socket);
  } else if (!address.empty()) {
    client_ = std::make_unique<bridge::Client>(reach(address));
  } else {
    return;
  }
  client_->set_limits(limits_of(plan_));
  client_->set_wait_hook([this] { return keepWaiting(); });
  client_->handshake({"omnet", ECNOMY_VERSION, "", plan_.seed, par("token").stdstringValue(),
                      listener_ != nullptr, plan_text(plan_, findLaw)});
}

void MarketBridge::scheduleBoundary() {
  const Time at = now();
  Time next = std::min((at / plan_.epoch + 1) * plan_.epoch, plan_.duration);
  if (plan_.warmup > at) next = std::min(next, plan_.warmup);
  scheduleAt(simtime(next), boundary_);
}

void MarketBridge::boundary() {
  const Time at = now();
  const bool last = at >= plan_.duration;
  for (const Source& source : sources_) source.host->settleCalls(last);
  linkStates();
  if (plan_.record.every_ps <= 0 || last || at == plan_.warmup) sampleFigures();
  recorder_->flush();
  if (accounts_.tally) tally_->tell_counts(*client_, at);
  if (accounts_.classes) classTally_->tell(*client_, at);
  if (at == plan_.warmup) beginTally();
  ++epoch_;
  exchange();
  if (last) return end();
  scheduleBoundary();
}

// Takes at most one sample per time, since a report and the series' period may coincide.
void MarketBridge::sampleFigures() {
  const Time at = now();
  if (at == sampledAt_) return;
  const Sample sample{std::max<Time>(sampledAt_, 0), at, plan_.warmup};
  sampledAt_ = at;
  for (ISampled* one : sampled_) one->sample(sample);
}

void MarketBridge::end() {
  recorder_->flush();
  if (accounts_.tally) tally_->tell_histograms(*client_);
  if (client_) {
    bridge::Finish finish;
    finish.t_ps = plan_.duration;
    finish.events = static_cast<std::int64_t>(omnetpp::getSimulation()->getEventNumber());
    for (const FlowStats& flow : accounts_.flows) finish.data_packets += flow.delivered;
    for (const LinkState& link : linkStates()) finish.packet_hops += link.stats.departures;
    finish.cpu_s = cpu_s() - cpuBefore_s_;
    client_->finish(finish);
  }
  client_.reset();
  endSimulation();
}

void MarketBridge::beginTally() {
  if (client_ && tally_->wanted()) accounts_.tally = tally_.get();
}

void MarketBridge::exchange() {
  if (!client_) return holdWeights();
  tellHand();
  for (IMarkingLink* link : links_) link->tellInFlight();
  exchangeBeganNs_ = wallNs();
  waited_s_ = 0;
  const bridge::Decide decide = recorder_->report(accounts_, linkStates(), states(), now(), epoch_);
  if (listener_) listener_(client_->shown(), now());
  aliveNs_ = wallNs();
  stopRequestedNs_ = exchangeBeganNs_ = 0;
  if (now() >= plan_.duration) return;
  hand_out(
      decide, recorder_->rows(),
      [&](std::size_t link, const auto& values) { links_[link]->reconfigure(values); },
      [&](std::size_t flow, const FlowOrder& order) { give(flow, order); });
  holdWeights();
}

std::vector<FlowState> MarketBridge::states() const {
  std::size_t source = 0;
  return merge_states(recorder_->rows(), [&](std::size_t flow) {
    const int index = static_cast<int>(flow);
    while (source + 1 < sources_.size() && sources_[source + 1].firstFlow <= index) ++source;
    FlowState state = sources_[source].host->state(index - sources_[source].firstFlow);
    state.in_flight = accounts_.flows[flow].under_way();
    return state;
  });
}

std::vector<LinkState> MarketBridge::linkStates() const {
  std::vector<LinkState> out;
  for (IMarkingLink* link : links_) out.push_back(link->state());
  return out;
}

// Called several times per second of wall time. Checks that the market is connected, and sends it an `alive`. The
// interval in simulated time follows the wall clock; nothing else depends on the wall clock.
void MarketBridge::lookUp() {
  if (client_->hung_up()) client_->throw_gone();
  recorder_->flush_if_many();
  const std::int64_t wall = wallNs();
  const std::int64_t gone = std::max<std::int64_t>(wall - lookedNs_, 1);
  const double factor =
      std::clamp(static_cast<double>(kLookNs) / static_cast<double>(gone), 0.5, 2.0);
  lookEvery_ = std::clamp<Time>(static_cast<Time>(static_cast<double>(lookEvery_) * factor),
                                1'000'000, 10'000'000'000'000);
  lookedNs_ = wall;
  if (wall - aliveNs_ >= kSecondNs) {
    aliveNs_ = wall;
    client_->alive(now(), static_cast<std::int64_t>(omnetpp::getSimulation()->getEventNumber()));
  }
  scheduleAfter(simtime(lookEvery_), look_);
}

// Keeps Qtenv's window responsive. A requested stop takes effect after the exchange. If the market does not
// answer within kPatienceNs, the run stops without the answer.
bool MarketBridge::keepWaiting() {
  const bool stop = omnetpp::getEnvir()->idle();
  const std::int64_t wall = wallNs();
  const std::int64_t waited_s = exchangeBeganNs_ > 0 ? (wall - exchangeBeganNs_) / kSecondNs : 0;
  if (waited_s > 0 && waited_s != waited_s_) {
    waited_s_ = waited_s;
    const std::string text = "waiting for the market, " + std::to_string(waited_s) + " s";
    getDisplayString().setTagArg("t", 0, text.c_str());
  }
  if (stop && stopRequestedNs_ == 0) stopRequestedNs_ = wall;
  return stopRequestedNs_ == 0 || wall - stopRequestedNs_ < kPatienceNs;
}

void MarketBridge::refreshDisplay() const {
  const bool connects = par("socket").intValue() >= 0 || !par("connect").stdstringValue().empty();
  const char* peer = client_                  ? "market connected"
                     : connects && epoch_ > 0 ? "the market has ended"
                                              : "no market";
  std::string text = std::string(peer) + ", report " + std::to_string(epoch_);
  getDisplayString().setTagArg("t", 0, text.c_str());
}

}  // namespace ecnomy::omnet
