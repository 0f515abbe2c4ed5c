#include "tumble/model/input_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tumble/core/hash.h"
#include "tumble/core/require.h"

namespace tumble::model {

namespace {

constexpr size_t kMostEvents = std::numeric_limits<uint32_t>::max();  // an index has 32 bits
constexpr size_t kMostEventFaults = 100;                              // the list of errors ends here

template <class T>
uint64_t hash_value(const T& value, uint64_t hash) {
  return core::hash_bytes({reinterpret_cast<const char*>(&value), sizeof value}, hash);
}

// Collects the first kMostEventFaults errors, each with the place of its event.
class EventFaults {
 public:
  explicit EventFaults(const InputEvents& events) : events_(events) {}

  void add(size_t event, const std::string& message) {
    if (++count_ <= kMostEventFaults) list_.push_back(core::error_at(events_.place(event), message));
  }
  core::Diagnostics take() {
    std::stable_sort(list_.begin(), list_.end(), [](const core::Diagnostic& a, const core::Diagnostic& b) {
      return a.place.line < b.place.line;
    });
    if (count_ > kMostEventFaults)
      list_.push_back(core::error_at(
          {list_[0].place.file},
          "and " + std::to_string(count_ - kMostEventFaults) + " more faults; correct these first"));
    return std::move(list_);
  }

 private:
  const InputEvents& events_;
  core::Diagnostics list_;
  size_t count_ = 0;
};

}  // namespace

void InputEvents::begin_event(double time, const EventLine& line) {
  TUMBLE_REQUIRE(std::isfinite(time), "an event has a finite time");
  TUMBLE_REQUIRE(events_.size() < kMostEvents, "there are too many events");
  events_.push_back({time, parts_.size(), 0, line});
}

void InputEvents::add_part(std::string_view address, std::span<const double> value) {
  key_.assign(address);
  const auto [known, is_new] = address_numbers_.try_emplace(key_, static_cast<uint32_t>(addresses_.size()));
  if (is_new) addresses_.push_back(key_);
  parts_.push_back({known->second, static_cast<uint32_t>(value.size()), numbers_.size()});
  numbers_.insert(numbers_.end(), value.begin(), value.end());
  ++events_.back().count;
}

void InputEvents::set(double time, std::string_view address, std::span<const double> value,
                      const EventLine& line) {
  begin_event(time, line);
  add_part(address, value);
}

void InputEvents::pull(double time, std::string_view body, const Push& pull, const EventLine& line) {
  begin_event(time, line);
  const std::string name = "body:" + std::string(body) + ".pull.";
  add_part(name + "at", std::span(pull.at.data(), 3));
  add_part(name + "to", std::span(pull.to.data(), 3));
  add_part(name + "stiffness", std::span(&pull.stiffness, 1));
  add_part(name + "damping", std::span(&pull.damping, 1));
}

void InputEvents::release(double time, std::string_view body, const EventLine& line) {
  begin_event(time, line);
  const std::string name = "body:" + std::string(body) + ".pull.";
  const double none = 0;
  add_part(name + "stiffness", std::span(&none, 1));
  add_part(name + "damping", std::span(&none, 1));
}

core::Place InputEvents::place(size_t event) const {
  core::Place place{file_};
  place.line = events_[event].line.line;
  place.column = events_[event].line.column;
  return place;
}

std::vector<uint32_t> InputEvents::in_order() const {
  std::vector<uint32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return events_[a].time < events_[b].time; });
  return order;
}

uint64_t InputEvents::hash() const {
  uint64_t hash = core::kHashStart;
  for (const Event& event : events_) {
    hash = hash_value(event.time, hash);
    hash = hash_value(event.count, hash);
    for (size_t p = event.first; p < event.first + event.count; ++p) {
      hash = core::hash_bytes(addresses_[parts_[p].address], hash);
      hash = hash_value(parts_[p].count, hash);
      for (size_t i = 0; i < parts_[p].count; ++i) hash = hash_value(numbers_[parts_[p].first + i], hash);
    }
  }
  return hash;
}

core::Diagnostics InputEvents::find_faults(const Model& model) const {
  const LiveModel live(model, {.push_all = true});
  std::vector<LiveModel::Place> places(addresses_.size());
  std::vector<std::string> unknown(addresses_.size());  // error message of an unknown address
  for (size_t i = 0; i < addresses_.size(); ++i)
    if (const core::Expected<LiveModel::Place> place = live.find(addresses_[i]))
      places[i] = *place;
    else
      unknown[i] = place.diagnostics().front().message;

  EventFaults faults(*this);
  std::vector<LiveModel::NewValue> changes;
  std::vector<uint32_t> event_of;  // index of the event of each change
  changes.reserve(parts_.size());
  event_of.reserve(parts_.size());
  for (const uint32_t event : in_order()) {
    const size_t first = events_[event].first, end = first + events_[event].count;
    const auto bad = std::find_if(parts_.begin() + static_cast<std::ptrdiff_t>(first),
                                  parts_.begin() + static_cast<std::ptrdiff_t>(end),
                                  [&](const Part& part) { return !unknown[part.address].empty(); });
    if (bad - parts_.begin() < static_cast<std::ptrdiff_t>(end)) {
      faults.add(event, unknown[bad->address]);
      continue;
    }
    list_changes(event, places, changes);
    event_of.resize(changes.size(), event);
  }
  live.try_all(changes, [&](size_t number, const std::string& why) { faults.add(event_of[number], why); });
  return faults.take();
}

std::vector<BodyId> InputEvents::find_pushed(const Model& model) const {
  const LiveModel live(model, {.push_all = true});
  std::vector<BodyId> bodies;
  for (const LiveModel::Place& place : find_places(live))
    if (place.target.kind == LiveKind::body) bodies.emplace_back(place.target.index);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

std::vector<LiveModel::Place> InputEvents::find_places(const LiveModel& live) const {
  std::vector<LiveModel::Place> places;
  places.reserve(addresses_.size());
  for (const std::string& address : addresses_) places.push_back(live.find(address).value());
  return places;
}

void InputEvents::list_changes(size_t event, const std::vector<LiveModel::Place>& places,
                               std::vector<LiveModel::NewValue>& changes) const {
  for (size_t p = events_[event].first; p < events_[event].first + events_[event].count; ++p)
    changes.push_back(
        {&places[parts_[p].address], std::span(numbers_.data() + parts_[p].first, parts_[p].count)});
}

}  // namespace tumble::model
