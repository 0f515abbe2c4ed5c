#include "tumble/plot/source.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tumble/core/files.h"
#include "tumble/plot/contact_sums.h"
#include "tumble/plot/csv_table.h"
#include "tumble/plot/parameters.h"
#include "tumble/record/log_columns.h"
#include "tumble/record/text_table.h"

namespace tumble::plot {

namespace {

using Numbers = std::shared_ptr<const std::vector<double>>;

SourceKind kind_of(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (names[0] != "t") return SourceKind::table;
  if (has("h") && has("kinetic") && has("energy")) return SourceKind::log;
  if (has("a") && has("b") && has("jn")) return SourceKind::contacts;
  if (names[1].ends_with(".x")) return SourceKind::frames;
  if (names[1].ends_with(".fx")) return SourceKind::reactions;
  return SourceKind::table;
}

class CsvSource final : public Source {
 public:
  explicit CsvSource(CsvTable table) : table_(std::move(table)), kind_(kind_of(table_.names())) {
    for (size_t i = 1; i < table_.names().size(); ++i) {
      (table_.has_words(i) ? words_ : names_).push_back(table_.names()[i]);
      columns_[table_.names()[i]] = i;
    }
    if (kind_ == SourceKind::contacts) names_.insert(names_.end(), {kContactCount, kContactForce});
  }
  SourceKind kind() const override { return kind_; }
  std::string x_title() const override {
    const std::string& name = table_.names()[0];
    if (name == "t" || name == "t (s)") return "time";
    const std::string unit = x_unit();
    return unit.empty() ? name : name.substr(0, name.size() - unit.size() - 3);
  }
  std::string x_unit() const override {
    const std::string& name = table_.names()[0];
    return name == "t" || name.ends_with(')') ? quantity_of(name).unit : "";
  }
  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<std::string>& words() const override { return words_; }

  core::Expected<std::vector<Series>> read(const std::vector<std::string>& names) const override {
    std::vector<size_t> wanted = {0};
    const bool sums = kind_ == SourceKind::contacts;
    for (const std::string& name : names)
      if (const auto found = columns_.find(name); found != columns_.end()) wanted.push_back(found->second);
    if (sums) wanted.push_back(columns_.at("jn"));
    auto numbers = table_.numbers(wanted);
    if (!numbers) return numbers.diagnostics();
    const auto x = std::make_shared<const std::vector<double>>(std::move((*numbers)[0]));
    ContactSums contacts;
    if (sums)
      for (size_t i = 0; i < x->size(); ++i) contacts.add((*x)[i], numbers->back()[i]);
    std::vector<Series> series;
    size_t next = 1;
    for (const std::string& name : names)
      if (columns_.count(name) > 0)
        series.push_back({name, quantity_of(name), x, std::move((*numbers)[next++]), sums});
      else
        series.push_back(contact_series(contacts, name == kContactCount ? kContactCount : kContactForce));
    return series;
  }

 private:
  CsvTable table_;
  SourceKind kind_;
  std::vector<std::string> names_, words_;
  std::unordered_map<std::string, size_t> columns_;
};

constexpr std::array kContactNumbers = {"x",        "y",       "z",       "nx",       "ny",
                                        "nz",       "gap",     "jn",      "jx",       "jy",
                                        "jz",       "slip",    "patch",   "patch_jx", "patch_jy",
                                        "patch_jz", "patch_x", "patch_y", "patch_z",  "patch_moment"};

void append_contact(const record::FrameContacts& contacts, const record::FrameContacts::Point& point,
                    std::vector<double>& numbers) {
  const record::FrameContacts::Patch& patch = contacts.patches[point.patch];
  const auto add = [&](const math::Vec3& v) { numbers.insert(numbers.end(), v.begin(), v.end()); };
  add(point.point), add(point.normal);
  numbers.insert(numbers.end(), {point.gap, point.normal_impulse});
  add(point.impulse);
  numbers.insert(numbers.end(), {point.slip, static_cast<double>(point.patch + 1)});
  add(patch.impulse), add(patch.center);
  numbers.push_back(patch.moment);
}

class RecordingSource final : public Source {
 public:
  RecordingSource(const record::Recording& recording, const model::Model& model)
      : recording_(recording), model_(model) {
    const auto add = [this](Part part, size_t index, const std::string& name) {
      if (places_.try_emplace(name, Place{part, index}).second) names_.push_back(name);
    };
    const auto log = record::log_columns(recording.force_names(), recording.info().log_bodies);
    if (recording.log_row_count() > 0)
      for (size_t i = 1; i < log.size(); ++i) add(Part::log, i, log[i].name);
    const std::vector<std::string> frames = record::detail::table_columns(model);
    for (size_t i = 1; i < frames.size(); ++i) add(Part::frame, i - 1, frames[i]);
    if (recording.info().reactions)
      for (size_t i = 0; i < recording.joint_names().size(); ++i)
        for (size_t k = 0; k < kReactions.size(); ++k)
          add(Part::reaction, i * kReactions.size() + k, recording.joint_names()[i] + kReactions[k]);
    if (!recording.info().contacts) return;
    for (size_t i = 0; i < kContactNumbers.size(); ++i) add(Part::contact, i, kContactNumbers[i]);
    add(Part::contact_sum, 0, kContactCount);
    add(Part::contact_sum, 1, kContactForce);
  }
  SourceKind kind() const override { return SourceKind::recording; }
  std::string x_title() const override { return "time"; }
  std::string x_unit() const override { return "s"; }
  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<std::string>& words() const override { return words_; }

  core::Expected<std::vector<Series>> read(const std::vector<std::string>& names) const override {
    std::vector<Series> all(names.size());
    std::array<std::vector<Wanted>, 5> wanted;  // of each part
    for (size_t i = 0; i < names.size(); ++i) {
      const Place place = places_.at(names[i]);
      all[i].name = names[i];
      all[i].quantity = quantity_of(names[i]);
      wanted[static_cast<size_t>(place.part)].push_back({place.index, &all[i]});
    }
    const auto of = [&](Part part) -> const std::vector<Wanted>& {
      return wanted[static_cast<size_t>(part)];
    };
    core::Diagnostics faults;
    if (!of(Part::log).empty()) faults = read_log(of(Part::log));
    if (faults.empty() && !of(Part::frame).empty()) faults = read_frames(of(Part::frame));
    if (faults.empty() && !of(Part::reaction).empty()) faults = read_reactions(of(Part::reaction));
    if (faults.empty() && (!of(Part::contact).empty() || !of(Part::contact_sum).empty()))
      faults = read_contacts(of(Part::contact), of(Part::contact_sum));
    if (!faults.empty()) return faults;
    return all;
  }

 private:
  static constexpr std::array kReactions = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz", ".effort"};
  static_assert(kReactions.size() == model::kReactionSize);
  enum class Part { log, frame, reaction, contact, contact_sum };
  struct Place {
    Part part;
    size_t index;
  };
  struct Wanted {
    size_t index;
    Series* series;
  };

  static void finish(const std::vector<Wanted>& wanted, std::vector<double> x) {
    const auto shared = std::make_shared<const std::vector<double>>(std::move(x));
    for (const Wanted& one : wanted) one.series->x = shared;
  }

  core::Diagnostics read_log(const std::vector<Wanted>& wanted) const {
    std::vector<double> t, numbers;
    const size_t count = recording_.log_row_count();
    for (size_t first = 0; first < count; first += kParameters.rows_at_once) {
      const auto rows = recording_.log_rows(first, std::min(kParameters.rows_at_once, count - first));
      if (!rows) return rows.diagnostics();
      for (const record::LogRow& row : *rows) {
        numbers.clear();
        record::append_log_row(row, numbers);
        t.push_back(row.t);
        for (const Wanted& one : wanted) one.series->y.push_back(numbers[one.index]);
      }
    }
    finish(wanted, std::move(t));
    return {};
  }

  core::Diagnostics read_frames(const std::vector<Wanted>& wanted) const {
    std::vector<double> t;
    for (size_t i = 0; i < recording_.frame_count(); ++i) {
      const auto state = recording_.frame(i);
      if (!state) return state.diagnostics();
      t.push_back(state->time);
      for (const Wanted& one : wanted) {
        const model::BodyId body(one.index / model::kBodySize);
        const size_t k = one.index % model::kBodySize;
        // Positions and quaternions are stored, velocities follow from momenta.
        const double value =
            k < 7    ? state->y[one.index]
            : k < 10 ? model::velocity(model_, *state, body)[static_cast<Eigen::Index>(k - 7)]
                     : model::angular_velocity(model_, *state, body)[static_cast<Eigen::Index>(k - 10)];
        one.series->y.push_back(value);
      }
    }
    finish(wanted, std::move(t));
    return {};
  }

  double time_of(size_t frame) const {
    return static_cast<double>(recording_.first_frame() + frame) / recording_.info().fps;
  }

  core::Diagnostics read_reactions(const std::vector<Wanted>& wanted) const {
    std::vector<double> t;
    for (size_t i = 0; i < recording_.frame_count(); ++i) {
      const auto numbers = recording_.reactions(i);
      if (!numbers) return numbers.diagnostics();
      t.push_back(time_of(i));
      for (const Wanted& one : wanted) one.series->y.push_back((*numbers)[one.index]);
    }
    for (const Wanted& one : wanted) {
      if (one.index % kReactions.size() != kReactions.size() - 1) continue;
      const std::string& type = model_.joints().at(one.index / kReactions.size()).type;
      one.series->quantity.unit = type == "slider" || type == "cylindrical" ? "N" : "N m";
    }
    finish(wanted, std::move(t));
    return {};
  }

  core::Diagnostics read_contacts(const std::vector<Wanted>& wanted, const std::vector<Wanted>& sums) const {
    std::vector<double> t, numbers, frames, count, force;
    for (size_t i = 0; i < recording_.frame_count(); ++i) {
      const auto contacts = recording_.contacts(i);
      if (!contacts) return contacts.diagnostics();
      double impulse = 0;
      for (const record::FrameContacts::Point& point : contacts->points) {
        numbers.clear();
        append_contact(*contacts, point, numbers);
        impulse += point.normal_impulse;
        t.push_back(contacts->t);
        for (const Wanted& one : wanted) one.series->y.push_back(numbers[one.index]);
      }
      frames.push_back(time_of(i));
      count.push_back(static_cast<double>(contacts->points.size()));
      force.push_back(impulse * recording_.info().fps);
    }
    for (const Wanted& one : wanted) one.series->separate = true;
    for (const Wanted& one : sums) one.series->y = one.index == 0 ? count : force;
    finish(wanted, std::move(t));
    finish(sums, std::move(frames));
    return {};
  }

  const record::Recording& recording_;
  const model::Model& model_;
  std::vector<std::string> names_, words_;
  std::unordered_map<std::string, Place> places_;
};

}  // namespace

bool Source::has(const std::string& name) const {
  return std::find(names().begin(), names().end(), name) != names().end();
}

core::Expected<std::unique_ptr<Source>> open_csv(const std::string& path) {
  auto bytes = core::read_file(path);
  if (!bytes) return bytes.diagnostics();
  auto table = CsvTable::parse(std::move(*bytes), path);
  if (!table) return table.diagnostics();
  core::Diagnostics warnings = table.diagnostics();
  if (table->row_count() == 0)
    return core::error_at({path}, "the file has no row below the names of columns");
  return {std::make_unique<CsvSource>(std::move(*table)), std::move(warnings)};
}

std::unique_ptr<Source> open_recording(const record::Recording& recording, const model::Model& model) {
  return std::make_unique<RecordingSource>(recording, model);
}

}  // namespace tumble::plot
