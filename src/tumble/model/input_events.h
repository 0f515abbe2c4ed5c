// Changes of a model that are planned for given times: what the file of `tumble run --inputs` holds
// (scene/inputs.h reads it), and what a program may plan ahead. simulate::SimulationOptions takes the list.
//   InputEvents events;
//   events.set(1.5, "ice.friction", 0.02);
//   events.pull(2, "hand", {.to = {1, 2, 0}, .stiffness = 500, .damping = 20});
//   events.release(3, "hand");
// An event acts from the first step on that begins at its time or later. Events of equal times act in the
// order in which they were given, those before the start at the start.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tumble/model/live_model.h"

namespace tumble::model {

/// Where an event stands in a file; 0: in none.
struct EventLine {
  int line = 0, column = 0;
};

class InputEvents {
 public:
  /// `file` is what messages call the file of the events.
  explicit InputEvents(std::string file = {}) : file_(std::move(file)) {}

  /// Sets an attribute: address and numbers (SI) as LiveModel::set takes them. A body that is not fixed may
  /// be pushed.
  void set(double time, std::string_view address, std::span<const double> value, const EventLine& line = {});
  void set(double time, std::string_view address, double value) { set(time, address, std::span(&value, 1)); }
  void set(double time, std::string_view address, const Vec3& value) {
    set(time, address, std::span(value.data(), 3));
  }
  /// Pulls a point of a body: `at`, `to`, `stiffness` and `damping` of the push. A pull that acts already is
  /// replaced.
  void pull(double time, std::string_view body, const Push& pull, const EventLine& line = {});
  /// Ends the pull. A force or torque that was set stays.
  void release(double time, std::string_view body, const EventLine& line = {});

  size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  double time(size_t event) const { return events_[event].time; }  // s
  /// "FILE:LINE", "FILE:LINE:COLUMN" or nothing: for messages.
  core::Place place(size_t event) const;
  /// The numbers of the events by time.
  std::vector<uint32_t> in_order() const;
  /// Everything that decides what the events do, as one number.
  uint64_t hash() const;

  /// Why the events cannot be, all of it: names that are not there, attributes that cannot change, values
  /// that are refused.
  core::Diagnostics find_faults(const Model& model) const;
  /// Bodies that are pushed or pulled: LiveOptions::pushed of a run must have them. For events without
  /// faults.
  std::vector<BodyId> find_pushed(const Model& model) const;
  /// Where the addresses lead. For events without faults and a LiveModel that lets find_pushed() be pushed.
  std::vector<LiveModel::Place> find_places(const LiveModel& live) const;
  /// Adds what an event changes; `places` are those of find_places().
  void list_changes(size_t event, const std::vector<LiveModel::Place>& places,
                    std::vector<LiveModel::NewValue>& changes) const;

 private:
  struct Part {            // of an event: one attribute
    uint32_t address = 0;  // in addresses_
    uint32_t count = 0;    // numbers
    size_t first = 0;      // in numbers_
  };
  struct Event {
    double time = 0;              // s
    size_t first = 0, count = 0;  // in parts_
    EventLine line;
  };
  void begin_event(double time, const EventLine& line);
  void add_part(std::string_view address, std::span<const double> value);

  std::string file_;
  std::vector<Event> events_;
  std::vector<Part> parts_;
  std::vector<double> numbers_;
  std::vector<std::string> addresses_;
  std::unordered_map<std::string, uint32_t> address_numbers_;
  std::string key_;  // scratch
};

}  // namespace tumble::model
