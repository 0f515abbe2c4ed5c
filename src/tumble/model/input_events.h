// Changes of a model that are scheduled for given times. The file of `tumble run --inputs` contains them
// (scene/inputs.h reads it), or a program creates them. Pass them to a run in simulate::SimulationOptions.
//   InputEvents events;
//   events.set(1.5, "ice.friction", 0.02);
//   events.pull(2, "hand", {.to = {1, 2, 0}, .stiffness = 500, .damping = 20});
//   events.release(3, "hand");
// An event takes effect at the first step that begins at its time or later. Events with equal times take
// effect in the order in which they were added. Events before the start of the run take effect at the start.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tumble/model/live_model.h"

namespace tumble::model {

/// The position of an event in its file. 0: the event is not from a file.
struct EventLine {
  int line = 0, column = 0;
};

class InputEvents {
 public:
  /// `file`: the name of the file of the events, for messages.
  explicit InputEvents(std::string file = {}) : file_(std::move(file)) {}

  /// Sets an attribute. Address and value (SI units) are those of LiveModel::set. Inputs on a body are
  /// allowed if it is not fixed.
  void set(double time, std::string_view address, std::span<const double> value, const EventLine& line = {});
  void set(double time, std::string_view address, double value) { set(time, address, std::span(&value, 1)); }
  void set(double time, std::string_view address, const Vec3& value) {
    set(time, address, std::span(value.data(), 3));
  }
  /// Attaches a spring and damper to a point of a body: `at`, `to`, `stiffness` and `damping` of the Push. It
  /// replaces the previous spring of this body.
  void pull(double time, std::string_view body, const Push& pull, const EventLine& line = {});
  /// Removes the spring. A force or torque of the Push remains.
  void release(double time, std::string_view body, const EventLine& line = {});

  size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  double time(size_t event) const { return events_[event].time; }  // s
  /// "FILE:LINE", "FILE:LINE:COLUMN" or nothing, for messages.
  core::Place place(size_t event) const;
  /// The indices of the events, sorted by time.
  std::vector<uint32_t> in_order() const;
  /// A hash of everything that determines the effect of the events.
  uint64_t hash() const;

  /// Validates all events. Returns an error for each unknown name, each attribute that cannot change, and
  /// each value that is not allowed.
  core::Diagnostics find_faults(const Model& model) const;
  /// The bodies with a force, torque or spring. LiveOptions::pushed of a run must contain them. The events
  /// must be valid.
  std::vector<BodyId> find_pushed(const Model& model) const;
  /// Resolves the addresses. The events must be valid, and LiveOptions::pushed of `live` must contain
  /// find_pushed().
  std::vector<LiveModel::Place> find_places(const LiveModel& live) const;
  /// Appends the changes of an event to `changes`. `places` is the result of find_places().
  void list_changes(size_t event, const std::vector<LiveModel::Place>& places,
                    std::vector<LiveModel::NewValue>& changes) const;

 private:
  /// One attribute that an event sets.
  struct Part {
    uint32_t address = 0;  // index into addresses_
    uint32_t count = 0;    // how many numbers
    size_t first = 0;      // index of the first of them in numbers_
  };
  struct Event {
    double time = 0;              // s
    size_t first = 0, count = 0;  // range in parts_
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
